//! Connecting again: how it ends, and what the bot sees (`PROTOCOL.md 8`).

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use lanista_client::{AngryMobState, Arena, Error, Options};

use crate::scripted::{whole_match, Scripted, Step, FORFEIT, START, TURN_0, TURN_1, WELCOME};

fn again() -> Options {
    Options::new().name("A").reconnect(true).shortest_pause(Duration::ZERO)
}

/// Connections, each with what the arena says and how many turns of it are answered.
fn arena(connections: &[(&str, usize)], options: Options) -> (Scripted, Arena<AngryMobState>) {
    let mut script = Vec::new();
    for (said, turns) in connections {
        script.push(Step::Says(said.as_bytes().to_vec()));
        script.push(Step::Hears(b"A v=1\n".to_vec()));
        script.extend((0..*turns).map(|_| Step::Hears(b"\n".to_vec())));
        script.push(Step::Closes);
    }
    let scripted = Scripted::new(script);
    let arena = scripted.connect(options);
    (scripted, arena)
}

/// Plays on, each turn answered with nothing; the states as they were.
fn play_on(arena: &mut Arena<AngryMobState>) -> (Vec<Arc<AngryMobState>>, Option<Error>) {
    let mut states = Vec::new();
    loop {
        match arena.next_turn() {
            Ok(Some(state)) => states.push(state),
            Ok(None) => return (states, None),
            Err(error) => return (states, Some(error)),
        }
        arena.send(&[]);
    }
}

#[test]
fn cut_anywhere_the_match_goes_on() {
    // Of a turn that was cut nothing is left.
    for at in (0..TURN_1.len()).step_by(9) {
        let opening = [WELCOME, START, TURN_0, &TURN_1[..at]].concat();
        let rest = [WELCOME, START, TURN_1, FORFEIT, "bye\n"].concat();
        let (scripted, mut arena) = arena(&[(&opening, 1), (&rest, 1)], again());
        let (states, error) = play_on(&mut arena);
        assert_eq!(None, error);
        assert_eq!(vec![0, 1], states.iter().map(|state| state.turn).collect::<Vec<_>>());
        assert!(Arc::ptr_eq(&states[0].start, &states[1].start), "it is one match");
        assert_eq!(Some(&2), states[1].mine.get(&(1, 1)));
        assert_eq!(10, states[1].neutral.len());
        assert_eq!("forfeit", arena.result().unwrap().end);
        drop(arena);
        assert_eq!("", scripted.heard());
    }
}

#[test]
fn without_keep_the_end_of_a_match_is_the_end() {
    for (last, ended) in [("bye\n", true), ("", true), ("error shutdown\n", false)] {
        let said = whole_match().replace("bye\n", last);
        let (_scripted, mut arena) = arena(&[(&said, 2)], again());
        let (states, error) = play_on(&mut arena);
        assert_eq!((2, ended), (states.len(), error.is_none()), "{:?}", last);
    }
}

#[test]
fn what_the_arena_never_says_ends_it() {
    let said = [WELCOME, START, "turn x\n"].concat();
    let (_scripted, mut arena) = arena(&[(&said, 0)], again());
    assert_eq!("unreadable", arena.next_turn().unwrap_err().code());
    assert!(arena.next_turn().unwrap().is_none(), "over is over");
}

#[test]
fn the_arena_may_be_started_after_its_bot() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = again().host("127.0.0.1").port(port).shortest_pause(Duration::from_millis(1));
    let bot = thread::spawn(move || Arena::<AngryMobState>::connect(options).map(drop));
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    listener.accept().unwrap();
    bot.join().unwrap().unwrap();
}
