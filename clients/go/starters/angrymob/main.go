// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the
// enemy base.
package main

import (
	"fmt"
	"log"
	"math"

	"lanista"
	"lanista/angrymob"
)

func main() {
	arena, err := angrymob.Connect(lanista.Options{Name: lanista.NameOr("Starter")})
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	for arena.Next() {
		state := arena.State()
		goals := []lanista.Cell{state.EnemyBase}
		if state.Totals[state.Seat] <= 8 { // recruiting
			for _, group := range state.Neutral {
				goals = append(goals, group.Cell)
			}
		}
		steps := state.Distances(goals, angrymob.Search{})
		var moves []lanista.Move
		for _, group := range state.Mine {
			ways := state.Neighbours(group.I, group.J)
			best, nearest := ways[0], math.MaxInt
			for _, way := range ways {
				if left, ok := steps.At(way.To); ok && left < nearest {
					best, nearest = way, left
				}
			}
			moves = append(moves, angrymob.Move(group.I, group.J, group.N, best.D))
		}
		arena.Draw().Value("cells", float64(len(state.Mine))) // a curve on the page, under the board
		arena.Send(moves...)
	}
	if arena.Err() != nil {
		log.Fatal(arena.Err())
	}
	fmt.Println(arena.Result())
}
