//! The states of the games for four: facts in, fields out (`PROTOCOL.md 5`).

use std::collections::{BTreeMap, BTreeSet};

use lanista_client::crematoria::{self, CrematoriaState, Kind};
use lanista_client::hogwarts::{self, HogwartsState, Order};
use lanista_client::{GameState, Options};

use crate::scripted::{position, says, told};

const FOUR: &str = "\
start 01JDFOUR
seat 1
player 0 Ann Lee
player 1 Bob
player 2 C
player 3 D
clock 20 0.2
seed 52011
";
// A board by hand, smaller than any in play: what a state does with it is seen at a glance.
const HOGWARTS_START: &str = "\
game hogwarts
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
";
const HOGWARTS_TURN: &str = "\
turn 7
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
";
const CREMATORIA_START: &str = "\
game crematoria
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
";
// Round 1: the night is columns 2 to 5 of 8, the sun from column 6 on.
const CREMATORIA_TURN: &str = "\
turn 1
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
";

fn school() -> std::sync::Arc<HogwartsState> {
    position([FOUR, HOGWARTS_START, HOGWARTS_TURN].concat())
}

fn planet() -> std::sync::Arc<CrematoriaState> {
    position([FOUR, CREMATORIA_START, CREMATORIA_TURN].concat())
}

// -- both ----------------------------------------------------------------------------------------

/// All lines but the first, and the last if it is `go`, in the opposite order.
fn crossed(lines: &str) -> String {
    let mut lines: Vec<&str> = lines.split_inclusive('\n').collect();
    let end = if lines.last() == Some(&"go\n") { lines.len() - 1 } else { lines.len() };
    lines[1..end].reverse();
    lines.concat()
}

#[test]
fn order_between_start_turn_and_go_means_nothing() {
    // PROTOCOL.md 3: units by id, books, gems and elevators by place, however they came.
    let (straight, other): (_, std::sync::Arc<HogwartsState>) = (
        school(),
        position([crossed(&[FOUR, HOGWARTS_START].concat()), crossed(HOGWARTS_TURN)].concat()),
    );
    assert_eq!(straight.units, other.units);
    assert_eq!((&straight.books, &straight.own), (&other.books, &other.own));
    assert_eq!(straight.start.players, other.start.players);
    assert_eq!((&straight.score, &straight.status), (&other.score, &other.status));
    let (straight, other): (_, std::sync::Arc<CrematoriaState>) = (
        planet(),
        position([crossed(&[FOUR, CREMATORIA_START].concat()), crossed(CREMATORIA_TURN)].concat()),
    );
    assert_eq!(straight.units, other.units);
    assert_eq!((&straight.gems, &straight.own), (&other.gems, &other.own));
    assert_eq!(straight.elevators, other.elevators);
}

fn unreadable<S: GameState>(said: String) {
    let error = told::<S>(said).next_turn().err().expect("an error");
    assert_eq!("unreadable", error.code());
}

#[test]
fn a_turn_without_its_facts_is_an_error() {
    for keyword in ["own", "unit", "score", "status"] {
        let without = |turn: &str| -> String {
            turn.split_inclusive('\n').filter(|line| !line.starts_with(keyword)).collect()
        };
        unreadable::<HogwartsState>([FOUR, HOGWARTS_START, &without(HOGWARTS_TURN)].concat());
        unreadable::<CrematoriaState>([FOUR, CREMATORIA_START, &without(CREMATORIA_TURN)].concat());
    }
    let settings = |start: &str| start.replace("set N", "set X").replace("set nb", "set x");
    unreadable::<HogwartsState>([FOUR, &settings(HOGWARTS_START), HOGWARTS_TURN].concat());
    unreadable::<CrematoriaState>([FOUR, &settings(CREMATORIA_START), CREMATORIA_TURN].concat());
}

