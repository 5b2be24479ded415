package lanista

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lanista/internal/read"
)

const (
	connectTimeout = 10 * time.Second
	readBuffer     = 1 << 16 // bytes; a turn of a big map comes in one read
	quoted         = 100     // bytes of a line that an error shows
	mostUnasked    = 8 << 20 // bytes that the arena sends from one go to the next (PROTOCOL.md 3)
)

// Game is what Arena needs of a game's state. State is one; the states of the
// games' packages have one within.
type Game interface {
	// Update takes the facts of a turn, all of them being known. An error says that
	// they aren't the game's.
	Update(turn int, facts Facts) error
}

// Move is a submove: the numbers (int) and letters (string) that the game's
// rules have for it, such as Move{"m", 4, 2}. The games' packages make theirs by
// functions.
type Move []any

// Arena is a connection to the arena that plays matches of which S is the state.
// Next, State and Send play; one goroutine at a time may use it.
type Arena[S Game] struct {
	hello     string
	host      string
	port      int
	security  *tls.Config // nil: plain text
	keep      bool
	reconnect bool
	quiet     bool          // whether nothing is told
	waited    bool          // whether it has been told that the bot waits
	pause     time.Duration // before the next attempt to connect, at most
	conn      net.Conn
	limit     *io.LimitedReader // of conn: what may still come before the next go
	input     *bufio.Reader     // of limit
	begin     func(match string, start Facts) (S, error)

	state   S
	begun   bool // whether the state is that of a match
	results []Result
	notes   []Note
	err     error

	owes  bool   // an answer to the last `go`
	over  bool   // nothing more is read
	match string // its id, from `start` to the end of its scores
	end   string // why it ended, once `end` has come
	open  bool   // whether facts of a turn are still coming in
	turn  int    // that turn, or the last
	facts Facts  // where lines go whose keyword the library doesn't use itself
}

// Connect connects a bot for a game that has no package of its own: it plays by
// the facts. Angrymob, hogwarts and crematoria have a Connect each.
//
// The error is an *Error with the code unreachable, or else says which option
// can't be used.
func Connect(options Options) (*Arena[*State], error) {
	return Open(options, NewState)
}

// Open connects a bot with a state of its own making, as the games' packages do:
// begin makes it of the lines that describe a match, best by NewState first.
// Errors are those of Connect.
func Open[S Game](options Options, begin func(match string, start Facts) (S, error)) (*Arena[S], error) {
	options = options.holding()
	hello, err := options.hello()
	if err != nil {
		return nil, err
	}
	host, port, err := options.address()
	if err != nil {
		return nil, err
	}
	security, err := options.security(host)
	if err != nil {
		return nil, err
	}
	if os.Getenv("LANISTA_STDIO") == "1" {
		return nil, &Error{Code: "unreachable", Words: "this program connects to the arena by itself; " +
			"start it without `stdio:` or `lanista connect`"}
	}
	arena := &Arena[S]{
		hello:     hello,
		host:      host,
		port:      port,
		security:  security,
		keep:      options.Keep,
		reconnect: options.Reconnect,
		quiet:     options.quiet(),
		pause:     shortestPause,
		begin:     begin,
		facts:     make(Facts),
	}
	if err := arena.connect(); err != nil {
		if !arena.reconnect {
			return nil, err
		}
		arena.connectAgain(err)
	}
	return arena, nil
}

// Next waits for the next turn that asks for an answer and tells whether there
// is one; State then is its position. It is false for good once the match, with
// Options.Keep the connection, has ended; Err tells whether it ended as it
// should.
//
// It panics if the last turn wasn't answered.
func (a *Arena[S]) Next() bool {
	if a.owes {
		panic(fmt.Sprintf("lanista: turn %d wasn't answered: every state needs one arena.Send(moves...), "+
			"arena.Send() to do nothing", a.turn))
	}
	a.limit.N = mostUnasked
	for !a.over && !a.owes {
		line, err := a.input.ReadString('\n')
		if err == nil {
			err = a.take(line)
		} else if a.limit.N <= 0 {
			err = &Error{Code: "unreadable",
				Words: fmt.Sprintf("the arena sent %d MiB without asking for an answer", mostUnasked>>20)}
		} else { // the end, or a reset; a line that it cuts off is dropped
			line, err = "", a.closed()
		}
		if err != nil {
			a.over = true
			if told := a.told(line, err); a.comesBack(told) {
				a.connectAgain(told)
			} else {
				a.err = told
			}
		}
	}
	return a.owes
}

