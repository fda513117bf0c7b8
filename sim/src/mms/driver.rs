//! A micromouse in mms.

use std::{
    io::{BufRead, Write},
    ops::ControlFlow,
};

use anyhow::{Context, bail};
use planner_core::{Cell, Observation, Side, explore::Phase};

use super::Link;
use crate::{
    catalog::{Explorer, Name, build_explorer},
    environment::Environment,
    micromouse::name,
    walk::{Limits, Outcome, walk_watched},
    world::{Maze, scenario::occupancy},
};

/// The color of cells on the planned path.
const PLAN: char = 'c';
/// The color of cells that the mouse has visited.
const VISITED: char = 'G';
/// The color of all other cells.
const BLANK: char = 'k';

/// Drives a mouse in mms with a planner; phases and score go to `log`.
///
/// # Errors
/// The connection failed, or there is no path to the goal.
pub fn drive<R: BufRead, W: Write>(
    link: Link<R, W>,
    planner: Name,
    mut log: impl FnMut(&str),
) -> anyhow::Result<()> {
    let mut mouse = Mouse::new(link)?;
    let mut explorer =
        build_explorer(planner, &mouse.known, None).with_context(|| planner.to_string())?;
    mouse.explore(&mut *explorer, &mut log)
}

/// The mouse in mms, and the map that is shown there.
struct Mouse<R, W> {
    link: Link<R, W>,
    /// The walls seen so far; where none was seen there is none.
    known: Maze,
    visited: Vec<bool>,
    /// The numbers that mms shows.
    shown: Vec<Option<u32>>,
    /// The cells that mms shows as the plan.
    plan: Vec<Cell>,
    /// True if the walls of a cell were seen since the plan was shown.
    is_plan_due: bool,
    heading: Side,
    /// Steps ahead that mms was not told of yet: they are made in one command.
    ahead: u32,
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
        self.is_plan_due = true;
        self.link.color(at, VISITED)?;
        self.show_distances()
    }

    fn step(&mut self, from: Cell, to: Cell) -> anyhow::Result<Cell> {
        let side = Side::between(from, to).context("a step to a cell that is not adjacent")?;
        if side != self.heading {
            if self.advance()? {
                return Ok(self.known.start);
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
        self.ahead += 1;
        if !self.has_visited(to) && self.advance()? {
            return Ok(self.known.start);
        }
        Ok(to)
    }
}

impl<R: BufRead, W: Write> Mouse<R, W> {
    fn new(mut link: Link<R, W>) -> anyhow::Result<Self> {
        let (width, height) = link.size()?;
        let cells = usize::from(width) * usize::from(height);
        Ok(Self {
            link,
            visited: vec![false; cells],
            shown: vec![None; cells],
            plan: Vec::new(),
            is_plan_due: false,
            heading: Side::North,
            ahead: 0,
            known: Maze::open(width.into(), height.into())?,
        })
    }

    /// Goes through all phases, and again from the start when mms puts the mouse back there.
    fn explore(
        &mut self,
        explorer: &mut dyn Explorer,
        log: &mut impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let mut phase = None;
        let limits = Limits::new(None, u64::MAX);
        loop {
            let start = self.known.start;
            let walk = walk_watched(explorer, self, start, limits, |explorer, mouse, tick| {
                if phase.replace(explorer.phase()) != Some(explorer.phase()) {
                    log(name(explorer.phase()));
                }
                if std::mem::take(&mut mouse.is_plan_due) {
                    mouse.show_plan(tick.at, explorer.phase())?;
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if walk.outcome != Outcome::Arrived {
                bail!("there is no path to the goal");
            }
            if !self.advance()? {
                let score = self.link.score()?;
                log(&format!("score {score}"));
                return Ok(self.link.flush()?);
            }
            if explorer.phase() == Phase::Done {
                explorer.run_again()?;
            }
        }
    }

    /// Makes the steps that are due; `true` when mms has put the mouse back to the start instead.
    fn advance(&mut self) -> anyhow::Result<bool> {
        if self.link.was_reset()? {
            self.link.clear_colors()?;
            self.plan.clear();
            for (cell, _) in self.known.cells().zip(&self.visited).filter(|c| *c.1) {
                self.link.color(cell, VISITED)?;
            }
            self.link.go_back()?;
            self.ahead = 0;
            self.heading = Side::North;
            return Ok(true);
        }
        if self.ahead > 0 {
            self.link.forward(self.ahead)?;
            self.ahead = 0;
        }
        Ok(false)
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

    /// Colors a shortest path to where the mouse is going, on the known map.
    fn show_plan(&mut self, mut at: Cell, phase: Phase) -> anyhow::Result<()> {
        let home = [self.known.start];
        let ends = match phase {
            Phase::Return => &home[..],
            _ => &self.known.goals,
        };
        let distances = self.known.distances(ends);
        let distance = |cell| self.index(cell).and_then(|index| distances[index]);
        let mut plan = Vec::new();
        while let Some(left) = distance(at).filter(|&left| left > 0) {
            let nearer = |&next: &Cell| distance(next) == Some(left - 1);
            let mut neighbors = Side::ALL
                .into_iter()
                .filter_map(|side| self.known.beyond(at, side));
            let Some(next) = neighbors.find(nearer) else {
                break;
            };
            plan.push(next);
            at = next;
        }
        let old = std::mem::replace(&mut self.plan, plan.clone());
        for &cell in old.iter().filter(|cell| !plan.contains(cell)) {
            let is_visited = self.has_visited(cell);
            self.link
                .color(cell, if is_visited { VISITED } else { BLANK })?;
        }
        for &cell in plan.iter().filter(|cell| !old.contains(cell)) {
            self.link.color(cell, PLAN)?;
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
