//! A match of Crematoria as plain fields (`rules/crematoria.md`, `PROTOCOL.md 5`).
//!
//! A position is (i, j, k): row from 0 at the top, column from 0 at the left, level 0 underground
//! and 1 outside. Columns are circular on both levels: 79 and 0 are neighbours. No strategy lives
//! here.

mod state;

use std::fmt;

use crate::error::Unreadable;
use crate::facts::exactly;
use crate::submove::{Submove, Token};

pub use state::{CrematoriaState, Search};

/// A row, a column and a level.
pub type Pos = (i32, i32, i32);

/// Where units can go (`rules/crematoria.md 1`); `Top` is a row up, `Up` a level up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// 0: a row down.
    Bottom,
    /// 1: bottom and right.
    Br,
    /// 2: a column to the right, around the edge.
    Right,
    /// 3: right and top.
    Rt,
    /// 4: a row up.
    Top,
    /// 5: top and left.
    Tl,
    /// 6: a column to the left, around the edge.
    Left,
    /// 7: left and bottom.
    Lb,
    /// 8: by elevator to level 1.
    Up,
    /// 9: by elevator to level 0.
    Down,
    /// 10: no step.
    None,
}

impl Direction {
    /// All of them, in the order of their numbers on the wire.
    pub const ALL: [Self; 11] = [
        Self::Bottom,
        Self::Br,
        Self::Right,
        Self::Rt,
        Self::Top,
        Self::Tl,
        Self::Left,
        Self::Lb,
        Self::Up,
        Self::Down,
        Self::None,
    ];

    /// What a step adds to row, column and level.
    pub fn delta(self) -> (i32, i32, i32) {
        match self {
            Self::Bottom => (1, 0, 0),
            Self::Br => (1, 1, 0),
            Self::Right => (0, 1, 0),
            Self::Rt => (-1, 1, 0),
            Self::Top => (-1, 0, 0),
            Self::Tl => (-1, -1, 0),
            Self::Left => (0, -1, 0),
            Self::Lb => (1, -1, 0),
            Self::Up => (0, 0, 1),
            Self::Down => (0, 0, -1),
            Self::None => (0, 0, 0),
        }
    }
}

/// A submove (id, d): the unit of that id takes a step in that direction.
pub type Order = (i32, Direction);

impl Submove for Order {
    fn write(&self, answer: &mut Vec<Token>) {
        answer.extend([self.0, self.1 as i32].map(Token::Number));
    }
}

/// What a unit can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It conquers caves and picks gems.
    Pioneer,
    /// It fights.
    Furyan,
    /// Nobody's: it descends from the sky.
    Necromonger,
    /// Nobody's: it roams underground and is immortal.
    Hellhound,
}

/// A living unit; a descending necromonger too.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrematoriaUnit {
    /// It never changes.
    pub id: i32,
    /// What it is.
    pub kind: Kind,
    /// Who it belongs to; `None`: nobody.
    pub player: Option<usize>,
    /// A hellhound's is -1, for it is immortal.
    pub health: i32,
    /// Above 0: a necromonger that is descending over that cell and isn't on the board.
    pub turns: i32,
    /// Where it is: row, column and level.
    pub pos: Pos,
}

impl CrematoriaUnit {
    fn read(words: &[String]) -> Result<Self, Unreadable> {
        let [id, kind, player, health, turns, i, j, k] = exactly(words)?;
        Ok(Self {
            id: id.parse()?,
            kind: match kind.as_str() {
                "p" => Kind::Pioneer,
                "f" => Kind::Furyan,
                "n" => Kind::Necromonger,
                "h" => Kind::Hellhound,
                _ => return Err(Unreadable::new(format!("no unit is a {:?}", kind))),
            },
            player: match player.as_str() {
                "-1" => None,
                player => Some(player.parse()?),
            },
            health: health.parse()?,
            turns: turns.parse()?,
            pos: (i.parse()?, j.parse()?, k.parse()?),
        })
    }

    /// The row.
    pub fn i(&self) -> i32 {
        self.pos.0
    }

    /// The column.
    pub fn j(&self) -> i32 {
        self.pos.1
    }

    /// The level: 0 underground, 1 outside.
    pub fn k(&self) -> i32 {
        self.pos.2
    }
}

impl fmt::Display for CrematoriaUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{:?} {} of ", self.kind, self.id)?;
        match self.player {
            Some(player) => write!(f, "{}", player)?,
            None => f.write_str("nobody")?,
        }
        write!(f, " at {:?}, health {}>", self.pos, self.health)
    }
}