// State is the current match, also after its end: then it has the final
// position. It is nil before the first turn of a match. The same object comes
// again each turn, brought up to date; with Options.Keep a new match has a new
// one.
func (a *Arena[S]) State() S {
	return a.state
}

// Err is what ended the iteration: nil if the match, with Options.Keep the
// connection, ended as it should, else an *Error.
func (a *Arena[S]) Err() error {
	return a.err
}

// Result tells how the last match ended; nil while none has.
func (a *Arena[S]) Result() *Result {
	if len(a.results) == 0 {
		return nil
	}
	return &a.results[len(a.results)-1]
}

// Results has how each match ended, in their order.
func (a *Arena[S]) Results() []Result {
	return a.results
}

// Notes has what the arena refused in the current match.
func (a *Arena[S]) Notes() []Note {
	return a.notes
}

// Send answers the turn by these submoves; by none it does nothing in this turn.
// A connection that is lost meanwhile is told by Next, for the arena may have
// said why.
//
// It panics if the turn is answered already, or if a move has something else
// than an int or a single letter; then nothing is sent.
func (a *Arena[S]) Send(moves ...Move) {
	if !a.owes {
		panic("lanista: no turn asks for an answer: send once for each state, not before it")
	}
	var line []byte
	for _, move := range moves {
		for _, token := range move {
			if len(line) > 0 {
				line = append(line, ' ')
			}
			switch token := token.(type) {
			case int:
				line = strconv.AppendInt(line, int64(token), 10)
			case string:
				if len(token) != 1 || !('A' <= token[0] && token[0] <= 'Z' || 'a' <= token[0] && token[0] <= 'z') {
					panic(fmt.Sprintf("lanista: not integers and letters of the game: %q in %#v", token, move))
				}
				line = append(line, token...)
			default:
				panic(fmt.Sprintf("lanista: not integers and letters of the game: %[1]v (%[1]T) in %[2]v; "+
					"a number must be an int, a letter a string", token, move))
			}
		}
	}
	a.owes = false
	a.write(append(line, '\n'))
}

