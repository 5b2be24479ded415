//! A match through the client: bytes in, states and bytes out (`PROTOCOL.md 3` to `5`).

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use lanista_client::angrymob::{AngryMobState, Cell, Direction, Order, Search};
use lanista_client::{Arena, Error, Options, State, Token};

use crate::scripted::{
    position, says, told, whole_match, Scripted, Step, FORFEIT, START, TURN_0, TURN_1, WELCOME,
};

type Seen = (i32, BTreeMap<Cell, i32>, BTreeMap<Cell, i32>, BTreeMap<Cell, i32>);

/// Plays on, each answer telling the turn; what was seen of each state.
fn played(arena: &mut Arena<AngryMobState>) -> Result<Vec<Seen>, Error> {
    let mut seen = Vec::new();
    while let Some(state) = arena.next_turn()? {
        seen.push((state.turn, state.mine.clone(), state.theirs.clone(), state.neutral.clone()));
        arena.send(&[(state.turn, 0, 0, Direction::Right)]);
    }
    Ok(seen)
}

fn seen(said: impl Into<Vec<u8>>) -> Vec<Seen> {
    played(&mut told(said)).unwrap()
}

fn crossed(lines: &str) -> String {
    lines.lines().rev().map(|line| format!("{}\n", line)).collect()
}

#[test]
fn nothing_is_sent_before_it_is_asked_for() {
    let hears = |text: &str| Step::Hears(text.into());
    let scripted = Scripted::new(vec![
        hears("Ann Lee v=1 game=angrymob\n"),
        Step::Says([WELCOME, START, TURN_0].concat().into()),
        hears("2 1 1 1\n"),
        Step::Says(TURN_1.into()),
        hears("1 1 1 0 1 1 1 1\n"),
        Step::Says([FORFEIT, "bye\n"].concat().into()),
    ]);
    let mut arena =
        scripted.connect::<AngryMobState>(Options::new().name("Ann Lee").game("angrymob"));
    assert_eq!(0, arena.next_turn().unwrap().unwrap().turn);
    arena.send(&[(2, 1, 1, Direction::Up)]);
    assert_eq!(1, arena.next_turn().unwrap().unwrap().turn);
    arena.send(&[(1, 1, 1, Direction::Right), (1, 1, 1, Direction::Up)]);
    assert!(arena.next_turn().unwrap().is_none());
    let result = arena.result().unwrap();
    assert_eq!(("forfeit", vec![1, 2]), (result.end.as_str(), result.ranks.clone()));
    assert_eq!("forfeit: ranks 1 2, scores 2 2", result.to_string());
    drop(arena);
    assert_eq!("", scripted.heard());
}

#[test]
fn the_facts_of_the_match() {
    let state = position::<AngryMobState>(whole_match());
    let start = &state.start;
    assert_eq!(
        ("01JDEXAMPLE", "angrymob", 0),
        (start.match_id.as_str(), start.game.as_str(), start.seat)
    );
    assert_eq!(vec!["Ann Lee", "B\u{f6}b"], start.players);
    assert_eq!((20.0, 0.2), start.clock);
    assert_eq!(52011, start.seed);
    assert_eq!(Some(2400), start.setting("move_limit"));
    assert_eq!(None, start.setting::<i32>("moves"));
    assert_eq!((6, 7), (state.rows, state.cols));
    assert_eq!([(2, 1), (3, 5)], state.bases);
    assert_eq!(((2, 1), (3, 5)), (state.base, state.enemy_base));
    assert_eq!(12, state.neutral.len()); // counted on the page
    assert_eq!((3, 3), (state.neutral[&(1, 4)], state.neutral[&(4, 2)]));
    assert_eq!(vec!["0", ".", "1", ".", ".", "#", "#", "2"], start.facts.lines("row")[0]);
}

#[test]
fn the_other_seat_sees_itself_as_mine() {
    let state = position::<AngryMobState>(whole_match().replace("seat 0", "seat 1"));
    assert_eq!(((3, 5), (2, 1)), (state.base, state.enemy_base));
    assert_eq!(BTreeMap::from([((3, 5), 1)]), state.mine);
    assert_eq!(BTreeMap::from([((2, 1), 1)]), state.theirs);
}

#[test]
fn passable_and_neighbours() {
    // Outside the map nothing is passable; a base is; directions are those of the rules.
    let state = position::<AngryMobState>(whole_match());
    assert_eq!([true, true, false], [(2, 1), (0, 1), (0, 4)].map(|cell| state.passable(cell)));
    let outside = [(-1, 0), (0, -1), (6, 0), (0, 7), (i32::MAX, 0)];
    assert_eq!([false; 5], outside.map(|cell| state.passable(cell)));
    let ways: Vec<_> = state.neighbours((2, 1)).collect();
    use Direction::*;
    assert_eq!(vec![(Right, (2, 2)), (Up, (1, 1)), (Left, (2, 0)), (Down, (3, 1))], ways);
    assert_eq!(vec![(Right, (0, 1))], state.neighbours((0, 0)).collect::<Vec<_>>());
    assert_eq!([0, 1, 2, 3], Direction::ALL.map(|d| d as i32));
}

