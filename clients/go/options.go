package lanista

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Where the arena is, if neither Options nor the environment say so.
const (
	DefaultHost = "127.0.0.1"
	DefaultPort = 7777
)

const nameLimit = 32 // code points, PROTOCOL.md 2

// Options say who the bot is, what it wants to play, and where. All may be left
// out but the name, which LANISTA_NAME can give; an empty variable of the
// environment counts as one that isn't set. With LANISTA_LOCAL=1, which `lanista
// play`, `check` and tournaments set, Host, Port, Token, TLS, TLSCA, Room and
// Reconnect count for nothing.
type Options struct {
	Name  string // what to be called, 1 to 32 printable characters; else LANISTA_NAME
	Game  string // the ruleset wanted; else the arena's default
	Host  string // where the arena is; else LANISTA_HOST, else DefaultHost
	Port  int    // its TCP port; else LANISTA_PORT, else DefaultPort
	Token string // the secret for this name or seat; else LANISTA_TOKEN, else none
	TLS   bool   // connect by TLS, to an arena with a trusted certificate of Host; else LANISTA_TLS=1
	TLSCA string // a file of certificates (PEM) to trust instead of the system's; else LANISTA_TLS_CA
	Room  string // wait for opponents in this room only
	Seat  *int   // ask for this seat, from 0: lanista.Seat(0)
	Keep  bool   // stay for match after match
	Notes bool   // be told of everything that was refused, not only of why a match was lost

	// Connect again, for as long as it takes, when there is no connection or it
	// breaks, and take the match up again if the arena allows it; each attempt is
	// told on stderr. With Keep the iteration then ends only by an error that would
	// come again.
	Reconnect bool

	// Don't tell on stderr that the bot has been waiting for an opponent for a
	// second; else LANISTA_QUIET=1, which the arena sets for the bots that it starts.
	Quiet bool
}

// String is the options without the token, which is a secret.
func (o Options) String() string {
	type plain Options // has no String
	if o.Token != "" {
		o.Token = "***"
	}
	return fmt.Sprintf("%+v", plain(o))
}

// Seat makes the value of Options.Seat that asks for seat n, from 0.
func Seat(n int) *int {
	return &n
}

// NameOr is the name that the arena gives the bot by LANISTA_NAME, or else the
// bot's own.
func NameOr(own string) string {
	return orElse(os.Getenv("LANISTA_NAME"), own)
}

// holding is the options that hold: where LANISTA_LOCAL=1 says that the bot is
// started by Lanista itself, not those by which it finds another arena.
func (o Options) holding() Options {
	if os.Getenv("LANISTA_LOCAL") == "1" {
		o.Host, o.Port, o.Token, o.TLS, o.TLSCA, o.Room, o.Reconnect = "", 0, "", false, "", "", false
	}
	return o
}

// hello is the line that opens the conversation (PROTOCOL.md 2). The error tells
// of a name or an option that would not survive the way.
func (o *Options) hello() (string, error) {
	name := orElse(o.Name, os.Getenv("LANISTA_NAME"))
	if name == "" {
		return "", errors.New(`the bot has no name: write lanista.Options{Name: "MyBot"} or set LANISTA_NAME`)
	}
	if !printable(name) || strings.Contains(name, "=") ||
		name != strings.Join(strings.Fields(name), " ") || utf8.RuneCountInString(name) > nameLimit {
		return "", fmt.Errorf(
			"a name is 1 to %d printable characters, single spaces between, no '=': not %q", nameLimit, name)
	}
	words := []string{name, "v=1"}
	say := func(key, value string) error {
		if !printable(value) || strings.Contains(value, " ") {
			given := ""
			if key != "token" { // a secret
				given = fmt.Sprintf(", not %q", value)
			}
			return fmt.Errorf("%s must be one printable word without spaces%s", key, given)
		}
		words = append(words, key+"="+value)
		return nil
	}
	seat := ""
	if o.Seat != nil {
		seat = strconv.Itoa(*o.Seat)
	}
	for _, option := range []struct{ key, value string }{
		{"game", o.Game},
		{"room", o.Room},
		{"seat", seat},
		{"token", orElse(o.Token, os.Getenv("LANISTA_TOKEN"))},
		{"keep", flag(o.Keep)},
		{"notes", flag(o.Notes)},
	} {
		if option.value == "" {
			continue
		}
		if err := say(option.key, option.value); err != nil {
			return "", err
		}
	}
	return strings.Join(words, " ") + "\n", nil
}

// address is where to connect to.
func (o *Options) address() (host string, port int, err error) {
	host = orElse(o.Host, orElse(os.Getenv("LANISTA_HOST"), DefaultHost))
	text := strconv.Itoa(o.Port)
	whose, given := "port", text
	if o.Port == 0 {
		text = orElse(os.Getenv("LANISTA_PORT"), strconv.Itoa(DefaultPort))
		whose, given = "LANISTA_PORT", "'"+escaped(text)+"'"
	}
	number, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16)
	if err != nil || number == 0 {
		return "", 0, fmt.Errorf("%s must be a port number from 1 to 65535, such as 7777, not %s", whose, given)
	}
	return host, int(number), nil
}

// quiet is whether to be silent while the bot waits.
func (o *Options) quiet() bool {
	return o.Quiet || orElse(os.Getenv("LANISTA_QUIET"), "0") != "0"
}

// printable tells whether a text has letters, marks, numbers, punctuation,
// symbols and spaces alone.
func printable(text string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(text)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func flag(set bool) string {
	if set {
		return "1"
	}
	return ""
}
