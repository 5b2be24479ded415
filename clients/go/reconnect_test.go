package lanista_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"lanista"
	"lanista/angrymob"
	. "lanista/internal/arenatest"
)

// noPauses has no pause take time; it keeps what each would take.
func noPauses(t *testing.T) *[]time.Duration {
	var pauses []time.Duration
	t.Cleanup(lanista.SetSleep(func(pause time.Duration) { pauses = append(pauses, pause) }))
	return &pauses
}

// checkPauses fails the test where a pause isn't from half of the longest to all of
// it.
func checkPauses(t *testing.T, pauses []time.Duration, longest ...time.Duration) {
	t.Helper()
	if len(pauses) != len(longest) {
		t.Fatalf("pauses %v", pauses)
	}
	for at, pause := range pauses {
		if pause < longest[at]/2 || pause > longest[at] {
			t.Errorf("pause %d is %v, not of %v", at, pause, longest[at])
		}
	}
}

// Pauses double to a minute, less a random part. They end when there is an arena,
// which may be started after its bot.
func TestPausesDoubleToAMinute(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	_ = listener.Close()
	NoEnvironment(t)
	var pauses []time.Duration
	defer lanista.SetSleep(func(pause time.Duration) {
		if pauses = append(pauses, pause); len(pauses) == 30 {
			if listener, err = net.ListenTCP("tcp", address); err != nil {
				t.Fatal(err)
			}
		}
	})()
	options := lanista.Options{Name: "A", Host: "127.0.0.1", Port: address.Port, Reconnect: true}
	arena, err := lanista.Connect(options)
	if err != nil {
		t.Fatal(err)
	}
	_ = arena.Close()
	_ = listener.Close()
	var longest []time.Duration
	for at, pause := 0, 500*time.Millisecond; at < 30; at, pause = at+1, 2*pause {
		if pause > time.Minute {
			pause = time.Minute
		}
		longest = append(longest, pause)
	}
	checkPauses(t, pauses, longest...)
	if pauses[20] == pauses[21] && pauses[21] == pauses[22] {
		t.Error("no random part")
	}
}

// A welcome isn't enough for that: the arena may still refuse the bot.
func TestPausesBeginAnewOnceTheBotIsLetIn(t *testing.T) {
	pauses := noPauses(t)
	welcome := "welcome 1 lanista 0.1.0\n"
	served := Serve(t,
		HearsHello("A v=1\n"), Says(welcome+"error internal\n"), AcceptsAgain(),
		HearsHello("A v=1\n"), Says(welcome+"error internal\n"), AcceptsAgain(),
		HearsHello("A v=1\n"), Says(Welcome), AcceptsAgain(),
		HearsHello("A v=1\n"), Says("error replaced\n"))
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Reconnect: true})
	for arena.Next() {
		arena.Send()
	}
	Equal(t, "the error", arena.Err().Error(), "replaced")
	half := 500 * time.Millisecond
	checkPauses(t, *pauses, half, 2*half, half)
}

func TestCodesThatWouldComeAgainEndIt(t *testing.T) {
	pauses := noPauses(t)
	for code := range lanista.FinalCodes {
		said := "error " + code + "\n"
		if code == "unreadable" {
			said = "turn x\n"
		}
		served := Serve(t, HearsHello("A v=1 keep=1\n"), Says(Welcome+said))
		arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Keep: true, Reconnect: true})
		if arena.Next() {
			t.Error("an answer is asked for")
		}
		Equal(t, "the code", codeOf(t, arena.Err()), code)
	}
	checkPauses(t, *pauses)
}

// Of a turn that was cut nothing is left, wherever that was.
func TestCutAnywhereTheMatchGoesOnUnderTheSameState(t *testing.T) {
	pauses := noPauses(t)
	hello := "A v=1 game=angrymob\n"
	for at := 0; at < len(Turn1); at += 7 {
		served := Serve(t,
			HearsHello(hello), Says(Welcome+Start+Turn0), Hears("\n"), Says(Turn1[:at]), AcceptsAgain(),
			HearsHello(hello), Says(Welcome+Start+Turn1), Hears("\n"), Says(Forfeit+"bye\n"))
		arena, err := angrymob.Connect(lanista.Options{Name: "A", Host: "127.0.0.1", Port: served.Port, Reconnect: true})
		if err != nil {
			t.Fatal(err)
		}
		var states []*angrymob.State
		for arena.Next() {
			states = append(states, arena.State())
			arena.Send()
		}
		if len(states) != 2 || states[0] != states[1] {
			t.Fatalf("cut at %d: %d states, %v", at, len(states), arena.Err())
		}
		Equal(t, "the units", seen(states[1]).Mine, [][3]int{{1, 1, 2}})
		Equal(t, "the end", arena.Result().End, "forfeit")
		_ = arena.Close()
	}
	if len(*pauses) == 0 {
		t.Error("no pauses")
	}
}

// A match is all, if it was played to its end.
func TestWithoutKeepTheEndOfAMatchIsTheEnd(t *testing.T) {
	pauses := noPauses(t)
	for _, after := range []string{"bye\n", "", "error shutdown\n"} {
		served := Serve(t, HearsHello("A v=1\n"), Says(Welcome+Start+Turn0), Hears("\n"), Says(Forfeit+after))
		arena := connected(t, lanista.Options{Name: "A", Port: served.Port, Reconnect: true})
		for arena.Next() {
			arena.Send()
		}
		Equal(t, "an error", arena.Err() != nil, strings.HasPrefix(after, "error"))
		_ = arena.Close()
	}
	checkPauses(t, *pauses)
}
