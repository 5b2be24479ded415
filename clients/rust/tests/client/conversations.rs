//! Every conversation of `protocol/vectors/conversations.jsonl`, as its README says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lanista_client::angrymob::{AngryMobState, Cell};
use lanista_client::{Arena, Error, Facts, GameState, Options, Start, Token, Unreadable};

use crate::json::Json;
use crate::scripted::{Scripted, Step};

/// Angry Mob, answered with any tokens: in the conversations are malformed answers too.
#[derive(Clone)]
struct AnyAnswer(AngryMobState);

impl GameState for AnyAnswer {
    type Order = Vec<Token>;

    fn start(start: Arc<Start>) -> Result<Self, Unreadable> {
        Ok(Self(AngryMobState::start(start)?))
    }

    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable> {
        self.0.update(turn, facts)
    }
}

#[test]
fn every_conversation_goes_as_it_should() {
    let vectors = "../../protocol/vectors/conversations.jsonl";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(vectors);
    let text = fs::read_to_string(file).unwrap();
    let mut talks = 0;
    for line in text.lines() {
        let talk = Json::read(line);
        println!("{}", talk.get("name").text());
        play(&talk);
        talks += 1;
    }
    assert!(talks >= 18, "{}", talks);
}

fn play(talk: &Json) {
    let mut script = Vec::new();
    for step in talk.get("steps").list() {
        let (kind, data) = step.object().iter().next().unwrap();
        match kind.as_str() {
            "arena" => script.push(Step::Says(data.bytes())),
            "bot" if matches!(script.last(), None | Some(Step::Closes)) => {
                script.push(Step::Greets(data.bytes()));
            }
            "bot" => script.push(Step::Hears(data.bytes())),
            _ => script.push(Step::Closes),
        }
    }
    let scripted = Scripted::new(script);
    let mut arena = scripted.connect::<AnyAnswer>(options(talk.get("connect")));
    let error = follow(&mut arena, talk.get("matches").list()).err();
    let lost = talk.get("disconnected") == &Json::Bool(true);
    match talk.get("error") {
        _ if lost => assert_eq!("disconnected", error.unwrap().code()),
        Json::Null => assert_eq!(None, error),
        code => assert_eq!(code.text(), error.unwrap().code()),
    }
    assert!(arena.next_turn().unwrap().is_none(), "over is over");
    let expected = talk.get("matches").list().iter().map(|one| one.get("result"));
    let expected: Vec<_> = expected.filter(|&result| result != &Json::Null).collect();
    assert_eq!(expected.len(), arena.results().len());
    for (result, expected) in arena.results().iter().zip(expected) {
        let ranks: Vec<_> = result.ranks.iter().map(|&rank| rank as i32).collect();
        let scores: Vec<_> = expected.get("scores").list().iter().map(Json::number).collect();
        assert_eq!(expected.get("end").text(), result.end);
        assert_eq!(expected.get("ranks").ints(), ranks);
        assert_eq!(scores, result.scores);
    }
    drop(arena);
    assert_eq!("", scripted.heard(), "beyond the script");
}

fn options(connect: &Json) -> Options {
    let mut options = Options::new();
    for (key, value) in connect.object() {
        options = match key.as_str() {
            "name" => options.name(value.text()),
            "game" => options.game(value.text()),
            "room" => options.room(value.text()),
            "token" => options.token(value.text()),
            "seat" => options.seat(value.int() as u32),
            "keep" => options.keep(value == &Json::Bool(true)),
            "notes" => options.notes(value == &Json::Bool(true)),
            "reconnect" => {
                options.reconnect(value == &Json::Bool(true)).shortest_pause(Duration::ZERO)
            }
            other => panic!("no such option: {}", other),
        };
    }
    options
}

fn follow(arena: &mut Arena<AnyAnswer>, matches: &[Json]) -> Result<(), Error> {
    for (number, expected) in matches.iter().enumerate() {
        for ask in expected.get("asks").list() {
            let state = arena.next_turn()?.expect("another turn");
            check_start(expected, &state.0);
            check_position(ask, &state.0);
            for line in ask.get("log").list() {
                arena.log(line.text());
            }
            let orders: Vec<Vec<Token>> = ask.get("answer").list().iter().map(order).collect();
            arena.send(&orders);
        }
        let last = number + 1 == matches.len();
        // What comes after the last answer is read on the way to the next turn, or to the end. The
        // notes and the final position of a match before the last are gone then.
        if last {
            let ended = arena.next_turn();
            assert!(matches!(ended, Ok(None) | Err(_)), "no more turns");
            if expected.get("final") != &Json::Null {
                check_position(expected.get("final"), &arena.state().unwrap().0);
            }
            let notes = expected.get("notes").list();
            assert_eq!(notes.len(), arena.notes().len());
            for (note, expected) in arena.notes().iter().zip(notes) {
                assert_eq!(expected.get("code").text(), note.code);
                assert_eq!(expected.get("turn").int(), note.turn);
                match (expected.get("index"), note.index) {
                    (Json::Null, None) => {}
                    (place, index) => assert_eq!(Some(place.int() as usize), index),
                }
            }
            ended?;
        }
    }
    if matches.is_empty() {
        assert!(arena.next_turn()?.is_none(), "no turn");
    }
    Ok(())
}

fn order(numbers: &Json) -> Vec<Token> {
    numbers.ints().into_iter().map(Token::Number).collect()
}

fn check_start(expected: &Json, state: &AngryMobState) {
    let start = &state.start;
    assert_eq!(expected.get("match").text(), start.match_id);
    assert_eq!(expected.get("game").text(), start.game);
    assert_eq!(expected.get("seat").int() as usize, state.seat);
    let players: Vec<_> = expected.get("players").list().iter().map(Json::text).collect();
    assert_eq!(players, start.players);
    let clock: Vec<_> = expected.get("clock").list().iter().map(Json::number).collect();
    assert_eq!(clock, [start.clock.0, start.clock.1]);
    assert_eq!(expected.get("seed").number(), f64::from(start.seed));
    let settings = expected.get("settings").object();
    assert_eq!(settings.len(), start.settings.len());
    for (name, value) in settings {
        assert_eq!(Some(value.number()), start.setting(name));
    }
    assert_eq!((expected.get("rows").int(), expected.get("cols").int()), (state.rows, state.cols));
    let bases: Vec<_> = expected.get("bases").list().iter().map(Json::ints).collect();
    assert_eq!(bases, state.bases.map(|(i, j)| vec![i, j]));
}

fn check_position(expected: &Json, state: &AngryMobState) {
    assert_eq!(expected.get("turn").int(), state.turn);
    let cells = |units: &BTreeMap<Cell, i32>| -> Vec<_> {
        units.iter().map(|(&(i, j), &units)| vec![i, j, units]).collect()
    };
    let expected_cells =
        |name: &str| expected.get(name).list().iter().map(Json::ints).collect::<Vec<_>>();
    assert_eq!(expected_cells("mine"), cells(&state.mine));
    assert_eq!(expected_cells("theirs"), cells(&state.theirs));
    assert_eq!(expected_cells("neutral"), cells(&state.neutral));
    assert_eq!(expected.get("totals").ints(), state.totals);
    for (moved, expected) in state.moved.iter().zip(expected.get("moved").list()) {
        let expected: Vec<_> = expected.list().iter().map(Json::ints).collect();
        assert_eq!(expected, moved.iter().map(|submove| submove.to_vec()).collect::<Vec<_>>());
    }
}
