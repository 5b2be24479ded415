package lanista_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"lanista"
	. "lanista/internal/arenatest"
)

// What the bot says first (PROTOCOL.md 2).
func TestHelloSaysNameAndOptions(t *testing.T) {
	for _, c := range []struct {
		options lanista.Options
		hello   string
	}{
		{lanista.Options{Name: "CamperJoe"}, "CamperJoe v=1\n"},
		{lanista.Options{Name: "Ann Lee", Game: "angrymob"}, "Ann Lee v=1 game=angrymob\n"},
		{
			lanista.Options{Name: "A", Game: "crematoria", Room: "cup-3", Seat: lanista.Seat(0), Token: "9f="},
			"A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n",
		},
		{lanista.Options{Name: "Zoë", Keep: true, Notes: true}, "Zoë v=1 keep=1 notes=1\n"},
		{lanista.Options{Name: strings.Repeat("é", 32)}, strings.Repeat("é", 32) + " v=1\n"},
	} {
		served := Say(t)
		c.options.Port = served.Port
		connected(t, c.options).Close()
		Equal(t, "hello", served.Hello(), c.hello)
	}
}

func TestTheEnvironmentTellsWhatTheOptionsDoNot(t *testing.T) {
	served := Say(t)
	t.Setenv("LANISTA_HOST", "127.0.0.1")
	t.Setenv("LANISTA_PORT", fmt.Sprint(served.Port))
	t.Setenv("LANISTA_NAME", "E")
	t.Setenv("LANISTA_TOKEN", "t")
	Equal(t, "NameOr", lanista.NameOr("mine"), "E")
	connected(t, lanista.Options{}).Close()
	Equal(t, "hello", served.Hello(), "E v=1 token=t\n")
}

func TestOptionsOverrideTheEnvironment(t *testing.T) {
	served := Say(t)
	t.Setenv("LANISTA_HOST", "nowhere.invalid")
	t.Setenv("LANISTA_PORT", "no")
	t.Setenv("LANISTA_NAME", "E")
	t.Setenv("LANISTA_TOKEN", "t")
	connected(t, lanista.Options{Name: "A", Host: "127.0.0.1", Port: served.Port, Token: "u"}).Close()
	Equal(t, "hello", served.Hello(), "A v=1 token=u\n")
}

// What the bot says of another arena counts for nothing; what it says of itself
// does.
func TestABotStartedByLanistaStaysWithIt(t *testing.T) {
	served := Say(t)
	t.Setenv("LANISTA_HOST", "127.0.0.1")
	t.Setenv("LANISTA_PORT", fmt.Sprint(served.Port))
	t.Setenv("LANISTA_TOKEN", "t")
	t.Setenv("LANISTA_LOCAL", "1")
	connected(t, lanista.Options{
		Name: "A", Host: "nowhere.invalid", Port: 1, Token: "u", Room: "pit", TLS: true, Reconnect: true,
	}).Close()
	Equal(t, "hello", served.Hello(), "A v=1 token=t\n")
}

// An empty variable says nothing: the arena is on this machine then. The port
// itself can't be taken by a test.
func TestEmptyVariablesSayNothing(t *testing.T) {
	served := Say(t) // it empties them
	connected(t, lanista.Options{Name: "A", Port: served.Port}).Close()
	Equal(t, "hello", served.Hello(), "A v=1\n")
	Equal(t, "NameOr", lanista.NameOr("mine"), "mine")
	Equal(t, "the default", fmt.Sprint(lanista.DefaultHost, ":", lanista.DefaultPort), "127.0.0.1:7777")
}

func TestWhatNoHelloCanSayIsRefusedBeforeConnecting(t *testing.T) {
	for _, c := range []struct {
		options lanista.Options
		words   string
	}{
		{lanista.Options{}, "has no name"},
		{lanista.Options{Name: "a=b"}, `"a=b"`},
		{lanista.Options{Name: "two\nlines"}, `"two\nlines"`},
		{lanista.Options{Name: "two  spaces"}, "single spaces"},
		{lanista.Options{Name: "\xff"}, `"\xff"`},
		{lanista.Options{Name: strings.Repeat("x", 33)}, "1 to 32"},
		{lanista.Options{Name: "A", Room: "cup 3"}, "room must be one printable word without spaces"},
		{lanista.Options{Name: "A", Token: "t\n"}, "token must be"},
		{lanista.Options{Name: "A", Token: "my secret"}, "token must be"},
	} {
		NoEnvironment(t)
		c.options.Port = 1
		_, err := lanista.Connect(c.options)
		var told *lanista.Error
		if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "secret") || errors.As(err, &told) {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
}

func TestAPortThatIsNoneIsNamed(t *testing.T) {
	NoEnvironment(t)
	t.Setenv("LANISTA_PORT", "http")
	for port, words := range map[int]string{
		0:     "LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not 'http'",
		65536: "port must be a port number from 1 to 65535, such as 7777, not 65536",
		-1:    "port must be a port number from 1 to 65535, such as 7777, not -1",
	} {
		_, err := lanista.Connect(lanista.Options{Name: "A", Port: port})
		Equal(t, "the error", fmt.Sprint(err), words)
	}
}

func TestNoArenaIsToldInOneLine(t *testing.T) {
	NoEnvironment(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	_, err = lanista.Connect(lanista.Options{Name: "A", Port: port})
	words := fmt.Sprintf("unreachable: no arena at 127.0.0.1:%d; start one with `lanista serve`", port)
	Equal(t, "the error", fmt.Sprint(err), words)
	Equal(t, "its cause", errors.Is(err, syscall.ECONNREFUSED), true)
}

// codeOf is the code of an error; "" if there is none.
func codeOf(t testing.TB, err error) string {
	t.Helper()
	var told *lanista.Error
	if errors.As(err, &told) {
		return told.Code
	}
	if err != nil {
		t.Errorf("an error of another kind: %v", err)
	}
	return ""
}

func TestATokenIsNotShown(t *testing.T) {
	options := lanista.Options{Name: "A", Token: "secret"}
	for _, given := range []any{options, &options} {
		shown := fmt.Sprintf("%+v", given)
		Equal(t, "the token is in "+shown, strings.Contains(shown, "secret"), false)
		Equal(t, "the name is in "+shown, strings.Contains(shown, "Name:A "), true)
	}
}

// connected is a bot that plays by the facts.
func connected(t testing.TB, options lanista.Options) *lanista.Arena[*lanista.State] {
	t.Helper()
	arena, err := lanista.Connect(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = arena.Close() })
	return arena
}
