// Package read takes the words of facts for numbers and boards. It keeps the
// first error, so that a state is read without asking after each word.
package read

import (
	"fmt"
	"sort"
	"strconv"
)

// Reader reads the facts of a turn, or of the start of a match.
type Reader struct {
	facts map[string][][]string
	err   error
}

// New is a reader of these facts.
func New(facts map[string][][]string) *Reader {
	return &Reader{facts: facts}
}

// Err is what was wrong first; nil: nothing was.
func (r *Reader) Err() error {
	return r.err
}

// Fail keeps an error if it is the first.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Int is a whole number.
func (r *Reader) Int(word string) int {
	number, err := strconv.Atoi(word)
	if err != nil {
		r.Fail("%q is no whole number", word)
	}
	return number
}

// Below is a whole number from 0 to one less than the limit.
func (r *Reader) Below(word string, limit int) int {
	number := r.Int(word)
	if number < 0 || number >= limit {
		r.Fail("%q isn't from 0 to %d", word, limit-1)
		return 0
	}
	return number
}

// Float is a decimal number.
func (r *Reader) Float(word string) float64 {
	number, err := strconv.ParseFloat(word, 64)
	if err != nil {
		r.Fail("%q is no number", word)
	}
	return number
}

// Line has the first words of a line that must come; always that many.
func (r *Reader) Line(keyword string, words int) []string {
	lines := r.facts[keyword]
	switch {
	case len(lines) == 0:
		r.Fail("no line %q", keyword)
	case len(lines[0]) < words:
		r.Fail("line %q with %d words instead of %d", keyword, len(lines[0]), words)
	default:
		return lines[0][:words]
	}
	return make([]string, words)
}

// Lines has the words of every line with a keyword, at least that many in each;
// none after an error.
func (r *Reader) Lines(keyword string, words int) [][]string {
	lines := r.facts[keyword]
	for _, line := range lines {
		if len(line) < words {
			r.Fail("line %q with %d words instead of %d", keyword, len(line), words)
			return nil
		}
	}
	return lines
}

// Ints fills numbers with those of a line that must come.
func (r *Reader) Ints(keyword string, numbers []int) {
	for at, word := range r.Line(keyword, len(numbers)) {
		numbers[at] = r.Int(word)
	}
}

// Floats fills numbers with those of a line that must come.
func (r *Reader) Floats(keyword string, numbers []float64) {
	for at, word := range r.Line(keyword, len(numbers)) {
		numbers[at] = r.Float(word)
	}
}

// Numbered has the words after the first, at least that many, of every line
// whose first word is a number, in the order of the numbers, which isn't that of
// the lines' coming.
func (r *Reader) Numbered(keyword string, words int) [][]string {
	type numbered struct {
		number int
		words  []string
	}
	var lines []numbered
	for _, line := range r.Lines(keyword, 1+words) {
		lines = append(lines, numbered{r.Int(line[0]), line[1:]})
	}
	sort.SliceStable(lines, func(a, b int) bool { return lines[a].number < lines[b].number })
	rest := make([][]string, len(lines))
	for at, line := range lines {
		rest[at] = line.words
	}
	return rest
}

// Size has the numbers of rows and columns of a board; both are above 0, unless
// there is an error.
func (r *Reader) Size() (rows, cols int) {
	var size [2]int
	r.Ints("size", size[:])
	if size[0] < 1 || size[1] < 1 {
		r.Fail("a board of %d rows and %d columns", size[0], size[1])
	}
	return size[0], size[1]
}

// Board has the rows of a board, each told by a line with its number and a
// character for each cell; none after an error.
func (r *Reader) Board(keyword string, rows, cols int) []string {
	lines := r.Lines(keyword, 2)
	if len(lines) < rows {
		r.Fail("%d lines %q of a board of %d rows", len(lines), keyword, rows)
	}
	if r.err != nil {
		return nil
	}
	board := make([]string, rows)
	for _, line := range lines {
		i := r.Int(line[0])
		if i < 0 || i >= rows || len(line[1]) != cols {
			r.Fail("line %q %q in a board of %d rows and %d columns", keyword, line, rows, cols)
			return nil
		}
		board[i] = line[1]
	}
	for i, cells := range board {
		if cells == "" {
			r.Fail("no line %q of row %d", keyword, i)
			return nil
		}
	}
	return board
}
