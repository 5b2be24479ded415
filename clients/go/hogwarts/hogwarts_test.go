package hogwarts_test

import (
	"fmt"
	"strings"
	"testing"

	"lanista"
	"lanista/hogwarts"
	. "lanista/internal/arenatest"
)

func cell(i, j int) lanista.Cell {
	return lanista.Cell{I: i, J: j}
}

// begun is a bot that has read all this, up to its first turn.
func begun(t *testing.T, said ...string) (arena *hogwarts.Arena, asked bool) {
	t.Helper()
	served := Say(t, said...)
	arena, err := hogwarts.Connect(lanista.Options{Name: "Bob", Port: served.Port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = arena.Close()
		Equal(t, "hello", served.Hello(), "Bob v=1 game=hogwarts\n")
		served.Heard()
	})
	return arena, arena.Next()
}

// school is the state of the board by hand.
func school(t *testing.T) *hogwarts.State {
	t.Helper()
	arena, asked := begun(t, Welcome, HogwartsStart, HogwartsTurn)
	if !asked {
		t.Fatal(arena.Err())
	}
	return arena.State()
}

func TestTheFacts(t *testing.T) {
	s := school(t)
	Equal(t, "sizes", [5]int{s.Rows, s.Cols, s.NumRounds, s.Round(), s.Me()}, [5]int{6, 8, 200, 7, 1})
	Equal(t, "books", s.Books, []lanista.Cell{cell(0, 3), cell(5, 0)})
	Equal(t, "Voldemort", s.Voldemort, cell(3, 7))
	Equal(t, "ingredients", s.SpellIngredients, [15]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	Equal(t, "strength", s.Strength, [4]int{1000, 1000, 1050, 0})
	Equal(t, "score", s.Score, [4]int{101, 3, -1, 2})
	Equal(t, "status", s.Status, [4]float64{0, 0.25, -1, 0.0125})
}

// Units by ID, books by place, however they came (PROTOCOL.md 3).
func TestOrderMeansNothing(t *testing.T) {
	arena, asked := begun(t, Welcome, Reversed(HogwartsStart, 1, 0), Reversed(HogwartsTurn, 1, 1))
	if !asked {
		t.Fatal(arena.Err())
	}
	straight, crossed := school(t), arena.State()
	Equal(t, "units", fmt.Sprint(crossed.Units), fmt.Sprint(straight.Units))
	Equal(t, "books", crossed.Books, straight.Books)
	Equal(t, "own", crossed.Own, straight.Own)
	Equal(t, "players", crossed.Players, straight.Players)
	Equal(t, "walls", crossed.Passable(1, 1), false)
}

func TestATurnWithoutItsFactsIsUnreadable(t *testing.T) {
	for _, keyword := range []string{"own", "unit", "voldemort", "spell", "strength", "score", "status"} {
		arena, asked := begun(t, Welcome, HogwartsStart, Without(HogwartsTurn, keyword))
		if asked || !strings.HasPrefix(fmt.Sprint(arena.Err()), "unreadable: ") {
			t.Errorf("without %s: %v", keyword, arena.Err())
		}
	}
}

// A cell that is looked up is on the board then.
func TestABoardOfAnotherSizeIsUnreadable(t *testing.T) {
	for _, c := range []struct{ right, wrong string }{
		{"size 6 8", "size 7 8"}, {"size 6 8", "size 5 8"}, {"size 6 8", "size 6 9"}, {"size 6 8", "size -1 8"},
		{"size 6 8", "size 0 0"}, {"size 6 8", "size 99999999999 8"}, {"size 6 8", "size 6"},
		{"row 5 ........", "row 4 ........"}, {"row 0 ........", "row 0 ......."},
		{"own 0 11......", "own 6 11......"}, {"own 0 11......", "own -1 11......"}, {"own 0 11......", "own 0 11"},
	} {
		said := strings.Replace(HogwartsStart+HogwartsTurn, c.right, c.wrong, 1)
		if arena, asked := begun(t, Welcome, said); asked || !strings.HasPrefix(fmt.Sprint(arena.Err()), "unreadable: ") {
			t.Errorf("%s: %v", c.wrong, arena.Err())
		}
	}
}

// Also what was looked up by cell.
func TestTheNextTurnReplacesWhatTheLastOneSaid(t *testing.T) {
	turn := strings.NewReplacer("turn 7", "turn 8", "book 0 3\n", "", "unit 5 w 1 0 1", "unit 5 w 1 0 2",
		"11......", "111.....").Replace(HogwartsTurn)
	arena, _ := begun(t, Welcome, HogwartsStart, HogwartsTurn, turn)
	s := arena.State()
	Equal(t, "before", fmt.Sprint(s.UnitAt(0, 1).ID, s.Book(0, 3), s.Owner(0, 2)), "5 true -1")
	arena.Send()
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "after", fmt.Sprint(s.Round(), s.UnitAt(0, 1), s.UnitAt(0, 2).ID), "8 <nil> 5")
	Equal(t, "after", fmt.Sprint(s.Book(0, 3), s.Owner(0, 2), s.Books), "false 1 [(5, 0)]")
}

