//! Worlds that a chip can make from a seed: mazes, random obstacles, combs, and rooms with doors that flap.

use planner_core::Cell;

use crate::LARGEST_WORLD;

const WORDS: usize = (LARGEST_WORLD as usize * LARGEST_WORLD as usize).div_ceil(32);
const ROOMS: usize = (LARGEST_WORLD as usize).div_ceil(2) * (LARGEST_WORLD as usize).div_ceil(2);
/// Cells from wall to wall in a world of rooms.
const ROOM: u16 = 8;

/// A kind of world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Corridors of one cell, made by a depth-first search, with a hundredth of all cells opened.
    Maze,
    /// A fifth of the cells blocked at random, but for one way that was kept free.
    Random,
    /// Dead ends side by side, open at the top only: every one has to be left again.
    Comb,
    /// Rooms of seven by seven cells. In most ticks a door changes, and the robot is told which.
    Doors,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Maze, Self::Random, Self::Comb, Self::Doors];

    /// As people and scripts read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Maze => "maze",
            Self::Random => "random",
            Self::Comb => "comb",
            Self::Doors => "doors",
        }
    }
}

/// Marsaglia's xorshift with 32 bits: small, and the same everywhere.
struct Rng(u32);

impl Rng {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        // Only the upper bits are good enough for small ranges.
        ((u64::from(self.0) * u64::from(end)) >> 32) as u32
    }
}

/// The truth, of which the robot knows a part.
pub struct World {
    side: u16,
    kind: Kind,
    blocked: [u32; WORDS],
    rng: Rng,
}

impl World {
    /// A world with free cells at the start and at the goal. A side beyond the largest is cut to it.
    pub fn new(kind: Kind, side: u16, seed: u32) -> Self {
        let mut world = Self {
            side: side.clamp(1, LARGEST_WORLD),
            kind,
            blocked: [0; WORDS],
            // A state of zero would stay zero.
            rng: Rng(seed.wrapping_mul(0x9e37_79b9) | 1),
        };
        match kind {
            Kind::Maze => world.carve(),
            Kind::Random => world.strew(),
            Kind::Comb => world.comb(),
            Kind::Doors => world.rooms(),
        }
        world.set(world.start(), false);
        world.set(world.goal(), false);
        world
    }

    pub fn start(&self) -> Cell {
        match self.kind {
            Kind::Comb => Cell::new(0, self.side - 1),
            _ => Cell::new(0, 0),
        }
    }

    pub fn goal(&self) -> Cell {
        Cell::new(self.side - 1, self.side - 1)
    }

    /// Returns whether a cell is blocked; outside, all are.
    pub fn is_blocked(&self, cell: Cell) -> bool {
        match self.index(cell) {
            Some(index) => self.blocked[index / 32] & (1 << (index % 32)) != 0,
            None => true,
        }
    }

    /// Lets a tick go by with the robot `at` a cell: the door that changed.
    pub fn tick(&mut self, at: Cell) -> Option<Cell> {
        if self.kind != Kind::Doors {
            return None;
        }
        let door = self.any_door();
        if door == at || door == self.goal() {
            return None;
        }
        self.index(door)?;
        self.set(door, !self.is_blocked(door));
        Some(door)
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        (cell.x < self.side && cell.y < self.side)
            .then(|| usize::from(cell.y) * usize::from(self.side) + usize::from(cell.x))
    }

    fn set(&mut self, cell: Cell, blocked: bool) {
        if let Some(index) = self.index(cell) {
            let bit = 1 << (index % 32);
            if blocked {
                self.blocked[index / 32] |= bit;
            } else {
                self.blocked[index / 32] &= !bit;
            }
        }
    }

    fn any_cell(&mut self) -> Cell {
        let side = u32::from(self.side);
        Cell::new(self.rng.below(side) as u16, self.rng.below(side) as u16)
    }

