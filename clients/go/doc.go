// Package lanista is the Go client of Lanista, an arena for bots that play
// turn games against each other over TCP. It needs the standard library alone.
//
// It speaks version 1 of the wire protocol over a blocking socket and gives the
// position of a match as plain fields. The packages angrymob, hogwarts and
// crematoria have the states of those games; a game without a package of its
// own is played by its facts. No strategy lives here, no goroutine, and no clock but
// for the pauses between attempts to connect.
//
//	arena, err := angrymob.Connect(lanista.Options{Name: "MyBot"})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer arena.Close()
//	for arena.Next() {
//		state := arena.State()
//		var moves []lanista.Move
//		for _, group := range state.Mine {
//			if state.Passable(group.I, group.J+1) {
//				moves = append(moves, angrymob.Move(group.I, group.J, group.N, angrymob.Right))
//			}
//		}
//		arena.Send(moves...)
//	}
//	if err := arena.Err(); err != nil {
//		log.Fatal(err)
//	}
//	fmt.Println(arena.Result())
//
// PROTOCOL.md and rules/*.md in the comments are the pages of the arena's
// project: the wire protocol and the rules of each game.
package lanista