// Close closes the connection; in mid-match the arena takes that for a loss.
// Closing twice is closing once.
func (a *Arena[S]) Close() error {
	a.over, a.owes = true, false
	if err := a.conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// write sends by one call. A failure isn't told: the arena has closed, and what
// it said before that waits to be read and says why.
func (a *Arena[S]) write(data []byte) {
	_, _ = a.conn.Write(data)
}

// take carries out one line of the arena (PROTOCOL.md 3).
func (a *Arena[S]) take(line string) error {
	words := strings.Fields(strings.ToValidUTF8(line, "\uFFFD"))
	if len(words) == 0 {
		return nil
	}
	keyword, words := words[0], words[1:]
	if least, ok := leastWords[keyword]; ok && len(words) < least {
		return fmt.Errorf("%d words instead of %d after %s", len(words), least, keyword)
	}
	switch keyword {
	case "start":
		return a.takeStart(words[0])
	case "turn":
		return a.takeTurn(words[0])
	case "go":
		if !a.open {
			return errors.New("a go without its turn")
		}
		if err := a.position(); err != nil {
			return err
		}
		a.owes = true
	case "note":
		return a.takeNote(words)
	case "end":
		if a.open { // the final position, which has no go
			if err := a.position(); err != nil {
				return err
			}
		}
		a.end = words[0]
		a.facts = make(Facts)
	case "wait":
		a.pause = shortestPause
		if err := a.finish(); err != nil {
			return err
		}
		a.tellWaiting(words)
	case "bye":
		err := a.finish()
		a.over = true
		if err == nil && a.keep && a.reconnect {
			return &Error{Code: "disconnected", Words: "the arena said bye"}
		}
		return err
	case "error":
		if err := a.finish(); err != nil {
			return err
		}
		return &Error{Code: words[0], Words: strings.Join(words[1:], " ")}
	default:
		a.facts[keyword] = append(a.facts[keyword], words)
	}
	return nil
}

// leastWords has how many words a line can't do without, the keyword not counted.
var leastWords = map[string]int{"wait": 2, "start": 1, "turn": 1, "note": 3, "end": 1, "error": 1}

func (a *Arena[S]) takeStart(match string) error {
	a.pause = shortestPause
	if err := a.finish(); err != nil || a.over {
		return err
	}
	if match != a.match { // else we are back in it, after a break
		var none S
		a.match, a.state, a.begun = match, none, false
		a.notes = nil
	}
	a.open = false
	a.facts = make(Facts)
	return nil
}

func (a *Arena[S]) takeTurn(word string) error {
	turn, err := strconv.Atoi(word)
	if err != nil || turn < 0 {
		return fmt.Errorf("%q is no turn", word)
	}
	if !a.begun {
		state, err := a.begin(a.match, a.facts)
		if err != nil {
			return err
		}
		a.state, a.begun = state, true
	}
	a.turn, a.open = turn, true
	a.facts = make(Facts)
	return nil
}

func (a *Arena[S]) takeNote(words []string) error {
	turn, err := strconv.Atoi(words[1])
	if err != nil {
		return fmt.Errorf("%q is no turn", words[1])
	}
	index := -1
	if words[2] != "-" {
		if index, err = strconv.Atoi(words[2]); err != nil {
			return fmt.Errorf("%q is no place of a submove", words[2])
		}
	}
	note := Note{Code: words[0], Turn: turn, Index: index, Words: strings.Join(words[3:], " ")}
	a.notes = append(a.notes, note)
	if !a.quiet {
		tellNote(note)
	}
	return nil
}

// closed takes the end of the connection without `bye`, which is well between
// matches alone.
func (a *Arena[S]) closed() error {
	if err := a.finish(); err != nil {
		return err
	}
	a.over = true
	var words, advice string
	switch {
	case a.match != "":
		words = "the connection ended in mid-match"
		advice = "check that the arena is running, and start the bot again"
	case len(a.results) == 0 || a.keep && a.reconnect:
		words = "the connection ended before a match"
		advice = "check that the arena is running, and that the port is the one for bots"
	default:
		return nil
	}
	if !a.reconnect {
		words += "; " + advice
	}
	return &Error{Code: "disconnected", Words: words}
}

// position gives the state the facts of the turn, complete now (their order says
// nothing).
func (a *Arena[S]) position() error {
	a.open = false
	facts := a.facts
	a.facts = make(Facts)
	return a.state.Update(a.turn, facts)
}

// finish makes the result of a match whose end, ranks and scores have come.
func (a *Arena[S]) finish() error {
	if a.end == "" {
		return nil
	}
	r := read.New(a.facts)
	result := Result{End: a.end, Notes: a.notes}
	for _, words := range r.Numbered("rank", 1) {
		result.Ranks = append(result.Ranks, r.Int(words[0]))
	}
	for _, words := range r.Numbered("score", 1) {
		result.Scores = append(result.Scores, r.Float(words[0]))
	}
	a.match, a.end = "", ""
	if r.Err() != nil {
		return r.Err()
	}
	a.results = append(a.results, result)
	a.over = !a.keep
	return nil
}

// told is an error as the bot's author reads it, with the line that brought it.
func (a *Arena[S]) told(line string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	line = strings.TrimSuffix(line, "\n")
	if len(line) > quoted {
		line = line[:quoted] + "…"
	}
	return &Error{Code: "unreadable", Words: fmt.Sprintf("the client can't use %q: %v", line, err), cause: err}
}

// reason is the operating system's word on a failed connection, or the
// resolver's.
func reason(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}