// The two numbers mean one thing for wizards, another for ghosts
// (rules/hogwarts.md 2).
func TestUnits(t *testing.T) {
	s := school(t)
	for id := 0; id < 7; id++ {
		Equal(t, "in order", s.Units[id].ID, id)
		Equal(t, "by ID", s.Unit(id) == s.Units[id], true)
	}
	Equal(t, "wizards", fmt.Sprint(s.Wizards(1)), "[<wizard 5 of 1 at (0, 1), 0> <wizard 6 of 1 at (2, 1), 3>]")
	Equal(t, "none", len(s.Wizards(2)), 0)
	Equal(t, "the ghost", *s.Ghost(1), hogwarts.Unit{
		ID: 1, Ghost: true, Player: 1, Cell: cell(0, 0), RoundsPending: 53, NextPlayer: 5,
	})
	Equal(t, "a wizard", *s.Unit(6), hogwarts.Unit{ID: 6, Player: 1, Cell: cell(2, 1), RoundsPending: 3, NextPlayer: 2})
	Equal(t, "converting", [2]bool{s.Ghost(1).Converting(), s.Unit(6).Converting()}, [2]bool{false, true})
	Equal(t, "the place", [2]int{s.Unit(6).I, s.Unit(6).J}, [2]int{2, 1})
	Equal(t, "on its cell", s.UnitAt(2, 1) == s.Unit(6), true)
	Equal(t, "nobody", s.UnitAt(2, 2) == nil && s.Unit(7) == nil && s.Ghost(6) == nil, true)
}

// The ghost counts. Clan 1: 1000 for three; clan 2: a ghost alone
// (rules/hogwarts.md 2).
func TestMagicStrengthIsRoundedDownForEachUnit(t *testing.T) {
	s := school(t)
	for clan, expected := range [4]int{1000, 333, 1050, 0} {
		Equal(t, "magic strength", s.MagicStrength(clan), expected)
	}
}

func TestCells(t *testing.T) {
	s := school(t)
	Equal(t, "owners", [6]int{
		s.Owner(0, 0), s.Owner(0, 2), s.Owner(1, 1), s.Owner(3, 0), s.Owner(5, 5), s.Owner(-1, 0),
	}, [6]int{1, -1, -1, 2, 3, -1})
	Equal(t, "a row", s.Own[0], "11......")
	Equal(t, "passable", [4]bool{s.Passable(0, 0), s.Passable(1, 1), s.Passable(-1, 0), s.Passable(0, 8)},
		[4]bool{true, false, false, false})
	Equal(t, "on the board", [4]bool{s.PosOK(5, 7), s.PosOK(1, 1), s.PosOK(6, 0), s.PosOK(0, -1)},
		[4]bool{true, true, false, false})
	Equal(t, "books", [2]bool{s.Book(0, 3), s.Book(0, 2)}, [2]bool{true, false})
}

