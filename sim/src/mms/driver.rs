//! A mouse that goes on a tour in mms.

use std::io::{BufRead, Write};

use anyhow::{Context, bail};
use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side, explore::Phase, map::Occupancy,
};

use super::Link;
use crate::{
    catalog::Name,
    mouse::{MouseTour, name, with_tour},
    world::{
        Maze,
        maze::{SIDES, neighbour},
    },
};

/// The colour of cells on the way that the mouse expects to take.
const PLAN: char = 'c';
/// The colour of cells that the mouse has been at.
const VISITED: char = 'G';

/// A mouse and what it knows.
pub struct Driver<R, W> {
    link: Link<R, W>,
    planner: Name,
    budget: Budget,
    /// The walls seen so far; where none was seen there is none.
    known: Maze,
    visited: Vec<bool>,
    /// The numbers that mms shows.
    shown: Vec<Option<u32>>,
    /// The cells that mms shows as the plan.
    plan: Vec<Cell>,
    at: Cell,
    heading: Side,
    /// Cells to go straight on before anything else.
    ahead: u32,
}

impl<R: BufRead, W: Write> Driver<R, W> {
    /// A mouse in the maze that mms has, moved by a planner.
    ///
    /// # Errors
    /// mms does not tell the size of its maze.
    pub fn new(mut link: Link<R, W>, planner: Name) -> anyhow::Result<Self> {
        let (width, height) = link.size()?;
        let known = Maze::open(width.into(), height.into())?;
        let cells = usize::from(width) * usize::from(height);
        Ok(Self {
            link,
            planner,
            budget: Budget::UNLIMITED,
            visited: vec![false; cells],
            shown: vec![None; cells],
            plan: Vec::new(),
            at: known.start,
            heading: Side::North,
            ahead: 0,
            known,
        })
    }

    /// Goes on the tour; tells the phases and the score to `log`.
    ///
    /// # Errors
    /// mms hung up, or there is no way to the goal.
    pub fn drive(mut self, mut log: impl FnMut(&str)) -> anyhow::Result<()> {
        let maze = self.known.clone();
        with_tour(self.planner, &maze, None, |tour| {
            self.follow(tour, &mut log)
        })?
    }

    fn follow(
        &mut self,
        tour: &mut MouseTour<'_, '_>,
        log: &mut impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let mut phase = None;
        loop {
            // Where everything is known the mouse goes on without a look.
            if !self.has_visited(self.at) {
                self.go_ahead(tour)?;
                if !self.has_visited(self.at) {
                    self.look(tour)?;
                }
            }
            let decision = tour.tick(self.at, self.budget)?;
            if phase.replace(tour.phase()) != Some(tour.phase()) {
                log(name(tour.phase()));
            }
            match decision {
                Decision::Step(next) => self.step(tour, next)?,
                Decision::Wait => {}
                Decision::Arrived => {
                    let was_put_back = self.go_ahead(tour)?;
                    if was_put_back {
                        continue;
                    }
                    let score = self.link.score()?;
                    log(&format!("score {score}"));
                    self.link.flush()?;
                    return Ok(());
                }
                Decision::Unreachable => bail!("there is no way to the goal"),
            }
        }
    }

    /// Makes the steps that are due; `true` when mms has put the mouse back to the start instead.
    fn go_ahead(&mut self, tour: &mut MouseTour<'_, '_>) -> anyhow::Result<bool> {
        if self.link.was_reset()? {
            self.link.clear_colours()?;
            self.plan.clear();
            for (cell, _) in self
                .known
                .cells()
                .zip(&self.visited)
                .filter(|(_, visited)| **visited)
            {
                self.link.colour(cell, VISITED)?;
            }
            self.link.go_back()?;
            self.ahead = 0;
            self.at = self.known.start;
            self.heading = Side::North;
            if tour.phase() == Phase::Done {
                tour.again()?;
            }
            return Ok(true);
        }
        if self.ahead > 0 {
            self.link.forward(self.ahead)?;
            self.ahead = 0;
        }
        Ok(false)
    }

