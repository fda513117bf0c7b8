//! Doors that open and close while a robot moves.

use pathfinding::prelude::bfs_reach;
use planner_core::Cell;
use rand::{RngExt, seq::SliceRandom};

use super::{
    Grid,
    rng::Rng,
    rooms::{Door, Rooms},
};

/// The doors of a world of rooms, tick by tick.
///
/// The sequence of changes depends only on the random generator: clones of it do the same, so
/// that every planner meets the same changes in the same ticks. However doors close, all rooms stay
/// connected.
#[derive(Clone, Debug)]
pub struct Doors {
    doors: Vec<Door>,
    is_open: Vec<bool>,
    /// For each room, the doors in its walls.
    of_room: Vec<Vec<usize>>,
    /// Doors that are tried in a tick, on average.
    rate: f64,
    rng: Rng,
}

impl Doors {
    /// Closes as many doors of a world as come up when a coin is thrown for each and the rooms stay
    /// connected. Then `rate` doors are tried in each tick, on average: a closed one opens, an open one
    /// closes unless rooms need it to stay connected.
    pub fn new(rooms: &mut Rooms, rate: f64, mut rng: Rng) -> Self {
        let count = rooms.doors.iter().flat_map(|door| door.joins).max();
        let mut of_room = vec![Vec::new(); count.map_or(1, |last| last + 1)];
        for (index, door) in rooms.doors.iter().enumerate() {
            for room in door.joins {
                of_room[room].push(index);
            }
        }
        let mut all: Vec<usize> = (0..rooms.doors.len()).collect();
        all.shuffle(&mut rng);
        let mut doors = Self {
            is_open: vec![true; rooms.doors.len()],
            doors: rooms.doors.clone(),
            of_room,
            rate,
            rng,
        };
        for door in all {
            if doors.rng.random() && doors.can_change(door) {
                doors.is_open[door] = false;
                rooms.grid.set_blocked(doors.doors[door].cell, true);
            }
        }
        doors
    }

    /// Lets a tick go by in a world and returns the cells that are different now.
    pub fn tick(&mut self, world: &mut Grid) -> Vec<Cell> {
        let tries = self.rate as usize + usize::from(self.rng.random_bool(self.rate.fract()));
        let mut changed = Vec::new();
        for _ in 0..tries {
            let door = self.rng.random_range(0..self.doors.len().max(1));
            if self.can_change(door) {
                self.is_open[door] ^= true;
                let cell = self.doors[door].cell;
                world.set_blocked(cell, !self.is_open[door]);
                // A door that changes twice is what it was.
                match changed.iter().position(|&other| other == cell) {
                    Some(place) => drop(changed.remove(place)),
                    None => changed.push(cell),
                }
            }
        }
        changed
    }

    /// Returns whether a door is closed, or its rooms would stay connected without it.
    fn can_change(&self, door: usize) -> bool {
        let Some(&Door {
            joins: [from, to], ..
        }) = self.doors.get(door)
        else {
            return false;
        };
        if !self.is_open[door] {
            return true;
        }
        let beyond = |room: &usize| {
            let room = *room;
            let others = self.of_room[room].iter();
            others
                .filter(move |&&other| other != door && self.is_open[other])
                .flat_map(|&other| self.doors[other].joins)
                .filter(move |&other| other != room)
        };
        bfs_reach(from, beyond).any(|room| room == to)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{rng, rooms::rooms};
    use super::*;

    fn world(seed: u64, rate: f64) -> (Grid, Doors) {
        let mut rooms = rooms(60, 40, &mut rng::seeded(seed)).unwrap();
        let doors = Doors::new(&mut rooms, rate, rng::derived(seed, 0));
        (rooms.grid, doors)
    }

    #[test]
    fn all_rooms_stay_connected_while_doors_move() {
        for seed in 0..5 {
            let (mut grid, mut doors) = world(seed, 3.0);
            let (mut opened, mut closed) = (0, 0);
            for _ in 0..500 {
                assert_eq!(grid.reachable(Cell::new(0, 0)), grid);
                for cell in doors.tick(&mut grid) {
                    *(if grid.is_free(cell) {
                        &mut opened
                    } else {
                        &mut closed
                    }) += 1;
                }
            }
            assert!(opened > 100 && closed > 100, "{opened} and {closed}");
        }
    }

    #[test]
    fn reported_changes_are_the_actual_ones() {
        let (mut grid, mut doors) = world(1, 4.0);
        for _ in 0..200 {
            let before = grid.clone();
            let changed: HashSet<_> = doors.tick(&mut grid).into_iter().collect();
            let differs = |&cell: &Cell| before.is_free(cell) != grid.is_free(cell);
            assert_eq!(
                grid.cells().filter(differs).collect::<HashSet<_>>(),
                changed
            );
        }
    }

    #[test]
    fn the_rate_is_that_of_tries_per_tick() {
        let changes = |rate| {
            let (mut grid, mut doors) = world(3, rate);
            (0..1000)
                .map(|_| doors.tick(&mut grid).len())
                .sum::<usize>()
        };
        assert_eq!(changes(0.0), 0);
        // A door that must stay open does not change.
        let slow = changes(0.25);
        assert!((100..=300).contains(&slow), "{slow}");
        assert!((3 * slow..=5 * slow).contains(&changes(1.0)));
    }

    #[test]
    fn a_single_room_has_no_doors_to_change() {
        let mut rooms = rooms(5, 5, &mut rng::seeded(0)).unwrap();
        let mut doors = Doors::new(&mut rooms, 2.0, rng::seeded(0));
        assert!(doors.tick(&mut rooms.grid).is_empty());
    }
}
