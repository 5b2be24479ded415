//! A match of Angry Mob as plain fields (`rules/angrymob.md`, `PROTOCOL.md 5`).
//!
//! Cells are (row, column), from 0 at the top left. No strategy lives here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::distances::Distances;
use crate::error::Unreadable;
use crate::facts::{by_seat, exactly, numbered, numbers, require, Facts};
use crate::state::{GameState, Start};
use crate::submove::{Submove, Token};

/// A row and a column, from 0 at the top left.
pub type Cell = (i32, i32);

/// Where units can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// 0: a column to the right.
    Right,
    /// 1: a row up.
    Up,
    /// 2: a column to the left.
    Left,
    /// 3: a row down.
    Down,
}

impl Direction {
    /// All of them, in the order of their numbers on the wire.
    pub const ALL: [Self; 4] = [Self::Right, Self::Up, Self::Left, Self::Down];

    /// What a step adds to the row and to the column.
    pub fn delta(self) -> (i32, i32) {
        match self {
            Self::Right => (0, 1),
            Self::Up => (-1, 0),
            Self::Left => (0, -1),
            Self::Down => (1, 0),
        }
    }
}

/// How [`AngryMobState::distances_with`] looks for ways.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Cells to go around, beside the impassable ones.
    pub blocked: &'a [Cell],
    /// Steps to look at, at most.
    pub within: i32,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self { blocked: &[], within: i32::MAX }
    }
}

const NOWHERE: &str = "units or a base where nothing can stand";

/// A submove (i, j, k, d): `k` units from row `i`, column `j`, in direction `d`.
pub type Order = (i32, i32, i32, Direction);

impl Submove for Order {
    fn write(&self, answer: &mut Vec<Token>) {
        let (i, j, k, d) = *self;
        answer.extend([i, j, k, d as i32].map(Token::Number));
    }
}

/// A position of Angry Mob.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AngryMobState {
    /// What doesn't change: players, clock, seed, settings …
    pub start: Arc<Start>,
    /// Which player we are, 0 or 1.
    pub seat: usize,
    /// How many moves have been played.
    pub turn: i32,
    /// The lines of this turn.
    pub facts: Facts,
    /// The map's height in cells.
    pub rows: i32,
    /// Its width.
    pub cols: i32,
    /// The base of each seat.
    pub bases: [Cell; 2],
    /// Our own.
    pub base: Cell,
    /// The opponent's.
    pub enemy_base: Cell,
    /// The cells that hold our units, and how many.
    pub mine: BTreeMap<Cell, i32>,
    /// The same of the opponent.
    pub theirs: BTreeMap<Cell, i32>,
    /// The cells that hold neutral units now, and how many.
    pub neutral: BTreeMap<Cell, i32>,
    /// How many units each seat has on the map.
    pub totals: Vec<i32>,
    /// Of each seat, the submoves i j k d that it sent last turn; both empty at turn 0. They may be
    /// against the rules.
    pub moved: [Vec<[i32; 4]>; 2],
    passable: Arc<Vec<Vec<bool>>>,
}

impl AngryMobState {
    /// Whether the cell lies on the map and units can stand there.
    pub fn passable(&self, cell: Cell) -> bool {
        let at = |n: i32| usize::try_from(n).ok();
        let found = at(cell.0).zip(at(cell.1)).and_then(|(i, j)| self.passable.get(i)?.get(j));
        found.copied().unwrap_or(false)
    }

    /// The ways out of a cell: each direction that a unit can take, and the cell it leads to.
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        Direction::ALL.into_iter().filter_map(move |d| {
            let (di, dj) = d.delta();
            let other = (cell.0 + di, cell.1 + dj);
            self.passable(other).then_some((d, other))
        })
    }

    /// Of each cell, how many steps it is from the nearest goal.
    pub fn distances(&self, goals: &[Cell]) -> Distances<Cell> {
        self.distances_with(goals, Search::default())
    }

    /// The same, around cells, or only near the goals.
    pub fn distances_with(&self, goals: &[Cell], search: Search<'_>) -> Distances<Cell> {
        Distances::search((self.rows, self.cols), goals, search.blocked, search.within, |cell| {
            self.neighbours(cell).map(|(_, other)| other)
        })
    }
}

impl GameState for AngryMobState {
    type Order = Order;

    fn start(start: Arc<Start>) -> Result<Self, Unreadable> {
        start.expect_game("angrymob")?;
        let (rows, cols) = start.facts.size()?;
        let mut neutral = BTreeMap::new();
        let mut passable = Vec::new();
        for (i, (_, row)) in (0..).zip(numbered(start.facts.lines("row"))?) {
            for (j, word) in (0..).zip(row) {
                if word.bytes().all(|byte| byte.is_ascii_digit()) {
                    neutral.insert((i, j), word.parse()?);
                }
            }
            passable.push(row.iter().map(|word| word != "#").collect::<Vec<_>>());
        }
        if passable.len() != rows as usize || passable.iter().any(|row| row.len() != cols as usize)
        {
            return Err(Unreadable::new(format!("the rows are no map of {} by {}", rows, cols)));
        }
        let mut bases = Vec::new();
        for (_, words) in numbered(start.facts.lines("base"))? {
            let [i, j] = exactly(words)?;
            bases.push((i.parse()?, j.parse()?));
        }
        let bases = <[Cell; 2]>::try_from(bases).map_err(|_| Unreadable::new("not two bases"))?;
        let seat = start.seat;
        let base = *bases.get(seat).ok_or_else(|| Unreadable::new("our seat isn't 0 or 1"))?;
        let state = Self {
            start,
            seat,
            turn: 0,
            facts: Facts::default(),
            rows,
            cols,
            bases,
            base,
            enemy_base: bases[1 - seat],
            mine: BTreeMap::new(),
            theirs: BTreeMap::new(),
            neutral,
            totals: Vec::new(),
            moved: [Vec::new(), Vec::new()],
            passable: Arc::new(passable),
        };
        require(bases.iter().all(|&base| state.passable(base)), NOWHERE)?;
        Ok(state)
    }

    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable> {
        self.turn = turn;
        self.mine.clear();
        self.theirs.clear();
        for line in facts.lines("unit") {
            let [i, j, seat, n] = exactly(line)?;
            let cell = (i.parse()?, j.parse()?);
            require(self.passable(cell), NOWHERE)?;
            let units = match seat.parse::<usize>()? {
                seat if seat == self.seat => &mut self.mine,
                0 | 1 => &mut self.theirs,
                _ => return Err(Unreadable::new("a third seat has units")),
            };
            units.insert(cell, n.parse()?);
        }
        for line in facts.lines("neutral") {
            let [i, j, n] = exactly(line)?;
            let cell = (i.parse()?, j.parse()?);
            require(self.passable(cell), NOWHERE)?;
            match n.parse()? {
                0 => self.neutral.remove(&cell),
                units => self.neutral.insert(cell, units),
            };
        }
        self.totals = by_seat(facts.lines("total"))?;
        self.moved = [Vec::new(), Vec::new()];
        for (seat, words) in numbered(facts.lines("moved"))? {
            let moved =
                self.moved.get_mut(seat).ok_or_else(|| Unreadable::new("a third seat moved"))?;
            for submove in words.chunks(4) {
                let [i, j, k, d] = *<&[i32; 4]>::try_from(numbers(submove)?.as_slice())
                    .map_err(|_| Unreadable::new("a submove is four numbers"))?;
                moved.push([i, j, k, d]);
            }
        }
        self.facts = facts;
        Ok(())
    }
}
