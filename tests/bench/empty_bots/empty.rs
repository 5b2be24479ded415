//! Answers every turn with nothing: what it takes is the client library's own time.
//!
//!     empty GAME

use lanista_client::{AngryMobState, CrematoriaState, HogwartsState, State};
use lanista_client::{Arena, Error, GameState, Options};

fn play<S: GameState>(game: &str) -> Result<(), Error> {
    let mut arena = Arena::<S>::connect(Options::new().name("Empty").game(game))?;
    while arena.next_turn()?.is_some() {
        arena.send(&[]);
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let game = std::env::args().nth(1).expect("empty GAME");
    match game.as_str() {
        "angrymob" => play::<AngryMobState>(&game),
        "hogwarts" => play::<HogwartsState>(&game),
        "crematoria" => play::<CrematoriaState>(&game),
        _ => play::<State>(&game),
    }
}
