//! A micromouse in mms.

use std::{
    io::{BufRead, Write},
    ops::ControlFlow,
};

use anyhow::{Context, bail};
use planner_core::{Cell, Decision, Observation, Side, explore::Phase, search::TurnCosts};

use super::Link;
use crate::{
    catalog::{Explorer, Name, Task, build_explorer},
    environment::Environment,
    micromouse::{name, path_with_turns},
    walk::{Limits, Outcome, walk_watched},
    world::{Maze, scenario::occupancy},
};

/// The color of cells on the path that the mouse drives.
const PATH: char = 'c';
/// The color of cells that the mouse has visited.
const VISITED: char = 'G';
/// The color of all other cells.
const BLANK: char = 'k';

/// Drives a mouse in mms with a planner; phases and score go to `log`. With `turn_costs`, the run counts turns.
///
/// # Errors
/// The connection failed, or there is no path to the goal.
pub fn drive<R: BufRead, W: Write>(
    link: Link<R, W>,
    planner: Name,
    turn_costs: Option<TurnCosts>,
    mut log: impl FnMut(&str),
) -> anyhow::Result<()> {
    let mut mouse = Mouse::new(link)?;
    let explorer = build_explorer(planner, &mouse.known, &Task::in_maze(&mouse.known));
    let mut explorer = explorer.with_context(|| planner.to_string())?;
    mouse.explore(&mut *explorer, turn_costs, &mut log)
}

/// The mouse in mms, and the map that is shown there.
struct Mouse<R, W> {
    link: Link<R, W>,
    /// The walls seen so far; where none was seen there is none.
    known: Maze,
    visited: Vec<bool>,
    /// The numbers that mms shows.
    shown: Vec<Option<u32>>,
    /// The cells that mms shows as the path, in the order of driving.
    path: Vec<Cell>,
    /// The cell that the mouse is in once all pending steps are made.
    at: Cell,
    heading: Side,
    /// Steps ahead that mms was not told of yet: they are made in one command.
    ahead: u32,
}

/// An answer of mms to a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    Yes,
    /// The mouse was put back to the start instead.
    Reset,
}

impl<R: BufRead, W: Write> Environment for Mouse<R, W> {
    /// Looks at the walls around a cell that is new, and shows them. Known cells are passed without.
    fn sense(&mut self, at: Cell, seen: &mut Vec<Observation>) -> anyhow::Result<()> {
        if self.has_visited(at) {
            return Ok(());
        }
        let [front, left, right] = self.link.walls()?;
        let heading = self.heading;
        for (side, stands) in [
            (heading, front),
            (heading.left(), left),
            (heading.right(), right),
        ] {
            seen.push(Observation::Wall(at, side, occupancy(stands)));
            if stands {
                self.known.set_wall(at, side, true);
                self.link.show_wall(at, side)?;
            }
        }
        // The mouse came from behind, or stands with its back to the outer wall.
        let behind = heading.opposite();
        if at
            .neighbor(behind)
            .is_some_and(|cell| self.known.contains(cell))
        {
            seen.push(Observation::Wall(at, behind, occupancy(false)));
        }
        let index = self.index(at).context("the mouse left the maze")?;
        self.visited[index] = true;
        if !self.path.contains(&at) {
            self.link.color(at, VISITED)?;
        }
        self.show_distances()
    }
}

impl<R: BufRead, W: Write> Mouse<R, W> {
    fn new(mut link: Link<R, W>) -> anyhow::Result<Self> {
        let (width, height) = link.size()?;
        let cells = usize::from(width) * usize::from(height);
        let known = Maze::open(width.into(), height.into())?;
        Ok(Self {
            link,
            visited: vec![false; cells],
            shown: vec![None; cells],
            path: Vec::new(),
            at: known.start,
            heading: Side::North,
            ahead: 0,
            known,
        })
    }

    /// Goes through all phases, and again from the start when mms puts the mouse back there.
    fn explore(
        &mut self,
        explorer: &mut dyn Explorer,
        turn_costs: Option<TurnCosts>,
        log: &mut impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let mut logged = Vec::new();
        loop {
            let mut moved = Moved::Yes;
            let limits = Limits::new(None, u64::MAX);
            let start = self.known.start;
            let walk = walk_watched(explorer, self, start, limits, |explorer, mouse, tick| {
                let phase = name(explorer.phase());
                if !logged.contains(&phase) {
                    logged.push(phase);
                    log(phase);
                }
                if explorer.phase() == Phase::Run && turn_costs.is_some() {
                    return Ok(ControlFlow::Break(()));
                }
                if let Decision::Step(next) = tick.decision {
                    moved = mouse.follow(path_from(explorer, next, mouse.visited.len()))?;
                }
                Ok(match moved {
                    Moved::Yes => ControlFlow::Continue(()),
                    Moved::Reset => ControlFlow::Break(()),
                })
            })?;
            if walk.outcome == Outcome::Unreachable {
                bail!("there is no path to the goal");
            }
            if let (Moved::Yes, Phase::Run, Some(costs)) = (moved, explorer.phase(), turn_costs) {
                moved = self.run_with_turns(costs)?;
            }
            if moved == Moved::Yes && self.advance()? == Moved::Yes {
                let score = self.link.score()?;
                log(&format!("score {score}"));
                return Ok(self.link.flush()?);
            }
            if explorer.phase() == Phase::Done {
                explorer.run_again()?;
            }
        }
    }

