//! The position of Crematoria: fields, and what can be asked of them. No strategy lives here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CrematoriaUnit, Direction, Kind, Order, Pos};
use crate::distances::{Distances, Grid};
use crate::error::Unreadable;
use crate::facts::{exactly, require, Facts, OUTSIDE};
use crate::hogwarts::owner;
use crate::state::{GameState, Start};

/// How [`CrematoriaState::distances_with`] looks for ways.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Positions to go around, beside the rock.
    pub blocked: &'a [Pos],
    /// Steps to look at, at most.
    pub within: i32,
    /// The levels on which ways may lead; `&[0]`: underground alone.
    pub levels: &'a [i32],
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self { blocked: &[], within: i32::MAX, levels: &[0, 1] }
    }
}

/// A position of Crematoria.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CrematoriaState {
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
    pub nb_rounds: i32,
    /// Where elevators are, (row, column), the same on both levels, sorted.
    pub elevators: Vec<(i32, i32)>,
    /// The rows of level 0, a character a cell: `R` rock, `E` an elevator, `C` a cave or the player
    /// that owns it.
    pub own: Vec<String>,
    /// Every living unit by its id.
    pub units: BTreeMap<i32, CrematoriaUnit>,
    /// Where gems lie, as positions of level 1, row by row.
    pub gems: Vec<Pos>,
    /// The first of the sunlit columns of level 1; they are half of all, circular.
    pub sun: i32,
    /// Of each player, the caves it owns now.
    pub nb_cells: Vec<i32>,
    /// Of each player, the gems it ever picked.
    pub nb_gems: Vec<i32>,
    /// Of each player: cells, and gems at their value. The score.
    pub points: Vec<i32>,
    /// Of each player, its answer times as a share of the match's allowance; -1: out.
    pub status: Vec<f64>,
    ground: Arc<Grid<Ground>>,
    at: Grid<Option<i32>>,
}

/// What level 0 has at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ground {
    Rock,
    Cave,
    Elevator,
}

impl CrematoriaState {
    /// The round that is asked for, from 0: the turn.
    pub fn round(&self) -> i32 {
        self.turn
    }

    /// Our own number: the seat.
    pub fn me(&self) -> usize {
        self.seat
    }

    /// Of each player; another word for `points`.
    pub fn score(&self) -> &[i32] {
        &self.points
    }

    /// The pioneers of a player, by id.
    pub fn pioneers(&self, player: usize) -> impl Iterator<Item = &CrematoriaUnit> + '_ {
        self.of(Kind::Pioneer).filter(move |unit| unit.player == Some(player))
    }

    /// The furyans of a player, by id.
    pub fn furyans(&self, player: usize) -> impl Iterator<Item = &CrematoriaUnit> + '_ {
        self.of(Kind::Furyan).filter(move |unit| unit.player == Some(player))
    }

    /// The living necromongers, the descending ones too, by id.
    pub fn necromongers(&self) -> impl Iterator<Item = &CrematoriaUnit> + '_ {
        self.of(Kind::Necromonger)
    }

    /// The hellhounds, by id.
    pub fn hellhounds(&self) -> impl Iterator<Item = &CrematoriaUnit> + '_ {
        self.of(Kind::Hellhound)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &CrematoriaUnit> + '_ {
        self.units.values().filter(move |unit| unit.kind == kind)
    }

    /// Whether the position lies on the board.
    pub fn pos_ok(&self, pos: Pos) -> bool {
        self.at.get(pos).is_some()
    }

    /// Whether units can stand there: on the board and no rock.
    pub fn passable(&self, pos: Pos) -> bool {
        let (i, j, k) = pos;
        match self.ground.get((i, j)) {
            Some(ground) => k == 1 || (k == 0 && ground != Ground::Rock),
            None => false,
        }
    }

    /// Whether there is an elevator at that row and column.
    pub fn elevator(&self, i: i32, j: i32) -> bool {
        self.elevators.binary_search(&(i, j)).is_ok()
    }

    /// Whether level 0 has a cave there, which can be owned; false outside the board.
    pub fn cave(&self, i: i32, j: i32) -> bool {
        self.ground.get((i, j)) == Some(Ground::Cave)
    }

    /// The player that owns a cell of level 0; `None`: nobody, as rock and elevators.
    pub fn owner(&self, i: i32, j: i32) -> Option<usize> {
        owner(&self.own, (i, j))
    }

    /// The unit on a cell, if any; a necromonger that still descends isn't on it.
    pub fn unit_at(&self, pos: Pos) -> Option<&CrematoriaUnit> {
        self.units.get(&self.at.get(pos)??)
    }

    /// Whether the cell is sunlit now, so that who steps there dies.
    pub fn daylight(&self, pos: Pos) -> bool {
        pos.2 == 1 && (pos.1 - self.sun).rem_euclid(self.cols) < self.cols / 2
    }

    /// How many rounds who stands there outlives in place: 0 in the sun and before sunrise.
    ///
    /// The sun takes two columns at the end of each round (`rules/crematoria.md 5.5`), so after a
    /// step to a cell with 0 of them, the unit burns in this very round.
    pub fn rounds_of_night(&self, pos: Pos) -> i32 {
        let half = self.cols / 2;
        let night = (pos.1 - self.sun - half).rem_euclid(self.cols);
        if night < half {
            night / 2
        } else {
            0
        }
    }

    /// Steps between two positions as if there were no rock: circular Chebyshev, no levels.
    pub fn distance(&self, a: Pos, b: Pos) -> i32 {
        let across = (a.1 - b.1).abs();
        (a.0 - b.0).abs().max(across.min(self.cols - across))
    }

    /// The ways out of a cell: each direction open to a unit, and the position it leads to.
    ///
    /// `Up` and `Down` are among them on elevators. Whether units, sun or hellhounds are there is
    /// another question.
    pub fn neighbours(&self, pos: Pos) -> impl Iterator<Item = (Direction, Pos)> + '_ {
        let (i, j, k) = pos;
        let lift = self.ground.get((i, j)) == Some(Ground::Elevator);
        let open = if lift { Direction::None } else { Direction::Up } as usize;
        Direction::ALL[..open].iter().filter_map(move |&d| {
            let (di, dj, dk) = d.delta();
            let other = (i + di, (j + dj).rem_euclid(self.cols), k + dk);
            self.passable(other).then_some((d, other))
        })
    }

    /// Of each position, how many steps it is from the nearest goal: around rock, by elevators.
    pub fn distances(&self, goals: &[Pos]) -> Distances<Pos> {
        self.distances_with(goals, Search::default())
    }

    /// The same, on some levels, around positions, or only near the goals.
    ///
    /// ```
    /// use lanista_client::crematoria::{CrematoriaState, Pos, Search};
    ///
    /// fn steps_underground(state: &CrematoriaState, from: Pos, to: Pos) -> Option<i32> {
    ///     let search = Search { levels: &[0], ..Search::default() };
    ///     state.distances_with(&[to], search).get(from)
    /// }
    /// ```
    pub fn distances_with(&self, goals: &[Pos], search: Search<'_>) -> Distances<Pos> {
        let Search { blocked, within, levels } = search;
        Distances::search((self.rows, self.cols), goals, blocked, within, |pos| {
            let ways = self.neighbours(pos).map(|(_, other)| other);
            ways.filter(|&(_, _, k)| levels.contains(&k))
        })
    }
}

