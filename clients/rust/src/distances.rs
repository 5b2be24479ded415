//! Ways on a board: how many steps each cell is from the nearest of some goals.

/// A cell of a board, known by its coordinates.
pub trait Place: Copy + Eq {
    /// Its number on a board of so many rows and columns, from 0; `None` outside of it.
    fn index(self, rows: i32, cols: i32) -> Option<usize>;
    /// How many cells such a board has.
    fn cells(rows: i32, cols: i32) -> usize;
    /// Its row and column, and its level if the board has levels.
    fn coordinates(self) -> (i32, i32, Option<i32>);
}

impl Place for (i32, i32) {
    fn index(self, rows: i32, cols: i32) -> Option<usize> {
        let (i, j) = self;
        let inside = (0..rows).contains(&i) && (0..cols).contains(&j);
        inside.then(|| i as usize * cols as usize + j as usize)
    }

    fn cells(rows: i32, cols: i32) -> usize {
        rows as usize * cols as usize
    }

    fn coordinates(self) -> (i32, i32, Option<i32>) {
        (self.0, self.1, None)
    }
}

impl Place for (i32, i32, i32) {
    fn index(self, rows: i32, cols: i32) -> Option<usize> {
        let (i, j, k) = self;
        let level = <(i32, i32)>::cells(rows, cols) * usize::try_from(k).ok().filter(|&k| k < 2)?;
        Some(level + (i, j).index(rows, cols)?)
    }

    fn cells(rows: i32, cols: i32) -> usize {
        2 * <(i32, i32)>::cells(rows, cols)
    }

    fn coordinates(self) -> (i32, i32, Option<i32>) {
        (self.0, self.1, Some(self.2))
    }
}

/// A value for each cell of a board.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid<T> {
    rows: i32,
    cols: i32,
    values: Vec<T>,
}

impl<T: Copy> Grid<T> {
    pub fn new<P: Place>(rows: i32, cols: i32, value: T) -> Self {
        Self { rows, cols, values: vec![value; P::cells(rows, cols)] }
    }

    pub fn get<P: Place>(&self, place: P) -> Option<T> {
        self.values.get(place.index(self.rows, self.cols)?).copied()
    }

    /// A place outside of the board is passed over.
    pub fn set<P: Place>(&mut self, place: P, value: T) {
        if let Some(index) = place.index(self.rows, self.cols) {
            self.values[index] = value;
        }
    }
}

/// How many steps the cells of a board are from the nearest of some goals.
///
/// A cell that no way leads to has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances<P> {
    steps: Grid<i32>,
    nearest_first: Vec<(P, i32)>,
}

const FREE: i32 = -1;
const BLOCKED: i32 = -2;

impl<P: Place> Distances<P> {
    /// Goes from the goals by `ways`, which are the neighbours of a place, at most `within` steps.
    pub(crate) fn search<W: Iterator<Item = P>>(
        size: (i32, i32),
        goals: &[P],
        blocked: &[P],
        within: i32,
        ways: impl Fn(P) -> W,
    ) -> Self {
        let mut steps = Grid::new::<P>(size.0, size.1, FREE);
        for &place in blocked {
            steps.set(place, BLOCKED);
        }
        let mut nearest_first = Vec::new();
        for &goal in goals {
            if matches!(steps.get(goal), Some(FREE | BLOCKED)) {
                steps.set(goal, 0);
                nearest_first.push((goal, 0));
            }
        }
        let mut next = 0;
        while let Some(&(place, step)) = nearest_first.get(next) {
            if step >= within {
                break;
            }
            for other in ways(place) {
                if steps.get(other) == Some(FREE) {
                    steps.set(other, step + 1);
                    nearest_first.push((other, step + 1));
                }
            }
            next += 1;
        }
        Self { steps, nearest_first }
    }

    /// Steps from there to the nearest goal; `None`: no way leads there.
    pub fn get(&self, place: P) -> Option<i32> {
        self.steps.get(place).filter(|&steps| steps >= 0)
    }

    /// Every cell that a way leads to, and its steps, nearest first.
    pub fn iter(&self) -> std::slice::Iter<'_, (P, i32)> {
        self.nearest_first.iter()
    }

    /// How many cells a way leads to, the goals counted.
    pub fn len(&self) -> usize {
        self.nearest_first.len()
    }

    /// Whether no way leads anywhere: there was no goal.
    pub fn is_empty(&self) -> bool {
        self.nearest_first.is_empty()
    }
}

impl<'a, P: Place> IntoIterator for &'a Distances<P> {
    type Item = &'a (P, i32);
    type IntoIter = std::slice::Iter<'a, (P, i32)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
