// Package arenatest has an arena that follows a script, byte for byte, over a
// real connection, for the tests of the library. No rule of a game is here.
package arenatest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"
)

const patience = 20 * time.Second // before a test fails that waits; nothing is expected to need it

// Step is one step of a script.
type Step func(arena *Arena)

// Arena serves one connection, or one after another.
type Arena struct {
	Port int

	t        testing.TB
	listener net.Listener
	conn     net.Conn
	hello    string
	heard    []byte // all after the hello that no step waited for
	done     chan struct{}
	read     bool // whether the test takes what was heard
}

// Says sends these bytes.
func Says(data string) Step {
	return func(arena *Arena) {
		if _, err := arena.conn.Write([]byte(data)); err != nil {
			arena.t.Errorf("sending %q: %v", data, err)
		}
	}
}

// SaysByByte sends these bytes one at a time.
func SaysByByte(data string) Step {
	return func(arena *Arena) {
		for at := range []byte(data) {
			Says(data[at : at+1])(arena)
		}
	}
}

// Hears waits for exactly these bytes.
func Hears(data string) Step {
	return func(arena *Arena) {
		heard := make([]byte, len(data))
		n, _ := io.ReadFull(arena.conn, heard)
		if got := string(heard[:n]); got != data {
			arena.t.Errorf("the bot sent %q instead of %q", got, data)
		}
	}
}

// HearsHello waits for a hello with these words, whose options may come in any
// order.
func HearsHello(hello string) Step {
	return func(arena *Arena) {
		arena.hearHello()
		if sorted(arena.hello) != sorted(hello) {
			arena.t.Errorf("the hello is %q instead of %q", arena.hello, hello)
		}
	}
}

// Does carries out something else.
func Does(what func()) Step {
	return func(*Arena) { what() }
}

// Resets closes the connection at once, whatever the bot has sent.
func Resets() Step {
	return func(arena *Arena) {
		if tcp, ok := arena.conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = arena.conn.Close()
	}
}

// CloseNow closes the connection without hearing out the bot.
func CloseNow() Step {
	return func(arena *Arena) { _ = arena.conn.Close() }
}

// AcceptsAgain closes the connection as at the end of a script, and goes on with
// the next one.
func AcceptsAgain() Step {
	return func(arena *Arena) {
		arena.hearOut()
		_ = arena.conn.Close()
		arena.accept()
	}
}

// Serve follows a script on a port of its own, then closes its end and waits
// until the bot has closed its own. The test fails where the bot deviates, or
// says more than the script hears without the test asking for it by Heard. The
// environment tells nothing of an arena meanwhile.
func Serve(t testing.TB, script ...Step) *Arena {
	t.Helper()
	return serve(t, nil, script)
}

// ServeTLS does the same over TLS.
func ServeTLS(t testing.TB, config *tls.Config, script ...Step) *Arena {
	t.Helper()
	return serve(t, config, script)
}

func serve(t testing.TB, config *tls.Config, script []Step) *Arena {
	t.Helper()
	NoEnvironment(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	arena := &Arena{
		Port: listener.Addr().(*net.TCPAddr).Port,
		t:    t,
		done: make(chan struct{}),

		listener: listener,
	}
	if config != nil {
		arena.listener = tls.NewListener(listener, config)
	}
	go arena.serve(script)
	t.Cleanup(func() {
		_ = listener.Close()
		arena.Wait()
		if len(arena.heard) > 0 && !arena.read {
			t.Errorf("the bot said more: %q", arena.heard)
		}
	})
	return arena
}

// Say is an arena that takes a hello, says all of this at once and hears out the
// bot.
func Say(t testing.TB, data ...string) *Arena {
	t.Helper()
	return Serve(t, (*Arena).hearHello, Says(strings.Join(data, "")))
}

// Wait waits until the connection is over.
func (a *Arena) Wait() {
	<-a.done
}

// Hello waits until the connection is over and has the bot's first line.
func (a *Arena) Hello() string {
	a.Wait()
	return a.hello
}

// Heard waits until the connection is over and has what the bot said beyond the
// hello and the script.
func (a *Arena) Heard() string {
	a.Wait()
	a.read = true
	return string(a.heard)
}

// NoEnvironment has the environment say nothing of an arena during the test.
func NoEnvironment(t testing.TB) {
	for _, name := range []string{"HOST", "PORT", "NAME", "TOKEN", "TLS", "TLS_CA", "QUIET"} {
		t.Setenv("LANISTA_"+name, "")
	}
}

// Equal fails the test where two values aren't deeply equal.
func Equal(t testing.TB, what string, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("%s: %v instead of %v", what, got, expected)
	}
}

func (a *Arena) serve(script []Step) {
	defer close(a.done)
	if !a.accept() { // the test is over, and no bot came
		return
	}
	defer func() { _ = a.conn.Close() }()
	for _, step := range script {
		step(a)
	}
	a.hearOut()
}

// accept waits for a connection and tells whether one came.
func (a *Arena) accept() bool {
	conn, err := a.listener.Accept()
	if err != nil {
		return false
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	a.conn = conn
	return true
}

// hearOut closes the arena's end and keeps what the bot says before it closes its
// own.
func (a *Arena) hearOut() {
	_ = a.conn.(interface{ CloseWrite() error }).CloseWrite()
	// An error other than that of patience is the bot's way to close.
	heard, err := io.ReadAll(a.conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		a.t.Error("the bot doesn't close its connection")
	}
	a.heard = append(a.heard, heard...)
}

// hearHello reads the bot's first line, byte by byte: the next line isn't ours.
func (a *Arena) hearHello() {
	var line []byte
	for one := make([]byte, 1); ; line = append(line, one[0]) {
		if _, err := io.ReadFull(a.conn, one); err != nil || one[0] == '\n' {
			break
		}
	}
	a.hello = string(line) + "\n"
}

func sorted(hello string) string {
	words := strings.Split(strings.TrimSuffix(hello, "\n"), " ")
	name := 0
	for name < len(words) && !strings.Contains(words[name], "=") {
		name++
	}
	sort.Strings(words[name:])
	return strings.Join(words, " ")
}
