// A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost
// casts spells.
package main

import (
	"fmt"
	"log"
	"sort"

	"lanista"
	"lanista/hogwarts"
)

const far = 9999 // steps to a goal that no way leads to

func main() {
	arena, err := hogwarts.Connect(lanista.Options{Name: lanista.NameOr("Starter")})
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	for arena.Next() {
		state := arena.State()
		var orders []lanista.Move
		ghost := state.Ghost(state.Me())
		if ghost.RoundsPending == 0 && state.Round() < state.NumRounds-50 {
			if groups, ok := solve(state.SpellIngredients); ok {
				orders = append(orders, hogwarts.Spell(ghost.ID, groups))
			}
		}
		steps := state.Distances(goals(state), hogwarts.Search{})
		for _, wizard := range state.Wizards(state.Me()) {
			best, fewest := -1, 0
			for _, way := range state.Neighbours(wizard.I, wizard.J) {
				if state.ReachOfVoldemort(way.To.I, way.To.J) {
					continue
				}
				n, ok := steps.At(way.To)
				if !ok {
					n = far
				}
				if best < 0 || n < fewest {
					best, fewest = way.D, n
				}
			}
			if best >= 0 {
				orders = append(orders, hogwarts.Step(wizard.ID, best))
			}
		}
		arena.Draw().Cell("yellow", lanista.Places(state.Books)...) // on the page's board
		arena.Send(orders...)
	}
	if arena.Err() != nil {
		log.Fatal(arena.Err())
	}
	fmt.Println(arena.Result())
}

// goals tells where it is worth going: books, enemies not much stronger, cells of
// others.
func goals(state *hogwarts.State) []lanista.Cell {
	var found []lanista.Cell
	add := func(cell lanista.Cell) {
		if !state.ReachOfVoldemort(cell.I, cell.J) {
			found = append(found, cell)
		}
	}
	for _, book := range state.Books {
		add(book)
	}
	strength := state.MagicStrength(state.Me())
	for _, unit := range state.Units {
		if unit.Player != state.Me() && !unit.Ghost && !unit.Converting() &&
			state.MagicStrength(unit.Player) <= 2*strength {
			add(unit.Cell)
		}
	}
	for i := 0; i < state.Rows; i++ {
		for j := 0; j < state.Cols; j++ {
			if state.Passable(i, j) && state.Owner(i, j) != state.Me() && state.UnitAt(i, j) == nil {
				add(lanista.Cell{I: i, J: j})
			}
		}
	}
	return found
}

// solve puts the ingredients into groups: five of three each, with equal sums.
func solve(ingredients [hogwarts.Ingredients]int) (groups [hogwarts.Ingredients]int, ok bool) {
	sum := 0
	for k, ingredient := range ingredients {
		sum += ingredient
		groups[k] = -1
	}
	return groups, complete(ingredients, &groups, 0, sum/5)
}

// complete makes the groups from number `group` on; -1 marks what is in none yet.
func complete(ingredients [hogwarts.Ingredients]int, groups *[hogwarts.Ingredients]int, group, sum int) bool {
	var free []int
	for k := range groups {
		if groups[k] < 0 {
			free = append(free, k)
		}
	}
	if len(free) == 0 {
		return true
	}
	// The largest leaves the fewest choices.
	sort.SliceStable(free, func(a, b int) bool { return ingredients[free[a]] > ingredients[free[b]] })
	largest, rest := free[0], free[1:]
	for at, a := range rest {
		for _, b := range rest[at+1:] {
			if ingredients[largest]+ingredients[a]+ingredients[b] != sum {
				continue
			}
			groups[largest], groups[a], groups[b] = group, group, group
			if complete(ingredients, groups, group+1, sum) {
				return true
			}
			groups[largest], groups[a], groups[b] = -1, -1, -1
		}
	}
	return false
}
