package crematoria_test

import (
	"fmt"
	"strings"
	"testing"

	"lanista"
	"lanista/crematoria"
	. "lanista/internal/arenatest"
)

func pos(i, j, k int) crematoria.Pos {
	return crematoria.Pos{I: i, J: j, K: k}
}

// begun is a bot that has read all this, up to its first turn.
func begun(t *testing.T, said ...string) (arena *crematoria.Arena, asked bool) {
	t.Helper()
	served := Say(t, said...)
	arena, err := crematoria.Connect(lanista.Options{Name: "Bob", Port: served.Port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = arena.Close()
		Equal(t, "hello", served.Hello(), "Bob v=1 game=crematoria\n")
		served.Heard()
	})
	return arena, arena.Next()
}

// planet is the state of the board by hand.
func planet(t *testing.T) *crematoria.State {
	t.Helper()
	arena, asked := begun(t, Welcome, CrematoriaStart, CrematoriaTurn)
	if !asked {
		t.Fatal(arena.Err())
	}
	return arena.State()
}

func TestTheFacts(t *testing.T) {
	s := planet(t)
	Equal(t, "sizes", [5]int{s.Rows, s.Cols, s.NbRounds, s.Round(), s.Me()}, [5]int{5, 8, 120, 1, 1})
	Equal(t, "elevators", s.Elevators, []lanista.Cell{{I: 2, J: 1}, {I: 2, J: 6}})
	Equal(t, "gems", s.Gems, []crematoria.Pos{pos(0, 5, 1), pos(4, 2, 1)})
	Equal(t, "sun", s.Sun, 6)
	Equal(t, "cells", s.NbCells, [4]int{0, 3, 1, 2})
	Equal(t, "gems picked", s.NbGems, [4]int{0, 1, 0, 2})
	Equal(t, "points", s.Points, [4]int{0, 33, 1, 62})
	Equal(t, "score", s.Score(), s.Points)
	Equal(t, "status", s.Status, [4]float64{0, 0.25, -1, 0.0125})
}

// Units by ID, gems and elevators by place, however they came (PROTOCOL.md 3).
func TestOrderMeansNothing(t *testing.T) {
	arena, asked := begun(t, Welcome, Reversed(CrematoriaStart, 1, 0), Reversed(CrematoriaTurn, 1, 1))
	if !asked {
		t.Fatal(arena.Err())
	}
	straight, crossed := planet(t), arena.State()
	Equal(t, "units", fmt.Sprint(crossed.Units), fmt.Sprint(straight.Units))
	Equal(t, "gems", crossed.Gems, straight.Gems)
	Equal(t, "elevators", crossed.Elevators, straight.Elevators)
	Equal(t, "own", crossed.Own, straight.Own)
}

func TestATurnWithoutItsFactsIsUnreadable(t *testing.T) {
	for _, keyword := range []string{"own", "unit", "sun", "cells", "gems", "score", "status"} {
		arena, asked := begun(t, Welcome, CrematoriaStart, Without(CrematoriaTurn, keyword))
		if asked || !strings.HasPrefix(fmt.Sprint(arena.Err()), "unreadable: ") {
			t.Errorf("without %s: %v", keyword, arena.Err())
		}
	}
}

func TestTheNextTurnReplacesWhatTheLastOneSaid(t *testing.T) {
	turn := strings.NewReplacer("turn 1", "turn 2", "gem 0 5\n", "", "unit 1 p 1 50 -1 3 1 0", "unit 1 p 1 40 -1 3 0 0",
		"C1CRC2CC", "11CRC2CC").Replace(CrematoriaTurn)
	arena, _ := begun(t, Welcome, CrematoriaStart, CrematoriaTurn, turn)
	s := arena.State()
	Equal(t, "before", fmt.Sprint(s.UnitAt(pos(3, 1, 0)).ID, s.Owner(3, 0), len(s.Gems)), "1 -1 2")
	arena.Send()
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "after", fmt.Sprint(s.Round(), s.UnitAt(pos(3, 1, 0)), s.UnitAt(pos(3, 0, 0)).Health), "2 <nil> 40")
	Equal(t, "after", fmt.Sprint(s.Owner(3, 0), s.Gems), "1 [(4, 2, 1)]")
}

func TestUnits(t *testing.T) {
	s := planet(t)
	for id := 0; id < 7; id++ {
		Equal(t, "in order", s.Units[id].ID, id)
		Equal(t, "by ID", s.Unit(id) == s.Units[id], true)
	}
	ids := func(units []*crematoria.Unit) (ids []int) {
		for _, unit := range units {
			ids = append(ids, unit.ID)
		}
		return ids
	}
	Equal(t, "pioneers", ids(s.Pioneers(1)), []int{1})
	Equal(t, "furyans", ids(s.Furyans(1)), []int{0})
	Equal(t, "necromongers", ids(s.Necromongers()), []int{4, 5})
	Equal(t, "hellhounds", ids(s.Hellhounds()), []int{6})
	Equal(t, "a pioneer", *s.Unit(2), crematoria.Unit{
		ID: 2, Kind: crematoria.Pioneer, Player: 3, Health: 15, Turns: -1, Pos: pos(2, 7, 0),
	})
	Equal(t, "in words", s.Unit(2).String(), "<p 2 of 3 at (2, 7, 0), health 15>")
	Equal(t, "on its cell", s.UnitAt(pos(2, 7, 0)) == s.Unit(2), true)
	Equal(t, "nobody", s.UnitAt(pos(2, 7, 1)) == nil && s.Unit(7) == nil, true)
}

