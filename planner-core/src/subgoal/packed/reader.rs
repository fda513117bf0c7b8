//! Reads trees where they are.

use super::{
    PackedError, fingerprint,
    format::{
        CHECKSUM, COVER_AT, CRC, FINGERPRINT_AT, GOAL, HEADER, HEIGHT_AT, LENGTH_AT, MAGIC,
        NO_PATH, NUMBER, ROW, RUN, SUBGOAL, TREES_AT, VERSION, VERSION_AT, WIDTH_AT, u16_at,
        u32_at,
    },
};
use crate::{
    BuildError, Cell,
    graph::{Graph, Trend},
    planner::{Budget, Work},
    subgoal::{Growth, Source, Sub, Subgoal, Tree},
};

/// Trees of a map in bytes that stay where they are, as in a constant in flash: this takes a few words
/// of memory. A subgoal is found by binary search.
///
/// It acts as the tree of one goal at a time. For a goal that has none, and after a cost has risen, it
/// is empty, and [`SubgoalLrta`](crate::subgoal::SubgoalLrta) goes on by plain LRTA*.
///
/// ```
/// use planner_core::{map::AsFree, prelude::*, subgoal::packed::{Packed, PackedError}};
///
/// let mut map = CellMap::<Array<{ capacity(9, 9) }>>::new();
/// map.resize(9, 9)?;
/// static FLASH: [u8; 28] = [0xff; 28]; // erased
/// assert_eq!(Packed::read(&FLASH, &map.view::<AsFree>()).err(), Some(PackedError::NotTrees));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Packed<'b> {
    /// Header, goals and trees, without the checksum.
    bytes: &'b [u8],
    size: (u16, u16),
    trees: usize,
    is_covered: bool,
    /// True if the map has changed so that the trees no longer hold.
    is_outdated: bool,
    tree: Option<View<'b>>,
}

/// The tree of one goal: its parts.
#[derive(Clone, Copy, Debug)]
struct View<'b> {
    subgoals: &'b [[u8; SUBGOAL]],
    /// The same, by cell.
    numbers: &'b [[u8; NUMBER]],
    /// With a cover, one for each row and one behind the last; else empty.
    rows: &'b [[u8; ROW]],
    runs: &'b [[u8; RUN]],
}

/// Takes `count` chunks from the front of `bytes`.
fn take<'b, const N: usize>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [[u8; N]]> {
    let (chunks, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
    *bytes = rest;
    Some(chunks.as_chunks().0)
}

