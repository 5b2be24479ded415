//! What can go wrong, apart from misuse, which panics.

use std::fmt;
use std::num::{ParseFloatError, ParseIntError};

use crate::options::escaped;

/// Why there is no match, or why it can't go on.
///
/// Misuse of this library, such as answering a turn twice, is no `Error`: it panics and says what
/// would be right.
///
/// Its `Debug` is the line for people that a bot ends with whose `main` returns it: the code and the
/// words.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bot has no name, an option can't be said in a hello, or `LANISTA_TLS` asks for TLS, which
    /// this library doesn't speak. Nothing was sent.
    Invalid(String),
    /// No connection could be made.
    Unreachable(String),
    /// The arena said `error`, and the connection is over (`PROTOCOL.md 7`).
    Refused {
        /// `bad-hello`, `name-taken`, `late`, `shutdown` …
        code: String,
        /// The explanation, for people; it may be empty.
        words: String,
    },
    /// The connection ended in mid-match or before a match.
    Disconnected(String),
    /// The arena sent something outside the protocol, or the match isn't of the bot's game.
    Unreadable(String),
}

impl Error {
    /// A code of `PROTOCOL.md 7`, or one of the client's own: `invalid`, `unreachable`,
    /// `disconnected`, `unreadable`.
    pub fn code(&self) -> &str {
        match self {
            Self::Invalid(_) => "invalid",
            Self::Unreachable(_) => "unreachable",
            Self::Refused { code, .. } => code,
            Self::Disconnected(_) => "disconnected",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// The explanation, for people.
    pub fn words(&self) -> &str {
        match self {
            Self::Invalid(words)
            | Self::Unreachable(words)
            | Self::Refused { words, .. }
            | Self::Disconnected(words)
            | Self::Unreadable(words) => words,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.words()) {
            (_, "") => f.write_str(&escaped(self.code())),
            (Self::Invalid(_), words) => f.write_str(words),
            (_, words) => f.write_str(&escaped(&format!("{}: {}", self.code(), words))),
        }
    }
}

/// A `main` that returns an error shows it so, after "Error: ".
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Facts that a [`GameState`](crate::GameState) can't use: one is missing, or isn't of its form.
///
/// The match then ends with [`Error::Unreadable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(String);

impl Unreadable {
    /// With an explanation, for people.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

impl From<ParseIntError> for Unreadable {
    fn from(error: ParseIntError) -> Self {
        Self(error.to_string())
    }
}

impl From<ParseFloatError> for Unreadable {
    fn from(error: ParseFloatError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_an_error_ends_with_one_line_for_people() {
        for (error, line) in [
            (Error::Unreachable("no arena".to_owned()), "unreachable: no arena"),
            (Error::Invalid("the bot has no name".to_owned()), "the bot has no name"),
            (Error::Disconnected("in mid-match".to_owned()), "disconnected: in mid-match"),
            (Error::Refused { code: "late".to_owned(), words: String::new() }, "late"),
            (
                Error::Refused {
                    code: "\x1bc".to_owned(), words: "the\u{202e} wörd's".to_owned()
                },
                "\\u{1b}c: the\\u{202e} wörd's",
            ),
        ] {
            assert_eq!(line, format!("{:?}", error));
        }
    }
}
