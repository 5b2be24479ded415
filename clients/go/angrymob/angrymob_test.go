package angrymob_test

import (
	"strings"
	"testing"

	"lanista"
	"lanista/angrymob"
	. "lanista/internal/arenatest"
)

// firstTurn is a bot at turn 0 of a match of which all that is said is given.
func firstTurn(t *testing.T, said ...string) *angrymob.Arena {
	t.Helper()
	served := Say(t, said...)
	arena, err := angrymob.Connect(lanista.Options{Name: "A", Port: served.Port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = arena.Close()
		served.Heard()
	})
	if !arena.Next() {
		t.Fatal(arena.Err())
	}
	return arena
}

func TestConnectAsksForTheGame(t *testing.T) {
	served := Say(t)
	arena, err := angrymob.Connect(lanista.Options{Name: "A", Port: served.Port, Notes: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = arena.Close()
	Equal(t, "hello", served.Hello(), "A v=1 game=angrymob notes=1\n")
}

func TestTheFactsOfTheMatch(t *testing.T) {
	state := firstTurn(t, Welcome, Start, Turn0).State()
	Equal(t, "size", [2]int{state.Rows, state.Cols}, [2]int{6, 7})
	Equal(t, "bases", state.Bases, [2]lanista.Cell{{I: 2, J: 1}, {I: 3, J: 5}})
	Equal(t, "ours", state.Base, lanista.Cell{I: 2, J: 1})
	Equal(t, "theirs", state.EnemyBase, lanista.Cell{I: 3, J: 5})
	Equal(t, "neutral cells", len(state.Neutral), 12) // counted on the page
	Equal(t, "neutral units", [2]int{state.Neutral.At(1, 4), state.Neutral.At(4, 2)}, [2]int{3, 3})
	Equal(t, "players", state.Players, []string{"Ann Lee", "Böb"})
}

func TestTheOtherSeatSeesItselfAsMine(t *testing.T) {
	state := firstTurn(t, Welcome, strings.Replace(Start, "seat 0", "seat 1", 1), Turn0).State()
	Equal(t, "bases", [2]lanista.Cell{state.Base, state.EnemyBase}, [2]lanista.Cell{{I: 3, J: 5}, {I: 2, J: 1}})
	Equal(t, "units", [2]int{state.Mine.At(3, 5), state.Theirs.At(2, 1)}, [2]int{1, 1})
}

// Outside the map nothing is passable; a base is; directions are those of the
// rules.
func TestPassableAndNeighbours(t *testing.T) {
	state := firstTurn(t, Welcome, Start, Turn0).State()
	for cell, expected := range map[lanista.Cell]bool{
		{I: 2, J: 1}: true, {I: 0, J: 1}: true, {I: 0, J: 4}: false,
		{I: -1, J: 0}: false, {I: 0, J: -1}: false, {I: 6, J: 0}: false, {I: 0, J: 7}: false,
	} {
		Equal(t, cell.String(), state.Passable(cell.I, cell.J), expected)
	}
	Equal(t, "of (2, 1)", state.Neighbours(2, 1), []lanista.Way{
		{D: angrymob.Right, To: lanista.Cell{I: 2, J: 2}},
		{D: angrymob.Up, To: lanista.Cell{I: 1, J: 1}},
		{D: angrymob.Left, To: lanista.Cell{I: 2, J: 0}},
		{D: angrymob.Down, To: lanista.Cell{I: 3, J: 1}},
	})
	Equal(t, "of (0, 0)", state.Neighbours(0, 0), []lanista.Way{{D: angrymob.Right, To: lanista.Cell{I: 0, J: 1}}})
	Equal(t, "outside", len(state.Neighbours(-1, 0)), 0)
	Equal(t, "to the right", angrymob.Directions[angrymob.Right], lanista.Cell{I: 0, J: 1})
}

// Around impassable cells; through Blocked never; Within ends the search.
func TestDistances(t *testing.T) {
	state := firstTurn(t, Welcome, Start, Turn0).State()
	goals := []lanista.Cell{{I: 0, J: 1}, {I: -1, J: 0}}
	steps := state.Distances(goals, angrymob.Search{})
	far, ok := steps.At(lanista.Cell{I: 5, J: 6})
	Equal(t, "all", [2]int{len(steps.Cells), far}, [2]int{32, 10})
	Equal(t, "reached", ok, true)
	blocked := func(cell lanista.Cell) bool { return cell == lanista.Cell{I: 1, J: 1} }
	around := state.Distances(goals, angrymob.Search{Blocked: blocked})
	n, _ := around.At(lanista.Cell{I: 2, J: 1})
	Equal(t, "around", n, 4)
	near := state.Distances(goals, angrymob.Search{Within: 1})
	Equal(t, "near", near.Cells, []lanista.Cell{{I: 0, J: 1}, {I: 0, J: 2}, {I: 0, J: 0}, {I: 1, J: 1}})
}

// Units are new each turn, neutral numbers are kept and corrected (PROTOCOL.md 5).
func TestTheFactsOfATurn(t *testing.T) {
	arena := firstTurn(t, Welcome, Start, Turn0, Turn1)
	state := arena.State()
	before := state.Neutral
	Equal(t, "moved", state.Moved, [2][]angrymob.Submove{})
	Equal(t, "neutral", state.Neutral.At(1, 1), 1)
	arena.Send()
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "the state is the same", arena.State() == state, true)
	Equal(t, "mine", state.Mine, angrymob.Groups{{Cell: lanista.Cell{I: 1, J: 1}, N: 2}})
	Equal(t, "theirs", state.Theirs, angrymob.Groups{{Cell: lanista.Cell{I: 4, J: 5}, N: 2}})
	Equal(t, "totals", state.Totals, [2]int{2, 2})
	Equal(t, "moved", state.Moved, [2][]angrymob.Submove{{{2, 1, 1, 1}}, {{3, 5, 1, 3}}})
	Equal(t, "neutral cells", len(state.Neutral), 10) // 12 less the two that were recruited
	Equal(t, "neutral", state.Neutral.At(1, 1), 0)
	Equal(t, "what was kept of the last turn", [2]int{len(before), before.At(1, 1)}, [2]int{12, 1})
	Equal(t, "facts", state.Facts["neutral"], [][]string{{"1", "1", "0"}, {"4", "5", "0"}})
}

func TestANeutralNumberMayChangeToAnother(t *testing.T) {
	state := firstTurn(t, Welcome, Start, "turn 0\nneutral 1 1 7\nneutral 0 0 2\nneutral 5 3 0\ngo\n").State()
	Equal(t, "neutral", [2]int{state.Neutral.At(1, 1), state.Neutral.At(0, 0)}, [2]int{7, 2})
	Equal(t, "neutral cells", len(state.Neutral), 13)
	for at, group := range state.Neutral[1:] {
		Equal(t, "in order", state.Neutral[at].Before(group.Cell), true)
	}
}

// It is in the state after the iteration (PROTOCOL.md 3).
func TestTheFinalPositionHasNoGo(t *testing.T) {
	arena := firstTurn(t, Welcome, Start, Turn0,
		"turn 2\nunit 3 5 0 4\ntotal 0 4\ntotal 1 0\nend finished\nrank 0 1\nrank 1 2\nscore 0 4\nscore 1 0\nbye\n")
	arena.Send(angrymob.Move(2, 1, 1, angrymob.Up))
	Equal(t, "Next", arena.Next(), false)
	Equal(t, "the error", arena.Err(), nil)
	state := arena.State()
	Equal(t, "the turn", state.Turn, 2)
	Equal(t, "units", [3]int{state.Mine.At(3, 5), len(state.Mine), len(state.Theirs)}, [3]int{4, 1, 0})
	Equal(t, "the end", arena.Result().End, "finished")
}

func TestAMoveIsItsNumbers(t *testing.T) {
	Equal(t, "a move", angrymob.Move(1, 2, 3, angrymob.Down), lanista.Move{1, 2, 3, 3})
}
