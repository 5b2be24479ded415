// Package crematoria has the state of a match of Crematoria
// (rules/crematoria.md) and its submoves, for bots that play it by package
// lanista.
//
// A position is row, column and level; columns are circular: the helpers know,
// your own arithmetic must. No strategy lives here.
package crematoria

import (
	"fmt"
	"sort"

	"lanista"
	"lanista/internal/read"
)

// Players is how many players there are.
const Players = 4

// The directions (rules/crematoria.md 1); Top is a row up, Up a level up.
const (
	Bottom = iota
	BR     // bottom and right
	Right  //
	RT     // right and top
	Top    //
	TL     // top and left
	Left   //
	LB     // left and bottom
	Up     // by an elevator, from level 0 to 1
	Down   // by an elevator, from level 1 to 0
	None   // stay
)

// Directions has of each direction what it adds to row, column and level.
var Directions = [11]Pos{
	{I: 1}, {I: 1, J: 1}, {J: 1}, {I: -1, J: 1}, {I: -1}, {I: -1, J: -1}, {J: -1}, {I: 1, J: -1},
	{K: 1}, {K: -1}, {},
}

// Arena is a connection to the arena that plays Crematoria.
type Arena = lanista.Arena[*State]

// Connect connects a bot that plays Crematoria, whatever options.Game says. Its
// errors are those of lanista.Connect.
func Connect(options lanista.Options) (*Arena, error) {
	options.Game = "crematoria"
	return lanista.Open(options, NewState)
}

// Step makes the submove of a unit by one step in direction d.
func Step(id, d int) lanista.Move {
	return lanista.Move{id, d}
}

// State is a match of Crematoria. What is by player is indexed by the seat.
type State struct {
	lanista.State

	Rows      int              // the board's height in cells
	Cols      int              // its width
	NbRounds  int              // the rounds of the whole match
	Elevators []lanista.Cell   // where they are, row by row, the same on both levels
	Own       []string         // the rows of level 0: `R` rock, `E` elevator, `C` cave or the player that owns it
	Units     []*Unit          // every living unit, in order of IDs
	Gems      []Pos            // where gems lie, on level 1, row by row
	Sun       int              // the first of the sunlit columns of level 1; they are half of all, circular
	NbCells   [Players]int     // the caves that each player owns now
	NbGems    [Players]int     // the gems that each player ever picked
	Points    [Players]int     // of each player: cells, and gems at their value
	Status    [Players]float64 // answer times as a share of the match's allowance; -1: out

	caves []string              // the rows of level 0 without owners
	lifts map[lanista.Cell]bool // the elevators
	ways  [][]Way               // by position
	at    map[Pos]*Unit         // nil: not looked for yet in this turn
}

// NewState reads the lines that describe a match. It is what lanista.Open needs
// to play Crematoria where that is the arena's default game and isn't asked for.
func NewState(match string, start lanista.Facts) (*State, error) {
	base, err := lanista.NewState(match, start)
	if err != nil {
		return nil, err
	}
	if base.Game != "crematoria" {
		return nil, fmt.Errorf("the game is %s, not crematoria", base.Game)
	}
	r := read.New(start)
	if len(base.Players) != Players {
		r.Fail("%d players", len(base.Players))
	}
	rows, cols := r.Size()
	caves := r.Board("row", rows, cols)
	rounds := r.Int(base.Settings["nb_rounds"])
	if r.Err() != nil {
		return nil, r.Err()
	}
	s := &State{State: *base, Rows: rows, Cols: cols, NbRounds: rounds, Own: caves, caves: caves}
	s.lifts = make(map[lanista.Cell]bool)
	for _, words := range r.Lines("elevator", 2) {
		lift := lanista.Cell{I: r.Below(words[0], rows), J: r.Below(words[1], cols)}
		s.Elevators = append(s.Elevators, lift)
		s.lifts[lift] = true
	}
	sort.Slice(s.Elevators, func(a, b int) bool { return s.Elevators[a].Before(s.Elevators[b]) })
	s.ways = make([][]Way, 2*rows*cols)
	return s, r.Err()
}

// Update takes the facts of a turn; called by Arena. Units and gems are new
// objects each turn.
func (s *State) Update(turn int, facts lanista.Facts) error {
	r := read.New(facts)
	s.Own = r.Board("own", s.Rows, s.Cols)
	s.at = nil
	lines := r.Lines("unit", 8)
	if len(lines) == 0 {
		r.Fail("no units")
	}
	all := make([]Unit, len(lines))
	s.Units = make([]*Unit, len(lines))
	for at, words := range lines {
		s.Units[at] = &all[at]
		all[at] = s.unit(r, words)
	}
	sort.SliceStable(s.Units, func(a, b int) bool { return s.Units[a].ID < s.Units[b].ID })
	s.Gems = nil
	for _, words := range r.Lines("gem", 2) {
		s.Gems = append(s.Gems, Pos{I: r.Below(words[0], s.Rows), J: r.Below(words[1], s.Cols), K: 1})
	}
	sort.Slice(s.Gems, func(a, b int) bool {
		return s.Gems[a].I < s.Gems[b].I || s.Gems[a].I == s.Gems[b].I && s.Gems[a].J < s.Gems[b].J
	})
	s.Sun = r.Below(r.Line("sun", 1)[0], s.Cols)
	r.Ints("cells", s.NbCells[:])
	r.Ints("gems", s.NbGems[:])
	r.Ints("score", s.Points[:])
	r.Floats("status", s.Status[:])
	if r.Err() != nil {
		return fmt.Errorf("turn %d: %w", turn, r.Err())
	}
	return s.State.Update(turn, facts)
}

// Round is the round that is asked for, from 0: the turn.
func (s *State) Round() int {
	return s.Turn
}

// Me is our own number: the seat.
func (s *State) Me() int {
	return s.Seat
}

// Score is another word for Points.
func (s *State) Score() [Players]int {
	return s.Points
}

// Unit is the living unit of an ID; nil: there is none.
func (s *State) Unit(id int) *Unit {
	at := sort.Search(len(s.Units), func(at int) bool { return s.Units[at].ID >= id })
	if at < len(s.Units) && s.Units[at].ID == id {
		return s.Units[at]
	}
	return nil
}

// Pioneers has the pioneers of a player, by ID.
func (s *State) Pioneers(player int) []*Unit {
	return s.unitsOf(Pioneer, player)
}

// Furyans has the furyans of a player, by ID.
func (s *State) Furyans(player int) []*Unit {
	return s.unitsOf(Furyan, player)
}

// Necromongers has the living necromongers, the descending ones too, by ID.
func (s *State) Necromongers() []*Unit {
	return s.unitsOf(Necromonger, -1)
}

// Hellhounds has the hellhounds, by ID.
func (s *State) Hellhounds() []*Unit {
	return s.unitsOf(Hellhound, -1)
}

// UnitAt is the unit on a cell; nil: there is none. A necromonger that still
// descends isn't on it.
func (s *State) UnitAt(pos Pos) *Unit {
	if s.at == nil {
		s.at = make(map[Pos]*Unit, len(s.Units))
		for _, unit := range s.Units {
			if unit.Turns <= 0 {
				s.at[unit.Pos] = unit
			}
		}
	}
	return s.at[pos]
}

func (s *State) unitsOf(kind Kind, player int) []*Unit {
	var units []*Unit
	for _, unit := range s.Units {
		if unit.Kind == kind && unit.Player == player {
			units = append(units, unit)
		}
	}
	return units
}
