package lanista_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"lanista"
	"lanista/angrymob"
	. "lanista/internal/arenatest"
)

const vectors = "../../protocol/vectors/conversations.jsonl"

// wire is bytes as the vectors write them.
type wire string

func (w *wire) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*w = wire(text)
		return nil
	}
	var all []wire
	if json.Unmarshal(data, &all) == nil {
		for _, part := range all {
			*w += part
		}
		return nil
	}
	var made struct {
		Hex, Text string
		Times     int
	}
	if err := json.Unmarshal(data, &made); err != nil {
		return err
	}
	raw, err := hex.DecodeString(made.Hex)
	*w = wire(string(raw) + strings.Repeat(made.Text, made.Times))
	return err
}

// position is one as the vectors tell it.
type position struct {
	Turn                  int
	Mine, Theirs, Neutral [][3]int
	Totals                [2]int
	Moved                 [2][][4]int
}

type conversation struct {
	Name    string
	Connect struct {
		Name, Game, Room, Token string
		Seat                    *int
		Keep, Notes, Reconnect  bool
	}
	Steps []struct {
		Bot, Arena *wire
		Closes     string
	}
	Matches []struct {
		Match, Game string
		Seat        int
		Players     []string
		Clock       [2]float64
		Seed        int
		Settings    map[string]float64
		Rows, Cols  int
		Bases       [2][2]int
		Asks        []struct {
			position
			Log    []string
			Answer [][]int
		}
		Final *position
		Notes []struct {
			Code  string
			Turn  int
			Index *int
		}
		Result *lanista.Result
	}
	Error *string
}

// Whole conversations of the protocol: what a client tells its bot, and the bytes
// it answers by (PROTOCOL.md 3 to 5, 7, 8).
func TestConversations(t *testing.T) {
	defer lanista.SetSleep(func(time.Duration) {})()
	file, err := os.Open(vectors)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read := 0
	for lines := bufio.NewScanner(file); lines.Scan(); read++ {
		var c conversation
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) { c.play(t) })
	}
	if read < 18 {
		t.Errorf("only %d conversations in %s", read, vectors)
	}
}

func (c *conversation) script(t *testing.T) (script []Step) {
	greeted := false
	for at, step := range c.Steps {
		switch {
		case step.Bot != nil && !greeted:
			greeted = true
			script = append(script, HearsHello(string(*step.Bot)))
		case step.Bot != nil:
			script = append(script, Hears(string(*step.Bot)))
		case step.Arena != nil:
			script = append(script, Says(string(*step.Arena)))
		case step.Closes != "arena":
			t.Fatalf("step %d is none that this test knows", at)
		case at != len(c.Steps)-1:
			greeted = false
			script = append(script, AcceptsAgain())
		}
	}
	return script
}

func (c *conversation) play(t *testing.T) {
	served := Serve(t, c.script(t)...)
	arena, err := lanista.Open(lanista.Options{
		Name:  c.Connect.Name,
		Game:  c.Connect.Game,
		Host:  "127.0.0.1",
		Port:  served.Port,
		Token: c.Connect.Token,
		Room:  c.Connect.Room,
		Seat:  c.Connect.Seat,
		Keep:  c.Connect.Keep,
		Notes: c.Connect.Notes,

		Reconnect: c.Connect.Reconnect,
	}, angrymob.NewState)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	var states []*angrymob.State
	for number, match := range c.Matches {
		for _, ask := range match.Asks {
			if !arena.Next() {
				t.Fatalf("match %d ended before turn %d: %v", number, ask.Turn, arena.Err())
			}
			if len(states) == number {
				states = append(states, arena.State())
			} else if states[number] != arena.State() {
				t.Error("another state in the same match")
			}
			Equal(t, "the position", seen(arena.State()), ask.position)
			for _, text := range ask.Log {
				arena.Log(text)
			}
			arena.Send(moves(ask.Answer)...)
		}
		if number == len(c.Matches)-1 && arena.Next() {
			t.Errorf("an answer to turn %d is asked for", arena.State().Turn)
		}
		if number == len(c.Matches)-1 { // else they are those of the next match already
			c.checkNotes(t, number, arena.Notes())
		}
	}
	if len(c.Matches) == 0 && arena.Next() {
		t.Error("an answer is asked for")
	}
	code := codeOf(t, arena.Err())
	if c.Error != nil {
		Equal(t, "the error", code, *c.Error)
	} else {
		Equal(t, "the error", code, "")
	}
	results := arena.Results()
	for number, match := range c.Matches {
		c.checkMatch(t, number, states[number])
		if match.Result == nil {
			continue
		}
		if len(results) == 0 {
			t.Fatalf("match %d has no result", number)
		}
		result := results[0]
		results = results[1:]
		c.checkNotes(t, number, result.Notes)
		result.Notes = nil
		Equal(t, "the result", result, *match.Result)
	}
	if len(results) > 0 {
		t.Errorf("more results: %v", results)
	}
}

func (c *conversation) checkNotes(t *testing.T, number int, notes []lanista.Note) {
	match := c.Matches[number]
	if len(match.Notes) != len(notes) {
		t.Fatalf("notes %v in match %d", notes, number)
	}
	for at, note := range match.Notes {
		index := -1
		if note.Index != nil {
			index = *note.Index
		}
		expected := lanista.Note{Code: note.Code, Turn: note.Turn, Index: index, Words: notes[at].Words}
		Equal(t, "a note", notes[at], expected)
	}
}

func (c *conversation) checkMatch(t *testing.T, number int, state *angrymob.State) {
	match := c.Matches[number]
	Equal(t, "match", state.Match, match.Match)
	Equal(t, "game", state.Game, match.Game)
	Equal(t, "seat", state.Seat, match.Seat)
	Equal(t, "players", state.Players, match.Players)
	Equal(t, "clock", [2]time.Duration{state.Clock.First, state.Clock.Other}, [2]time.Duration{
		time.Duration(match.Clock[0] * float64(time.Second)),
		time.Duration(match.Clock[1] * float64(time.Second)),
	})
	Equal(t, "seed", state.Seed, match.Seed)
	settings := make(map[string]float64)
	for name := range state.Settings {
		settings[name], _ = state.Number(name)
	}
	Equal(t, "settings", settings, match.Settings)
	Equal(t, "size", [2]int{state.Rows, state.Cols}, [2]int{match.Rows, match.Cols})
	for seat, base := range match.Bases {
		Equal(t, "a base", state.Bases[seat], lanista.Cell{I: base[0], J: base[1]})
	}
	if match.Final != nil {
		Equal(t, "the final position", seen(state), *match.Final)
	}
}

// seen is what the library made of a position.
func seen(state *angrymob.State) position {
	counted := func(groups angrymob.Groups) [][3]int {
		all := [][3]int{}
		for _, group := range groups {
			all = append(all, [3]int{group.I, group.J, group.N})
		}
		return all
	}
	moved := [2][][4]int{{}, {}}
	for seat, submoves := range state.Moved {
		for _, m := range submoves {
			moved[seat] = append(moved[seat], [4]int{m.I, m.J, m.K, m.D})
		}
	}
	return position{
		Turn:    state.Turn,
		Mine:    counted(state.Mine),
		Theirs:  counted(state.Theirs),
		Neutral: counted(state.Neutral),
		Totals:  state.Totals,
		Moved:   moved,
	}
}

func moves(answer [][]int) (all []lanista.Move) {
	for _, numbers := range answer {
		var move lanista.Move
		for _, number := range numbers {
			move = append(move, number)
		}
		all = append(all, move)
	}
	return all
}
