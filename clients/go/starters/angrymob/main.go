// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the
// enemy base.
package main

import (
	"fmt"
	"log"

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
		steps := distances(state, goals)
		var moves []lanista.Move
		for _, group := range state.Mine {
			ways := state.Neighbours(group.I, group.J)
			best := ways[0]
			for _, way := range ways[1:] {
				if steps[way.To] < steps[best.To] {
					best = way
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

// distances tells for each cell how many steps it is from the nearest goal.
func distances(state *angrymob.State, goals []lanista.Cell) map[lanista.Cell]int {
	steps := make(map[lanista.Cell]int)
	for _, goal := range goals {
		steps[goal] = 0
	}
	for queue := goals; len(queue) > 0; queue = queue[1:] {
		for _, way := range state.Neighbours(queue[0].I, queue[0].J) {
			if _, known := steps[way.To]; !known {
				steps[way.To] = steps[queue[0]] + 1
				queue = append(queue, way.To)
			}
		}
	}
	return steps
}
