// Package angrymob has the state of a match of Angry Mob (rules/angrymob.md) and
// its submoves, for bots that play it by package lanista.
//
// Cells are told by row and column, from 0 at the top left.
package angrymob

import (
	"fmt"
	"sort"

	"lanista"
	"lanista/internal/read"
)

// The directions (PROTOCOL.md 5).
const (
	Right = iota
	Up
	Left
	Down
)

// Directions has of each direction what it adds to the row and to the column.
var Directions = [4]lanista.Cell{{I: 0, J: 1}, {I: -1, J: 0}, {I: 0, J: -1}, {I: 1, J: 0}}

// Arena is a connection to the arena that plays Angry Mob.
type Arena = lanista.Arena[*State]

// Connect connects a bot that plays Angry Mob, whatever options.Game says. Its
// errors are those of lanista.Connect.
func Connect(options lanista.Options) (*Arena, error) {
	options.Game = "angrymob"
	return lanista.Open(options, NewState)
}

// Move makes the submove of k units from row i, column j in direction d.
func Move(i, j, k, d int) lanista.Move {
	return lanista.Move{i, j, k, d}
}

// Submove is one that a seat sent: K units from (I, J) in direction D.
type Submove struct {
	I, J, K, D int
}

// Group is the units of one owner on a cell.
type Group struct {
	lanista.Cell
	N int // how many
}

// Groups are in the order of their rows, then columns.
type Groups []Group

// At is how many of these units are on a cell; 0: none.
func (g Groups) At(i, j int) int {
	if at, ok := g.find(lanista.Cell{I: i, J: j}); ok {
		return g[at].N
	}
	return 0
}

// State is a match of Angry Mob.
type State struct {
	lanista.State

	Rows      int             // the map's height in cells
	Cols      int             // its width
	Bases     [2]lanista.Cell // the base of each seat
	Base      lanista.Cell    // our own
	EnemyBase lanista.Cell    // the opponent's
	Mine      Groups          // our units
	Theirs    Groups          // the opponent's
	Neutral   Groups          // the neutral units that are still there
	Totals    [2]int          // how many units each seat has on the map
	Moved     [2][]Submove    // of each seat, what it sent last turn; none at turn 0

	passable []bool // by cell, row by row
	ways     [][]lanista.Way
}

