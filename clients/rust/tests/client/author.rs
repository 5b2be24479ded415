//! What a bot's author does with the client, rightly and wrongly.

use std::io::Write;
use std::net::TcpListener;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use lanista_client::angrymob::{AngryMobState, Direction};
use lanista_client::{Arena, Error, Options, State, Token};

use crate::scripted::{says, told, whole_match, Scripted, FORFEIT, START, TURN_0, TURN_1, WELCOME};

fn first_turn() -> String {
    [WELCOME, START, TURN_0].concat()
}

/// What a misuse says.
fn panic_of(misuse: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(misuse)).expect_err("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().unwrap().to_string(),
    }
}

/// Answers every turn with nothing, to the end.
fn play_on(arena: &mut Arena<AngryMobState>) -> Result<(), Error> {
    while arena.next_turn()?.is_some() {
        arena.send(&[]);
    }
    Ok(())
}

#[test]
fn no_arena_is_told_in_one_line() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = Options::new().name("A").host("127.0.0.1").port(port);
    let error = Arena::<State>::connect(options).unwrap_err();
    assert_eq!("unreachable", error.code());
    let words =
        format!("unreachable: no arena at 127.0.0.1:{}; start one with `lanista serve`", port);
    assert_eq!(words, error.to_string());
}

#[test]
fn a_name_that_no_hello_can_say_is_refused_before_connecting() {
    let error = Arena::<State>::connect(Options::new().name("a=b")).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)));
}

#[test]
fn a_second_answer_to_a_turn_is_misuse() {
    // PROTOCOL.md 4: it would answer the next turn.
    let scripted = says(first_turn());
    let mut arena = scripted.connect::<AngryMobState>(Options::new().name("A"));
    arena.next_turn().unwrap();
    arena.send(&[]);
    let words = panic_of(|| arena.send(&[(2, 1, 1, Direction::Right)]));
    assert!(words.contains("once for each state"), "{}", words);
    assert!(arena.next_turn().is_err());
    drop(arena);
    assert_eq!("A v=1\n\n", scripted.heard());
}

#[test]
fn an_answer_before_the_first_state_is_misuse() {
    let mut arena = told::<AngryMobState>(first_turn());
    assert!(panic_of(|| arena.send(&[])).contains("no turn asks for an answer"));
}

#[test]
fn a_turn_without_an_answer_is_misuse() {
    let mut arena = told::<AngryMobState>(whole_match());
    arena.next_turn().unwrap();
    arena.send(&[]);
    arena.next_turn().unwrap();
    let words = panic_of(|| drop(arena.next_turn()));
    assert!(words.contains("turn 1 wasn't answered"), "{}", words);
}

#[test]
fn what_is_no_submove_is_refused_and_nothing_sent() {
    // It could become a second answer or none; the turn may still be answered rightly.
    let scripted = says(first_turn());
    let mut arena = scripted.connect::<State>(Options::new().name("A"));
    arena.next_turn().unwrap();
    for letter in ['#', '\n', ' ', '\u{e9}', '1'] {
        let words = panic_of(|| arena.send(&[vec![Token::Number(1), letter.into()]]));
        assert!(words.contains("not integers and letters of the game"), "{}", words);
    }
    arena.send(&[vec![Token::Letter('m'), Token::Number(i32::MIN)]]);
    assert!(arena.next_turn().is_err());
    drop(arena);
    assert_eq!("A v=1\nm -2147483648\n", scripted.heard());
}

#[test]
fn a_log_is_sent_at_once_in_lines() {
    let scripted = says(first_turn());
    let mut arena = scripted.connect::<AngryMobState>(Options::new().name("A"));
    arena.next_turn().unwrap();
    arena.log("one\ntwo");
    arena.send(&[]);
    assert!(arena.next_turn().is_err());
    drop(arena);
    assert_eq!("A v=1\n# one\n# two\n\n", scripted.heard());
}

#[test]
fn notes_are_kept() {
    // PROTOCOL.md 7: code, turn, the submove's place or `-`, words.
    let notes = "note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n";
    let mut arena = told([&first_turn(), notes, FORFEIT, "bye\n"].concat());
    play_on(&mut arena).unwrap();
    let [first, second] = <&[_; 2]>::try_from(arena.notes()).unwrap();
    assert_eq!(
        ("illegal", 0, Some(2), "no unit in (1, 1)"),
        (first.code.as_str(), first.turn, first.index, first.words.as_str())
    );
    assert_eq!(
        ("late", 0, None, ""),
        (second.code.as_str(), second.turn, second.index, second.words.as_str())
    );
}

#[test]
fn an_error_has_its_code_and_is_the_end() {
    let mut arena = told::<AngryMobState>("error name-taken Ann is playing already\n");
    let error = arena.next_turn().unwrap_err();
    assert_eq!(("name-taken", "Ann is playing already"), (error.code(), error.words()));
    assert_eq!("name-taken: Ann is playing already", error.to_string());
    assert!(matches!(error, Error::Refused { .. }));
    assert!(arena.next_turn().unwrap().is_none());
}

#[test]
fn an_error_without_words_is_its_code() {
    let error = told::<AngryMobState>("error late\n").next_turn().unwrap_err();
    assert_eq!("late", error.to_string());
}

