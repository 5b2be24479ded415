package lanista_test

import (
	"fmt"
	"strings"
	"testing"

	"lanista"
	. "lanista/internal/arenatest"
)

// firstTurn is a bot that is asked for turn 0.
func firstTurn(t *testing.T) (*lanista.Arena[*lanista.State], *Arena) {
	t.Helper()
	served := Say(t, Welcome, Start, Turn0)
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	if !arena.Next() {
		t.Fatal(arena.Err())
	}
	return arena, served
}

// misused has what a misuse panics with.
func misused(t *testing.T, misuse func()) (words string) {
	t.Helper()
	defer func() {
		words = fmt.Sprint(recover())
		if !strings.HasPrefix(words, "lanista: ") {
			t.Errorf("no misuse: %s", words)
		}
	}()
	misuse()
	return ""
}

// Submoves become one line, one after another with no separator; an empty line is
// no submoves (PROTOCOL.md 4).
func TestSubmovesBecomeOneLine(t *testing.T) {
	for _, c := range []struct {
		moves []lanista.Move
		line  string
	}{
		{nil, "\n"},
		{[]lanista.Move{{2, 1, 1, 0}}, "2 1 1 0\n"},
		{[]lanista.Move{{2, 1, 1, 0}, {0, 0, -1, 3}}, "2 1 1 0 0 0 -1 3\n"},
		{[]lanista.Move{{"m", 4, 2}, {}, {"S"}}, "m 4 2 S\n"},
	} {
		arena, served := firstTurn(t)
		arena.Send(c.moves...)
		arena.Close()
		Equal(t, "the answer", served.Heard(), c.line)
	}
}

// What is no submove could become a second answer or none; the turn may still be
// answered rightly.
func TestWhatIsNoSubmoveIsRefusedAndNothingSent(t *testing.T) {
	arena, served := firstTurn(t)
	for _, move := range []lanista.Move{
		{"1\n1", 1, 0}, {"# log"}, {"#"}, {""}, {"é"}, {"1 1 1 0"}, {'m', 4, 2}, {1.5}, {nil}, {lanista.Move{1}},
	} {
		words := misused(t, func() { arena.Send(lanista.Move{1, 2}, move) })
		if !strings.Contains(words, "not integers and letters of the game: ") || strings.Contains(words, "\n") {
			t.Errorf("%v: %s", move, words)
		}
	}
	arena.Send()
	arena.Close()
	Equal(t, "the answer", served.Heard(), "\n")
}

// A second answer to a turn would answer the next one (PROTOCOL.md 4).
func TestASecondAnswerIsMisuse(t *testing.T) {
	arena, served := firstTurn(t)
	arena.Send()
	words := misused(t, func() { arena.Send(lanista.Move{2, 1, 1, 0}) })
	Equal(t, "the words", words, "lanista: no turn asks for an answer: send once for each state, not before it")
	arena.Close()
	Equal(t, "the answer", served.Heard(), "\n")
}

func TestAnAnswerBeforeTheFirstStateIsMisuse(t *testing.T) {
	served := Say(t, Welcome, Start, Turn0)
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	misused(t, func() { arena.Send() })
	if arena.State() != nil || arena.Result() != nil || arena.Err() != nil {
		t.Error("there is something before the first turn")
	}
	arena.Close()
}

// Both sides would wait for each other until the clock ends it.
func TestATurnWithoutAnAnswerIsMisuse(t *testing.T) {
	arena, _ := firstTurn(t)
	words := misused(t, func() { arena.Next() })
	Equal(t, "the words", words, "lanista: turn 0 wasn't answered: every state needs one arena.Send(moves...), "+
		"arena.Send() to do nothing")
	arena.Close()
}

// Whatever breaks a line begins a new one, and all is UTF-8 (PROTOCOL.md 4).
func TestLogLinesBeginWithANumberSign(t *testing.T) {
	for _, c := range []struct{ text, lines string }{
		{"plan: wait", "# plan: wait\n"},
		{"one\ntwo\r\nthree\n", "# one\n# two\n# three\n"},
		{"", "# \n"},
		{"a\n\nb", "# a\n# \n# b\n"},
		{"é\u2028\xff\rx", "# é\n# \uFFFD\n# x\n"},
	} {
		arena, served := firstTurn(t)
		arena.Log(c.text)
		arena.Close()
		Equal(t, "the log", served.Heard(), c.lines)
	}
}

