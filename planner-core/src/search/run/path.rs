//! The path that a search for a run has found, step by step.

use super::{RunProgress, RunSearch, Stage, View, view};
use crate::{
    Cell, Side,
    graph::{Graph, cell_after},
    map::{AsFree, Map},
    storage::Storage,
    width::Width,
};

/// A position on the path of a run: a cell, and the straight on which it was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RunPosition {
    cell: Cell,
    /// The number of a side.
    heading: u8,
    /// Start of the straight.
    origin: u8,
    /// Cells entered since then, less one.
    cells: u16,
    /// The time from there to the goal.
    time: usize,
}

/// The straight begins here, at rest. Origins are numbers and no enum: then a search that has no position is all zero.
const HERE: u8 = 0;
/// It began at rest.
const REST: u8 = 1;
/// It began at the end of a turn.
const TURN: u8 = 2;

impl RunPosition {
    /// A position before the first search.
    pub(super) const ZERO: Self = Self {
        cell: Cell::new(0, 0),
        heading: 0,
        origin: HERE,
        cells: 0,
        time: 0,
    };

    /// Returns whether the robot rests here before its first step.
    pub(super) const fn is_start(&self) -> bool {
        self.origin == HERE
    }

    /// Returns the cell.
    #[must_use]
    pub const fn cell(&self) -> Cell {
        self.cell
    }

    /// Returns the heading with which the robot entered the cell; at the start, that of its first step.
    #[must_use]
    pub const fn heading(&self) -> Side {
        Side::ALL[self.heading as usize & 3]
    }
}

/// The next step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RunStep {
    /// On to the next cell, straight ahead if its heading is the same, and else by a turn.
    To(RunPosition),
    /// The run ends here.
    Arrived,
    /// A wall blocks the path, or no path was found.
    Blocked,
}

impl<S: Storage, W: Width> RunSearch<S, W> {
    /// Returns the first position of the path found.
    pub fn start(&self) -> Option<RunPosition> {
        match self.stage {
            Stage::Done(RunProgress::Found) => Some(self.first()),
            _ => None,
        }
    }

    /// The first position of the best path so far, if there is one.
    pub(super) fn first(&self) -> RunPosition {
        let (heading, time) = self
            .start
            .map_or((0, 0), |start| (start.heading as u8, start.driven));
        RunPosition {
            cell: self.robot.0,
            heading,
            origin: HERE,
            cells: 0,
            time,
        }
    }

    /// Returns the step from a position of the path found. Takes constant time.
    pub fn follow<M: Map>(&self, map: &M, position: RunPosition) -> RunStep {
        self.follow_in(&view(map, self.unknown), position)
    }

    /// Returns the step of a robot that is `at` a cell: of its path, after the one that it was in when this was last asked
    /// for, or the same. `None` if it is elsewhere, or nothing was found: then the search must begin again.
    pub fn next<M: Map>(&mut self, map: &M, at: Cell) -> Option<RunStep> {
        if self.stage != Stage::Done(RunProgress::Found) {
            return None;
        }
        let mut step = self.follow(map, self.position);
        if let RunStep::To(next) = step
            && at == next.cell
        {
            self.position = next;
            step = self.follow(map, next);
        }
        (at == self.position.cell).then_some(step)
    }

    /// Returns the cell after another on the path from the robot on. Takes time in proportion to the path.
    pub(crate) fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        let mut at = self.start().and(Some(self.position))?;
        // A path has at most as many steps as there are states.
        for _ in 0..4 * map.view::<AsFree>().grid().vertices() {
            match self.follow(map, at) {
                RunStep::To(next) if at.cell == cell => return Some(next.cell),
                RunStep::To(next) => at = next,
                RunStep::Arrived | RunStep::Blocked => return None,
            }
        }
        None
    }

    /// The robot turns, or stops, where the time adds up; before that it drives on.
    pub(super) fn follow_in(
        &self,
        graph: &View<impl Graph, impl Graph>,
        at: RunPosition,
    ) -> RunStep {
        let Ok(vertex) = graph.grid().vertex(at.cell) else {
            return RunStep::Blocked;
        };
        let heading = usize::from(at.heading);
        let passable = |m: usize| {
            let into = graph.grid().neighbor(vertex, m);
            graph.beyond(vertex, m, into)
        };
        let cells = usize::from(at.cells);
        let (to_goal, to_turn) = match at.origin {
            HERE => (0, 0),
            REST => (
                self.times.rest_to_rest(cells + 1),
                self.times.from_rest(cells),
            ),
            _ => (self.times.from_rest(cells), self.times.straight(cells)),
        };
        if to_goal == at.time && self.goals.contains(at.cell) {
            return RunStep::Arrived;
        }
        if at.origin != HERE {
            let straight_and_turn = to_turn.saturating_add(self.times.turn());
            for m in [(heading + 1) % 4, (heading + 3) % 4] {
                if let Some(into) = passable(m)
                    && let time = self.g(into.wrapping_mul(4) + m)
                    && straight_and_turn.saturating_add(time) == at.time
                {
                    return RunStep::To(RunPosition {
                        cell: cell_after(at.cell, m),
                        heading: m as u8,
                        origin: TURN,
                        cells: 0,
                        time,
                    });
                }
            }
        }
        let (origin, cells) = match at.origin {
            HERE => (REST, 0),
            origin => (origin, at.cells.saturating_add(1)),
        };
        match passable(heading) {
            Some(_) => RunStep::To(RunPosition {
                cell: cell_after(at.cell, heading),
                origin,
                cells,
                ..at
            }),
            None => RunStep::Blocked,
        }
    }
}
