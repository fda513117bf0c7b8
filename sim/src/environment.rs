//! The environment of a robot: what it senses, and what its moves do.

use std::mem;

use planner_core::{Cell, Observation};

use crate::{
    catalog::Moves,
    world::{Grid, World, doors::Doors},
};

/// The world as a robot meets it: a simulated one, or one behind a protocol.
pub trait Environment {
    /// Lets the world change for a tick, and adds what a robot at a cell senses.
    fn sense(&mut self, at: Cell, seen: &mut Vec<Observation>) -> anyhow::Result<()>;

    /// Moves the robot to an adjacent cell, and returns the cell that it is in afterwards.
    fn step(&mut self, _from: Cell, to: Cell) -> anyhow::Result<Cell> {
        Ok(to)
    }

    /// Returns whether a path may appear later where there is none now.
    fn may_change(&self) -> bool {
        false
    }
}

/// A world that is known and never changes, so that there is nothing to sense.
#[derive(Clone, Copy, Debug)]
pub struct KnownWorld;

impl Environment for KnownWorld {
    fn sense(&mut self, _at: Cell, _seen: &mut Vec<Observation>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A sensor that shows the cells within a radius, measured as the robot moves: rows plus columns with
/// four moves, the larger of the two with eight.
#[derive(Clone, Debug)]
pub struct Sensor {
    offsets: Vec<(i32, i32)>,
}

impl Sensor {
    /// A sensor with this radius in cells.
    pub fn new(radius: u16, moves: Moves) -> Self {
        let radius = i32::from(radius);
        let distance = |dx: i32, dy: i32| match moves {
            Moves::Four => dx.abs() + dy.abs(),
            Moves::Eight => dx.abs().max(dy.abs()),
        };
        let side = || -radius..=radius;
        Self {
            offsets: side()
                .flat_map(|dy| side().map(move |dx| (dx, dy)))
                .filter(|&(dx, dy)| (1..=radius).contains(&distance(dx, dy)))
                .collect(),
        }
    }

    /// Observations from a cell of a grid.
    pub fn sense<'a>(&'a self, grid: &'a Grid, at: Cell) -> impl Iterator<Item = Observation> + 'a {
        self.offsets.iter().filter_map(move |&(dx, dy)| {
            let x = u16::try_from(i32::from(at.x) + dx).ok()?;
            let y = u16::try_from(i32::from(at.y) + dy).ok()?;
            let cell = Cell::new(x, y);
            grid.contains(cell).then(|| grid.observe(cell))
        })
    }
}

/// A simulated world.
///
/// In a maze the robot senses the walls around its cell; among cells it has a sensor, or knows the map
/// and is told of every change. A door may close where the robot stands: the robot can leave, and is
/// told afterwards.
#[derive(Clone, Debug)]
pub struct SimulatedWorld {
    world: World,
    /// `None` when the robot knows the map.
    pub sensor: Option<Sensor>,
    doors: Option<Doors>,
    /// Changes that the robot is still to be told of.
    untold: Vec<Observation>,
}

impl SimulatedWorld {
    /// A world with a sensor, or none when the map is known, and with doors that move.
    pub fn new(world: World, sensor: Option<Sensor>, doors: Option<Doors>) -> Self {
        Self {
            world,
            sensor,
            doors,
            untold: Vec::new(),
        }
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Blocks a cell or adds a wall where `edit` is `Blocked`, removes it where it is `Free`; with
    /// `tell`, the robot is told in the next tick.
    pub fn edit(&mut self, edit: Observation, tell: bool) {
        if self.world.edit(edit) && tell {
            self.untold.push(edit);
        }
    }
}

impl Environment for SimulatedWorld {
    fn sense(&mut self, at: Cell, seen: &mut Vec<Observation>) -> anyhow::Result<()> {
        match &mut self.world {
            World::Walls(maze) => seen.extend(maze.observe_around(at)),
            World::Cells(grid) => {
                let changed = self.doors.as_mut().map(|doors| doors.tick(grid));
                match &self.sensor {
                    Some(sensor) => seen.extend(sensor.sense(grid, at)),
                    None => {
                        let changed = changed.unwrap_or_default();
                        self.untold.extend(changed.iter().map(|&c| grid.observe(c)));
                    }
                }
            }
        }
        let is_here =
            |change: &Observation| matches!(*change, Observation::Cell(cell, _) if cell == at);
        for change in mem::take(&mut self.untold) {
            match is_here(&change) {
                true => self.untold.push(change),
                false => seen.push(self.world.observe_again(change)),
            }
        }
        Ok(())
    }

    fn may_change(&self) -> bool {
        self.doors.is_some()
    }
}

#[cfg(test)]
mod tests {
    use planner_core::map::Occupancy;

    use super::*;
    use crate::world::{rng, rooms::rooms};

    #[test]
    fn a_robot_is_told_of_a_door_that_closed_on_it_after_it_has_left() {
        let mut rooms = rooms(30, 30, &mut rng::seeded(1)).unwrap();
        let cells: Vec<Cell> = rooms.doors.iter().map(|door| door.cell).collect();
        let doors = Doors::new(&mut rooms, 6.0, rng::seeded(2));
        let mut told = rooms.grid.clone();
        let mut world = SimulatedWorld::new(World::Cells(rooms.grid), None, Some(doors));
        let mut closed_on_it = 0;
        for tick in 0..400 {
            // The robot stays in a doorway for some time, then it is in another.
            let at = cells[tick / 20 % cells.len()];
            let mut seen = Vec::new();
            world.sense(at, &mut seen).unwrap();
            for observation in seen {
                let Observation::Cell(cell, occupancy) = observation else {
                    panic!("{observation:?}");
                };
                assert_ne!(cell, at, "it would stand in a wall");
                told.set_blocked(cell, occupancy == Occupancy::Blocked);
            }
            closed_on_it += u32::from(!world.world().is_free(at));
            let differs = |&cell: &Cell| told.is_free(cell) != world.world().is_free(cell);
            assert!(told.cells().filter(differs).all(|cell| cell == at));
        }
        assert!(closed_on_it > 10);
    }
}