// A line past 65,536 bytes would lose the match (PROTOCOL.md 1).
func TestLongLogLinesAreDivided(t *testing.T) {
	arena, served := firstTurn(t)
	arena.Log(strings.Repeat("🐍", 20_000) + "\n" + strings.Repeat("x", 8193))
	arena.Close()
	var counts []int
	for _, line := range strings.Split(strings.TrimSuffix(served.Heard(), "\n"), "\n") {
		if !strings.HasPrefix(line, "# ") || len(line) >= 1<<16 || strings.ContainsRune(line, '\uFFFD') {
			t.Errorf("a line of %d bytes, %.10q", len(line), line)
		}
		counts = append(counts, len([]rune(line[2:])))
	}
	Equal(t, "code points", counts, []int{8192, 8192, 20_000 - 2*8192, 8192, 1})
}

// Code, turn, the submove's place or `-`, words (PROTOCOL.md 7).
func TestNotesAreKept(t *testing.T) {
	served := Say(t, Welcome, Start, Turn0, "note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n", Forfeit, "bye\n")
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Notes: true})
	playOut(arena)
	served.Heard()
	Equal(t, "the notes", arena.Notes(), []lanista.Note{
		{Code: "illegal", Turn: 0, Index: 2, Words: "no unit in (1, 1)"},
		{Code: "late", Turn: 0, Index: -1, Words: ""},
	})
	Equal(t, "a note", arena.Notes()[0].String(), "illegal in turn 0, submove 2: no unit in (1, 1)")
	Equal(t, "the result", arena.Result().String(), "forfeit: ranks [1 2], scores [2 2]")
}

func TestAnErrorHasItsCode(t *testing.T) {
	served := Say(t, "error name-taken Ann is playing already\n")
	arena := connected(t, lanista.Options{Name: "Ann", Port: served.Port})
	for again := 0; again < 2; again++ {
		Equal(t, "Next", arena.Next(), false)
		Equal(t, "the error", arena.Err(), error(&lanista.Error{Code: "name-taken", Words: "Ann is playing already"}))
	}
	Equal(t, "in words", arena.Err().Error(), "name-taken: Ann is playing already")
	Equal(t, "without words", (&lanista.Error{Code: "late"}).Error(), "late")
}

func TestAnArenasWordsDoNothingToATerminal(t *testing.T) {
	err := &lanista.Error{Code: "\x1bc", Words: "the\u202e wörd's"}
	Equal(t, "the text", err.Error(), `\u{1b}c: the\u{202e} wörd's`)
	Equal(t, "a result", lanista.Result{End: "\x1bc"}.String(), `\u{1b}c: ranks [], scores []`)
	note := lanista.Note{Code: "\x1bc", Index: -1, Words: "\u202e"}
	Equal(t, "a note", note.String(), `\u{1b}c in turn 0: \u{202e}`)
}

// A shutdown in mid-match comes in the place of `end`, between two after the
// result (PROTOCOL.md 3).
func TestAShutdownIsAnError(t *testing.T) {
	for _, c := range []struct {
		before  string
		results int
	}{{"", 0}, {Forfeit, 1}} {
		served := Say(t, Welcome, Start, Turn0, c.before, "error shutdown\n")
		arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Keep: true})
		Equal(t, "turns", playOut(arena), 1)
		Equal(t, "the error", fmt.Sprint(arena.Err()), "shutdown")
		Equal(t, "results", len(arena.Results()), c.results)
		served.Heard()
	}
}

// A line that the end of the connection cuts off is dropped.
func TestAConnectionLostInMidMatchIsAnError(t *testing.T) {
	for _, keep := range []bool{false, true} {
		for _, loss := range []string{"", "turn 1\nunit", "end forfeit"} {
			served := Say(t, Welcome, Start, Turn0, loss)
			arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Keep: keep})
			Equal(t, "turns", playOut(arena), 1)
			Equal(t, "the code", codeOf(t, arena.Err()), "disconnected")
			served.Heard()
		}
	}
}

