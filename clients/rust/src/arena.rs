//! The connection to the arena.

use std::io::{BufRead, BufReader, Write};
use std::mem;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use crate::connector::Connector;
use crate::conversation::{Conversation, MatchResult, Note};
use crate::drawing::Draw;
use crate::error::Error;
use crate::options::Options;
use crate::state::GameState;
use crate::submove;
use crate::waiting::Waiting;

const READ_BUFFER: usize = 1 << 16; // bytes; a turn of a big map comes in one read
const MOST: usize = 8 << 20; // bytes that the arena sends from one `go` to the next (PROTOCOL.md 3)
const LOG_PIECE: usize = 1 << 13; // characters, at most 4 bytes each: within PROTOCOL.md 1's 65,536

/// A connection to the arena, to play matches of one game, whose positions are `S`.
///
/// Each position that asks for an answer comes from [`next_turn`](Arena::next_turn), and is
/// answered by [`send`](Arena::send):
///
/// ```no_run
/// use lanista_client::angrymob::Direction;
/// use lanista_client::{AngryMobState, Arena, Error, Options};
///
/// fn main() -> Result<(), Error> {
///     let options = Options::new().name("MyBot").game("angrymob");
///     let mut arena = Arena::<AngryMobState>::connect(options)?;
///     while let Some(state) = arena.next_turn()? {
///         let mut orders = Vec::new();
///         for (&(i, j), &units) in &state.mine {
///             if state.passable((i, j + 1)) {
///                 orders.push((i, j, units, Direction::Right));
///             }
///         }
///         arena.send(&orders);
///     }
///     Ok(())
/// }
/// ```
///
/// Dropping it closes the connection; in mid-match the arena takes that for a loss.
#[derive(Debug)]
pub struct Arena<S> {
    connector: Connector,
    waiting: Waiting,
    input: BufReader<TcpStream>,
    line: Vec<u8>,
    talk: Conversation<S>,
}

impl<S: GameState> Arena<S> {
    /// Connects to the arena and says hello. Nothing waits for opponents here.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]: no name, or something can't be said in a hello.
    /// [`Error::Unreachable`]: no connection could be made, within 10 s for each address; not with
    /// [`Options::reconnect`].
    pub fn connect(options: Options) -> Result<Self, Error> {
        let call = options.call()?;
        let talk = Conversation::new(call.keep, call.reconnect);
        let waiting = Waiting::new(&call);
        let mut connector = Connector::new(call);
        let input = BufReader::with_capacity(READ_BUFFER, connector.first()?);
        Ok(Self { connector, waiting, input, line: Vec::new(), talk })
    }

    /// Waits for the next turn that asks for an answer, and gives its position.
    ///
    /// `None`: the match has ended as it should; with [`Options::keep`] the connection has, for
    /// there match follows match, each beginning at turn 0 with another
    /// [`Start`](crate::Start).
    ///
    /// The position doesn't borrow the arena. Kept beyond its turn it stays as it was, at the price
    /// of a copy.
    ///
    /// # Errors
    ///
    /// Whatever the arena or the network says; after an error there are no more turns.
    ///
    /// # Panics
    ///
    /// The last turn wasn't answered: both sides would wait for each other.
    #[track_caller]
    pub fn next_turn(&mut self) -> Result<Option<Arc<S>>, Error> {
        if let Some(turn) = self.talk.owes {
            panic!(
                "turn {} wasn't answered: every state needs one arena.send(&orders), \
                 arena.send(&[]) to do nothing",
                turn
            );
        }
        let mut left = MOST;
        while !self.talk.over {
            let whole = read_line(&mut self.input, &mut self.line, left);
            left -= self.line.len();
            let taken = if whole {
                self.talk.line(&self.line)
            } else if left == 0 {
                self.talk.over = true;
                Err(Error::Unreadable(format!(
                    "the arena sent {} MiB without asking for an answer",
                    MOST >> 20
                )))
            } else {
                self.talk.closed()
            };
            if let Err(error) = taken {
                self.connect_again(error)?;
            }
            if let Some(note) = self.talk.note.take() {
                self.waiting.tell_note(&note);
            }
            if let Some(taken) = self.talk.waits.take() {
                if !self.talk.over {
                    self.waiting.tell(&mut self.input, &taken);
                }
            }
            if self.talk.owes.is_some() {
                return Ok(self.talk.state.clone());
            }
        }
        Ok(None)
    }

    /// Connects again, unless the error is the end; the match stays what it is.
    fn connect_again(&mut self, error: Error) -> Result<(), Error> {
        if self.talk.played {
            return Err(error);
        }
        if mem::take(&mut self.talk.let_in) {
            self.connector.let_in();
        }
        // It fails where the arena has closed already.
        let _ = self.input.get_ref().shutdown(Shutdown::Both);
        self.input = BufReader::with_capacity(READ_BUFFER, self.connector.again(error)?);
        self.talk.resume();
        Ok(())
    }