#[test]
fn distances() {
    // Around impassable cells; through `blocked` never; `within` ends the search.
    let state = position::<AngryMobState>(whole_match());
    let steps = state.distances(&[(0, 1)]);
    assert_eq!((32, Some(2), Some(10)), (steps.len(), steps.get((2, 1)), steps.get((5, 6))));
    let around = Search { blocked: &[(1, 1)], ..Default::default() };
    assert_eq!(Some(4), state.distances_with(&[(0, 1)], around).get((2, 1)));
    let near = Search { within: 1, ..Default::default() };
    let near: Vec<_> = state.distances_with(&[(0, 1)], near).into_iter().copied().collect();
    assert_eq!(vec![((0, 1), 0), ((0, 2), 1), ((0, 0), 1), ((1, 1), 1)], near);
}

#[test]
fn the_facts_of_a_turn() {
    // Units are new each turn, neutral numbers are kept and corrected (PROTOCOL.md 5).
    let mut arena = told::<AngryMobState>(whole_match());
    let first = arena.next_turn().unwrap().unwrap();
    assert!(first.moved.iter().all(Vec::is_empty));
    assert_eq!(1, first.neutral[&(1, 1)]);
    arena.send(&[]);
    let state = arena.next_turn().unwrap().unwrap();
    assert_eq!(1, state.turn);
    assert_eq!(BTreeMap::from([((1, 1), 2)]), state.mine);
    assert_eq!(BTreeMap::from([((4, 5), 2)]), state.theirs);
    assert_eq!(vec![2, 2], state.totals);
    assert_eq!([vec![[2, 1, 1, 1]], vec![[3, 5, 1, 3]]], state.moved);
    assert_eq!(10, state.neutral.len()); // 12 less the two that were recruited
    assert!(!state.neutral.contains_key(&(1, 1)));
    assert_eq!([vec!["1", "1", "0"], vec!["4", "5", "0"]], *state.facts.lines("neutral"));
    assert_eq!(0, first.turn, "a position that is kept stays as it was");
    assert_eq!(12, first.neutral.len());
}

#[test]
fn a_neutral_number_may_change_to_another() {
    let said = [WELCOME, START, "turn 0\nneutral 1 1 7\nneutral 0 0 2\ngo\n"].concat();
    let state = position::<AngryMobState>(said);
    assert_eq!((7, 2), (state.neutral[&(1, 1)], state.neutral[&(0, 0)]));
}

#[test]
fn the_final_position_has_no_go() {
    let end = "turn 2\nunit 3 5 0 4\ntotal 0 4\ntotal 1 0\nend finished\nrank 0 1\nrank 1 2\n";
    let said = [WELCOME, START, TURN_0, end, "score 0 4\nscore 1 0.5\nbye\n"].concat();
    let mut arena = told(said);
    assert_eq!(1, played(&mut arena).unwrap().len());
    let state = arena.state().unwrap();
    assert_eq!((2, BTreeMap::from([((3, 5), 4)])), (state.turn, state.mine.clone()));
    assert!(state.theirs.is_empty());
    assert_eq!("finished: ranks 1 2, scores 4 0.5", arena.result().unwrap().to_string());
}

#[test]
fn order_between_start_turn_and_go_means_nothing() {
    let (first, rest) = START.split_at(START.find('\n').unwrap() + 1);
    let inner = TURN_1.strip_prefix("turn 1\n").unwrap().strip_suffix("go\n").unwrap();
    let turn = ["turn 1\n", &crossed(inner), "go\n"].concat();
    let said = [WELCOME, first, &crossed(rest), TURN_0, &turn, FORFEIT, "bye\n"].concat();
    assert_eq!(seen(whole_match()), seen(said));
}

#[test]
fn unknown_keywords_are_passed_over_and_kept_as_facts() {
    let weather = "weather 1 rain\n";
    let said: String = whole_match().lines().map(|line| format!("{}{}\n", weather, line)).collect();
    assert_eq!(seen(whole_match()), seen(said + weather));
    let state = position::<AngryMobState>(
        whole_match().replace("go\n", "weather 1 rain\nweather 2\n\ngo\n"),
    );
    let weather: &[Vec<String>] = &[vec!["1".into(), "rain".into()], vec!["2".into()]];
    assert_eq!(weather, state.facts.lines("weather"));
    assert!(state.facts.keywords().any(|keyword| keyword == "weather"));
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let mut said = [WELCOME, START].concat().into_bytes();
    said.extend(b"\xff\xfe odd\nset \xc3 \x28\n");
    said.extend([TURN_0, FORFEIT, "bye\n"].concat().bytes());
    assert_eq!(1, seen(said).len());
}

#[test]
fn byte_by_byte_the_match_is_the_same() {
    let scripted = Scripted::serve(|stream| {
        for byte in whole_match().bytes() {
            stream.write_all(&[byte]).unwrap();
        }
    });
    let mut arena = scripted.connect(Options::new().name("A"));
    assert_eq!(seen(whole_match()), played(&mut arena).unwrap());
}