#[test]
fn the_next_turn_replaces_what_the_last_one_said() {
    // Also what was looked up by cell.
    let turn = HOGWARTS_TURN
        .replace("turn 7", "turn 8")
        .replace("book 0 3\n", "")
        .replace("unit 5 w 1 0 1", "unit 5 w 1 0 2")
        .replace("11......", "111.....");
    let mut arena =
        told::<HogwartsState>([FOUR, HOGWARTS_START, HOGWARTS_TURN, turn.as_str()].concat());
    let state = arena.next_turn().unwrap().unwrap();
    assert_eq!(Some(5), state.unit_at((0, 1)).map(|unit| unit.id));
    assert_eq!((true, None), (state.book((0, 3)), state.owner((0, 2))));
    arena.send(&[]);
    let state = arena.next_turn().unwrap().unwrap();
    assert_eq!((8, None), (state.round(), state.unit_at((0, 1))));
    assert_eq!(Some(5), state.unit_at((0, 2)).map(|unit| unit.id));
    assert_eq!((false, Some(1)), (state.book((0, 3)), state.owner((0, 2))));
    assert_eq!(vec![(5, 0)], state.books);
}

#[test]
fn orders_become_one_line() {
    let scripted = says([FOUR, HOGWARTS_START, HOGWARTS_TURN].concat());
    let mut arena = scripted.connect::<HogwartsState>(Options::new().name("A"));
    arena.next_turn().unwrap();
    let groups = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4];
    arena.send(&[Order::Spell(1, groups), Order::Move(5, hogwarts::Direction::Ld)]);
    assert!(arena.next_turn().is_err());
    drop(arena);
    assert_eq!("A v=1\ns 1 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 m 5 7\n", scripted.heard());
    let scripted = says([FOUR, CREMATORIA_START, CREMATORIA_TURN].concat());
    let mut arena = scripted.connect::<CrematoriaState>(Options::new().name("A"));
    arena.next_turn().unwrap();
    arena.send(&[(0, crematoria::Direction::Lb), (1, crematoria::Direction::None)]);
    assert!(arena.next_turn().is_err());
    drop(arena);
    assert_eq!("A v=1\n0 7 1 10\n", scripted.heard());
}

#[test]
fn directions_are_numbered_as_the_rules_do() {
    let hogwarts = hogwarts::Direction::ALL;
    assert!(hogwarts.iter().enumerate().all(|(number, &d)| number == d as usize));
    assert!(hogwarts::Direction::STRAIGHT.iter().all(|&d| d as usize % 2 == 0));
    assert_eq!((1, 1), hogwarts::Direction::Dr.delta());
    assert_eq!((1, -1), hogwarts::Direction::Ld.delta());
    let crematoria = crematoria::Direction::ALL;
    assert!(crematoria.iter().enumerate().all(|(number, &d)| number == d as usize));
    assert_eq!((-1, 1, 0), crematoria::Direction::Rt.delta());
}

// -- hogwarts ------------------------------------------------------------------------------------

#[test]
fn the_facts_of_hogwarts() {
    let school = school();
    assert_eq!((6, 8, 200), (school.rows, school.cols, school.num_rounds));
    assert_eq!((7, 1), (school.round(), school.me()));
    assert_eq!(vec![(0, 3), (5, 0)], school.books);
    assert_eq!((3, 7), school.voldemort);
    assert!((1..).zip(school.spell_ingredients).all(|(n, ingredient)| n == ingredient));
    assert_eq!(vec![1000, 1000, 1050, 0], school.strength);
    assert_eq!(vec![101, 3, -1, 2], school.score);
    assert_eq!(vec![0.0, 0.25, -1.0, 0.0125], school.status);
}

