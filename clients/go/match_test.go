package lanista_test

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"lanista"
	"lanista/angrymob"
	"lanista/crematoria"
	"lanista/hogwarts"
	. "lanista/internal/arenatest"
)

const match = Welcome + Start + Turn0 + Turn1 + Forfeit + "bye\n"

// played plays a match of Angry Mob, each answer telling the turn; what was seen.
func played(t *testing.T, served *Arena) (positions []position, result *lanista.Result, err error) {
	t.Helper()
	arena, err := lanista.Open(lanista.Options{Name: "A", Port: served.Port}, angrymob.NewState)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	for arena.Next() {
		positions = append(positions, seen(arena.State()))
		arena.Send(lanista.Move{arena.State().Turn, 0, 0, 0})
	}
	return positions, arena.Result(), arena.Err()
}

// The conversation in its order: nothing is sent before it is asked for, one line
// a turn.
func TestAMatch(t *testing.T) {
	positions, result, err := played(t, Serve(t,
		HearsHello("A v=1\n"), Says(Welcome+Start+Turn0),
		Hears("0 0 0 0\n"), Says(Turn1), Hears("1 0 0 0\n"), Says(Forfeit+"bye\n"),
	))
	Equal(t, "the error", err, nil)
	Equal(t, "turns", len(positions), 2)
	Equal(t, "the result", *result, lanista.Result{End: "forfeit", Ranks: []int{1, 2}, Scores: []float64{2, 2}})
}

func TestDeliveredByteByByteTheMatchIsTheSame(t *testing.T) {
	expected, _, _ := played(t, Serve(t,
		HearsHello("A v=1\n"), Says(match), Hears("0 0 0 0\n1 0 0 0\n")))
	positions, result, err := played(t, Serve(t,
		HearsHello("A v=1\n"), SaysByByte(Welcome+Start+Turn0),
		Hears("0 0 0 0\n"), SaysByByte(Turn1), Hears("1 0 0 0\n"), SaysByByte(Forfeit+"bye\n"),
	))
	Equal(t, "the error", err, nil)
	Equal(t, "the positions", positions, expected)
	Equal(t, "the end", result.End, "forfeit")
}

// An unfinished last line is dropped, complete lines before it are used
// (PROTOCOL.md 1).
func TestCutOffAtAnyByteItIsDisconnectedOrOver(t *testing.T) {
	ended := strings.Index(match, "end forfeit\n") + len("end forfeit\n")
	for at := 0; at < len(match); at += 3 {
		served := Say(t, match[:at])
		_, result, err := played(t, served)
		served.Heard()
		if over := at >= ended; (err == nil) != over || (result != nil) != over {
			t.Errorf("cut off at %d: %v, %v", at, result, err)
		}
	}
}

// The order between start, turn and go says nothing (PROTOCOL.md 3).
func TestOrderBetweenTurnAndGoMeansNothing(t *testing.T) {
	expected, _, _ := played(t, Serve(t, HearsHello("A v=1\n"), Says(match), Hears("0 0 0 0\n1 0 0 0\n")))
	turned := Welcome + Reversed(Start, 1, 0) + Reversed(Turn0, 1, 1) + Reversed(Turn1, 1, 1) + Forfeit + "bye\n"
	positions, _, err := played(t, Serve(t, HearsHello("A v=1\n"), Says(turned), Hears("0 0 0 0\n1 0 0 0\n")))
	Equal(t, "the error", err, nil)
	Equal(t, "the positions", positions, expected)
}

// Unknown keywords are passed over wherever they stand (PROTOCOL.md 3); those of a
// turn are among its facts.
func TestUnknownKeywordsArePassedOver(t *testing.T) {
	expected, _, _ := played(t, Serve(t, HearsHello("A v=1\n"), Says(match), Hears("0 0 0 0\n1 0 0 0\n")))
	crossed := strings.ReplaceAll("\n"+match, "\n", "\nweather 1 rain\n")
	positions, _, err := played(t, Serve(t, HearsHello("A v=1\n"), Says(crossed), Hears("0 0 0 0\n1 0 0 0\n")))
	Equal(t, "the error", err, nil)
	Equal(t, "the positions", positions, expected)

	served := Say(t, strings.Replace(match, "go\n", "weather 1 r\xff\xfein\nweather 2\n\ngo\n", 1))
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "the weather", arena.State().Facts["weather"], [][]string{{"1", "r\uFFFDin"}, {"2"}})
	_ = arena.Close()
}

// No limit but memory: a line far longer than the buffer.
func TestALineMayBeLong(t *testing.T) {
	long := strings.Repeat("7 ", 1_000_000)
	served := Serve(t, HearsHello("A v=1\n"), Says(strings.Replace(match, "go\n", "long "+long+"\ngo\n", 1)))
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "its words", len(arena.State().Facts["long"][0]), 1_000_000)
	_ = arena.Close()
}

const chess = `start 7
game chess
seat 2
player 0 A
player 1 B b
player 2 C
player 3 D
clock 0 0
seed 0
set rounds 120
set risk 0.25
set original 1
set label deep end
set odd infinity
size 60 60
turn 0
unit 4 w 2 1 1 0 0
unit 7 g 2 5 5 0 0
spell 1 2 3
go
end finished
score 0 10
score 1 10.5
score 2 -3
score 3 0
rank 3 3
rank 2 4
rank 1 1
rank 0 2
bye
`

