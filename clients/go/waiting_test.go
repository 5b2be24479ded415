package lanista_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"lanista"
	. "lanista/internal/arenatest"
)

// teller keeps what the library tells, and signals when it has told something.
type teller struct {
	bytes.Buffer
	told chan struct{}
}

func (t *teller) Write(data []byte) (int, error) {
	n, err := t.Buffer.Write(data)
	close(t.told) // twice would panic: it tells once
	return n, err
}

// told has what the library tells from now on; a silence lasts no time.
func told(t *testing.T, silence time.Duration) *teller {
	kept := &teller{told: make(chan struct{})}
	t.Cleanup(lanista.SetStderr(kept, silence))
	return kept
}

func TestABotThatWaitsSaysSoOnce(t *testing.T) {
	kept := told(t, time.Millisecond)
	arena := Serve(t,
		HearsHello("A v=1 game=angrymob room=lab\n"),
		Says(Welcome),
		Does(func() { <-kept.told }),
		Says("wait 2 2\n"),
		Does(func() { time.Sleep(5 * time.Millisecond) }), // another silence, which isn't told
		Says(Start+Turn0),
	)
	options := lanista.Options{Name: "A", Game: "angrymob", Room: "lab", Port: arena.Port}
	bot := connected(t, options)
	if !bot.Next() {
		t.Fatal(bot.Err())
	}
	_ = bot.Close()
	words := fmt.Sprintf("lanista: waiting for an opponent at 127.0.0.1:%d "+
		"(game angrymob, room lab, 1 of 2 seats taken); "+
		"the arena's page, whose address `lanista serve` prints, shows who is there\n", arena.Port)
	Equal(t, "what is told", kept.String(), words)
}

func TestAMatchThatBeginsAtOnceIsPlayedInSilence(t *testing.T) {
	kept := told(t, time.Minute)
	arena := Serve(t, HearsHello("A v=1\n"), Says(Welcome+Start+Turn0))
	bot := connected(t, lanista.Options{Name: "A", Port: arena.Port})
	Equal(t, "there is a turn", bot.Next(), true)
	_ = bot.Close()
	Equal(t, "what is told", kept.String(), "")
}

func TestSilenceCanBeAskedFor(t *testing.T) {
	for _, variable := range []bool{false, true} {
		kept := told(t, time.Nanosecond)
		arena := Serve(t, HearsHello("A v=1\n"), Says(Welcome),
			Does(func() { time.Sleep(5 * time.Millisecond) }), Says(Start+Turn0))
		if variable {
			t.Setenv("LANISTA_QUIET", "1")
		}
		bot := connected(t, lanista.Options{Name: "A", Port: arena.Port, Quiet: !variable})
		Equal(t, "there is a turn", bot.Next(), true)
		_ = bot.Close()
		Equal(t, "what is told", kept.String(), "")
	}
}
