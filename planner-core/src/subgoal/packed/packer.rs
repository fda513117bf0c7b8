//! Writes trees.

use super::{
    PackError, fingerprint,
    format::{
        CHECKSUM, COVER_AT, CRC, FINGERPRINT_AT, GOAL, HEADER, HEIGHT_AT, LENGTH_AT, MAGIC,
        NO_PATH, ROW, TREES_AT, VERSION, VERSION_AT, WIDTH_AT, u16_at,
    },
};
use crate::{
    Cell,
    graph::Graph,
    subgoal::{Sub, Tree},
};

/// The choice to write `Sub` of every cell with a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Cover {
    /// Written as runs of cells with the same subgoal: the robot begins with the right one.
    #[default]
    Written,
    /// Left out: the robot begins with the nearest one. For trees of very many goals.
    LeftOut,
}

/// Writes the trees of one map into a buffer. Not for a tick: it visits every cell of the map.
///
/// If the buffer is too small, the error says how large it must be.
///
/// ```
/// use planner_core::subgoal::packed::{Cover, Packed, Packer};
/// use planner_core::subgoal::{ExitRule, Grown, Source};
/// use planner_core::{map::AsFree, prelude::*, queue::Buckets};
///
/// const N: usize = capacity(9, 9);
/// let mut map = CellMap::<Array<N>>::new();
/// map.resize(9, 9)?;
/// let graph = map.view::<AsFree>();
/// let mut tree = Grown::<Array<N>, Array<16>>::allocate(Buckets::new(), N, 16, ExitRule::Safe);
/// tree.begin(&graph)?;
/// tree.change_goal(Cell::new(4, 4));
/// tree.advance(&graph, Budget::UNLIMITED, &mut Work::default());
///
/// let mut buffer = [0; 256];
/// let mut packer = Packer::new(&mut buffer, &graph, 1, Cover::Written);
/// packer.push(&tree)?;
/// let bytes = packer.finish()?;
/// let packed = Packed::read(bytes, &graph)?;
/// assert_eq!(packed.goals().next(), Some(Cell::new(4, 4)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Packer<'b> {
    out: Out<'b>,
    size: (u16, u16),
    cover: Cover,
    trees: usize,
    pushed: usize,
    last: Option<Cell>,
}

/// A buffer that goes on counting when it is full.
#[derive(Debug)]
struct Out<'b> {
    buffer: &'b mut [u8],
    at: usize,
}

impl Out<'_> {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        let place = self.buffer.get_mut(at..);
        if let Some(place) = place.and_then(|rest| rest.get_mut(..bytes.len())) {
            for (to, from) in place.iter_mut().zip(bytes) {
                *to = *from;
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.put(self.at, bytes);
        self.at = self.at.saturating_add(bytes.len());
    }

    fn push_16(&mut self, number: u16) {
        self.push(&number.to_le_bytes());
    }

    fn push_tree(
        &mut self,
        tree: &impl Tree,
        (width, height): (u16, u16),
        cover: Cover,
    ) -> Result<(), PackError> {
        self.push_16(number_16(tree.len())?);
        for number in 0..tree.len() {
            let subgoal = tree.subgoal(number).ok_or(PackError::Empty)?;
            self.push_16(subgoal.cell.x);
            self.push_16(subgoal.cell.y);
            self.push_16(number_16(subgoal.parent.unwrap_or(0))?);
        }
        for y in 0..height {
            for x in 0..width {
                if let Some(number) = tree.find(Cell::new(x, y)) {
                    self.push_16(number_16(number)?);
                }
            }
        }
        match cover {
            Cover::Written => self.push_cover(tree, (width, height)),
            Cover::LeftOut => Ok(()),
        }
    }

    fn push_cover(
        &mut self,
        tree: &impl Tree,
        (width, height): (u16, u16),
    ) -> Result<(), PackError> {
        let mut row_at = self.at;
        self.at = row_at.saturating_add((usize::from(height) + 1) * ROW);
        let mut runs: u32 = 0;
        for y in 0..height {
            self.put(row_at, &runs.to_le_bytes());
            row_at = row_at.saturating_add(ROW);
            let mut last = None;
            for x in 0..width {
                let sub = match tree.sub(Cell::new(x, y)) {
                    Sub::Of(number) => number_16(number)?,
                    Sub::NoPath | Sub::Unknown => NO_PATH,
                };
                if last != Some(sub) {
                    last = Some(sub);
                    self.push_16(x);
                    self.push_16(sub);
                    runs = runs.saturating_add(1);
                }
            }
        }
        self.put(row_at, &runs.to_le_bytes());
        Ok(())
    }
}

