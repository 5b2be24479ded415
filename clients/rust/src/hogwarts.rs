//! A match of Hogwarts as plain fields (`rules/hogwarts.md`, `PROTOCOL.md 5`).
//!
//! What the originals call `me()`, `pos_voldemort()` and so on is here under the same words; a
//! position is (row, column), from 0 at the top left. No strategy lives here: spells are for bots
//! to solve.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::distances::{Distances, Grid};
use crate::error::Unreadable;
use crate::facts::{exactly, require, Facts, OUTSIDE};
use crate::state::{GameState, Start};
use crate::submove::{Submove, Token};

/// A row and a column, from 0 at the top left.
pub type Cell = (i32, i32);

/// Where units can go; wizards only [straight](Direction::STRAIGHT) (`rules/hogwarts.md 2`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// 0: a row down.
    Down,
    /// 1: down and right.
    Dr,
    /// 2: a column to the right.
    Right,
    /// 3: right and up.
    Ru,
    /// 4: a row up.
    Up,
    /// 5: up and left.
    Ul,
    /// 6: a column to the left.
    Left,
    /// 7: left and down.
    Ld,
}

impl Direction {
    /// All of them, in the order of their numbers on the wire.
    pub const ALL: [Self; 8] =
        [Self::Down, Self::Dr, Self::Right, Self::Ru, Self::Up, Self::Ul, Self::Left, Self::Ld];

    /// A wizard's directions.
    pub const STRAIGHT: [Self; 4] = [Self::Down, Self::Right, Self::Up, Self::Left];

    /// What a step adds to the row and to the column.
    pub fn delta(self) -> (i32, i32) {
        match self {
            Self::Down => (1, 0),
            Self::Dr => (1, 1),
            Self::Right => (0, 1),
            Self::Ru => (-1, 1),
            Self::Up => (-1, 0),
            Self::Ul => (-1, -1),
            Self::Left => (0, -1),
            Self::Ld => (1, -1),
        }
    }
}

/// A submove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The unit of this id takes a step.
    Move(i32, Direction),
    /// The ghost of this id casts a spell: the group of each ingredient, 0 to 4.
    Spell(i32, [i32; 15]),
}

impl Submove for Order {
    fn write(&self, answer: &mut Vec<Token>) {
        match *self {
            Self::Move(id, d) => answer.extend(['m'.into(), id.into(), Token::Number(d as i32)]),
            Self::Spell(id, groups) => {
                answer.extend([Token::Letter('s'), id.into()]);
                answer.extend(groups.map(Token::Number));
            }
        }
    }
}

/// A wizard or a ghost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HogwartsUnit {
    /// It never changes; the ghost of clan p has the id p.
    pub id: i32,
    /// Whether it is one; else it is a wizard.
    pub ghost: bool,
    /// The clan it belongs to.
    pub player: usize,
    /// Where it is: row and column.
    pub pos: Cell,
    /// A wizard's rounds until it changes clan, 0: it isn't converting; a ghost's rounds still to
    /// rest, 0: it may cast a spell.
    pub rounds_pending: i32,
    /// The clan a wizard will change to, -1: none; the last round in which a ghost was attacked,
    /// -1: never.
    pub next_player: i32,
}

impl HogwartsUnit {
    fn read(words: &[String]) -> Result<Self, Unreadable> {
        let [id, kind, player, i, j, rounds, next] = exactly(words)?;
        Ok(Self {
            id: id.parse()?,
            ghost: kind == "g",
            player: player.parse()?,
            pos: (i.parse()?, j.parse()?),
            rounds_pending: rounds.parse()?,
            next_player: next.parse()?,
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

    /// Whether it is a wizard that will change clan unless one of its own frees it.
    pub fn converting(&self) -> bool {
        self.rounds_pending > 0 && !self.ghost
    }
}

impl fmt::Display for HogwartsUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.ghost { "ghost" } else { "wizard" };
        let (id, player, pos) = (self.id, self.player, self.pos);
        write!(f, "<{} {} of {} at {:?}, {}>", kind, id, player, pos, self.rounds_pending)
    }
}

/// How [`HogwartsState::distances_with`] looks for ways.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// In the steps of a ghost, diagonal ones too; else a wizard's.
    pub diagonal: bool,
    /// Cells to go around, beside the walls.
    pub blocked: &'a [Cell],
    /// Steps to look at, at most.
    pub within: i32,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self { diagonal: false, blocked: &[], within: i32::MAX }
    }
}