/// The first of `0..count` for which `is_low` does not hold, where it holds up to some point.
fn first_high(count: usize, is_low: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_low(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl<'b> View<'b> {
    /// The tree that begins at the front of `bytes`, if its parts are all there.
    fn read(mut bytes: &'b [u8], rows: usize, is_covered: bool) -> Option<Self> {
        let [count] = take::<2>(&mut bytes, 1)? else {
            return None;
        };
        let count = u16::from_le_bytes(*count).into();
        let subgoals = take(&mut bytes, count)?;
        let numbers = take(&mut bytes, count)?;
        let (mut by_row, mut runs): (&[_], &[_]) = (&[], &[]);
        if is_covered {
            by_row = take(&mut bytes, rows.checked_add(1)?)?;
            let count = u32::from_le_bytes(*by_row.last()?);
            runs = take(&mut bytes, count as usize)?;
        }
        Some(Self {
            subgoals,
            numbers,
            rows: by_row,
            runs,
        })
    }

    fn subgoal(&self, number: usize) -> Option<(Cell, usize)> {
        let &[x0, x1, y0, y1, p0, p1] = self.subgoals.get(number)?;
        let cell = Cell::new(u16::from_le_bytes([x0, x1]), u16::from_le_bytes([y0, y1]));
        Some((cell, u16::from_le_bytes([p0, p1]).into()))
    }

    /// The cell and the number of the subgoal at a place in the order of cells.
    fn by_cell(&self, place: usize) -> Option<(Cell, usize)> {
        let number = u16::from_le_bytes(*self.numbers.get(place)?).into();
        Some((self.subgoal(number)?.0, number))
    }

    fn find(&self, cell: Cell) -> Option<usize> {
        let place = first_high(self.numbers.len(), |place| {
            self.by_cell(place)
                .is_some_and(|(at, _)| (at.y, at.x) < (cell.y, cell.x))
        });
        let (at, number) = self.by_cell(place)?;
        (at == cell).then_some(number)
    }

    fn runs_before(&self, row: usize) -> Option<usize> {
        let count = u32::from_le_bytes(*self.rows.get(row)?);
        Some(count as usize)
    }

    fn run(&self, number: usize) -> Option<(u16, u16)> {
        let &[x0, x1, s0, s1] = self.runs.get(number)?;
        Some((u16::from_le_bytes([x0, x1]), u16::from_le_bytes([s0, s1])))
    }

    /// `None` without a cover.
    fn sub(&self, cell: Cell) -> Option<Sub> {
        let from = self.runs_before(cell.y.into())?;
        let to = self.runs_before(usize::from(cell.y) + 1)?;
        let after = first_high(to.saturating_sub(from), |place| {
            self.run(from + place).is_some_and(|(x, _)| x <= cell.x)
        });
        let (_, sub) = self.run(from + after.checked_sub(1)?)?;
        Some(match sub {
            NO_PATH => Sub::NoPath,
            number => Sub::Of(number.into()),
        })
    }

    /// Returns whether it is the tree of a goal as a packer writes it.
    fn is_sound(&self, goal: Cell, (width, height): (u16, u16)) -> bool {
        let count = self.subgoals.len();
        let is_subgoal = |number| {
            self.subgoal(number).is_some_and(|(cell, parent)| {
                let is_root = number == 0 && parent == 0 && cell == goal;
                cell.x < width && cell.y < height && (is_root || parent < number)
            })
        };
        let key = |place| self.by_cell(place).map(|(cell, _)| (cell.y, cell.x));
        let in_order = |place| place == 0 || key(place - 1) < key(place);
        let is_row = |row| {
            row == 0 && self.runs_before(0) == Some(0)
                || row > 0 && self.runs_before(row - 1) < self.runs_before(row)
        };
        let is_run = |run| {
            self.run(run)
                .is_some_and(|(x, sub)| x < width && (sub == NO_PATH || usize::from(sub) < count))
        };
        count > 0
            && (0..count).all(|n| is_subgoal(n) && key(n).is_some() && in_order(n))
            && (0..self.rows.len()).all(is_row)
            && (0..self.runs.len()).all(is_run)
    }
}

impl<'b> Packed<'b> {
    /// Reads trees that were made for this map. Takes time in proportion to the map and to the bytes,
    /// once.
    ///
    /// # Errors
    /// The bytes are no trees, of another version, cut short, damaged, or made for another map.
    pub fn read(bytes: &'b [u8], graph: &impl Graph) -> Result<Self, PackedError> {
        let made_for = check(bytes)?;
        let found = fingerprint(graph);
        if made_for != found {
            return Err(PackedError::OtherMap { made_for, found });
        }
        let grid = graph.grid();
        let packed = Self::parse(bytes).ok_or(PackedError::Malformed)?;
        if packed.size != (grid.width(), grid.height()) || !packed.is_sound() {
            return Err(PackedError::Malformed);
        }
        Ok(packed)
    }

    fn parse(bytes: &'b [u8]) -> Option<Self> {
        let end = bytes.len().checked_sub(CHECKSUM)?;
        Some(Self {
            bytes: bytes.get(..end)?,
            size: (u16_at(bytes, WIDTH_AT)?, u16_at(bytes, HEIGHT_AT)?),
            trees: u32_at(bytes, TREES_AT)? as usize,
            is_covered: match u16_at(bytes, COVER_AT)? {
                0 => false,
                1 => true,
                _ => return None,
            },
            is_outdated: false,
            tree: None,
        })
    }

    /// Returns whether the goals come row by row and each has its tree.
    fn is_sound(&self) -> bool {
        let mut last = None;
        let mut is_tree = |place| {
            let Some((goal, view)) = self.goal(place).zip(self.view(place)) else {
                return false;
            };
            let key = (goal.y, goal.x);
            let in_order = last.is_none_or(|last| last < key);
            last = Some(key);
            in_order && view.is_sound(goal, self.size)
        };
        (0..self.trees).all(&mut is_tree)
    }

    /// The goals that have a tree, row by row.
    pub fn goals(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.trees).map_while(|place| self.goal(place))
    }

    /// The goal with this place in the list.
    fn goal(&self, place: usize) -> Option<Cell> {
        let at = place.checked_mul(GOAL)?.checked_add(HEADER)?;
        let (x, y) = (u16_at(self.bytes, at)?, u16_at(self.bytes, at + 2)?);
        Some(Cell::new(x, y))
    }

    /// The tree of the goal with this place in the list.
    fn view(&self, place: usize) -> Option<View<'b>> {
        let at = place.checked_mul(GOAL)?.checked_add(HEADER + 4)?;
        let begin = u32_at(self.bytes, at)? as usize;
        let bytes = self.bytes.get(begin..)?;
        View::read(bytes, self.size.1.into(), self.is_covered)
    }

    /// Turns to the tree of a goal; `false`, and empty, when there is none.
    pub fn choose(&mut self, goal: Cell) -> bool {
        let place = first_high(self.trees, |place| {
            self.goal(place)
                .is_some_and(|at| (at.y, at.x) < (goal.y, goal.x))
        });
        self.tree = match self.goal(place) {
            Some(found) if place < self.trees && found == goal && !self.is_outdated => {
                self.view(place)
            }
            _ => None,
        };
        self.tree.is_some()
    }
}

