package hogwarts

import (
	"fmt"

	"lanista"
	"lanista/internal/read"
)

// Unit is a wizard or a ghost.
type Unit struct {
	ID           int  // it never changes; the ghost of clan p has the ID p
	Ghost        bool // whether it is one; else it is a wizard
	Player       int  // the clan it belongs to
	lanista.Cell      // where it is: row I, column J

	// RoundsPending are a wizard's rounds until it changes clan, 0: it isn't
	// converting; a ghost's rounds still to rest, 0: it may cast a spell.
	RoundsPending int
	// NextPlayer is the clan a wizard will change to, -1: none; the last round in
	// which a ghost was attacked, -1: never.
	NextPlayer int
}

// Converting tells whether it is a wizard that will change clan unless one of its
// own frees it.
func (u *Unit) Converting() bool {
	return u.RoundsPending > 0 && !u.Ghost
}

// String is the unit in a few words.
func (u *Unit) String() string {
	kind := "wizard"
	if u.Ghost {
		kind = "ghost"
	}
	return fmt.Sprintf("<%s %d of %d at %v, %d>", kind, u.ID, u.Player, u.Cell, u.RoundsPending)
}

// unit is the unit that the words of its line tell.
func (s *State) unit(r *read.Reader, words []string) Unit {
	return Unit{
		ID:            r.Int(words[0]),
		Ghost:         words[1] == "g",
		Player:        r.Below(words[2], Players),
		Cell:          s.cell(r, words[3:]),
		RoundsPending: r.Int(words[5]),
		NextPlayer:    r.Int(words[6]),
	}
}

// cell is the cell of the board that the first two words tell.
func (s *State) cell(r *read.Reader, words []string) lanista.Cell {
	return lanista.Cell{I: r.Below(words[0], s.Rows), J: r.Below(words[1], s.Cols)}
}