#[test]
fn units_of_hogwarts() {
    // rules/hogwarts.md 2: the two numbers mean one thing for wizards, another for ghosts.
    let school = school();
    assert!((0..7).eq(school.units.keys().copied()));
    assert_eq!(vec![5, 6], school.wizards(1).map(|wizard| wizard.id).collect::<Vec<_>>());
    assert_eq!(0, school.wizards(2).count());
    let ghost = school.ghost(1).unwrap();
    assert_eq!((true, false), (ghost.ghost, ghost.converting()));
    assert_eq!((53, 5), (ghost.rounds_pending, ghost.next_player));
    let wizard = &school.units[&6];
    assert_eq!((false, true), (wizard.ghost, wizard.converting()));
    assert_eq!((3, 2), (wizard.rounds_pending, wizard.next_player));
    assert_eq!(((2, 1), 2, 1, 1), (wizard.pos, wizard.i(), wizard.j(), wizard.player));
    assert_eq!("<wizard 6 of 1 at (2, 1), 3>", wizard.to_string());
    assert_eq!(Some(wizard), school.unit_at((2, 1)));
    assert_eq!(None, school.unit_at((2, 2)));
    assert_eq!(None, school.unit_at((-1, 0)));
    assert_eq!(None, school.ghost(4));
}

#[test]
fn magic_strength_is_rounded_down_for_each_unit() {
    // rules/hogwarts.md 2: the ghost counts. Clan 1: 1000 for three; clan 2: a ghost alone.
    let school = school();
    assert_eq!([1000, 333, 1050, 0], [0, 1, 2, 3].map(|clan| school.magic_strength(clan)));
}

#[test]
fn cells_of_hogwarts() {
    let school = school();
    let cells = [(0, 0), (0, 2), (1, 1), (3, 0), (5, 5), (6, 0)];
    assert_eq!([Some(1), None, None, Some(2), Some(3), None], cells.map(|cell| school.owner(cell)));
    assert_eq!("11......", school.own[0]);
    let cells = [(0, 0), (1, 1), (-1, 0), (0, 8)];
    assert_eq!([true, false, false, false], cells.map(|cell| school.passable(cell)));
    let cells = [(5, 7), (1, 1), (6, 0), (0, -1)];
    assert_eq!([true, true, false, false], cells.map(|cell| school.pos_ok(cell)));
    assert_eq!([true, false], [(0, 3), (0, 2)].map(|cell| school.book(cell)));
}

#[test]
fn where_voldemort_kills() {
    // rules/hogwarts.md 6 and 10: now in his 3x3, after his step in that of a cell beside him.
    let school = school();
    let cells = || (0..6).flat_map(|i| (0..8).map(move |j| (i, j)));
    let deadly: Vec<_> = cells().filter(|&cell| school.deadly(cell)).collect();
    assert_eq!(vec![(2, 6), (2, 7), (3, 6), (3, 7), (4, 6), (4, 7)], deadly);
    let (i, j) = school.voldemort;
    let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let near = |cell: (i32, i32), (di, dj): (i32, i32)| {
        (cell.0 - i - di).abs() <= 1 && (cell.1 - j - dj).abs() <= 1
    };
    for cell in cells() {
        let after = steps.iter().any(|&step| near(cell, step));
        assert_eq!(after, school.reach_of_voldemort(cell), "{:?}", cell);
    }
}

#[test]
fn ways_of_wizards_and_ghosts() {
    // rules/hogwarts.md 2: wizards go straight; both go around walls.
    let school = school();
    use hogwarts::Direction::*;
    let ways: Vec<_> = school.neighbours((0, 0)).collect();
    assert_eq!(vec![(Down, (1, 0)), (Right, (0, 1))], ways);
    let ways: Vec<_> = school.ghost_neighbours((2, 0)).collect();
    assert_eq!(vec![(Down, (3, 0)), (Dr, (3, 1)), (Right, (2, 1)), (Up, (1, 0))], ways);
}