    /// Runs from the start to the goal by the path that costs least with turns, over visited cells.
    fn run_with_turns(&mut self, costs: TurnCosts) -> anyhow::Result<Moved> {
        let visited = self.known.cells().zip(&self.visited);
        let visited = visited.filter(|(_, is_visited)| **is_visited);
        let visited: Vec<Cell> = visited.map(|(cell, _)| cell).collect();
        let path = path_with_turns(&self.known, &visited, (self.at, self.heading), costs)?;
        for step in 0..path.len() {
            if self.follow(path[step..].to_vec())? == Moved::Reset {
                return Ok(Moved::Reset);
            }
        }
        Ok(Moved::Yes)
    }

    /// Makes the first step of a path, and shows the path before.
    fn follow(&mut self, path: Vec<Cell>) -> anyhow::Result<Moved> {
        if !self.path.ends_with(&path) {
            // Steps along the path that is shown still are made before it changes.
            if self.advance()? == Moved::Reset {
                return Ok(Moved::Reset);
            }
            self.show_path(&path)?;
        }
        let next = *path.first().context("a path without a step")?;
        let side = Side::between(self.at, next).context("a step to a cell that is not adjacent")?;
        if side != self.heading {
            if self.advance()? == Moved::Reset {
                return Ok(Moved::Reset);
            }
            if side == self.heading.left() {
                self.link.turn_left()?;
            } else {
                self.link.turn_right()?;
                if side != self.heading.right() {
                    self.link.turn_right()?;
                }
            }
            self.heading = side;
        }
        (self.at, self.ahead) = (next, self.ahead + 1);
        match self.has_visited(next) {
            true => Ok(Moved::Yes),
            false => self.advance(),
        }
    }

    /// Makes the steps that are pending.
    fn advance(&mut self) -> anyhow::Result<Moved> {
        if self.link.was_reset()? {
            self.link.clear_colors()?;
            self.path.clear();
            for (cell, _) in self.known.cells().zip(&self.visited).filter(|c| *c.1) {
                self.link.color(cell, VISITED)?;
            }
            self.link.go_back()?;
            (self.at, self.heading, self.ahead) = (self.known.start, Side::North, 0);
            return Ok(Moved::Reset);
        }
        if self.ahead > 0 {
            self.link.forward(self.ahead)?;
            self.ahead = 0;
        }
        Ok(Moved::Yes)
    }

    /// Shows the distances to the goal on the known map, where they have changed.
    fn show_distances(&mut self) -> anyhow::Result<()> {
        let distances = self.known.distances(&self.known.goals);
        for (cell, (old, new)) in self.known.cells().zip(self.shown.iter_mut().zip(distances)) {
            if *old != new {
                self.link.write(cell, new)?;
                *old = new;
            }
        }
        Ok(())
    }

    /// Colors a path, and nothing else as a path.
    fn show_path(&mut self, path: &[Cell]) -> anyhow::Result<()> {
        let old = std::mem::replace(&mut self.path, path.to_vec());
        for &cell in old.iter().filter(|cell| !path.contains(cell)) {
            let is_visited = self.has_visited(cell);
            self.link
                .color(cell, if is_visited { VISITED } else { BLANK })?;
        }
        for &cell in path.iter().filter(|cell| !old.contains(cell)) {
            self.link.color(cell, PATH)?;
        }
        Ok(())
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        self.known.index(cell)
    }

    fn has_visited(&self, cell: Cell) -> bool {
        self.index(cell).is_some_and(|index| self.visited[index])
    }
}

/// The planned path from its next cell on, of at most so many cells and without a cell twice.
fn path_from(explorer: &dyn Explorer, next: Cell, most: usize) -> Vec<Cell> {
    let mut path = vec![next];
    let mut at = next;
    while let Some(next) = explorer.next_on_path(at) {
        if path.len() >= most || path.contains(&next) {
            break;
        }
        path.push(next);
        at = next;
    }
    path
}
