package arenatest

import "strings"

// Welcome is what an arena says first.
const Welcome = "welcome 1 lanista 0.1.0\nwait 1 2\n"

// Start describes a match on the map of rules/angrymob.md 5, and Turn0 and Turn1
// are its first turns.
const (
	Start = `start 01JDEXAMPLE
game angrymob
seat 0
player 0 Ann Lee
player 1 Böb
clock 20 0.2
seed 52011
set move_limit 2400
size 6 7
base 0 2 1
base 1 3 5
row 0 . 1 . . # # 2
row 1 # 1 1 . 3 . 1
row 2 . A . # # . .
row 3 . . # # . B .
row 4 1 . 3 . 1 1 #
row 5 2 # # . . 1 .
`
	Turn0 = "turn 0\nunit 2 1 0 1\nunit 3 5 1 1\ntotal 0 1\ntotal 1 1\ngo\n"
	Turn1 = "turn 1\nmoved 0 2 1 1 1\nmoved 1 3 5 1 3\nunit 1 1 0 2\nunit 4 5 1 2\n" +
		"neutral 1 1 0\nneutral 4 5 0\ntotal 0 2\ntotal 1 2\ngo\n"
)

// Forfeit is an end without a last position.
const Forfeit = "end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n"

const four = `start 01JDFOUR
seat 1
player 0 Ann Lee
player 1 Bob
player 2 C
player 3 D
clock 20 0.2
seed 52011
`

// HogwartsStart and HogwartsTurn are a board by hand, smaller than any in play:
// what a state does with it is seen at a glance.
const (
	HogwartsStart = four + `game hogwarts
set NUM_PLAYERS 4
set NUM_ROUNDS 200
set POINTS_FOR_CONVERTING_WIZARD 100
set original 0
size 6 8
row 0 ........
row 1 .WW.....
row 2 ........
row 3 ........
row 4 ....W...
row 5 ........
`
	HogwartsTurn = `turn 7
own 0 11......
own 1 .WW.....
own 2 .1....3.
own 3 2...0...
own 4 ....W...
own 5 .....3..
unit 0 g 0 3 4 53 -1
unit 1 g 1 0 0 53 5
unit 2 g 2 3 0 0 -1
unit 3 g 3 2 6 53 -1
unit 4 w 3 5 5 0 -1
unit 5 w 1 0 1 0 -1
unit 6 w 1 2 1 3 2
book 0 3
book 5 0
voldemort 3 7
spell 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
strength 1000 1000 1050 0
score 101 3 -1 2
status 0 0.25 -1 0.0125
go
`
)

// CrematoriaStart and CrematoriaTurn are the same of Crematoria, in round 1: the
// night is columns 2 to 5 of 8, the sun from column 6 on.
const (
	CrematoriaStart = four + `game crematoria
set nb_players 4
set nb_rounds 120
set gem_value 30
size 5 8
elevator 2 6
elevator 2 1
row 0 RRRRRRRR
row 1 CCCRRCCC
row 2 CECRRCEC
row 3 CCCRCCCC
row 4 RRRRRRRR
`
	CrematoriaTurn = `turn 1
own 0 RRRRRRRR
own 1 1CCRRCC3
own 2 1ECRRCE3
own 3 C1CRC2CC
own 4 RRRRRRRR
gem 4 2
gem 0 5
unit 0 f 1 100 -1 1 0 0
unit 1 p 1 50 -1 3 1 0
unit 2 p 3 15 -1 2 7 0
unit 3 p 2 50 -1 2 4 1
unit 4 n -1 75 0 0 3 1
unit 5 n -1 75 2 3 4 1
unit 6 h -1 -1 -1 3 4 0
sun 6
cells 0 3 1 2
gems 0 1 0 2
score 0 33 1 62
status 0 0.25 -1 0.0125
go
`
)

// Reversed has the lines of a text in the other order, but for some at each end.
func Reversed(text string, head, tail int) string {
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1] // nothing comes after the last newline
	for a, b := head, len(lines)-1-tail; a < b; a, b = a+1, b-1 {
		lines[a], lines[b] = lines[b], lines[a]
	}
	return strings.Join(lines, "")
}

// Without has the lines of a text but those with a keyword.
func Without(text, keyword string) string {
	var kept []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(line, keyword+" ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