#[test]
fn distances_in_hogwarts() {
    // Around walls; through `blocked` never; `within` ends the search.
    let school = school();
    let search = hogwarts::Search::default();
    let steps = school.distances(&[(0, 1)]);
    let cells = [(0, 1), (0, 0), (2, 0), (2, 1), (1, 1), (9, 9)];
    assert_eq!([Some(0), Some(1), Some(3), Some(4), None, None], cells.map(|cell| steps.get(cell)));
    assert_eq!(48 - 3, steps.len());
    let all: Vec<_> = steps.iter().map(|&(_, steps)| steps).collect();
    assert!(all.windows(2).all(|two| two[0] <= two[1]), "nearest first");
    let ghost = hogwarts::Search { diagonal: true, ..search };
    assert_eq!(Some(2), school.distances_with(&[(0, 1)], ghost).get((2, 1)));
    let around = hogwarts::Search { blocked: &[(1, 0), (9, 9)], ..search };
    assert_eq!(Some(5), school.distances_with(&[(0, 1)], around).get((2, 2)));
    let near = hogwarts::Search { within: 1, ..search };
    let near: BTreeMap<_, _> =
        school.distances_with(&[(0, 1)], near).into_iter().copied().collect();
    assert_eq!(BTreeMap::from([((0, 1), 0), ((0, 0), 1), ((0, 2), 1)]), near);
    let two = school.distances(&[(0, 0), (5, 7), (0, 0)]);
    assert_eq!((Some(3), Some(3)), (two.get((0, 3)), two.get((5, 4))));
    assert_eq!(48 - 3, two.len());
    assert!(school.distances(&[]).is_empty());
}

// -- crematoria ----------------------------------------------------------------------------------

#[test]
fn the_facts_of_crematoria() {
    let planet = planet();
    assert_eq!((5, 8, 120), (planet.rows, planet.cols, planet.nb_rounds));
    assert_eq!((1, 1), (planet.round(), planet.me()));
    assert_eq!(vec![(2, 1), (2, 6)], planet.elevators);
    assert_eq!(vec![(0, 5, 1), (4, 2, 1)], planet.gems);
    assert_eq!(6, planet.sun);
    assert_eq!(vec![0, 3, 1, 2], planet.nb_cells);
    assert_eq!(vec![0, 1, 0, 2], planet.nb_gems);
    assert_eq!(vec![0, 33, 1, 62], planet.points);
    assert_eq!(planet.points, planet.score());
    assert_eq!(vec![0.0, 0.25, -1.0, 0.0125], planet.status);
}

#[test]
fn units_of_crematoria() {
    let planet = planet();
    let ids = |units: &mut dyn Iterator<Item = &lanista_client::CrematoriaUnit>| -> Vec<i32> {
        units.map(|unit| unit.id).collect()
    };
    assert!((0..7).eq(planet.units.keys().copied()));
    assert_eq!(vec![1], ids(&mut planet.pioneers(1)));
    assert_eq!(vec![0], ids(&mut planet.furyans(1)));
    assert_eq!(vec![4, 5], ids(&mut planet.necromongers()));
    assert_eq!(vec![6], ids(&mut planet.hellhounds()));
    let pioneer = &planet.units[&2];
    assert_eq!((Kind::Pioneer, Some(3)), (pioneer.kind, pioneer.player));
    assert_eq!((15, -1), (pioneer.health, pioneer.turns));
    assert_eq!(((2, 7, 0), 2, 7, 0), (pioneer.pos, pioneer.i(), pioneer.j(), pioneer.k()));
    assert_eq!("<Pioneer 2 of 3 at (2, 7, 0), health 15>", pioneer.to_string());
    assert_eq!("<Hellhound 6 of nobody at (3, 4, 0), health -1>", planet.units[&6].to_string());
    assert_eq!(Some(pioneer), planet.unit_at((2, 7, 0)));
    assert_eq!(None, planet.unit_at((2, 7, 1)));
    assert_eq!(None, planet.unit_at((2, 7, 2)));
}

#[test]
fn a_descending_necromonger_is_not_on_its_cell() {
    // rules/crematoria.md 2.3
    let planet = planet();
    assert_eq!(None, planet.unit_at((3, 4, 1)));
    assert_eq!(Some(&planet.units[&4]), planet.unit_at((0, 3, 1)));
}

