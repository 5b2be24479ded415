//! What the arena says, line by line, and what follows from it (`PROTOCOL.md 3`).
//!
//! No socket here: lines come in, the match's state, notes and results come out.

use std::fmt;
use std::mem;
use std::sync::Arc;

use crate::error::{Error, Unreadable};
use crate::facts::{by_seat, require, Facts};
use crate::options::escaped;
use crate::state::{GameState, Start};

/// How a match ended (`PROTOCOL.md 3`).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MatchResult {
    /// `finished`, `forfeit`, `aborted` or `void`.
    pub end: String,
    /// The place of each seat, 1 is best, equal places are ties.
    pub ranks: Vec<u32>,
    /// The final score of each seat, in the units of the game's rules.
    pub scores: Vec<f64>,
}

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ranks", escaped(&self.end))?;
        for rank in &self.ranks {
            write!(f, " {}", rank)?;
        }
        f.write_str(", scores")?;
        for score in &self.scores {
            write!(f, " {}", score)?; // a whole one without a point
        }
        Ok(())
    }
}

/// Something of ours that the arena refused, the match going on (`PROTOCOL.md 7`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// `late`, `malformed` or `illegal`; or `benched`, after a match: the bot rests; or `room`,
    /// before one: the room isn't a ladder.
    pub code: String,
    /// The turn that was answered so; of `benched` the seconds of rest, 0: until the operator ends
    /// it.
    pub turn: i32,
    /// The submove's place in that answer, from 0; `None`: the answer as a whole.
    pub index: Option<usize>,
    /// The explanation, for people.
    pub words: String,
}

/// One side of a connection: what the arena has said so far.
#[derive(Debug)]
pub(crate) struct Conversation<S> {
    /// The current match, also after its end; `None` before one.
    pub state: Option<Arc<S>>,
    /// Of each match that has ended.
    pub results: Vec<MatchResult>,
    /// Of the current match.
    pub notes: Vec<Note>,
    /// The turn whose answer is due, from its `go` on.
    pub owes: Option<i32>,
    /// Whether nothing more will come of it.
    pub over: bool,
    /// Whether the one match was played to its end that there is without `keep`.
    pub played: bool,
    /// Whether the arena has let the bot in: it waits, or plays.
    pub let_in: bool,
    /// The words of a `wait`, until they are used: seats taken and seats needed.
    pub waits: Option<(String, String)>,
    /// A note for whoever started the bot, until it is told: its room isn't a ladder, or it rests.
    pub note: Option<Note>,
    keep: bool,
    reconnect: bool,
    /// From `start` to the end of its scores.
    match_id: Option<String>,
    /// Why the match ended, once `end` has come.
    end: Option<String>,
    /// A turn whose facts are still coming in.
    turn: Option<i32>,
    /// Where lines go whose keyword says nothing to all games.
    facts: Facts,
}

impl<S: GameState> Conversation<S> {
    pub fn new(keep: bool, reconnect: bool) -> Self {
        Self {
            state: None,
            results: Vec::new(),
            notes: Vec::new(),
            owes: None,
            over: false,
            played: false,
            let_in: false,
            waits: None,
            note: None,
            keep,
            reconnect,
            match_id: None,
            end: None,
            turn: None,
            facts: Facts::default(),
        }
    }

