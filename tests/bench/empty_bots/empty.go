// Answers every turn with nothing: what it takes is the client library's own time.
//
//	empty GAME
package main

import (
	"log"
	"os"

	"lanista"
	"lanista/angrymob"
	"lanista/crematoria"
	"lanista/hogwarts"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: empty GAME")
	}
	switch options := (lanista.Options{Name: "Empty"}); os.Args[1] {
	case "angrymob":
		play(angrymob.Connect(options))
	case "hogwarts":
		play(hogwarts.Connect(options))
	case "crematoria":
		play(crematoria.Connect(options))
	default:
		options.Game = os.Args[1]
		play(lanista.Connect(options))
	}
}

func play[S lanista.Game](arena *lanista.Arena[S], err error) {
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	for arena.Next() {
		arena.Send()
	}
	if arena.Err() != nil {
		log.Fatal(arena.Err())
	}
}
