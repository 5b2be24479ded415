package lanista

import (
	"strconv"
	"strings"
)

// longestDrawing is the code points of a line, at most 4 bytes each: within the
// 65,536 bytes of PROTOCOL.md 1. A line that is cut is too long to be drawn, so
// half a number never draws anything.
const longestDrawing = 1 << 13

// Place is somewhere on a board: a Cell, or the Pos of crematoria.
type Place interface {
	// Coordinates has row and column, and the level if the board has levels.
	Coordinates() []int
}

// Coordinates has row and column.
func (c Cell) Coordinates() []int {
	return []int{c.I, c.J}
}

// Places makes of cells or positions what the calls of Draw take:
// Line("red", lanista.Places(path)...).
func Places[P Place](all []P) []Place {
	places := make([]Place, len(all))
	for n, place := range all {
		places[n] = place
	}
	return places
}

// Draw shows something on the board of whoever may see the bot's log
// (PROTOCOL.md 9), in the present turn.
//
// A colour is "own" (the seat's), "red", "orange", "yellow", "green", "blue",
// "pink", "gray", "ink" (dark on light, light on dark) or "#rrggbb". Each call is
// sent at once, as log lines: the arena keeps 16 KiB a turn. Nothing is checked:
// whoever shows the board remarks beside a line what is wrong with it, so that
// drawing never costs a match.
type Draw struct {
	write func([]byte)
}

// Draw is how the bot draws.
func (a *Arena[S]) Draw() Draw {
	return Draw{a.write}
}

// Cell marks cells; one call for many needs less of the log than many calls.
func (d Draw) Cell(colour string, places ...Place) {
	d.points("cell", colour, 1, places)
}

// Line draws a line from place to place; where it changes the level, it begins
// anew.
func (d Draw) Line(colour string, places ...Place) {
	d.points("line", colour, 2, places)
}

// Arrow draws a line as Line does, with an arrowhead at its end.
func (d Draw) Arrow(colour string, places ...Place) {
	d.points("arrow", colour, 2, places)
}

// Text writes a text of up to 80 characters that begins at a cell.
func (d Draw) Text(colour string, place Place, text string) {
	d.line("text", numbers(place.Coordinates()), colour, text)
}

// Value gives the number of this turn for the curve of that name (of A-Z a-z 0-9
// . _ -).
func (d Draw) Value(name string, number float64) {
	d.line("value", name, strconv.FormatFloat(number, 'g', -1, 64))
}

// points draws by as many lines of the log as there are changes of the level.
func (d Draw) points(kind, colour string, least int, places []Place) {
	var points, before []int
	count := 0
	flush := func() {
		if count >= least {
			d.line(kind, numbers(append(points, before...)), colour)
		}
		points, count = nil, 0
	}
	for _, place := range places {
		at := place.Coordinates()
		level := at[2:]
		if count > 0 && numbers(level) != numbers(before) {
			flush()
		}
		points = append(points, at[:2]...)
		before = level
		count++
	}
	flush()
}

func (d Draw) line(words ...string) {
	line := strings.Map(seen, strings.Join(words, " "))
	if runes := []rune(line); len(runes) > longestDrawing {
		line = string(runes[:longestDrawing])
	}
	d.write([]byte("#@ " + line + "\n"))
}

// seen makes a space of whatever would end the line or can't be seen.
func seen(r rune) rune {
	if r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029 {
		return ' '
	}
	return r
}

func numbers(all []int) string {
	words := make([]string, len(all))
	for n, number := range all {
		words[n] = strconv.Itoa(number)
	}
	return strings.Join(words, " ")
}
