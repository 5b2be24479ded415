package crematoria

import (
	"fmt"

	"lanista/internal/read"
)

// Pos is a place on the board: row, column and level. Columns are circular on
// both levels: the last and 0 are neighbours.
type Pos struct {
	I int // the row, from 0 at the top
	J int // the column, from 0 at the left
	K int // the level: 0 underground, 1 outside
}

// Coordinates has row, column and level.
func (p Pos) Coordinates() []int {
	return []int{p.I, p.J, p.K}
}

// String is the position as (i, j, k).
func (p Pos) String() string {
	return fmt.Sprintf("(%d, %d, %d)", p.I, p.J, p.K)
}

// Kind says what a unit is, by the arena's letter for it.
type Kind string

// The kinds of units.
const (
	Pioneer     Kind = "p"
	Furyan      Kind = "f"
	Necromonger Kind = "n"
	Hellhound   Kind = "h"
)

// Unit is a living unit; a descending necromonger too.
type Unit struct {
	ID     int  // it never changes
	Kind   Kind // Pioneer, Furyan, Necromonger or Hellhound
	Player int  // who it belongs to; -1: nobody
	Health int  // a hellhound's is -1, for it is immortal
	Turns  int  // above 0: a necromonger that is descending over that cell and isn't on the board
	Pos         // where it is: row I, column J, level K
}

// String is the unit in a few words.
func (u *Unit) String() string {
	return fmt.Sprintf("<%s %d of %d at %v, health %d>", u.Kind, u.ID, u.Player, u.Pos, u.Health)
}

// unit is the unit that the words of its line tell.
func (s *State) unit(r *read.Reader, words []string) Unit {
	unit := Unit{
		ID:     r.Int(words[0]),
		Kind:   Kind(words[1]),
		Player: -1,
		Health: r.Int(words[3]),
		Turns:  r.Int(words[4]),
		Pos:    Pos{I: r.Below(words[5], s.Rows), J: r.Below(words[6], s.Cols), K: r.Below(words[7], 2)},
	}
	if words[2] != "-1" {
		unit.Player = r.Below(words[2], Players)
	}
	return unit
}