    /// Rooms at even columns and rows, joined by a depth-first search that remembers where it came from.
    #[inline(never)] // its memory is free again when a planner needs all that there is
    fn carve(&mut self) {
        const STEPS: [(i16, i16); 4] = [(0, -2), (2, 0), (0, 2), (-2, 0)];
        const UNSEEN: u8 = 4;
        const FIRST: u8 = 5;
        self.blocked = [u32::MAX; WORDS];
        let per_row = usize::from(self.side.div_ceil(2));
        let room = |cell: Cell| usize::from(cell.y / 2) * per_row + usize::from(cell.x / 2);
        let mut came_by = [UNSEEN; ROOMS];
        let mut at = self.start();
        came_by[room(at)] = FIRST;
        self.set(at, false);
        loop {
            let first = self.rng.below(4) as usize;
            let next = (0..4).map(|i| (first + i) % 4).find_map(|step| {
                let (dx, dy) = STEPS[step];
                let cell = Cell::new(at.x.checked_add_signed(dx)?, at.y.checked_add_signed(dy)?);
                self.index(cell)?;
                (came_by[room(cell)] == UNSEEN).then_some((step, cell))
            });
            if let Some((step, cell)) = next {
                came_by[room(cell)] = step as u8;
                self.set(
                    Cell::new(at.x.midpoint(cell.x), at.y.midpoint(cell.y)),
                    false,
                );
                self.set(cell, false);
                at = cell;
            } else if let Some((dx, dy)) = STEPS.get(usize::from(came_by[room(at)])) {
                at = Cell::new(at.x.wrapping_add_signed(-dx), at.y.wrapping_add_signed(-dy));
            } else {
                break;
            }
        }
        for _ in 0..u32::from(self.side) * u32::from(self.side) / 100 {
            let cell = self.any_cell();
            self.set(cell, false);
        }
    }

    fn strew(&mut self) {
        for _ in 0..u32::from(self.side) * u32::from(self.side) / 5 {
            let cell = self.any_cell();
            self.set(cell, true);
        }
        let (mut at, goal) = (self.start(), self.goal());
        while at != goal {
            let right = at.y == goal.y || at.x < goal.x && self.rng.below(2) == 0;
            if right {
                at.x += 1
            } else {
                at.y += 1
            }
            self.set(at, false);
        }
    }

    fn comb(&mut self) {
        for x in (1..self.side).step_by(2) {
            for y in 1..self.side {
                self.set(Cell::new(x, y), true);
            }
        }
    }

    fn rooms(&mut self) {
        for y in 0..self.side {
            for x in 0..self.side {
                if x % ROOM == ROOM - 1 || y % ROOM == ROOM - 1 {
                    self.set(Cell::new(x, y), true);
                }
            }
        }
        for across in (0..self.side).step_by(usize::from(ROOM)) {
            for wall in (ROOM - 1..self.side).step_by(usize::from(ROOM)) {
                // One of the two starts open, so that robots get going.
                let upright = self.rng.below(2) == 0;
                self.set(Cell::new(wall, across + ROOM / 2), !upright);
                self.set(Cell::new(across + ROOM / 2, wall), upright);
            }
        }
    }

    /// A door; at the far edges one that would lie outside, and then none changes.
    fn any_door(&mut self) -> Cell {
        let rooms = u32::from(self.side.div_ceil(ROOM));
        let across = self.rng.below(rooms) as u16 * ROOM + ROOM / 2;
        let wall = self.rng.below(rooms) as u16 * ROOM + ROOM - 1;
        if self.rng.below(2) == 0 {
            Cell::new(wall, across)
        } else {
            Cell::new(across, wall)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(world: &World, side: u16) -> usize {
        (0..side * side)
            .filter(|i| !world.is_blocked(Cell::new(i % side, i / side)))
            .count()
    }

    #[test]
    fn a_seed_makes_the_same_world_again_and_another_makes_another() {
        for kind in [Kind::Maze, Kind::Random, Kind::Doors] {
            let [one, same, other] = [7, 7, 8].map(|seed| World::new(kind, 65, seed));
            assert_eq!(one.blocked, same.blocked);
            assert_ne!(one.blocked, other.blocked, "{kind:?}");
        }
    }

    #[test]
    fn a_maze_joins_all_its_rooms() {
        let side = 33;
        let world = World::new(Kind::Maze, side, 3);
        // 17 x 17 rooms and a passage to each but the first; openings come on top.
        assert!(free(&world, side) >= 2 * 17 * 17 - 1);
        assert!(
            (0..side)
                .step_by(2)
                .all(|x| !world.is_blocked(Cell::new(x, 32)))
        );
    }

    #[test]
    fn a_comb_is_open_at_the_top_only() {
        let world = World::new(Kind::Comb, 33, 1);
        assert!((0..33).all(|x| !world.is_blocked(Cell::new(x, 0))));
        assert!((1..33).all(|y| world.is_blocked(Cell::new(5, y))));
    }

    #[test]
    fn doors_flap_but_not_on_the_robot() {
        let mut world = World::new(Kind::Doors, 33, 1);
        let at = Cell::new(7, 4);
        let mut changes = 0;
        for _ in 0..1000 {
            if let Some(door) = world.tick(at) {
                assert_ne!(door, at);
                changes += 1;
            }
        }
        assert!(changes > 600, "{changes}");
    }

    #[test]
    fn outside_the_world_all_is_blocked() {
        let world = World::new(Kind::Doors, 33, 1);
        assert!(world.is_blocked(Cell::new(33, 0)) && world.is_blocked(Cell::new(0, 33)));
    }
}