// rules/crematoria.md 2.3.
func TestADescendingNecromongerIsNotOnItsCell(t *testing.T) {
	s := planet(t)
	Equal(t, "descending", s.UnitAt(pos(3, 4, 1)) == nil, true)
	Equal(t, "landed", s.UnitAt(pos(0, 3, 1)) == s.Unit(4), true)
}

func TestCells(t *testing.T) {
	s := planet(t)
	Equal(t, "owners", [7]int{
		s.Owner(1, 0), s.Owner(1, 1), s.Owner(0, 0), s.Owner(2, 1), s.Owner(2, 7), s.Owner(3, 5), s.Owner(0, 8),
	}, [7]int{1, -1, -1, -1, 3, 2, -1})
	Equal(t, "a row", s.Own[2], "1ECRRCE3")
	Equal(t, "caves", [4]bool{s.Cave(1, 0), s.Cave(2, 1), s.Cave(0, 0), s.Cave(1, 8)}, [4]bool{true, false, false, false})
	Equal(t, "elevators", [2]bool{s.Elevator(2, 6), s.Elevator(6, 2)}, [2]bool{true, false})
	Equal(t, "passable", [5]bool{
		s.Passable(2, 1, 0), s.Passable(0, 0, 0), s.Passable(0, 0, 1), s.Passable(5, 0, 1), s.Passable(2, 2, 2),
	}, [5]bool{true, false, true, false, false})
}

// With 8 columns: at 2r+4 … 2r+7 is day, two more at each round's end
// (rules/crematoria.md 2.5). Underground it is never day.
func TestNightAndDay(t *testing.T) {
	s := planet(t)
	var day, night [8]int
	for j := range day {
		if s.Daylight(pos(0, j, 1)) {
			day[j] = 1
		}
		night[j] = s.RoundsOfNight(pos(0, j, 1))
		Equal(t, "underground", s.Daylight(pos(1, j, 0)), false)
	}
	Equal(t, "day", day, [8]int{1, 1, 0, 0, 0, 0, 1, 1})
	Equal(t, "night", night, [8]int{0, 0, 0, 0, 1, 1, 0, 0})
}

// Columns are circular, rows aren't (rules/crematoria.md 2.1).
func TestDistanceGoesAroundTheEdge(t *testing.T) {
	s := planet(t)
	for to, expected := range map[crematoria.Pos]int{pos(1, 7, 0): 1, pos(1, 4, 0): 4, pos(5, 0, 0): 4, pos(1, 0, 0): 0} {
		Equal(t, to.String(), s.Distance(pos(1, 0, 0), to), expected)
	}
}

// Around the edge, not past the top; up and down on elevators alone.
func TestWays(t *testing.T) {
	s := planet(t)
	Equal(t, "underground", s.Neighbours(pos(1, 0, 0)), []crematoria.Way{
		{D: crematoria.Bottom, To: pos(2, 0, 0)}, {D: crematoria.BR, To: pos(2, 1, 0)},
		{D: crematoria.Right, To: pos(1, 1, 0)}, {D: crematoria.Left, To: pos(1, 7, 0)},
		{D: crematoria.LB, To: pos(2, 7, 0)},
	})
	last := func(ways []crematoria.Way) crematoria.Way { return ways[len(ways)-1] }
	Equal(t, "up", last(s.Neighbours(pos(2, 1, 0))), crematoria.Way{D: crematoria.Up, To: pos(2, 1, 1)})
	Equal(t, "down", last(s.Neighbours(pos(2, 1, 1))), crematoria.Way{D: crematoria.Down, To: pos(2, 1, 0)})
	var ds []int
	for _, way := range s.Neighbours(pos(0, 0, 1)) {
		ds = append(ds, way.D)
	}
	Equal(t, "outside", ds, []int{0, 1, 2, 6, 7})
	Equal(t, "off the board", len(s.Neighbours(pos(5, 0, 1))), 0)
	Equal(t, "a step", crematoria.Directions[crematoria.RT], pos(-1, 1, 0))
}

// Also by elevators, unless the level is left out.
func TestDistances(t *testing.T) {
	s := planet(t)
	goals := []crematoria.Pos{pos(1, 2, 0), pos(9, 9, 0)}
	steps := s.Distances(goals, crematoria.Search{})
	for to, expected := range map[crematoria.Pos]int{
		pos(2, 1, 0): 1, pos(2, 1, 1): 2, pos(3, 1, 0): 2, pos(2, 4, 1): 2 + 3,
	} {
		n, ok := steps.At(to)
		Equal(t, to.String(), fmt.Sprint(n, ok), fmt.Sprint(expected, true))
	}
	for _, to := range []crematoria.Pos{pos(0, 0, 0), pos(0, 8, 0), pos(0, 0, 2)} {
		_, ok := steps.At(to)
		Equal(t, to.String(), ok, false)
	}
	underground := s.Distances(goals, crematoria.Search{Levels: []int{0}})
	for _, p := range underground.Positions {
		Equal(t, p.String(), p.K, 0)
	}
	blocked := func(p crematoria.Pos) bool { return p == pos(3, 4, 0) || p == pos(3, 5, 0) }
	around := s.Distances(goals, crematoria.Search{Levels: []int{0}, Blocked: blocked})
	Equal(t, "around", len(around.Positions), 19-2)
	near := s.Distances(goals, crematoria.Search{Within: 1})
	Equal(t, "near", near.Positions, []crematoria.Pos{pos(1, 2, 0), pos(2, 2, 0), pos(1, 1, 0), pos(2, 1, 0)})
}

func TestASubmoveIsItsNumbers(t *testing.T) {
	Equal(t, "a step", crematoria.Step(5, crematoria.None), lanista.Move{5, 10})
}
