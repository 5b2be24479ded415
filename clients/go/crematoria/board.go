package crematoria

import "lanista"

// Way is a step out of a cell.
type Way struct {
	D  int // the direction
	To Pos // where it leads
}

// Search says how Distances looks for ways. Its zero value: on both levels,
// around rock alone, however far.
type Search struct {
	Blocked func(pos Pos) bool // positions to go around, beside rock; nil: none
	Within  int                // steps to look at, at most; 0: any number
	Levels  []int              // the levels on which ways may lead, []int{0}: underground alone; nil: both
}

// Steps tells of each position how many steps it is from the nearest goal.
type Steps struct {
	Positions []Pos // all that a way leads to, nearest first

	state *State
	steps []int // by position; -1: no way
}

// At is how many steps a position is from the nearest goal; ok is false where no
// way leads there.
func (s *Steps) At(pos Pos) (steps int, ok bool) {
	if !s.state.PosOK(pos.I, pos.J, pos.K) {
		return 0, false
	}
	steps = s.steps[s.state.index(pos)]
	return steps, steps >= 0
}

// PosOK tells whether the position lies on the board.
func (s *State) PosOK(i, j, k int) bool {
	return 0 <= i && i < s.Rows && 0 <= j && j < s.Cols && 0 <= k && k <= 1
}

// Passable tells whether units can stand there: on the board and no rock.
func (s *State) Passable(i, j, k int) bool {
	return s.PosOK(i, j, k) && (k == 1 || s.caves[i][j] != 'R')
}

// Elevator tells whether there is an elevator at that row and column.
func (s *State) Elevator(i, j int) bool {
	return s.lifts[lanista.Cell{I: i, J: j}]
}

// Cave tells whether level 0 has a cave there, which can be owned; it is false
// outside the board.
func (s *State) Cave(i, j int) bool {
	return s.PosOK(i, j, 0) && s.caves[i][j] == 'C'
}

// Owner is the player that owns a cell of level 0; -1: nobody, as rock and
// elevators.
func (s *State) Owner(i, j int) int {
	if s.PosOK(i, j, 0) {
		if mark := s.Own[i][j]; '0' <= mark && mark <= '9' {
			return int(mark - '0')
		}
	}
	return -1
}

// Daylight tells whether the cell is sunlit now, so that who steps there dies.
func (s *State) Daylight(pos Pos) bool {
	return pos.K == 1 && mod(pos.J-s.Sun, s.Cols) < s.Cols/2
}

// RoundsOfNight is how many rounds who stands there outlives in place: 0 in the
// sun and before sunrise.
//
// The sun takes two columns at the end of each round (rules/crematoria.md 5.5),
// so after a step to a cell with 0 of them, the unit burns in this very round.
func (s *State) RoundsOfNight(pos Pos) int {
	if night := mod(pos.J-s.Sun-s.Cols/2, s.Cols); night < s.Cols/2 {
		return night / 2
	}
	return 0
}

// Distance is the steps between two positions as if there were no rock and no
// levels: rows or columns, whichever are more, the columns circular.
func (s *State) Distance(a, b Pos) int {
	down, across := abs(a.I-b.I), abs(a.J-b.J)
	if s.Cols-across < across {
		across = s.Cols - across
	}
	if down > across {
		return down
	}
	return across
}

// Neighbours has the ways out of a position of the board, by direction: each that
// is open to a unit. Up and Down are among them on elevators. Whether units, sun
// or hellhounds are there is another question. They are not to be changed.
func (s *State) Neighbours(pos Pos) []Way {
	if !s.PosOK(pos.I, pos.J, pos.K) {
		return nil
	}
	known := &s.ways[s.index(pos)]
	if *known == nil {
		*known = make([]Way, 0, None)
		for d, step := range Directions[:None] {
			if d >= Up && !s.Elevator(pos.I, pos.J) {
				break
			}
			to := Pos{I: pos.I + step.I, J: mod(pos.J+step.J, s.Cols), K: pos.K + step.K}
			if s.Passable(to.I, to.J, to.K) {
				*known = append(*known, Way{D: d, To: to})
			}
		}
	}
	return *known
}

// Distances tells of each position how many steps it is from the nearest goal.
// Ways lead around rock and by elevators. Goals outside the board aren't looked
// at.
func (s *State) Distances(goals []Pos, search Search) Steps {
	levels := [2]bool{search.Levels == nil, search.Levels == nil}
	for _, k := range search.Levels {
		levels[k] = true
	}
	found := Steps{state: s, steps: make([]int, len(s.ways))}
	for at := range found.steps {
		found.steps[at] = -1
	}
	reach := func(pos Pos, steps int) {
		if at := s.index(pos); found.steps[at] < 0 {
			found.steps[at] = steps
			found.Positions = append(found.Positions, pos)
		}
	}
	for _, goal := range goals {
		if s.PosOK(goal.I, goal.J, goal.K) {
			reach(goal, 0)
		}
	}
	for at := 0; at < len(found.Positions); at++ { // it grows meanwhile
		pos := found.Positions[at]
		steps := found.steps[s.index(pos)] + 1
		if search.Within > 0 && steps > search.Within {
			break
		}
		for _, way := range s.Neighbours(pos) {
			if levels[way.To.K] && (search.Blocked == nil || !search.Blocked(way.To)) {
				reach(way.To, steps)
			}
		}
	}
	return found
}

// index is the place of a position of the board in lists of all.
func (s *State) index(pos Pos) int {
	return (pos.K*s.Rows+pos.I)*s.Cols + pos.J
}

// mod is the remainder that is never negative.
func mod(n, by int) int {
	return (n%by + by) % by
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
