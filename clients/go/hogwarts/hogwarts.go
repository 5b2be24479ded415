// Package hogwarts has the state of a match of Hogwarts (rules/hogwarts.md) and
// its submoves, for bots that play it by package lanista.
//
// What the originals call me(), pos_voldemort() and so on is here under the same
// words; a cell is told by row and column, from 0 at the top left. No strategy
// lives here: spells are for bots to solve.
package hogwarts

import (
	"fmt"
	"sort"

	"lanista"
	"lanista/internal/read"
)

// Players is how many clans there are, and Ingredients how many a spell has.
const (
	Players     = 4
	Ingredients = 15
)

// The directions; wizards may use Down, Right, Up and Left alone
// (rules/hogwarts.md 2).
const (
	Down  = iota
	DR    // down and right
	Right //
	RU    // right and up
	Up    //
	UL    // up and left
	Left  //
	LD    // left and down
)

// Directions has of each direction what it adds to the row and to the column.
var Directions = [8]lanista.Cell{
	{I: 1, J: 0}, {I: 1, J: 1}, {I: 0, J: 1}, {I: -1, J: 1},
	{I: -1, J: 0}, {I: -1, J: -1}, {I: 0, J: -1}, {I: 1, J: -1},
}

// Straight has a wizard's directions.
var Straight = [4]int{Down, Right, Up, Left}

// Arena is a connection to the arena that plays Hogwarts.
type Arena = lanista.Arena[*State]

// Connect connects a bot that plays Hogwarts, whatever options.Game says. Its
// errors are those of lanista.Connect.
func Connect(options lanista.Options) (*Arena, error) {
	options.Game = "hogwarts"
	return lanista.Open(options, NewState)
}

// Step makes the submove of a unit by one step in direction d.
func Step(id, d int) lanista.Move {
	return lanista.Move{"m", id, d}
}

// Spell makes the submove of a ghost that casts a spell: of each ingredient, the
// group that it is put in, 0 to 4 (rules/hogwarts.md 9).
func Spell(id int, groups [Ingredients]int) lanista.Move {
	move := lanista.Move{"s", id}
	for _, group := range groups {
		move = append(move, group)
	}
	return move
}

// State is a match of Hogwarts. What is by clan is indexed by the seat.
type State struct {
	lanista.State

	Rows             int              // the board's height in cells
	Cols             int              // its width
	NumRounds        int              // the rounds of the whole match
	Units            []*Unit          // every unit, in order of IDs
	Own              []string         // the rows of the board: `W` a wall, the clan that owns the cell, or `.`
	Books            []lanista.Cell   // where books lie, row by row
	Voldemort        lanista.Cell     // where he is
	SpellIngredients [Ingredients]int // those of this round
	Strength         [Players]int     // strength points, not divided by the clan's units
	Score            [Players]int     // the clan's score
	Status           [Players]float64 // the clan's answer times as a share of the match's allowance; -1: out

	corridor []string               // the rows of the board without owners
	ways     [2][][]lanista.Way     // of wizards and of ghosts, by cell, row by row
	at       map[lanista.Cell]*Unit // nil: not looked for yet in this turn
}

// NewState reads the lines that describe a match. It is what lanista.Open needs
// to play Hogwarts where that is the arena's default game and isn't asked for.
func NewState(match string, start lanista.Facts) (*State, error) {
	base, err := lanista.NewState(match, start)
	if err != nil {
		return nil, err
	}
	if base.Game != "hogwarts" {
		return nil, fmt.Errorf("the game is %s, not hogwarts", base.Game)
	}
	r := read.New(start)
	if len(base.Players) != Players {
		r.Fail("%d clans", len(base.Players))
	}
	rows, cols := r.Size()
	corridor := r.Board("row", rows, cols)
	rounds := r.Int(base.Settings["NUM_ROUNDS"])
	if r.Err() != nil {
		return nil, r.Err()
	}
	s := &State{State: *base, Rows: rows, Cols: cols, NumRounds: rounds, Own: corridor, corridor: corridor}
	for kind := range s.ways {
		s.ways[kind] = make([][]lanista.Way, rows*cols)
	}
	return s, nil
}

// Update takes the facts of a turn; called by Arena. Units and books are new
// objects each turn.
func (s *State) Update(turn int, facts lanista.Facts) error {
	r := read.New(facts)
	s.Own = r.Board("own", s.Rows, s.Cols)
	s.at = nil
	lines := r.Lines("unit", 7)
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
	s.Books = nil
	for _, words := range r.Lines("book", 2) {
		s.Books = append(s.Books, s.cell(r, words))
	}
	sort.Slice(s.Books, func(a, b int) bool { return s.Books[a].Before(s.Books[b]) })
	s.Voldemort = s.cell(r, r.Line("voldemort", 2))
	for clan := 0; clan < Players; clan++ {
		if ghost := s.Ghost(clan); ghost == nil || ghost.Player != clan {
			r.Fail("no ghost of clan %d", clan)
		}
	}
	r.Ints("spell", s.SpellIngredients[:])
	r.Ints("strength", s.Strength[:])
	r.Ints("score", s.Score[:])
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

// Me is our own clan: the seat.
func (s *State) Me() int {
	return s.Seat
}

// Unit is the unit of an ID; nil: there is none.
func (s *State) Unit(id int) *Unit {
	at := sort.Search(len(s.Units), func(at int) bool { return s.Units[at].ID >= id })
	if at < len(s.Units) && s.Units[at].ID == id {
		return s.Units[at]
	}
	return nil
}

// Wizards has the wizards of a clan, also those in conversion, by ID.
func (s *State) Wizards(player int) []*Unit {
	var wizards []*Unit
	for _, unit := range s.Units {
		if unit.Player == player && !unit.Ghost {
			wizards = append(wizards, unit)
		}
	}
	return wizards
}

// Ghost is the ghost of a clan; nil if there is no such clan.
func (s *State) Ghost(player int) *Unit {
	if unit := s.Unit(player); unit != nil && unit.Ghost {
		return unit
	}
	return nil
}

// MagicStrength is what a clan fights with: its strength points for each of its
// units, rounded down.
func (s *State) MagicStrength(player int) int {
	units := 0
	for _, unit := range s.Units {
		if unit.Player == player {
			units++
		}
	}
	if units == 0 {
		return 0
	}
	return s.Strength[player] / units
}

// UnitAt is the unit on a cell; nil: there is none.
func (s *State) UnitAt(i, j int) *Unit {
	if s.at == nil {
		s.at = make(map[lanista.Cell]*Unit, len(s.Units))
		for _, unit := range s.Units {
			s.at[unit.Cell] = unit
		}
	}
	return s.at[lanista.Cell{I: i, J: j}]
}

// Book tells whether a book lies on a cell.
func (s *State) Book(i, j int) bool {
	cell := lanista.Cell{I: i, J: j}
	at := sort.Search(len(s.Books), func(at int) bool { return !s.Books[at].Before(cell) })
	return at < len(s.Books) && s.Books[at] == cell
}