/// Checks everything that does not depend on the map, and returns the fingerprint.
fn check(bytes: &[u8]) -> Result<u32, PackedError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(PackedError::NotTrees);
    }
    let given = bytes.len();
    let short = |written| PackedError::WrongLength { written, given };
    let least = (HEADER + CHECKSUM) as u32;
    let found = u16_at(bytes, VERSION_AT).ok_or(short(least))?;
    if found != VERSION {
        return Err(PackedError::WrongVersion { found });
    }
    let written = u32_at(bytes, LENGTH_AT).ok_or(short(least))?;
    if written as usize != given || written < least {
        return Err(short(written));
    }
    let (content, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(short(least))?;
    if CRC.checksum(content) != u32::from_le_bytes(*sum) {
        return Err(PackedError::Damaged);
    }
    u32_at(bytes, FINGERPRINT_AT).ok_or(short(least))
}

impl Tree for Packed<'_> {
    fn len(&self) -> usize {
        self.tree.map_or(0, |tree| tree.subgoals.len())
    }

    fn subgoal(&self, number: usize) -> Option<Subgoal> {
        let (cell, parent) = self.tree?.subgoal(number)?;
        Some(Subgoal {
            cell,
            parent: (number > 0).then_some(parent),
        })
    }

    fn find(&self, cell: Cell) -> Option<usize> {
        self.tree?.find(cell)
    }

    fn sub(&self, cell: Cell) -> Sub {
        self.tree
            .and_then(|tree| tree.sub(cell))
            .unwrap_or(Sub::Unknown)
    }
}

impl Source for Packed<'_> {
    /// On another map than the trees were made for there are none.
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        self.is_outdated = u32_at(self.bytes, FINGERPRINT_AT) != Some(fingerprint(graph));
        self.tree = self.tree.filter(|_| !self.is_outdated);
        Ok(())
    }

    fn change_goal(&mut self, goal: Cell) {
        self.choose(goal);
    }

    fn world_changed(&mut self, trend: Trend) {
        // A path may be blocked now, or a subgoal cut off. When costs fall, every path stays.
        if trend == Trend::Rise {
            (self.is_outdated, self.tree) = (true, None);
        }
    }

    fn advance<G: Graph>(&mut self, _graph: &G, _budget: Budget, _work: &mut Work) -> Growth {
        Growth::Done
    }
}