    /// Looks at the walls around, tells the tour and shows what is new.
    fn look(&mut self, tour: &mut MouseTour<'_, '_>) -> anyhow::Result<()> {
        let [front, left, right] = self.link.walls()?;
        let sides = [
            (self.heading, front),
            (turned(self.heading, 3), left),
            (turned(self.heading, 1), right),
        ];
        for (side, stands) in sides {
            let fact = if stands {
                Occupancy::Blocked
            } else {
                Occupancy::Free
            };
            tour.observe(Observation::Wall(self.at, side, fact))?;
            if stands {
                self.known.set_wall(self.at, side, true);
                self.link.show_wall(self.at, side)?;
            }
        }
        // The mouse came from behind, or stands with its back to the outer wall.
        let behind = turned(self.heading, 2);
        if self.known.contains(neighbour(self.at, behind)) {
            tour.observe(Observation::Wall(self.at, behind, Occupancy::Free))?;
        }
        let index = self.index(self.at).context("the mouse left the maze")?;
        self.visited[index] = true;
        self.link.colour(self.at, VISITED)?;
        self.show_distances()?;
        self.show_plan(tour)
    }

    /// Takes a step, in mms as soon as it has to be.
    fn step(&mut self, tour: &mut MouseTour<'_, '_>, next: Cell) -> anyhow::Result<()> {
        let side = SIDES
            .into_iter()
            .find(|&side| neighbour(self.at, side) == next);
        let side = side.context("a step that leads nowhere")?;
        if side != self.heading {
            if self.go_ahead(tour)? {
                return Ok(());
            }
            match (side as u8 + 4 - self.heading as u8) % 4 {
                1 => self.link.turn_right()?,
                3 => self.link.turn_left()?,
                _ => {
                    self.link.turn_right()?;
                    self.link.turn_right()?;
                }
            }
            self.heading = side;
        }
        self.ahead += 1;
        self.at = next;
        Ok(())
    }

    /// Writes the distance to the goal, as far as is known, into the cells where it has changed.
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

    /// Colours a shortest way to where the mouse is going, as far as is known.
    fn show_plan(&mut self, tour: &MouseTour<'_, '_>) -> anyhow::Result<()> {
        let home = [self.known.start];
        let ends = match tour.phase() {
            Phase::Return => &home[..],
            _ => &self.known.goals,
        };
        let distances = self.known.distances(ends);
        let distance = |cell| self.index(cell).and_then(|index| distances[index]);
        let mut plan = Vec::new();
        let mut at = self.at;
        while let Some(left) = distance(at).filter(|&left| left > 0) {
            let nearer = |&next: &Cell| distance(next) == Some(left - 1);
            let ways = SIDES
                .into_iter()
                .filter_map(|side| self.known.beyond(at, side));
            let Some(next) = ways.into_iter().find(nearer) else {
                break;
            };
            plan.push(next);
            at = next;
        }
        let old = std::mem::replace(&mut self.plan, plan.clone());
        for &cell in old.iter().filter(|cell| !plan.contains(cell)) {
            let colour = if self.has_visited(cell) { VISITED } else { 'k' };
            self.link.colour(cell, colour)?;
        }
        for &cell in plan.iter().filter(|cell| !old.contains(cell)) {
            self.link.colour(cell, PLAN)?;
        }
        Ok(())
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        let width = usize::from(self.known.width());
        let index = usize::from(cell.y) * width + usize::from(cell.x);
        self.known.contains(cell).then_some(index)
    }

    fn has_visited(&self, cell: Cell) -> bool {
        self.index(cell).is_some_and(|index| self.visited[index])
    }
}

/// The side so many quarter turns to the right of another.
fn turned(side: Side, quarters: u8) -> Side {
    // In the order of their numbers, each is a quarter turn to the right of the one before.
    [Side::South, Side::West, Side::North, Side::East][usize::from((side as u8 + quarters) % 4)]
}