#[test]
fn a_line_may_be_very_long() {
    let long = format!("poem {}\n", "la ".repeat(1 << 19));
    let state = position::<State>([WELCOME, START, "turn 0\n", &long, "go\n"].concat());
    assert_eq!(1 << 19, state.facts.lines("poem")[0].len());
}

#[test]
fn cut_off_at_any_byte_it_is_disconnected_or_over() {
    // PROTOCOL.md 1: an unfinished last line is dropped, complete lines before it are used.
    let whole = whole_match();
    let ended = whole.find("end forfeit\n").unwrap() + "end forfeit\n".len();
    for at in 0..whole.len() {
        let mut arena = told(&whole.as_bytes()[..at]);
        let played = played(&mut arena);
        if at < ended {
            assert_eq!("disconnected", played.unwrap_err().code(), "{}", at);
            assert_eq!(None, arena.result());
        } else {
            assert_eq!("forfeit", arena.result().unwrap().end, "{}", at);
        }
    }
}

#[test]
fn what_the_client_cannot_use_is_an_error_and_the_end() {
    for (right, wrong) in [
        ("start 01JDEXAMPLE", "start"),
        ("turn 0", "turn zero"),
        ("turn 0\n", ""),
        ("game angrymob\n", ""),
        ("seat 0", "seat 2"),
        ("seed 52011", "seed x"),
        ("clock 20 0.2", "clock 20"),
        ("size 6 7", "size 6 8"),
        ("size 6 7", "size 0 0"),
        ("size 6 7", "size 60000 60000"),
        ("base 1 3 5\n", ""),
        ("row 3 . . # # . B .\n", ""),
        ("unit 2 1 0 1", "unit 2 1 0"),
        ("unit 2 1 0 1", "unit 2 1 2 1"),
        ("moved 1 3 5 1 3", "moved 1 3 5 1"),
        ("rank 0 1", "rank 0 first"),
        ("end forfeit", "end"),
        ("turn 1\n", "note late\nturn 1\n"),
        ("turn 1\n", "error\nturn 1\n"),
    ] {
        let said = whole_match();
        assert!(said.contains(right), "{}", right);
        let mut arena = told(said.replacen(right, wrong, 1));
        let error = played(&mut arena).unwrap_err();
        assert_eq!("unreadable", error.code(), "{}: {}", wrong, error);
        assert!(error.to_string().starts_with("unreadable: the client can't use \""), "{}", error);
        assert!(!error.to_string().contains('\n'));
        assert_eq!(None, arena.next_turn().unwrap(), "over is over");
    }
}

#[test]
fn a_match_of_another_game_is_named() {
    let mut arena = told::<AngryMobState>(whole_match().replace("game angrymob", "game chess"));
    let error = arena.next_turn().unwrap_err().to_string();
    let words = "the match is of chess, the bot plays angrymob: ask for it with Options::game";
    assert!(error.contains(words), "{}", error);
}

#[test]
fn any_game_is_played_by_its_facts() {
    // Letters are sent as they are; seats sort the result.
    let other = "\
start 7
game chess
seat 2
player 0 A
player 1 B
player 2 C
player 3 D
clock 0 0
seed 0
set rounds 120
set risk 0.25
set label deep end
size 60 60
turn 0
unit 4 w 2 1 1 0 0
unit 7 g 2 5 5 0 0
go
end finished
score 0 10
score 1 10.5
score 2 -3
score 3 0
rank 3 3
rank 2 4
rank 1 1
rank 0 2
bye
";
    let scripted = says([WELCOME, other].concat());
    let mut arena = scripted.connect::<State>(Options::new().name("C"));
    let state: Arc<State> = arena.next_turn().unwrap().unwrap();
    assert_eq!((2, 0), (state.seat, state.turn));
    assert_eq!([vec!["60", "60"]], *state.start.facts.lines("size"));
    assert_eq!(vec!["4", "w", "2", "1", "1", "0", "0"], state.facts.lines("unit")[0]);
    assert_eq!(Some(120), state.start.setting("rounds"));
    assert_eq!(Some(0.25), state.start.setting("risk"));
    assert_eq!("deep end", state.start.settings["label"]);
    assert_eq!((0.0, 0.0), state.start.clock);
    let spell: Vec<Token> = (0..3).map(Token::Number).collect();
    let spell = [vec!['s'.into(), 7.into()], spell].concat();
    arena.send(&[vec!['m'.into(), 4.into(), Token::Number(-2)], spell]);
    assert!(arena.next_turn().unwrap().is_none());
    let result = arena.result().unwrap();
    assert_eq!(vec![2, 1, 4, 3], result.ranks);
    assert_eq!(vec![10.0, 10.5, -3.0, 0.0], result.scores);
    drop(arena);
    assert_eq!("C v=1\nm 4 -2 s 7 0 1 2\n", scripted.heard());
}

#[test]
fn positions_can_be_handed_to_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<AngryMobState>();
    shared::<lanista_client::HogwartsState>();
    shared::<lanista_client::CrematoriaState>();
    shared::<Arena<State>>();
    shared::<Order>();
}