// Settings are numbers where they are; letters are sent as they are; seats sort
// the result.
func TestAGameWithoutAPackageIsPlayedByItsFacts(t *testing.T) {
	served := Serve(t, HearsHello("C v=1 game=chess\n"), Says(Welcome+chess), Hears("m 4 2\n"))
	arena := connected(t, lanista.Options{Name: "C", Game: "chess", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	state := arena.State()
	arena.Send(lanista.Move{"m", 4, 2})
	Equal(t, "Next", arena.Next(), false)
	Equal(t, "the error", arena.Err(), nil)
	Equal(t, "the size", state.StartFacts["size"], [][]string{{"60", "60"}})
	Equal(t, "the units", state.Facts["unit"], [][]string{
		{"4", "w", "2", "1", "1", "0", "0"}, {"7", "g", "2", "5", "5", "0", "0"},
	})
	Equal(t, "who plays", fmt.Sprint(state.Seat, state.Players, state.Seed, state.Game), "2 [A B b C D] 0chess")
	Equal(t, "the clock", state.Clock, lanista.Clock{})
	Equal(t, "the settings", state.Settings, map[string]string{
		"rounds": "120", "risk": "0.25", "original": "1", "label": "deep end", "odd": "infinity",
	})
	for name, expected := range map[string]float64{"rounds": 120, "risk": 0.25, "label": -1, "odd": -1, "none": -1} {
		value, ok := state.Number(name)
		if !ok {
			value = -1
		}
		Equal(t, name, value, expected)
	}
	Equal(t, "the result", *arena.Result(), lanista.Result{
		End: "finished", Ranks: []int{2, 1, 4, 3}, Scores: []float64{10, 10.5, -3, 0},
	})
	_ = arena.Close()
}

func TestTheClockIsInSeconds(t *testing.T) {
	served := Say(t, strings.Replace(match, "clock 20 0.2", "clock 20 0.0157", 1))
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	Equal(t, "the clock", arena.State().Clock, lanista.Clock{First: 20 * time.Second, Other: 15_700 * time.Microsecond})
	_ = arena.Close()
}

// A bot isn't asked to play a game that it can't read.
func TestAnotherGameThanAskedForIsUnreadable(t *testing.T) {
	for _, c := range []struct{ start, words string }{
		{chess, "the game is chess, not angrymob"},
		{HogwartsStart + HogwartsTurn, "the game is hogwarts, not angrymob"},
	} {
		served := Say(t, Welcome, c.start)
		_, _, err := played(t, served)
		if code(err) != "unreadable" || !strings.HasSuffix(err.Error(), c.words) {
			t.Errorf("the error: %v", err)
		}
		served.Heard()
	}
}

// What is outside the protocol is told with its line, in one line.
func TestTheUnreadableIsTold(t *testing.T) {
	for _, c := range []struct{ said, words string }{
		{"go\n", `unreadable: the client can't use "go": a go without its turn`},
		{Start + "turn x\n", `unreadable: the client can't use "turn x": "x" is no turn`},
		{"start\n", `unreadable: the client can't use "start": 0 words instead of 1 after start`},
		{Start + "turn 0\nunit 1 1 2 1\ngo\n", `unreadable: the client can't use "go": turn 0: "2" isn't from 0 to 1`},
		{"note late x -\n", `unreadable: the client can't use "note late x -": "x" is no turn`},
		{"note late 0 y\n", `unreadable: the client can't use "note late 0 y": "y" is no place of a submove`},
	} {
		served := Say(t, Welcome, c.said)
		_, _, err := played(t, served)
		Equal(t, "the error", fmt.Sprint(err), c.words)
		served.Heard()
	}
}

// Whatever comes is a match or an Error: no panic, whether it is half of a match or
// something else.
func TestWhateverComesIsAMatchOrAnError(t *testing.T) {
	var all []string
	for _, said := range []string{
		match, HogwartsStart + HogwartsTurn, CrematoriaStart + CrematoriaTurn, chess, "\xff\x00\n\n go \n",
	} {
		all = append(all, strings.SplitAfter(said, "\n")...)
	}
	starts := []string{"", Start, HogwartsStart, CrematoriaStart}
	turns := []string{"", Turn1, HogwartsTurn, CrematoriaTurn}
	words := []string{"-1", "0", "9", "99999999999999999999", "x", "#", "", "-", "1 2"}
	chance := rand.New(rand.NewSource(1))
	for round := 0; round < 300; round++ {
		kind := chance.Intn(len(starts))
		var said []string
		said = append(said, strings.SplitAfter(starts[kind], "\n")...)
		said = append(said, strings.SplitAfter(turns[kind], "\n")...)
		for change := chance.Intn(4); change > 0; change-- {
			at := chance.Intn(len(said))
			switch chance.Intn(3) {
			case 0:
				said[at] = all[chance.Intn(len(all))]
			case 1:
				said[at] = ""
			case 2:
				parts := strings.Split(strings.TrimSuffix(said[at], "\n"), " ")
				parts[chance.Intn(len(parts))] = words[chance.Intn(len(words))]
				said[at] = strings.Join(parts, " ") + "\n"
			}
		}
		served := Say(t, said...)
		options := lanista.Options{Name: "A", Port: served.Port}
		var err error
		switch kind {
		case 0, 1:
			err = robust(lanista.Open(options, angrymob.NewState))
		case 2:
			err = robust(lanista.Open(options, hogwarts.NewState))
		case 3:
			err = robust(lanista.Open(options, crematoria.NewState))
		}
		served.Heard()
		if err != nil && code(err) == "" {
			t.Errorf("%v after %q", err, said)
		}
	}
}

func robust[S lanista.Game](arena *lanista.Arena[S], err error) error {
	if err != nil {
		return err
	}
	defer arena.Close()
	for arena.Next() {
		arena.Send()
	}
	return arena.Err()
}

// code is that of an Error; "": it is none.
func code(err error) string {
	var told *lanista.Error
	if errors.As(err, &told) {
		return told.Code
	}
	return ""
}