    /// Takes a line; bytes that aren't UTF-8 are replaced.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        let text = String::from_utf8_lossy(line);
        let taken = self.take(&text);
        self.or_over(taken, &text)
    }

    /// The connection has ended without `bye`: that is well between matches alone.
    pub fn closed(&mut self) -> Result<(), Error> {
        let finished = self.finish();
        self.over = true;
        self.or_over(finished.map(|()| None), "the end of the connection")?;
        let (words, advice) = if self.match_id.is_some() {
            (
                "the connection ended in mid-match",
                "check that the arena is running, and start the bot again",
            )
        } else if self.results.is_empty() || (self.keep && self.reconnect) {
            (
                "the connection ended before a match",
                "check that the arena is running, and that the port is the one for bots",
            )
        } else {
            return Ok(());
        };
        Err(Error::Disconnected(if self.reconnect {
            words.to_owned()
        } else {
            format!("{}; {}", words, advice)
        }))
    }

    /// The conversation begins anew on another connection; the match stays what it is.
    pub fn resume(&mut self) {
        self.over = false;
        self.turn = None;
        self.facts = Facts::default();
    }

    /// Makes an error of what the arena refused or of what we can't use.
    fn or_over(
        &mut self,
        taken: Result<Option<Error>, Unreadable>,
        text: &str,
    ) -> Result<(), Error> {
        match taken {
            Ok(None) => Ok(()),
            Ok(Some(refused)) => Err(refused),
            Err(why) => {
                self.over = true;
                let line: String = text.trim_end().chars().take(200).collect();
                Err(Error::Unreadable(format!("the client can't use {:?}: {}", line, why)))
            }
        }
    }

    /// Does what a line says; if it is `error`, that is returned.
    fn take(&mut self, text: &str) -> Result<Option<Error>, Unreadable> {
        let mut words = text.split_whitespace();
        let keyword = words.next().unwrap_or("");
        match keyword {
            "start" => self.start(next(&mut words)?)?,
            "turn" => self.turn(next(&mut words)?.parse()?)?,
            "go" => {
                self.owes = Some(self.position()?);
            }
            "note" => {
                let code = next(&mut words)?.to_owned();
                let turn = next(&mut words)?.parse()?;
                let index = match next(&mut words)? {
                    "-" => None,
                    place => Some(place.parse()?),
                };
                let note = Note { code, turn, index, words: rest(words) };
                if note.code == "room" || note.code == "benched" {
                    self.note = Some(note.clone());
                }
                self.notes.push(note);
            }
            "end" => {
                let why = next(&mut words)?.to_owned();
                if self.turn.is_some() {
                    self.position()?; // the final one, which has no `go`
                }
                self.end = Some(why);
                self.facts = Facts::default();
            }
            "wait" => {
                self.finish()?;
                self.let_in = true;
                self.waits = Some((next(&mut words)?.to_owned(), next(&mut words)?.to_owned()));
            }
            "bye" => {
                self.finish()?;
                self.over = true;
                if self.keep && self.reconnect {
                    return Ok(Some(Error::Disconnected("the arena said bye".to_owned())));
                }
            }
            "error" => {
                self.finish()?;
                self.over = true;
                let code = next(&mut words)?.to_owned();
                return Ok(Some(Error::Refused { code, words: rest(words) }));
            }
            _ => self.facts.add(keyword, words),
        }
        Ok(None)
    }

    /// A match begins.
    fn start(&mut self, id: &str) -> Result<(), Unreadable> {
        self.finish()?;
        self.let_in = true;
        if !self.over {
            // Else the bot is back in it, after a break.
            if self.match_id.as_deref() != Some(id) {
                self.match_id = Some(id.to_owned());
                self.state = None;
                self.notes.clear();
            }
            self.turn = None;
            self.facts = Facts::default();
        }
        Ok(())
    }

    /// A turn's facts begin; before the first of a match, all is known of the match itself.
    fn turn(&mut self, turn: i32) -> Result<(), Unreadable> {
        require(turn >= 0, "a turn before the first")?;
        let facts = mem::take(&mut self.facts);
        if self.state.is_none() {
            let id = self.match_id.clone().unwrap_or_default();
            let start = Start::read(id, facts)?;
            self.state = Some(Arc::new(S::start(Arc::new(start))?));
        }
        self.turn = Some(turn);
        Ok(())
    }

    /// Gives the state the facts of the turn, complete now; which turn it is.
    fn position(&mut self) -> Result<i32, Unreadable> {
        let facts = mem::take(&mut self.facts);
        match (self.turn.take(), &mut self.state) {
            // Whoever still has the last position keeps it: a copy is made then.
            (Some(turn), Some(state)) => {
                Arc::make_mut(state).update(turn, facts)?;
                Ok(turn)
            }
            _ => Err(Unreadable::new("its turn didn't come")),
        }
    }

    /// Makes the result of a match whose `end`, ranks and scores have come.
    fn finish(&mut self) -> Result<(), Unreadable> {
        if let Some(end) = self.end.take() {
            let ranks = by_seat(self.facts.lines("rank"))?;
            let scores = by_seat(self.facts.lines("score"))?;
            self.results.push(MatchResult { end, ranks, scores });
            self.match_id = None;
            self.played = !self.keep;
            self.over = self.played;
        }
        Ok(())
    }
}

/// The next word of a line that must have one.
fn next<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<&'a str, Unreadable> {
    words.next().ok_or_else(|| Unreadable::new("a word is missing"))
}

/// The other words of a line, as a text.
fn rest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