// Now in his 3x3, after his step in that of a cell beside him (rules/hogwarts.md 6
// and 10).
func TestWhereVoldemortKills(t *testing.T) {
	s := school(t)
	in3x3 := func(i, j, ci, cj int) bool { return i-ci <= 1 && ci-i <= 1 && j-cj <= 1 && cj-j <= 1 }
	for i := 0; i < s.Rows; i++ {
		for j := 0; j < s.Cols; j++ {
			Equal(t, "deadly", s.Deadly(i, j), 2 <= i && i <= 4 && j >= 6)
			after := false
			for _, d := range hogwarts.Straight {
				step := hogwarts.Directions[d]
				after = after || in3x3(i, j, s.Voldemort.I+step.I, s.Voldemort.J+step.J)
			}
			Equal(t, cell(i, j).String(), s.ReachOfVoldemort(i, j), after)
		}
	}
}

// Wizards go straight; both go around walls (rules/hogwarts.md 2).
func TestWaysOfWizardsAndGhosts(t *testing.T) {
	s := school(t)
	Equal(t, "a wizard's", s.Neighbours(0, 0), []lanista.Way{
		{D: hogwarts.Down, To: cell(1, 0)}, {D: hogwarts.Right, To: cell(0, 1)},
	})
	Equal(t, "a ghost's", s.GhostNeighbours(2, 0), []lanista.Way{
		{D: hogwarts.Down, To: cell(3, 0)}, {D: hogwarts.DR, To: cell(3, 1)},
		{D: hogwarts.Right, To: cell(2, 1)}, {D: hogwarts.Up, To: cell(1, 0)},
	})
	Equal(t, "outside", len(s.Neighbours(6, 0)), 0)
	Equal(t, "steps", [2]lanista.Cell{hogwarts.Directions[hogwarts.DR], hogwarts.Directions[hogwarts.LD]},
		[2]lanista.Cell{cell(1, 1), cell(1, -1)})
}

// Around walls, never through what is blocked; Within ends the search.
func TestDistances(t *testing.T) {
	s := school(t)
	at := func(search hogwarts.Search, i, j int, goals ...lanista.Cell) int {
		steps := s.Distances(goals, search)
		n, ok := steps.At(cell(i, j))
		if !ok {
			return -1
		}
		return n
	}
	goal := cell(0, 1)
	for to, expected := range map[lanista.Cell]int{
		goal: 0, cell(0, 0): 1, cell(2, 0): 3, cell(2, 1): 4, cell(1, 1): -1, cell(-1, 0): -1, cell(0, 8): -1,
	} {
		Equal(t, to.String(), at(hogwarts.Search{}, to.I, to.J, goal), expected)
	}
	all := s.Distances([]lanista.Cell{goal, goal, cell(9, 9)}, hogwarts.Search{})
	Equal(t, "cells", len(all.Cells), 48-3)
	last := 0
	for _, c := range all.Cells {
		n, ok := all.At(c)
		Equal(t, "nearest first", ok && n >= last, true)
		last = n
	}
	Equal(t, "a ghost's", at(hogwarts.Search{Diagonal: true}, 2, 1, goal), 2)
	blocked := func(c lanista.Cell) bool { return c == cell(1, 0) }
	Equal(t, "around", at(hogwarts.Search{Blocked: blocked}, 2, 2, goal), 5)
	near := s.Distances([]lanista.Cell{goal}, hogwarts.Search{Within: 1})
	Equal(t, "near", near.Cells, []lanista.Cell{goal, cell(0, 2), cell(0, 0)})
	Equal(t, "of two goals", [2]int{
		at(hogwarts.Search{}, 0, 3, cell(0, 0), cell(5, 7)), at(hogwarts.Search{}, 5, 4, cell(0, 0), cell(5, 7)),
	}, [2]int{3, 3})
}

func TestSubmoves(t *testing.T) {
	Equal(t, "a step", hogwarts.Step(5, hogwarts.Left), lanista.Move{"m", 5, 6})
	Equal(t, "a spell", hogwarts.Spell(1, [15]int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}),
		lanista.Move{"s", 1, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4})
}