#[test]
fn a_result_does_nothing_to_a_terminal() {
    let hostile = FORFEIT.replace("forfeit", "\x1bc");
    let mut arena = told([first_turn().as_str(), &hostile, "bye\n"].concat());
    play_on(&mut arena).unwrap();
    assert_eq!("\\u{1b}c: ranks 1 2, scores 2 2", arena.result().unwrap().to_string());
}

#[test]
fn a_shutdown_in_mid_match_is_an_error() {
    let mut arena = told([&first_turn(), "error shutdown\n"].concat());
    assert_eq!("shutdown", play_on(&mut arena).unwrap_err().code());
    assert_eq!(None, arena.result());
}

#[test]
fn a_connection_lost_in_mid_match_is_an_error() {
    for (keep, rest) in [(false, ""), (true, ""), (false, "turn 1\nunit"), (true, "turn 1\nunit")] {
        let scripted = says([&first_turn(), rest].concat());
        let mut arena = scripted.connect(Options::new().name("A").keep(keep));
        let error = play_on(&mut arena).unwrap_err();
        assert_eq!("disconnected", error.code());
    }
}

#[test]
fn what_the_arena_said_before_closing_is_read_though_sending_fails() {
    // A seat that is thrown out learns why, not that its pipe is broken.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let options = Options::new().name("A").host("127.0.0.1").port(port);
    let mut arena = Arena::<AngryMobState>::connect(options).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    std::io::Read::read_exact(&mut stream, &mut [0; 6]).unwrap();
    stream
        .write_all([&first_turn(), "error late ten turns in a row\n"].concat().as_bytes())
        .unwrap();
    drop(stream); // the answer meets nobody, the log a reset
    arena.next_turn().unwrap();
    arena.send(&[]);
    arena.log("still here");
    arena.log("still here");
    assert_eq!("late: ten turns in a row", arena.next_turn().unwrap_err().to_string());
}

#[test]
fn closing_ends_it_and_nothing_is_owed() {
    // This arena keeps its own half open.
    let scripted = Scripted::serve(|stream| stream.write_all(first_turn().as_bytes()).unwrap());
    let mut arena = scripted.connect::<AngryMobState>(Options::new().name("A"));
    arena.next_turn().unwrap();
    arena.close();
    arena.close(); // once more does no harm
    assert!(arena.next_turn().unwrap().is_none());
    assert!(panic_of(|| arena.send(&[])).contains("no turn asks"));
    assert_eq!("A v=1\n", scripted.heard(), "the arena sees the end while the bot lives on");
    drop(arena);
}

#[test]
fn keep_plays_match_after_match() {
    // A new state for each, notes of the current one, a result after each, void ones too.
    let second = START.replace("01JDEXAMPLE", "01JDSECOND").replace("seat 0", "seat 1");
    let void = "end void\nrank 0 1\nrank 1 1\nscore 0 1\nscore 1 1\n";
    let said = [
        &first_turn(),
        "note late 0 - x\n",
        void,
        &[START, TURN_0, TURN_1, FORFEIT, "wait 1 2\nwait 2 2\n"].concat(),
        &[&second, TURN_0, FORFEIT, "bye\n"].concat(),
    ];
    let scripted = says(said.concat());
    let mut arena = scripted.connect::<AngryMobState>(Options::new().name("A").keep(true));
    let (mut seen, mut starts) = (Vec::new(), Vec::new());
    while let Some(state) = arena.next_turn().unwrap() {
        let start = Arc::clone(&state.start);
        seen.push((start.match_id.clone(), state.seat, state.turn, arena.notes().len()));
        if !starts.iter().any(|other| Arc::ptr_eq(other, &start)) {
            starts.push(start);
        }
        arena.send(&[]);
    }
    let ids = ["01JDEXAMPLE", "01JDEXAMPLE", "01JDEXAMPLE", "01JDSECOND"].map(str::to_owned);
    let [a, b, c, d] = ids;
    assert_eq!(vec![(a, 0, 0, 0), (b, 0, 0, 0), (c, 0, 1, 0), (d, 1, 0, 0)], seen);
    assert_eq!(3, starts.len());
    let ends: Vec<_> = arena.results().iter().map(|result| result.end.as_str()).collect();
    assert_eq!(vec!["void", "forfeit", "forfeit"], ends);
    assert_eq!(arena.results().last(), arena.result());
    drop(arena);
    assert_eq!("A v=1 keep=1\n\n\n\n\n", scripted.heard());
}

#[test]
fn keep_ends_well_between_matches() {
    for last in ["", "wait 1 2\n", "bye\n"] {
        let scripted = says([&first_turn(), FORFEIT, last].concat());
        let mut arena = scripted.connect(Options::new().name("A").keep(true));
        play_on(&mut arena).unwrap();
        assert_eq!(1, arena.results().len());
    }
}

#[test]
fn keep_tells_a_shutdown_between_matches_after_the_result() {
    let scripted = says([&first_turn(), FORFEIT, "error shutdown\n"].concat());
    let mut arena = scripted.connect(Options::new().name("A").keep(true));
    assert_eq!("shutdown", play_on(&mut arena).unwrap_err().code());
    assert_eq!("forfeit", arena.result().unwrap().end);
}

#[test]
fn without_keep_one_match_is_all() {
    // Even if the arena began another.
    let mut arena = told([&first_turn(), FORFEIT, START, TURN_0].concat());
    play_on(&mut arena).unwrap();
    assert_eq!(1, arena.results().len());
    assert_eq!("01JDEXAMPLE", arena.state().unwrap().start.match_id);
}
