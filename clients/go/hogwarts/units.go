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

// read takes the words of a unit's line.
func (u *Unit) read(r *read.Reader, words []string) {
	*u = Unit{
		ID:            r.Int(words[0]),
		Ghost:         words[1] == "g",
		Player:        r.Int(words[2]),
		Cell:          lanista.Cell{I: r.Int(words[3]), J: r.Int(words[4])},
		RoundsPending: r.Int(words[5]),
		NextPlayer:    r.Int(words[6]),
	}
}
