//! The lines that describe a match or a turn, as words (`PROTOCOL.md 3`).

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::str::FromStr;

use crate::error::Unreadable;

/// The lines of a turn, or of the start of a match, by their keywords.
///
/// Lines whose keyword this library doesn't know are kept like all others, so that a game can be
/// played by its facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    lines: BTreeMap<String, Vec<Vec<String>>>,
}

impl Facts {
    /// Of each line with this keyword, the words after it, in the order of the lines; empty if
    /// there is none.
    pub fn lines(&self, keyword: &str) -> &[Vec<String>] {
        self.lines.get(keyword).map_or(&[], Vec::as_slice)
    }

    /// The words of the first line with this keyword, or an error that there is none.
    pub fn first(&self, keyword: &str) -> Result<&[String], Unreadable> {
        match self.lines(keyword) {
            [first, ..] => Ok(first),
            [] => Err(Unreadable::new(format!("no {:?} line came", keyword))),
        }
    }

    /// The numbers of the first line with this keyword.
    pub fn numbers<N>(&self, keyword: &str) -> Result<Vec<N>, Unreadable>
    where
        N: FromStr,
        Unreadable: From<N::Err>,
    {
        numbers(self.first(keyword)?)
    }

    /// The keywords that came, sorted.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(String::as_str)
    }

    /// The same, if there are so many.
    pub(crate) fn so_many<N>(&self, keyword: &str, count: usize) -> Result<Vec<N>, Unreadable>
    where
        N: FromStr,
        Unreadable: From<N::Err>,
    {
        let numbers = self.numbers(keyword)?;
        require(numbers.len() == count, "another number of words")?;
        Ok(numbers)
    }

    /// Adds a line by its words.
    pub(crate) fn add<'a>(&mut self, keyword: &str, words: impl Iterator<Item = &'a str>) {
        let words = words.map(str::to_owned).collect();
        match self.lines.get_mut(keyword) {
            Some(lines) => lines.push(words),
            None => {
                self.lines.insert(keyword.to_owned(), vec![words]);
            }
        }
    }

    /// The rows of a board: lines of a row's number and its cells, a character each.
    pub(crate) fn board(
        &self,
        keyword: &str,
        rows: i32,
        cols: i32,
    ) -> Result<Vec<String>, Unreadable> {
        let mut board = Vec::new();
        for (row, words) in numbered(self.lines(keyword))? {
            match words {
                [cells] if row == board.len() && cells.len() == cols as usize => {
                    board.push(cells.clone());
                }
                _ => return Err(Unreadable::new(format!("{:?} lines are no board", keyword))),
            }
        }
        if board.len() != rows as usize {
            return Err(Unreadable::new(format!(
                "{} {:?} lines, not {}",
                board.len(),
                keyword,
                rows
            )));
        }
        Ok(board)
    }

    /// The cells of lines that tell a row and a column each, sorted.
    pub(crate) fn cells(&self, keyword: &str) -> Result<Vec<(i32, i32)>, Unreadable> {
        let mut cells = Vec::with_capacity(self.lines(keyword).len());
        for line in self.lines(keyword) {
            let [i, j] = exactly(line)?;
            cells.push((i.parse()?, j.parse()?));
        }
        cells.sort_unstable();
        Ok(cells)
    }

    /// The board's height and width: the line `size`.
    pub(crate) fn size(&self) -> Result<(i32, i32), Unreadable> {
        let [rows, cols] = exactly(self.first("size")?)?;
        // Far more than any board has; their sums and doubles are within an i32.
        let (rows, cols) = (rows.parse::<NonZeroU16>()?, cols.parse::<NonZeroU16>()?);
        Ok((rows.get().into(), cols.get().into()))
    }
}

/// What is wrong with something that isn't on the board.
pub(crate) const OUTSIDE: &str = "something is outside the board";

/// An error unless that is so.
pub(crate) fn require(so: bool, else_what: &str) -> Result<(), Unreadable> {
    if so {
        Ok(())
    } else {
        Err(Unreadable::new(else_what))
    }
}

/// The number of each word.
pub(crate) fn numbers<N>(words: &[String]) -> Result<Vec<N>, Unreadable>
where
    N: FromStr,
    Unreadable: From<N::Err>,
{
    let mut numbers = Vec::with_capacity(words.len());
    for word in words {
        numbers.push(word.parse()?);
    }
    Ok(numbers)
}

/// The words of a line that must have so many.
pub(crate) fn exactly<const N: usize>(words: &[String]) -> Result<&[String; N], Unreadable> {
    <&[String; N]>::try_from(words)
        .map_err(|_| Unreadable::new(format!("{} words in a line, not {}", words.len(), N)))
}

/// Lines that begin with a number, such as a seat, in its order, which isn't that of their coming.
pub(crate) fn numbered(lines: &[Vec<String>]) -> Result<Vec<(usize, &[String])>, Unreadable> {
    let mut numbered = Vec::with_capacity(lines.len());
    for line in lines {
        match line.as_slice() {
            [first, rest @ ..] => numbered.push((first.parse()?, rest)),
            [] => return Err(Unreadable::new("a line without its number")),
        }
    }
    numbered.sort_by_key(|&(number, _)| number);
    Ok(numbered)
}

/// Of lines that tell a number and one value each, the values in the order of the numbers.
pub(crate) fn by_seat<N>(lines: &[Vec<String>]) -> Result<Vec<N>, Unreadable>
where
    N: FromStr,
    Unreadable: From<N::Err>,
{
    let mut values = Vec::with_capacity(lines.len());
    for (_, words) in numbered(lines)? {
        match words {
            [value, ..] => values.push(value.parse()?),
            [] => return Err(Unreadable::new("a line without its value")),
        }
    }
    Ok(values)
}