func TestAResetIsADisconnect(t *testing.T) {
	reached := make(chan struct{})
	served := Serve(t, HearsHello("A v=1\n"), Says(Welcome+Start+Turn0), Does(func() { <-reached }), Resets())
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	close(reached)
	served.Wait()
	arena.Send()
	Equal(t, "Next", arena.Next(), false)
	Equal(t, "the code", codeOf(t, arena.Err()), "disconnected")
}

// A seat that is thrown out learns why, not that its pipe is broken.
func TestWhatTheArenaSaidBeforeClosingIsReadThoughSendingFails(t *testing.T) {
	served := Serve(t, HearsHello("A v=1\n"), Says(Welcome+Start+Turn0+"error late ten turns in a row\n"), CloseNow())
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "Next", arena.Next(), true)
	served.Wait() // the arena has closed: the answer meets nobody, the log a reset
	arena.Send()
	arena.Log("still here")
	arena.Log("still here")
	Equal(t, "Next", arena.Next(), false)
	Equal(t, "the error", fmt.Sprint(arena.Err()), "late: ten turns in a row")
}

func TestClosingEndsTheIteration(t *testing.T) {
	arena, served := firstTurn(t)
	Equal(t, "closing", arena.Close(), nil)
	Equal(t, "once more", arena.Close(), nil)
	Equal(t, "Next", arena.Next(), false)
	Equal(t, "the error", arena.Err(), nil)
	misused(t, func() { arena.Send() })
	arena.Log("to nobody")
	Equal(t, "what was said", served.Heard(), "")
}

// With Keep there is a new state for each match, notes of the current one, a
// result after each, void ones too.
func TestKeepPlaysMatchAfterMatch(t *testing.T) {
	void := "note late 0 - x\nend void\nrank 0 1\nrank 1 1\nscore 0 1\nscore 1 1\n"
	second := strings.NewReplacer("01JDEXAMPLE", "01JDSECOND", "seat 0", "seat 1").Replace(Start)
	served := Say(t, Welcome, Start, Turn0, void, Start, Turn0, Turn1, Forfeit, "wait 1 2\nwait 2 2\n",
		second, Turn0, Forfeit, "bye\n")
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Keep: true})
	var seen []string
	states := make(map[*lanista.State]bool)
	for arena.Next() {
		state := arena.State()
		states[state] = true
		seen = append(seen, fmt.Sprint(state.Match, state.Seat, state.Turn, len(arena.Notes())))
		arena.Send(lanista.Move{state.Seat})
	}
	arena.Close()
	Equal(t, "the error", arena.Err(), nil)
	Equal(t, "the turns", seen, []string{
		"01JDEXAMPLE0 0 0", "01JDEXAMPLE0 0 0", "01JDEXAMPLE0 1 0", "01JDSECOND1 0 0",
	})
	Equal(t, "states", len(states), 3)
	var ends []string
	for _, result := range arena.Results() {
		ends = append(ends, fmt.Sprint(result.End, len(result.Notes)))
	}
	Equal(t, "the ends", ends, []string{"void1", "forfeit0", "forfeit0"})
	Equal(t, "the answers", served.Heard(), "0\n0\n0\n1\n")
}

func TestKeepEndsWellBetweenMatches(t *testing.T) {
	for _, last := range []string{"", "wait 1 2\n", "bye\n"} {
		served := Say(t, Welcome, Start, Turn0, Forfeit, last)
		arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Keep: true})
		playOut(arena)
		Equal(t, "the error", arena.Err(), nil)
		Equal(t, "results", len(arena.Results()), 1)
		served.Heard()
	}
}

// Even if the arena began another.
func TestWithoutKeepOneMatchIsAll(t *testing.T) {
	served := Say(t, Welcome, Start, Turn0, Forfeit, Start, Turn0)
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
	Equal(t, "turns", playOut(arena), 1)
	Equal(t, "the error", arena.Err(), nil)
	Equal(t, "results", len(arena.Results()), 1)
	arena.Close()
	served.Heard()
}

// playOut answers every turn with nothing, closes, and has the number of turns.
func playOut(arena *lanista.Arena[*lanista.State]) (turns int) {
	for arena.Next() {
		arena.Send()
		turns++
	}
	_ = arena.Close()
	return turns
}
