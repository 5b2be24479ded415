//! What a bot answers: submoves, which become the words of one line (`PROTOCOL.md 4`).

/// A word of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// An integer.
    Number(i32),
    /// A letter of the game, `A` to `Z` or `a` to `z`.
    Letter(char),
}

impl From<i32> for Token {
    fn from(number: i32) -> Self {
        Self::Number(number)
    }
}

impl From<char> for Token {
    fn from(letter: char) -> Self {
        Self::Letter(letter)
    }
}

/// One order to the arena; what it consists of is told by the game's rules.
pub trait Submove {
    /// Appends its words to those of the answer.
    fn write(&self, answer: &mut Vec<Token>);
}

impl Submove for Vec<Token> {
    fn write(&self, answer: &mut Vec<Token>) {
        answer.extend_from_slice(self);
    }
}

/// The line that an answer is, with its newline.
///
/// # Panics
///
/// A letter isn't one.
#[track_caller]
pub(crate) fn line<S: Submove>(orders: &[S]) -> String {
    let mut tokens = Vec::with_capacity(4 * orders.len());
    for order in orders {
        order.write(&mut tokens);
    }
    let mut line = String::with_capacity(4 * tokens.len() + 1);
    for token in tokens {
        if !line.is_empty() {
            line.push(' ');
        }
        match token {
            Token::Number(number) => line.push_str(&number.to_string()),
            Token::Letter(letter) if letter.is_ascii_alphabetic() => line.push(letter),
            Token::Letter(other) => panic!("not integers and letters of the game: {:?}", other),
        }
    }
    line.push('\n');
    line
}
