//! What every game's position has: the match's start, the turn, and their facts.
//!
//! Facts come in (`PROTOCOL.md 5`), fields come out; nothing here knows of sockets, and no
//! strategy lives here.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::Unreadable;
use crate::facts::{exactly, numbered, require, Facts};
use crate::submove::{Submove, Token};

/// What stays the same through a match: the lines before its `turn 0`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Start {
    /// The arena's id of the match.
    pub match_id: String,
    /// The ruleset's name.
    pub game: String,
    /// Which player we are, from 0.
    pub seat: usize,
    /// The name in each seat.
    pub players: Vec<String>,
    /// Seconds for the first answer and for every other; 0: no limit.
    pub clock: (f64, f64),
    /// For our own random choices, 0 … 2^31-1; another one in every match.
    pub seed: u32,
    /// The ruleset's settings by its own names, as they were written.
    pub settings: BTreeMap<String, String>,
    /// Every line that described the match.
    pub facts: Facts,
}

impl Start {
    /// Reads the facts that all games have.
    pub(crate) fn read(match_id: String, facts: Facts) -> Result<Self, Unreadable> {
        let mut players = Vec::new();
        for (_, words) in numbered(facts.lines("player"))? {
            players.push(words.join(" "));
        }
        let mut settings = BTreeMap::new();
        for line in facts.lines("set") {
            match line.as_slice() {
                [name, words @ ..] => settings.insert(name.clone(), words.join(" ")),
                [] => return Err(Unreadable::new("a setting without a name")),
            };
        }
        let [first, other] = exactly(facts.first("clock")?)?;
        let [seat] = exactly(facts.first("seat")?)?;
        let seat = seat.parse()?;
        require(seat < players.len(), "no player is in our seat")?;
        let [seed] = exactly(facts.first("seed")?)?;
        let [game] = exactly(facts.first("game")?)?;
        Ok(Self {
            match_id,
            game: game.clone(),
            seat,
            players,
            clock: (first.parse()?, other.parse()?),
            seed: seed.parse()?,
            settings,
            facts,
        })
    }

    /// A setting as a number, or as whatever else it is parsed; `None` if there is no such setting
    /// or if it isn't of that form.
    ///
    /// ```
    /// # fn of(start: &lanista_client::Start) {
    /// let limit: Option<i32> = start.setting("move_limit");
    /// # }
    /// ```
    pub fn setting<T: FromStr>(&self, name: &str) -> Option<T> {
        self.settings.get(name)?.parse().ok()
    }

    /// The same, for a setting that the state of a game can't do without.
    pub(crate) fn needed_setting(&self, name: &str) -> Result<i32, Unreadable> {
        self.setting(name)
            .ok_or_else(|| Unreadable::new(format!("no number for the setting {:?} came", name)))
    }

    /// Checks that the match is of the game that a state is for.
    pub(crate) fn expect_game(&self, game: &str) -> Result<(), Unreadable> {
        if self.game == game {
            return Ok(());
        }
        Err(Unreadable::new(format!(
            "the match is of {}, the bot plays {}: ask for it with Options::game({:?})",
            self.game, game, game
        )))
    }
}

/// The position of a match as one seat sees it, made from facts.
///
/// Implement it to give another game fields of its own; [`Arena`](crate::Arena) calls `start` once
/// a match, then `update` each turn.
pub trait GameState: Clone {
    /// What an answer is made of.
    type Order: Submove;

    /// The state before the first turn, from the facts of the match's start.
    ///
    /// # Errors
    ///
    /// The facts can't be used; the match is over for this bot.
    fn start(start: Arc<Start>) -> Result<Self, Unreadable>;

    /// Takes the facts of a turn, all of which have come; their order says nothing.
    ///
    /// # Errors
    ///
    /// The facts can't be used; the match is over for this bot.
    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable>;
}

/// A match of any game, by its facts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// What doesn't change: seat, players, settings …
    pub start: Arc<Start>,
    /// Which player we are, from 0.
    pub seat: usize,
    /// How many moves have been played.
    pub turn: i32,
    /// The lines of this turn.
    pub facts: Facts,
}

impl GameState for State {
    type Order = Vec<Token>;

    fn start(start: Arc<Start>) -> Result<Self, Unreadable> {
        Ok(Self { seat: start.seat, start, turn: 0, facts: Facts::default() })
    }

    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable> {
        self.turn = turn;
        self.facts = facts;
        Ok(())
    }
}