// NewState reads the lines that describe a match. It is what lanista.Open needs
// to play Angry Mob where that is the arena's default game and isn't asked for.
func NewState(match string, start lanista.Facts) (*State, error) {
	base, err := lanista.NewState(match, start)
	if err != nil {
		return nil, err
	}
	if base.Game != "angrymob" {
		return nil, fmt.Errorf("the game is %s, not angrymob", base.Game)
	}
	r := read.New(start)
	rows, cols := r.Size()
	grid := r.Numbered("row", 0)
	bases := r.Numbered("base", 2)
	switch {
	case len(grid) != rows:
		r.Fail("%d rows of a map that has %d", len(grid), rows)
	case len(bases) != 2 || base.Seat > 1:
		r.Fail("%d bases, and we are in seat %d", len(bases), base.Seat)
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	s := &State{State: *base, Rows: rows, Cols: cols}
	for i, tokens := range grid {
		if len(tokens) != cols {
			r.Fail("%d cells in row %d of a map that has %d columns", len(tokens), i, cols)
			break
		}
		for j, token := range tokens {
			s.passable = append(s.passable, token != "#")
			if '0' <= token[0] && token[0] <= '9' {
				s.Neutral = append(s.Neutral, Group{lanista.Cell{I: i, J: j}, r.Int(token)})
			}
		}
	}
	s.ways = make([][]lanista.Way, len(s.passable))
	if r.Err() != nil {
		return nil, r.Err()
	}
	for seat, words := range bases {
		s.Bases[seat] = s.cell(r, words)
	}
	s.Base, s.EnemyBase = s.Bases[s.Seat], s.Bases[1-s.Seat]
	return s, r.Err()
}

// Update takes the facts of a turn; called by Arena. The groups of units are new
// ones each turn.
func (s *State) Update(turn int, facts lanista.Facts) error {
	r := read.New(facts)
	var units [2]Groups
	for _, words := range r.Lines("unit", 4) {
		seat := r.Below(words[2], 2)
		units[seat] = append(units[seat], Group{s.cell(r, words), r.Int(words[3])})
	}
	for _, groups := range units {
		sort.Slice(groups, func(a, b int) bool { return groups[a].Cell.Before(groups[b].Cell) })
	}
	s.Mine, s.Theirs = units[s.Seat], units[1-s.Seat]
	if changes := r.Lines("neutral", 3); len(changes) > 0 {
		s.Neutral = append(Groups(nil), s.Neutral...)
		for _, words := range changes {
			s.Neutral.set(s.cell(r, words), r.Int(words[2]))
		}
	}
	s.Totals = [2]int{}
	for _, words := range r.Lines("total", 2) {
		s.Totals[r.Below(words[0], 2)] = r.Int(words[1])
	}
	s.Moved = [2][]Submove{}
	for _, words := range r.Lines("moved", 1) {
		seat, numbers := r.Below(words[0], 2), words[1:]
		if len(numbers)%4 != 0 {
			r.Fail("%d numbers in submoves of four", len(numbers))
		}
		for ; len(numbers) >= 4; numbers = numbers[4:] {
			s.Moved[seat] = append(s.Moved[seat],
				Submove{r.Int(numbers[0]), r.Int(numbers[1]), r.Int(numbers[2]), r.Int(numbers[3])})
		}
	}
	if r.Err() != nil {
		return fmt.Errorf("turn %d: %w", turn, r.Err())
	}
	return s.State.Update(turn, facts)
}

// Passable tells whether the cell lies on the map and units can stand there.
func (s *State) Passable(i, j int) bool {
	return 0 <= i && i < s.Rows && 0 <= j && j < s.Cols && s.passable[i*s.Cols+j]
}

// Neighbours has the ways out of a cell of the map, by direction: each that a
// unit can take. They are not to be changed.
func (s *State) Neighbours(i, j int) []lanista.Way {
	if i < 0 || i >= s.Rows || j < 0 || j >= s.Cols {
		return nil
	}
	known := &s.ways[i*s.Cols+j]
	if *known == nil {
		*known = make([]lanista.Way, 0, len(Directions))
		for d, step := range Directions {
			if to := (lanista.Cell{I: i + step.I, J: j + step.J}); s.Passable(to.I, to.J) {
				*known = append(*known, lanista.Way{D: d, To: to})
			}
		}
	}
	return *known
}

// Search says how Distances looks for ways. Its zero value: around impassable
// cells alone, however far.
type Search struct {
	Blocked func(cell lanista.Cell) bool // cells to go around, beside the impassable ones; nil: none
	Within  int                          // steps to look at, at most; 0: any number
}

// Distances tells of each cell how many steps it is from the nearest goal. Goals
// outside the map aren't looked at.
func (s *State) Distances(goals []lanista.Cell, search Search) lanista.Steps {
	ways := func(cell lanista.Cell) []lanista.Way { return s.Neighbours(cell.I, cell.J) }
	return lanista.StepsFrom(goals, s.Rows, s.Cols, search.Within, ways, search.Blocked)
}

// cell is the cell that the first two words tell, where units can stand.
func (s *State) cell(r *read.Reader, words []string) lanista.Cell {
	cell := lanista.Cell{I: r.Int(words[0]), J: r.Int(words[1])}
	if !s.Passable(cell.I, cell.J) {
		r.Fail("nothing can stand in %v", cell)
	}
	return cell
}

// find is where the group of a cell is, or would be.
func (g Groups) find(cell lanista.Cell) (at int, ok bool) {
	at = sort.Search(len(g), func(at int) bool { return !g[at].Cell.Before(cell) })
	return at, at < len(g) && g[at].Cell == cell
}

// set gives a cell n units; 0: none.
func (g *Groups) set(cell lanista.Cell, n int) {
	at, ok := g.find(cell)
	switch {
	case ok && n == 0:
		*g = append((*g)[:at], (*g)[at+1:]...)
	case ok:
		(*g)[at].N = n
	case n != 0:
		*g = append(*g, Group{})
		copy((*g)[at+1:], (*g)[at:])
		(*g)[at] = Group{cell, n}
	}
}
