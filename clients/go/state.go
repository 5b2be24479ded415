package lanista

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"lanista/internal/read"
)

// Facts are lines of the arena: by their keyword, for each line with that
// keyword the other words, in the order of the lines.
type Facts map[string][][]string

// Cell is a place on a board of one level: row and column, from 0 at the top
// left.
type Cell struct {
	I int // the row
	J int // the column
}

// String is the cell as (i, j).
func (c Cell) String() string {
	return fmt.Sprintf("(%d, %d)", c.I, c.J)
}

// Before tells whether a cell comes before another, row by row.
func (c Cell) Before(other Cell) bool {
	return c.I < other.I || c.I == other.I && c.J < other.J
}

// Way is a step out of a cell.
type Way struct {
	D  int  // the direction, as the game counts it
	To Cell // where it leads
}

// State is a match as one seat sees it, whatever the game. There is one a match,
// kept current: its fields are those of the last turn that asked for an answer,
// after the match those of its final position.
type State struct {
	Match    string            // the arena's id of the match
	Game     string            // the ruleset's name
	Seat     int               // which player we are, from 0
	Players  []string          // the name in each seat
	Clock    Clock             // the time for answers
	Seed     int               // for our own random choices, 0 … 2^31-1; another one in every match
	Settings map[string]string // the ruleset's settings by its own names, as the arena tells them

	StartFacts Facts // every line that described the match
	Turn       int   // how many moves have been played
	Facts      Facts // every line of this turn
}

// Clock is the time that the arena gives for an answer; 0: no limit.
type Clock struct {
	First time.Duration // for the answer to turn 0
	Other time.Duration // for every other
}

// NewState reads the lines that describe a match; Open calls it, or what another
// game has for it.
func NewState(match string, start Facts) (*State, error) {
	r := read.New(start)
	clock := r.Line("clock", 2)
	state := &State{
		Match:      match,
		Game:       r.Line("game", 1)[0],
		Clock:      Clock{seconds(r.Float(clock[0])), seconds(r.Float(clock[1]))},
		Seed:       r.Int(r.Line("seed", 1)[0]),
		Settings:   make(map[string]string),
		StartFacts: start,
	}
	for _, words := range r.Numbered("player", 0) {
		state.Players = append(state.Players, strings.Join(words, " "))
	}
	state.Seat = r.Below(r.Line("seat", 1)[0], len(state.Players))
	for _, words := range start["set"] {
		if len(words) > 0 {
			state.Settings[words[0]] = strings.Join(words[1:], " ")
		}
	}
	return state, r.Err()
}

// Update takes the facts of a turn, all of them being known; called by Arena.
func (s *State) Update(turn int, facts Facts) error {
	s.Turn = turn
	s.Facts = facts
	return nil
}

// Number is the value of a setting; ok is false where there is no such setting
// or where it is no number.
func (s *State) Number(name string) (value float64, ok bool) {
	text := s.Settings[name]
	if strings.Trim(text, "-.0123456789") != "" { // ParseFloat takes inf and 0x1p-2 too
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

func seconds(value float64) time.Duration {
	return time.Duration(math.Round(value * float64(time.Second)))
}