/// Writes one tree of a map of this many columns and rows, for [`Packer::push_packed`].
///
/// # Errors
/// The tree is empty or too large, or the buffer too small.
pub fn pack_tree<'b>(
    tree: &impl Tree,
    size: (u16, u16),
    cover: Cover,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], PackError> {
    if tree.subgoal(0).is_none() {
        return Err(PackError::Empty);
    }
    let mut out = Out { buffer, at: 0 };
    out.push_tree(tree, size, cover)?;
    let needed = out.at;
    let buffer: &'b [u8] = out.buffer;
    buffer.get(..needed).ok_or(PackError::NoRoom { needed })
}

fn number_16(number: usize) -> Result<u16, PackError> {
    match u16::try_from(number) {
        Ok(number) if number < NO_PATH => Ok(number),
        _ => Err(PackError::TooMany),
    }
}

impl<'b> Packer<'b> {
    /// A packer of so many trees of a map.
    pub fn new<G: Graph>(buffer: &'b mut [u8], graph: &G, trees: usize, cover: Cover) -> Self {
        let size = (graph.grid().width(), graph.grid().height());
        let mut out = Out { buffer, at: 0 };
        out.put(0, &MAGIC);
        out.put(VERSION_AT, &VERSION.to_le_bytes());
        let covered = u16::from(cover == Cover::Written);
        out.put(COVER_AT, &covered.to_le_bytes());
        out.put(FINGERPRINT_AT, &fingerprint(graph).to_le_bytes());
        out.put(WIDTH_AT, &size.0.to_le_bytes());
        out.put(HEIGHT_AT, &size.1.to_le_bytes());
        out.put(TREES_AT, &(trees as u32).to_le_bytes());
        out.at = GOAL.saturating_mul(trees).saturating_add(HEADER);
        Self {
            out,
            size,
            cover,
            trees,
            pushed: 0,
            last: None,
        }
    }

    /// Writes a tree for a goal of this map, which comes after the goals before, row by row.
    ///
    /// # Errors
    /// The tree is empty, too large or out of order; then it was not written.
    pub fn push(&mut self, tree: &impl Tree) -> Result<(), PackError> {
        let goal = tree.subgoal(0).ok_or(PackError::Empty)?.cell;
        let begin = self.list(goal)?;
        if let Err(error) = self.out.push_tree(tree, self.size, self.cover) {
            self.out.at = begin;
            return Err(error);
        }
        (self.pushed, self.last) = (self.pushed + 1, Some(goal));
        Ok(())
    }

    /// Writes a tree that was [packed alone](pack_tree), for this map and with the same cover: many
    /// can be, at the same time.
    ///
    /// # Errors
    /// The tree is empty or out of order; then it was not written.
    pub fn push_packed(&mut self, tree: &[u8]) -> Result<(), PackError> {
        let goal = u16_at(tree, 2).zip(u16_at(tree, 4));
        let (x, y) = goal.ok_or(PackError::Empty)?;
        self.list(Cell::new(x, y))?;
        self.out.push(tree);
        (self.pushed, self.last) = (self.pushed + 1, Some(Cell::new(x, y)));
        Ok(())
    }

    /// Puts a goal into the list, for a tree that begins here.
    fn list(&mut self, goal: Cell) -> Result<usize, PackError> {
        let in_order = self
            .last
            .is_none_or(|last| (last.y, last.x) < (goal.y, goal.x));
        if self.pushed >= self.trees || !in_order {
            return Err(PackError::OutOfOrder);
        }
        let begin = self.out.at;
        let at = HEADER + self.pushed * GOAL;
        self.out.put(at, &goal.x.to_le_bytes());
        self.out.put(at + 2, &goal.y.to_le_bytes());
        let offset = u32::try_from(begin).map_err(|_| PackError::TooMany)?;
        self.out.put(at + 4, &offset.to_le_bytes());
        Ok(begin)
    }

    /// Writes the checksum and returns all that was written.
    ///
    /// # Errors
    /// The buffer is too small, or not all trees were written.
    pub fn finish(mut self) -> Result<&'b [u8], PackError> {
        if self.pushed != self.trees {
            return Err(PackError::OutOfOrder);
        }
        let end = self.out.at;
        let needed = end.saturating_add(CHECKSUM);
        let length = u32::try_from(needed).map_err(|_| PackError::TooMany)?;
        self.out.put(LENGTH_AT, &length.to_le_bytes());
        let sum = match self.out.buffer.get(..end) {
            Some(content) => CRC.checksum(content),
            None => return Err(PackError::NoRoom { needed }),
        };
        self.out.push(&sum.to_le_bytes());
        let buffer: &'b [u8] = self.out.buffer;
        buffer.get(..needed).ok_or(PackError::NoRoom { needed })
    }
}