impl GameState for CrematoriaState {
    type Order = Order;

    fn start(start: Arc<Start>) -> Result<Self, Unreadable> {
        start.expect_game("crematoria")?;
        let (rows, cols) = start.facts.size()?;
        let own = start.facts.board("row", rows, cols)?;
        let elevators = start.facts.cells("elevator")?;
        let mut ground = Grid::new::<(i32, i32)>(rows, cols, Ground::Rock);
        for (i, row) in (0..).zip(&own) {
            for (j, mark) in (0..).zip(row.bytes()) {
                match mark {
                    b'R' => {}
                    b'C' => ground.set((i, j), Ground::Cave),
                    _ => ground.set((i, j), Ground::Elevator),
                }
            }
        }
        Ok(Self {
            seat: start.seat,
            turn: 0,
            facts: Facts::default(),
            rows,
            cols,
            nb_rounds: start.needed_setting("nb_rounds")?,
            elevators,
            own,
            units: BTreeMap::new(),
            gems: Vec::new(),
            sun: 0,
            nb_cells: Vec::new(),
            nb_gems: Vec::new(),
            points: Vec::new(),
            status: Vec::new(),
            ground: Arc::new(ground),
            at: Grid::new::<Pos>(rows, cols, None),
            start,
        })
    }

    fn update(&mut self, turn: i32, facts: Facts) -> Result<(), Unreadable> {
        let players = self.start.players.len();
        self.turn = turn;
        self.own = facts.board("own", self.rows, self.cols)?;
        for unit in self.units.values() {
            self.at.set(unit.pos, None);
        }
        self.units.clear();
        facts.first("unit")?;
        for line in facts.lines("unit") {
            let unit = CrematoriaUnit::read(line)?;
            require(self.pos_ok(unit.pos), OUTSIDE)?;
            require(unit.player < Some(players), "a unit of no player")?;
            if unit.turns <= 0 {
                self.at.set(unit.pos, Some(unit.id));
            }
            self.units.insert(unit.id, unit);
        }
        self.gems = facts.cells("gem")?.into_iter().map(|(i, j)| (i, j, 1)).collect();
        require(self.gems.iter().all(|&gem| self.pos_ok(gem)), OUTSIDE)?;
        let [sun] = exactly(facts.first("sun")?)?;
        self.sun = sun.parse()?;
        require((0..self.cols).contains(&self.sun), OUTSIDE)?;
        self.nb_cells = facts.so_many("cells", players)?;
        self.nb_gems = facts.so_many("gems", players)?;
        self.points = facts.so_many("score", players)?;
        self.status = facts.so_many("status", players)?;
        self.facts = facts;
        Ok(())
    }
}