/// A position of Hogwarts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HogwartsState {
    /// What doesn't change: players, clock, seed, settings …
    pub start: Arc<Start>,
    /// Which player we are, from 0.
    pub seat: usize,
    /// How many rounds have been played.
    pub turn: i32,
    /// The lines of this turn.
    pub facts: Facts,
    /// The board's height in cells.
    pub rows: i32,
    /// Its width.
    pub cols: i32,
    /// The rounds of the whole match.
    pub num_rounds: i32,
    /// Every unit by its id.
    pub units: BTreeMap<i32, HogwartsUnit>,
    /// The rows of the board, a character a cell: `W` a wall, the clan that owns it, or `.`.
    pub own: Vec<String>,
    /// Where books lie, row by row.
    pub books: Vec<Cell>,
    /// Where Voldemort is.
    pub voldemort: Cell,
    /// Those of this round.
    pub spell_ingredients: [i32; 15],
    /// Of each clan, its strength points, not divided by its units.
    pub strength: Vec<i32>,
    /// Of each clan.
    pub score: Vec<i32>,
    /// Of each clan, its answer times as a share of the match's allowance; -1: out.
    pub status: Vec<f64>,
    corridor: Arc<Grid<bool>>,
    at: Grid<Option<i32>>,
}

impl HogwartsState {
    /// The round that is asked for, from 0: the turn.
    pub fn round(&self) -> i32 {
        self.turn
    }

    /// Our own clan: the seat.
    pub fn me(&self) -> usize {
        self.seat
    }

    /// The wizards of a clan, also those in conversion, by id.
    pub fn wizards(&self, player: usize) -> impl Iterator<Item = &HogwartsUnit> + '_ {
        self.units.values().filter(move |unit| unit.player == player && !unit.ghost)
    }

    /// The ghost of a clan; `None`: there is no such clan.
    pub fn ghost(&self, player: usize) -> Option<&HogwartsUnit> {
        self.units.get(&i32::try_from(player).ok()?).filter(|unit| unit.ghost)
    }

    /// What a clan fights with: its strength points for each of its units, rounded down.
    pub fn magic_strength(&self, player: usize) -> i32 {
        let units = self.units.values().filter(|unit| unit.player == player).count() as i32;
        let strength = self.strength.get(player).copied().unwrap_or(0);
        strength.checked_div_euclid(units).unwrap_or(0)
    }

    /// Whether the cell lies on the board.
    pub fn pos_ok(&self, cell: Cell) -> bool {
        self.corridor.get(cell).is_some()
    }

    /// Whether the cell is a corridor; false outside the board.
    pub fn passable(&self, cell: Cell) -> bool {
        self.corridor.get(cell).unwrap_or(false)
    }

    /// The clan that owns a cell; `None`: none, as of a wall.
    pub fn owner(&self, cell: Cell) -> Option<usize> {
        owner(&self.own, cell)
    }

    /// The unit on a cell, if any.
    pub fn unit_at(&self, cell: Cell) -> Option<&HogwartsUnit> {
        self.units.get(&self.at.get(cell)??)
    }

    /// Whether a book lies on a cell.
    pub fn book(&self, cell: Cell) -> bool {
        self.books.binary_search(&cell).is_ok()
    }

    /// Whether who steps there dies at once: Voldemort's cell and the 8 around it.
    pub fn deadly(&self, cell: Cell) -> bool {
        (cell.0 - self.voldemort.0).abs() <= 1 && (cell.1 - self.voldemort.1).abs() <= 1
    }

    /// Whether Voldemort's next step, wherever it leads, may kill who stands there.
    pub fn reach_of_voldemort(&self, cell: Cell) -> bool {
        let di = (cell.0 - self.voldemort.0).abs();
        let dj = (cell.1 - self.voldemort.1).abs();
        di.min(dj) <= 1 && di.max(dj) <= 2
    }

    /// The ways out of a cell for a wizard: each open direction, and the cell it leads to.
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        self.ways(cell, &Direction::STRAIGHT)
    }

    /// The ways of a ghost, which goes in all eight directions.
    pub fn ghost_neighbours(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        self.ways(cell, &Direction::ALL)
    }

    /// Of each cell, how many steps of a wizard it is from the nearest goal.
    pub fn distances(&self, goals: &[Cell]) -> Distances<Cell> {
        self.distances_with(goals, Search::default())
    }

    /// The same, in other steps, around cells, or only near the goals.
    ///
    /// ```
    /// use lanista_client::hogwarts::{HogwartsState, Search};
    ///
    /// fn steps_of_ghost_to_voldemort(state: &HogwartsState) -> Option<i32> {
    ///     let search = Search { diagonal: true, within: 20, ..Search::default() };
    ///     let steps = state.distances_with(&[state.voldemort], search);
    ///     steps.get(state.ghost(state.me())?.pos)
    /// }
    /// ```
    pub fn distances_with(&self, goals: &[Cell], search: Search<'_>) -> Distances<Cell> {
        let directions: &'static [_] =
            if search.diagonal { &Direction::ALL } else { &Direction::STRAIGHT };
        Distances::search((self.rows, self.cols), goals, search.blocked, search.within, |cell| {
            self.ways(cell, directions).map(|(_, other)| other)
        })
    }

    fn ways<'a>(
        &'a self,
        cell: Cell,
        directions: &'static [Direction],
    ) -> impl Iterator<Item = (Direction, Cell)> + 'a {
        directions.iter().filter_map(move |&d| {
            let (di, dj) = d.delta();
            let other = (cell.0 + di, cell.1 + dj);
            self.passable(other).then_some((d, other))
        })
    }
}

