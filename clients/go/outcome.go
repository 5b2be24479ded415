package lanista

import "fmt"

// Error says why a match can't go on: the arena said `error`, or the connection
// is lost. Find it in what Connect and Arena.Err return by errors.As.
type Error struct {
	// Code is one of PROTOCOL.md 7 (bad-hello, name-taken, late, shutdown, …) or one
	// of the client's own: unreachable (no connection could be made), disconnected
	// (it ended in mid-match), unreadable (the arena sent something outside the
	// protocol).
	Code string
	// Words explain it to people.
	Words string

	cause error
}

// Error is the code and, if there are any, the words, with escapes for what isn't
// printable.
func (e *Error) Error() string {
	if e.Words == "" {
		return escaped(e.Code)
	}
	return escaped(e.Code + ": " + e.Words)
}

// Unwrap is the network's own error where there was one.
func (e *Error) Unwrap() error {
	return e.cause
}

// Result tells how a match ended (PROTOCOL.md 3).
type Result struct {
	End    string    // finished, forfeit, aborted or void
	Ranks  []int     // the place of each seat: 1 is best, equal places are ties
	Scores []float64 // the final score of each seat, in the units of the game's rules
	Notes  []Note    // what the arena refused in the match
}

// String is the result in one line.
func (r Result) String() string {
	return fmt.Sprintf("%s: ranks %v, scores %v", escaped(r.End), r.Ranks, r.Scores)
}

// Note tells of something of ours that the arena refused, the match going on
// (PROTOCOL.md 7).
type Note struct {
	Code  string // late, malformed or illegal; or benched, after a match: the bot rests; or room, before one: the room isn't a ladder
	Turn  int    // the turn that was answered so; of benched the seconds of rest, 0: until the operator ends it
	Index int    // the submove's place in that answer, from 0; -1: the answer as a whole
	Words string // the explanation, for people
}

// String is the note in one line.
func (n Note) String() string {
	where := fmt.Sprintf("turn %d", n.Turn)
	if n.Index >= 0 {
		where += fmt.Sprintf(", submove %d", n.Index)
	}
	return escaped(fmt.Sprintf("%s in %s: %s", n.Code, where, n.Words))
}
