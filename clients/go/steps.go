package lanista

// Steps tells of each cell of a board how many steps it is from the nearest goal.
type Steps struct {
	Cells []Cell // all that a way leads to, nearest first

	rows, cols int
	steps      []int // by cell, row by row; -1: no way
}

// StepsFrom goes out from the goals by the ways out of each cell, around those
// that are blocked, if blocked isn't nil; for the states of games. Goals outside
// the board aren't looked at. Within is how many steps to look at, at most; 0: any
// number.
func StepsFrom(
	goals []Cell, rows, cols, within int, ways func(Cell) []Way, blocked func(Cell) bool,
) Steps {
	found := Steps{rows: rows, cols: cols, steps: make([]int, rows*cols)}
	for at := range found.steps {
		found.steps[at] = -1
	}
	reach := func(cell Cell, steps int) {
		if at := cell.I*cols + cell.J; found.steps[at] < 0 {
			found.steps[at] = steps
			found.Cells = append(found.Cells, cell)
		}
	}
	for _, goal := range goals {
		if found.inside(goal) {
			reach(goal, 0)
		}
	}
	for at := 0; at < len(found.Cells); at++ { // it grows meanwhile
		cell := found.Cells[at]
		steps := found.steps[cell.I*cols+cell.J] + 1
		if within > 0 && steps > within {
			break
		}
		for _, way := range ways(cell) {
			if blocked == nil || !blocked(way.To) {
				reach(way.To, steps)
			}
		}
	}
	return found
}

// At is how many steps a cell is from the nearest goal; ok is false where no way
// leads there.
func (s *Steps) At(cell Cell) (steps int, ok bool) {
	if !s.inside(cell) {
		return 0, false
	}
	steps = s.steps[cell.I*s.cols+cell.J]
	return steps, steps >= 0
}

func (s *Steps) inside(cell Cell) bool {
	return 0 <= cell.I && cell.I < s.rows && 0 <= cell.J && cell.J < s.cols
}