impl GameState for HogwartsState {
    type Order = Order;

    fn start(start: Arc<Start>) -> Result<Self, Unreadable> {
        start.expect_game("hogwarts")?;
        let (rows, cols) = start.facts.size()?;
        let own = start.facts.board("row", rows, cols)?;
        let mut corridor = Grid::new::<Cell>(rows, cols, false);
        for (i, row) in (0..).zip(&own) {
            for (j, mark) in (0..).zip(row.bytes()) {
                corridor.set((i, j), mark != b'W');
            }
        }
        Ok(Self {
            seat: start.seat,
            turn: 0,
            facts: Facts::default(),
            rows,
            cols,
            num_rounds: start.needed_setting("NUM_ROUNDS")?,
            units: BTreeMap::new(),
            own,
            books: Vec::new(),
            voldemort: (-1, -1),
            spell_ingredients: [0; 15],
            strength: Vec::new(),
            score: Vec::new(),
            status: Vec::new(),
            corridor: Arc::new(corridor),
            at: Grid::new::<Cell>(rows, cols, None),
            start,
        })
    }

    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable> {
        let clans = self.start.players.len();
        self.turn = turn;
        self.own = facts.board("own", self.rows, self.cols)?;
        for unit in self.units.values() {
            self.at.set(unit.pos, None);
        }
        self.units.clear();
        facts.first("unit")?;
        for line in facts.lines("unit") {
            let unit = HogwartsUnit::read(line)?;
            require(self.pos_ok(unit.pos), OUTSIDE)?;
            require(unit.player < clans, "a unit of no clan")?;
            self.at.set(unit.pos, Some(unit.id));
            self.units.insert(unit.id, unit);
        }
        for clan in 0..clans {
            let own = self.ghost(clan).filter(|ghost| ghost.player == clan);
            require(own.is_some(), "a clan without its ghost")?;
        }
        self.books = facts.cells("book")?;
        require(self.books.iter().all(|&book| self.pos_ok(book)), OUTSIDE)?;
        let [i, j] = exactly(facts.first("voldemort")?)?;
        self.voldemort = (i.parse()?, j.parse()?);
        require(self.pos_ok(self.voldemort), OUTSIDE)?;
        self.spell_ingredients = <[i32; 15]>::try_from(facts.numbers("spell")?)
            .map_err(|_| Unreadable::new("a spell has 15 ingredients"))?;
        self.strength = facts.so_many("strength", clans)?;
        self.score = facts.so_many("score", clans)?;
        self.status = facts.so_many("status", clans)?;
        self.facts = facts;
        Ok(())
    }
}

/// The digit in a cell of a board's rows.
pub(crate) fn owner(rows: &[String], cell: Cell) -> Option<usize> {
    let row = rows.get(usize::try_from(cell.0).ok()?)?;
    let mark = row.as_bytes().get(usize::try_from(cell.1).ok()?)?;
    mark.is_ascii_digit().then(|| usize::from(mark - b'0'))
}