#[test]
fn cells_of_crematoria() {
    let planet = planet();
    let cells = [(1, 0), (1, 1), (0, 0), (2, 1), (2, 7), (3, 5), (5, 0)];
    assert_eq!(
        [Some(1), None, None, None, Some(3), Some(2), None],
        cells.map(|(i, j)| planet.owner(i, j))
    );
    assert_eq!("1ECRRCE3", planet.own[2]);
    let cells = [(1, 0), (2, 1), (0, 0), (1, 8)];
    assert_eq!([true, false, false, false], cells.map(|(i, j)| planet.cave(i, j)));
    assert_eq!([true, false], [planet.elevator(2, 6), planet.elevator(6, 2)]);
    let places = [(2, 1, 0), (0, 0, 0), (0, 0, 1), (5, 0, 1), (2, 2, 2), (2, 2, -1)];
    assert_eq!([true, false, true, false, false, false], places.map(|pos| planet.passable(pos)));
    assert_eq!([true, true, true, false, false, false], places.map(|pos| planet.pos_ok(pos)));
}

#[test]
fn night_and_day() {
    // rules/crematoria.md 2.5 with 8 columns: at 2r+4 … 2r+7 is day, two more at each round's end.
    // Underground it is never day.
    let planet = planet();
    let sunlit: Vec<_> = (0..8).filter(|&j| planet.daylight((0, j, 1))).collect();
    assert_eq!(vec![0, 1, 6, 7], sunlit);
    assert!(!(0..8).any(|j| planet.daylight((1, j, 0))));
    let nights: Vec<_> = (0..8).map(|j| planet.rounds_of_night((0, j, 1))).collect();
    assert_eq!(vec![0, 0, 0, 0, 1, 1, 0, 0], nights);
}

#[test]
fn distance_goes_around_the_edge() {
    // rules/crematoria.md 2.1: columns are circular, rows aren't.
    let planet = planet();
    let places = [(1, 7, 0), (1, 4, 0), (5, 0, 0), (1, 0, 0)];
    assert_eq!([1, 4, 4, 0], places.map(|to| planet.distance((1, 0, 0), to)));
}

#[test]
fn ways_in_crematoria() {
    // Around the edge, not past the top; up and down on elevators alone.
    let planet = planet();
    use crematoria::Direction::*;
    let ways: Vec<_> = planet.neighbours((1, 0, 0)).collect();
    let expected = [
        (Bottom, (2, 0, 0)),
        (Br, (2, 1, 0)),
        (Right, (1, 1, 0)),
        (Left, (1, 7, 0)),
        (Lb, (2, 7, 0)),
    ];
    assert_eq!(expected.to_vec(), ways);
    assert!(planet.neighbours((2, 1, 0)).any(|way| way == (Up, (2, 1, 1))));
    assert!(planet.neighbours((2, 1, 1)).any(|way| way == (Down, (2, 1, 0))));
    let ways: BTreeSet<_> = planet.neighbours((0, 0, 1)).map(|(d, _)| d).collect();
    assert_eq!(BTreeSet::from([Bottom, Br, Right, Left, Lb]), ways);
}

#[test]
fn distances_in_crematoria() {
    // Also by elevators, unless the level is left out.
    let planet = planet();
    let goals = [(1, 2, 0)];
    let steps = planet.distances(&goals);
    let places = [(2, 1, 0), (2, 1, 1), (3, 1, 0), (2, 4, 1)];
    assert_eq!([Some(1), Some(2), Some(2), Some(5)], places.map(|pos| steps.get(pos)));
    let below = crematoria::Search { levels: &[0], ..Default::default() };
    assert!(planet.distances_with(&goals, below).iter().all(|&((_, _, k), _)| k == 0));
    let around = crematoria::Search { blocked: &[(3, 4, 0), (3, 5, 0)], ..below };
    assert_eq!(19 - 2, planet.distances_with(&goals, around).len());
    let near = crematoria::Search { within: 1, ..Default::default() };
    let near: BTreeSet<_> =
        planet.distances_with(&goals, near).iter().map(|&(pos, _)| pos).collect();
    assert_eq!(BTreeSet::from([(1, 2, 0), (1, 1, 0), (2, 1, 0), (2, 2, 0)]), near);
}
