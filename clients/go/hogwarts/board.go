package hogwarts

import "lanista"

// Search says how Distances looks for ways. Its zero value: as a wizard goes,
// around walls alone, however far.
type Search struct {
	Diagonal bool                         // in the steps of a ghost
	Blocked  func(cell lanista.Cell) bool // cells to go around, beside the walls; nil: none
	Within   int                          // steps to look at, at most; 0: any number
}

// Steps tells of each cell how many steps it is from the nearest goal.
type Steps = lanista.Steps

// PosOK tells whether the cell lies on the board.
func (s *State) PosOK(i, j int) bool {
	return inside(lanista.Cell{I: i, J: j}, s.Rows, s.Cols)
}

// Passable tells whether the cell is a corridor; it is false outside the board.
func (s *State) Passable(i, j int) bool {
	return s.PosOK(i, j) && s.corridor[i][j] != 'W'
}

// Owner is the clan that owns a cell; -1: none, as of a wall.
func (s *State) Owner(i, j int) int {
	if s.PosOK(i, j) {
		if mark := s.Own[i][j]; '0' <= mark && mark <= '9' {
			return int(mark - '0')
		}
	}
	return -1
}

// Deadly tells whether who steps there dies at once: Voldemort's cell and the 8
// around it.
func (s *State) Deadly(i, j int) bool {
	return abs(i-s.Voldemort.I) <= 1 && abs(j-s.Voldemort.J) <= 1
}

// ReachOfVoldemort tells whether Voldemort's next step, wherever it leads, may
// kill who stands there.
func (s *State) ReachOfVoldemort(i, j int) bool {
	near, far := abs(i-s.Voldemort.I), abs(j-s.Voldemort.J)
	if near > far {
		near, far = far, near
	}
	return near <= 1 && far <= 2
}

// Neighbours has the ways of a wizard out of a cell of the board, by direction.
// They are not to be changed.
func (s *State) Neighbours(i, j int) []lanista.Way {
	return s.waysOut(i, j, false)
}

// GhostNeighbours has the ways of a ghost, which goes in all eight directions.
func (s *State) GhostNeighbours(i, j int) []lanista.Way {
	return s.waysOut(i, j, true)
}

// Distances tells of each cell how many steps it is from the nearest goal. Goals
// outside the board aren't looked at.
func (s *State) Distances(goals []lanista.Cell, search Search) Steps {
	ways := func(cell lanista.Cell) []lanista.Way {
		return s.waysOut(cell.I, cell.J, search.Diagonal)
	}
	return lanista.StepsFrom(goals, s.Rows, s.Cols, search.Within, ways, search.Blocked)
}

func (s *State) waysOut(i, j int, diagonal bool) []lanista.Way {
	if !s.PosOK(i, j) {
		return nil
	}
	kind, stride := 0, 2
	if diagonal {
		kind, stride = 1, 1
	}
	known := &s.ways[kind][i*s.Cols+j]
	if *known == nil {
		*known = make([]lanista.Way, 0, len(Directions)/stride)
		for d := 0; d < len(Directions); d += stride {
			to := lanista.Cell{I: i + Directions[d].I, J: j + Directions[d].J}
			if s.Passable(to.I, to.J) {
				*known = append(*known, lanista.Way{D: d, To: to})
			}
		}
	}
	return *known
}

func inside(cell lanista.Cell, rows, cols int) bool {
	return 0 <= cell.I && cell.I < rows && 0 <= cell.J && cell.J < cols
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
