// A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans
// strike.
package main

import (
	"fmt"
	"log"

	"lanista"
	"lanista/crematoria"
)

const far = 9999 // steps to a goal that no way leads to

func main() {
	arena, err := crematoria.Connect(lanista.Options{Name: lanista.NameOr("Starter")})
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	for arena.Next() {
		state := arena.State()
		pioneers := state.Distances(goals(state), crematoria.Search{})
		furyans := state.Distances(enemies(state), crematoria.Search{Levels: []int{0}})
		var orders []lanista.Move
		taken := make(map[crematoria.Pos]bool)
		for _, unit := range append(state.Furyans(state.Me()), state.Pioneers(state.Me())...) {
			steps := &pioneers
			if unit.Kind == crematoria.Furyan {
				steps = &furyans
				if d, ok := strike(state, unit); ok {
					orders = append(orders, crematoria.Step(unit.ID, d))
					continue
				}
			}
			var best crematoria.Way
			fewest := -1
			for _, way := range state.Neighbours(unit.Pos) {
				if !safe(state, way.To) || taken[way.To] || state.UnitAt(way.To) != nil {
					continue
				}
				n, ok := steps.At(way.To)
				if !ok {
					n = far
				}
				if fewest < 0 || n < fewest {
					best, fewest = way, n
				}
			}
			if fewest >= 0 {
				taken[best.To] = true
				orders = append(orders, crematoria.Step(unit.ID, best.D))
			}
		}
		arena.Draw().Cell("yellow", lanista.Places(state.Gems)...) // on the page's board
		arena.Send(orders...)
	}
	if arena.Err() != nil {
		log.Fatal(arena.Err())
	}
	fmt.Println(arena.Result())
}

// goals tells where pioneers go: to caves that aren't ours, and to gems.
func goals(state *crematoria.State) []crematoria.Pos {
	var found []crematoria.Pos
	for i := 0; i < state.Rows; i++ {
		for j := 0; j < state.Cols; j++ {
			if state.Cave(i, j) && state.Owner(i, j) != state.Me() {
				found = append(found, crematoria.Pos{I: i, J: j, K: 0})
			}
		}
	}
	for _, gem := range state.Gems {
		// It is a goal while the night over it lasts for the way there and back.
		if state.RoundsOfNight(gem) > 12 {
			found = append(found, gem)
		}
	}
	return found
}

// enemies tells where furyans go: to the units of others underground.
func enemies(state *crematoria.State) []crematoria.Pos {
	var found []crematoria.Pos
	for _, unit := range state.Units {
		if unit.Player != state.Me() && unit.Player != -1 && unit.K == 0 {
			found = append(found, unit.Pos)
		}
	}
	return found
}

// safe tells whether nothing kills a unit that goes there: no hellhound near, no
// sun.
func safe(state *crematoria.State, pos crematoria.Pos) bool {
	if pos.K == 1 {
		return state.RoundsOfNight(pos) > 0
	}
	for _, hound := range state.Hellhounds() {
		if hound.K == 0 && state.Distance(pos, hound.Pos) <= 2 {
			return false
		}
	}
	return true
}

// strike gives the direction of an enemy beside a furyan.
func strike(state *crematoria.State, furyan *crematoria.Unit) (d int, ok bool) {
	for _, way := range state.Neighbours(furyan.Pos) {
		other := state.UnitAt(way.To)
		if other != nil && other.Player != state.Me() && other.Player != -1 {
			return way.D, true
		}
	}
	return 0, false
}