    /// Answers the turn; no orders at all is a valid answer.
    ///
    /// A connection that is lost meanwhile is told by the next
    /// [`next_turn`](Arena::next_turn), for the arena may have said why.
    ///
    /// # Panics
    ///
    /// This turn is answered already, none has come yet, or a [`Token::Letter`](crate::Token) isn't
    /// one.
    #[track_caller]
    pub fn send(&mut self, orders: &[S::Order]) {
        assert!(
            self.talk.owes.is_some(),
            "no turn asks for an answer: send once for each state, not before it"
        );
        let line = submove::line(orders);
        self.talk.owes = None;
        self.write(&line);
    }

    /// Has the arena keep a text with this turn, in the match's record; each line of it becomes one
    /// there, long ones are divided (`PROTOCOL.md 4`).
    ///
    /// It is sent at once, so that it isn't lost when the bot then fails. The arena keeps 16 KiB a
    /// turn.
    pub fn log(&mut self, text: &str) {
        self.write(&log_lines(text));
    }

    /// Draws on the board of whoever may see this bot's log (`PROTOCOL.md 9`).
    pub fn draw(&mut self) -> Draw<'_> {
        Draw::new(self.input.get_mut())
    }

    /// The current match, also after its end: then the final position, if one was shown. `None`
    /// before the first.
    pub fn state(&self) -> Option<&Arc<S>> {
        self.talk.state.as_ref()
    }

    /// How the last match ended; `None` while none has.
    pub fn result(&self) -> Option<&MatchResult> {
        self.talk.results.last()
    }

    /// How each match ended, in their order.
    pub fn results(&self) -> &[MatchResult] {
        &self.talk.results
    }

    /// What the arena refused in the current match.
    pub fn notes(&self) -> &[Note] {
        &self.talk.notes
    }

    /// Closes the connection: there are no more turns, and nothing is owed. In mid-match the arena
    /// takes that for a loss. Once more does no harm.
    pub fn close(&mut self) {
        self.talk.over = true;
        self.talk.owes = None;
        // It fails where the arena has closed, and then there is nothing left to do.
        let _ = self.input.get_ref().shutdown(Shutdown::Both);
    }

    fn write(&mut self, text: &str) {
        // It fails where the arena has closed: what it said before that waits to be read, and says
        // why.
        let _ = self.input.get_mut().write_all(text.as_bytes());
    }
}

/// Reads a line with its newline; false: there is none of so many bytes, or the end cuts it off.
fn read_line(input: impl BufRead, line: &mut Vec<u8>, most: usize) -> bool {
    line.clear();
    // An error is a reset: what came before it has been used.
    input.take(most as u64).read_until(b'\n', line).is_ok() && line.ends_with(b"\n")
}

/// A text as lines of the log: whatever breaks a line begins a new one.
fn log_lines(text: &str) -> String {
    const BREAKS: &[char] = &[
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix(BREAKS).unwrap_or(&text);
    let mut lines = String::with_capacity(text.len() + 3);
    for line in text.split(BREAKS) {
        lines.push_str("# ");
        for (at, character) in line.chars().enumerate() {
            if at > 0 && at % LOG_PIECE == 0 {
                lines.push_str("\n# ");
            }
            lines.push(character);
        }
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Gives one byte a read, then an error.
    struct Drops<'a>(&'a [u8]);

    impl io::Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self
                .0
                .split_first()
                .ok_or_else(|| io::Error::from(io::ErrorKind::ConnectionReset))?;
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn lines_are_whole_in_however_many_pieces_they_come() {
        let mut input = BufReader::new(Drops(b"turn 0\n\ngo\nuni"));
        let mut line = Vec::new();
        for expected in ["turn 0\n", "\n", "go\n"] {
            assert!(read_line(&mut input, &mut line, 7));
            assert_eq!(expected.as_bytes(), line);
        }
        assert!(!read_line(&mut input, &mut line, 7), "cut off");
    }

    #[test]
    fn log_lines_begin_with_a_number_sign() {
        for (text, lines) in [
            ("plan: wait", "# plan: wait\n"),
            ("one\ntwo\r\nthree\n", "# one\n# two\n# three\n"),
            ("", "# \n"),
            ("\n", "# \n"),
            ("a\n\nb\n\n", "# a\n# \n# b\n# \n"),
            ("a\rb\u{85}c\u{2028}", "# a\n# b\n# c\n"),
        ] {
            assert_eq!(lines, log_lines(text), "{:?}", text);
        }
    }

    #[test]
    fn long_log_lines_are_divided() {
        // PROTOCOL.md 1: a line past 65,536 bytes would lose the match.
        let text = "\u{1f40d}".repeat(40_000);
        let lines = log_lines(&text);
        assert!(lines.lines().all(|line| line.starts_with("# ") && line.len() <= 65_536));
        assert_eq!(5, lines.lines().count());
        assert_eq!(text, lines.replace("# ", "").replace('\n', ""));
        let exact = log_lines(&"x".repeat(2 * LOG_PIECE));
        assert_eq!(2, exact.lines().count());
    }
}
