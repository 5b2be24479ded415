package lanista_test

import (
	"strings"
	"testing"

	"lanista"
	"lanista/crematoria"
)

// drawn is what a bot sends by drawing.
func drawn(draw func(lanista.Draw)) string {
	var sent strings.Builder
	draw(lanista.DrawTo(func(data []byte) { sent.Write(data) }))
	return sent.String()
}

func TestEachDrawingIsLinesOfTheForm(t *testing.T) {
	cell := lanista.Cell{I: 3, J: 4}
	above := crematoria.Pos{I: 3, J: 4, K: 1}
	path := lanista.Places([]lanista.Cell{{I: 3, J: 4}, {I: 3, J: 9}, {I: 12, J: 9}})
	up := lanista.Places([]crematoria.Pos{
		{I: 1, J: 1, K: 0}, {I: 1, J: 2, K: 0}, {I: 1, J: 2, K: 1}, {I: 1, J: 3, K: 1}, {I: 1, J: 3, K: 0},
	})
	for _, c := range []struct {
		draw  func(lanista.Draw)
		lines string
	}{
		{func(d lanista.Draw) { d.Cell("red", cell) }, "#@ cell 3 4 red\n"},
		{func(d lanista.Draw) { d.Cell("#8040ff", above) }, "#@ cell 3 4 1 #8040ff\n"},
		{func(d lanista.Draw) { d.Cell("blue", path...) }, "#@ cell 3 4 3 9 12 9 blue\n"},
		{func(d lanista.Draw) { d.Line("own", path...) }, "#@ line 3 4 3 9 12 9 own\n"},
		{func(d lanista.Draw) { d.Arrow("pink", path...) }, "#@ arrow 3 4 3 9 12 9 pink\n"},
		{func(d lanista.Draw) { d.Text("ink", cell, "go on") }, "#@ text 3 4 ink go on\n"},
		{func(d lanista.Draw) { d.Text("ink", above, "é") }, "#@ text 3 4 1 ink é\n"},
		{func(d lanista.Draw) { d.Value("danger", 0.25) }, "#@ value danger 0.25\n"},
		{func(d lanista.Draw) { d.Value("danger", -7) }, "#@ value danger -7\n"},
		{func(d lanista.Draw) { d.Arrow("red", up...) }, "#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n"},
		{
			func(d lanista.Draw) { d.Cell("red", up...) },
			"#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n",
		},
		{func(d lanista.Draw) { d.Line("red", cell) }, ""},
		{func(d lanista.Draw) { d.Cell("red") }, ""},
		{func(d lanista.Draw) { d.Text("red", cell, "a\nb\r\u0085\u2028c") }, "#@ text 3 4 red a b   c\n"},
		{func(d lanista.Draw) { d.Cell("red\n1 2 1 0", cell) }, "#@ cell 3 4 red 1 2 1 0\n"},
	} {
		if lines := drawn(c.draw); lines != c.lines {
			t.Errorf("%q instead of %q", lines, c.lines)
		}
	}
}

// PROTOCOL.md 1: a line past 65,536 bytes would lose the match; a part of it isn't
// drawn.
func TestADrawingOfAnyLengthCostsNoMatch(t *testing.T) {
	text := strings.Repeat("🐍", 40_000)
	line := drawn(func(d lanista.Draw) { d.Text("red", lanista.Cell{}, text) })
	if len(line) > 65_536 || len([]rune(line)) <= 8000 || !strings.HasSuffix(line, "\n") {
		t.Errorf("a line of %d bytes", len(line))
	}
}
