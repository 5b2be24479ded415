package lanista

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"time"
)

const (
	shortestPause = 500 * time.Millisecond
	longestPause  = time.Minute
)

// finalCodes has the codes after which the same bot would fare no better: "no" in
// the table of PROTOCOL.md 7.
var finalCodes = map[string]bool{
	"bad-hello":         true,
	"unknown-game":      true,
	"unknown-version":   true,
	"bad-token":         true,
	"name-taken":        true,
	"replaced":          true,
	"not-utf8":          true,
	"line-too-long":     true,
	"flood":             true,
	"too-many-submoves": true,
	"unreadable":        true,
}

// sleep makes the pauses; tests put another in its place.
var sleep = time.Sleep

// connect connects and says hello.
func (a *Arena[S]) connect() *Error {
	// TCP keep-alive is on by default: a machine that is gone is noticed, also by a
	// bot that only waits.
	conn, err := net.DialTimeout("tcp", address(a.host, a.port), connectTimeout)
	if err != nil {
		return &Error{Code: "unreachable", Words: noArena(a.host, a.port, err), cause: err}
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(true) // Go's default, but PROTOCOL.md 1 asks for it
	}
	if a.security != nil {
		if conn, err = secured(conn, a.security); err != nil {
			words := fmt.Sprintf("no TLS with %s: %s", address(a.host, a.port), reasonTLS(err, a.host))
			return &Error{Code: "unreachable", Words: words, cause: err}
		}
	}
	a.conn = conn
	a.limit = &io.LimitedReader{R: conn, N: mostUnasked}
	a.input = bufio.NewReaderSize(a.limit, readBuffer)
	a.write([]byte(a.hello))
	return nil
}

// comesBack tells whether the bot is to connect again after an error.
func (a *Arena[S]) comesBack(err *Error) bool {
	played := len(a.results) > 0 && !a.keep
	return a.reconnect && !played && !finalCodes[err.Code]
}

// connectAgain connects, as often as it takes (PROTOCOL.md 8); the match stays
// what it is.
func (a *Arena[S]) connectAgain(err *Error) {
	if a.conn != nil {
		_ = a.conn.Close()
	}
	// Not the random numbers of the bot, which it may want to repeat.
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	for err != nil {
		pause := time.Duration(float64(a.pause) * (1 - random.Float64()/2))
		if a.pause *= 2; a.pause > longestPause {
			a.pause = longestPause
		}
		fmt.Fprintf(os.Stderr, "lanista: %v; connecting again in %.1f s\n", err, pause.Seconds())
		sleep(pause)
		err = a.connect()
	}
	a.over = false
	a.open = false
	a.facts = make(Facts)
}
