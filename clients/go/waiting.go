package lanista

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// silence is how long the bot waits for an opponent until that is told; tests
// shorten it.
var silence = time.Second

// stderr is where the library tells what happens; tests put another in its place.
var stderr io.Writer = os.Stderr

// tellWaiting tells once that the bot waits, if the arena then says nothing for a
// second. Taken are the words of its wait.
func (a *Arena[S]) tellWaiting(taken []string) {
	if a.quiet || a.waited || a.over || !a.isSilent() {
		return
	}
	a.waited = true
	var details []string
	for _, word := range strings.Fields(a.hello) {
		if strings.HasPrefix(word, "game=") || strings.HasPrefix(word, "room=") {
			details = append(details, strings.Replace(word, "=", " ", 1))
		}
	}
	details = append(details, escaped(fmt.Sprintf("%s of %s seats taken", taken[0], taken[1])))
	fmt.Fprintf(stderr, "lanista: waiting for an opponent at %s (%s); "+
		"the arena's page, whose address `lanista serve` prints, shows who is there\n",
		address(a.host, a.port), strings.Join(details, ", "))
}

// tellNote tells a note if it says that the bot's room isn't a ladder, or that
// the bot has to rest.
func tellNote(note Note) {
	switch {
	case note.Code == "room":
		fmt.Fprintf(stderr, "lanista: %s\n", escaped(note.Words))
	case note.Code == "benched" && note.Turn == 0:
		fmt.Fprintf(stderr, "lanista: benched: %s\n", escaped(note.Words))
	case note.Code == "benched":
		fmt.Fprintf(stderr, "lanista: benched for %d s: %s\n", note.Turn, escaped(note.Words))
	}
}

// isSilent tells whether nothing comes for a second; what comes stays to be read.
func (a *Arena[S]) isSilent() bool {
	_ = a.conn.SetReadDeadline(time.Now().Add(silence))
	_, err := a.input.Peek(1)
	_ = a.conn.SetReadDeadline(time.Time{})
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// escaped is a text that does nothing to a terminal: what isn't printable is escaped.
func escaped(text string) string {
	var shown strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			shown.WriteRune(r)
		} else {
			fmt.Fprintf(&shown, "\\u{%x}", r)
		}
	}
	return shown.String()
}

// address is host and port as one word.
func address(host string, port int) string {
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// noArena is why there is no connection, and what to do; the words are the same in
// every client library.
func noArena(host string, port int, err error) string {
	here := host == "127.0.0.1" || host == "localhost" || host == "::1"
	if here && errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Sprintf("no arena at %s; start one with `lanista serve`", address(host, port))
	}
	why := reason(err).Error()
	var lookup *net.DNSError
	var network net.Error
	if errors.As(err, &lookup) {
		why = "unknown host"
	} else if errors.As(err, &network) && network.Timeout() {
		why = "timed out"
	}
	return fmt.Sprintf("no arena at %s: %s; check the host and the port", address(host, port), why)
}
