//! The path that a search for a run has found, step by step.

use super::{RunProgress, RunSearch, Stage, UnknownAs};
use crate::{
    Cell, Side,
    graph::{Graph, cell_after},
    map::{AsBlocked, AsFree, Map},
    storage::Storage,
    width::Width,
};

/// A position on the path of a run: a cell, and the straight on which it was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RunPosition {
    cell: Cell,
    heading: Side,
    /// Cells entered since the straight began, less one.
    cells: u16,
    /// True if the straight began at rest.
    is_from_rest: bool,
    /// True before the first step: the robot rests.
    is_start: bool,
    /// The time from the begin of the straight to the goal.
    time: usize,
}

impl RunPosition {
    /// Returns the cell.
    #[must_use]
    pub const fn cell(&self) -> Cell {
        self.cell
    }

    /// Returns the heading with which the robot entered the cell; at the start, that of its first step.
    #[must_use]
    pub const fn heading(&self) -> Side {
        self.heading
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
    /// A wall is in the way, or nothing was found.
    Blocked,
}

impl<S: Storage, W: Width> RunSearch<S, W> {
    /// Returns the first position of the path found.
    pub fn start(&self) -> Option<RunPosition> {
        match self.stage {
            Stage::Done(RunProgress::Found) => self.first(),
            _ => None,
        }
    }

    /// The first position of the best path so far.
    pub(super) fn first(&self) -> Option<RunPosition> {
        self.start.map(|start| RunPosition {
            cell: self.robot.0,
            heading: Side::ALL[start.heading & 3],
            cells: 0,
            is_from_rest: true,
            is_start: true,
            time: start.driven,
        })
    }

    /// Returns the step from a position of the path found. Takes constant time.
    pub fn follow<M: Map>(&self, map: &M, position: RunPosition) -> RunStep {
        match self.unknown {
            UnknownAs::Blocked => self.follow_in(&map.view::<AsBlocked>(), position),
            UnknownAs::Free => self.follow_in(&map.view::<AsFree>(), position),
        }
    }

    /// Returns the step of a robot that is `at` a cell: of its path, after the one that it was in when this was last asked
    /// for, or the same. `None` if it is elsewhere, or nothing was found: then the search must begin again.
    pub fn next<M: Map>(&mut self, map: &M, at: Cell) -> Option<RunStep> {
        let mut position = match self.stage {
            Stage::Done(RunProgress::Found) => self.position.or(self.first())?,
            _ => return None,
        };
        let mut step = self.follow(map, position);
        if let RunStep::To(next) = step
            && at == next.cell
        {
            position = next;
            step = self.follow(map, position);
        }
        self.position = Some(position);
        (at == position.cell).then_some(step)
    }

    /// The robot turns, or stops, where the time adds up; before that it drives on.
    pub(super) fn follow_in(&self, graph: &impl Graph, at: RunPosition) -> RunStep {
        let Ok(vertex) = graph.grid().vertex(at.cell) else {
            return RunStep::Blocked;
        };
        let (moves, heading) = (graph.moves(vertex), at.heading as usize);
        let is_open = |m: usize| {
            let into = graph.grid().neighbor(vertex, m);
            (moves.contains(m) && graph.is_passable(into)).then_some(into)
        };
        let to = |m: usize| (cell_after(at.cell, m), Side::ALL[m & 3]);
        let cells = usize::from(at.cells);
        if at.is_start && self.goals.contains(at.cell) {
            return RunStep::Arrived;
        }
        if !at.is_start {
            let (to_goal, to_turn) = match at.is_from_rest {
                true => (
                    self.times.rest_to_rest(cells + 1),
                    self.times.from_rest(cells),
                ),
                false => (self.times.from_rest(cells), self.times.straight(cells)),
            };
            if to_goal == at.time && self.goals.contains(at.cell) {
                return RunStep::Arrived;
            }
            let straight_and_turn = to_turn.saturating_add(self.times.turn());
            for m in [(heading + 1) % 4, (heading + 3) % 4] {
                if let Some(into) = is_open(m)
                    && let time = self.g(into.wrapping_mul(4) + m)
                    && straight_and_turn.saturating_add(time) == at.time
                {
                    let (cell, heading) = to(m);
                    return RunStep::To(RunPosition {
                        cell,
                        heading,
                        cells: 0,
                        is_from_rest: false,
                        is_start: false,
                        time,
                    });
                }
            }
        }
        match is_open(heading) {
            Some(_) => RunStep::To(RunPosition {
                cell: to(heading).0,
                cells: if at.is_start {
                    0
                } else {
                    at.cells.saturating_add(1)
                },
                is_start: false,
                ..at
            }),
            None => RunStep::Blocked,
        }
    }
}
