//! What a desktop knows of a robot: all that it was told.

use std::collections::{HashMap, HashSet, VecDeque};

use planner_core::{Cell, Inspect, Side, map::Occupancy};
use tinystar::{
    atlas::{self, Atlas},
    config::SIDE,
    fault::Fault,
    mission::Field,
    telemetry::{Frame, Load, State, Stored},
};

use crate::world::maze::{SIDES, neighbour};

/// The last cells of a trail that are kept, at least.
pub const TRAIL: usize = 4096;
/// The last loads that are kept: the robot tells one a second.
pub const LOADS: usize = 400;
/// The last faults that are kept.
pub const FAULTS: usize = 16;

/// What a robot has told: its map, where it is and has been, and how it is.
///
/// What is kept does not grow with what is told. To be drawn, a cell is every other cell of every other
/// row, as [`view::maze`](crate::view::maze) has it.
#[derive(Clone, Debug)]
pub struct RobotState {
    /// Columns and rows of the map ...
    size: (u16, u16),
    /// ... if they are known; else, as far as cells were told of.
    is_sized: bool,
    /// The floor, once the robot has said.
    field: Option<Field>,
    /// What was told of the north and the west side of each cell.
    walls: HashMap<(Cell, Side), Occupancy>,
    /// The cells that the robot said to be at: the last of them, in turn, ...
    trail: Vec<Cell>,
    /// ... and all of them.
    walked: HashSet<Cell>,
    goals: Vec<Cell>,
    next: Option<Cell>,
    state: Option<State>,
    /// With the time they were told at, in milliseconds of the robot.
    loads: VecDeque<(u32, Load)>,
    faults: VecDeque<(u32, Fault)>,
    stored: Option<Stored>,
    /// The protocol that the robot speaks, once it has said.
    protocol: Option<u8>,
}

impl RobotState {
    /// Nothing was told yet of a map of so many columns and rows; none, if nothing is known of its size.
    #[must_use]
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            is_sized: size != (0, 0),
            field: None,
            walls: HashMap::new(),
            trail: Vec::new(),
            walked: HashSet::new(),
            goals: Vec::new(),
            next: None,
            state: None,
            loads: VecDeque::new(),
            faults: VecDeque::new(),
            stored: None,
            protocol: None,
        }
    }

    /// Takes in what the robot tells. What cannot be, as a cell outside its map, is passed over.
    pub fn hear(&mut self, frame: &Frame) {
        let ms = self.ms();
        match frame {
            Frame::Hello {
                protocol,
                field,
                stored,
            } => {
                self.protocol = Some(*protocol);
                self.stored = stored.or(self.stored);
                self.settle(*field);
            }
            Frame::State(state) => self.locate(state),
            Frame::Goals(goals) => {
                self.goals.clear();
                for &goal in goals {
                    if self.reaches(goal) {
                        self.goals.push(goal);
                    }
                }
            }
            Frame::Next(cell) => self.next = self.reaches(*cell).then_some(*cell),
            Frame::Wall(cell, side, fact) => {
                if self.reaches(*cell) {
                    self.walls.insert(edge(*cell, *side), *fact);
                }
            }
            Frame::Load(load) => keep(&mut self.loads, (ms, *load), LOADS),
            Frame::Fault(fault) => keep(&mut self.faults, (ms, *fault), FAULTS),
            Frame::Map { offset, bytes, .. } => self.learn((*offset).into(), bytes),
            Frame::Forgotten => self.walls.clear(),
            Frame::Stored(stored) => self.stored = Some(*stored),
            Frame::Cleared | Frame::Accepted(_) | Frame::Refused { .. } | Frame::Lost(_) => {}
        }
    }

    /// The robot was restarted: it stands at home, and has to tell its map again.
    pub fn restart(&mut self) {
        self.begin_anew();
        self.walls.clear();
        (self.state, self.stored) = (None, None);
    }

    /// What the robot did and meant to do was before its restart.
    pub fn begin_anew(&mut self) {
        self.trail.clear();
        self.walked.clear();
        self.goals.clear();
        self.loads.clear();
        self.next = None;
    }

    /// The robot has said what its floor is.
    fn settle(&mut self, field: Field) {
        if self.field == Some(field) || Atlas::new(field, &mut atlas::MEMORY.clone()).is_err() {
            return;
        }
        let (width, height) = (field.width, field.height);
        let is_on = |cell: &Cell| cell.x < width && cell.y < height;
        self.field = Some(field);
        self.size = (width, height);
        self.is_sized = true;
        self.walls.retain(|(cell, _), _| is_on(cell));
        self.trail.retain(is_on);
        self.walked.retain(is_on);
        self.goals.retain(is_on);
        self.next = self.next.filter(is_on);
        self.state = self.state.filter(|state| is_on(&state.at));
    }

    fn locate(&mut self, state: &State) {
        if !self.reaches(state.at) {
            return;
        }
        self.state = Some(*state);
        if self.next == Some(state.at) {
            self.next = None;
        }
        self.walked.insert(state.at);
        if self.trail.last() != Some(&state.at) {
            if self.trail.len() >= TRAIL + TRAIL / 4 {
                self.trail.drain(..TRAIL / 4);
            }
            self.trail.push(state.at);
        }
    }

    /// Takes in a piece of the map, as the robot stores it.
    fn learn(&mut self, offset: usize, bytes: &[u8]) {
        let mut memory = atlas::MEMORY;
        // Before the floor is known there is no telling where a piece belongs.
        let Some(mut atlas) = self
            .field
            .and_then(|field| Atlas::new(field, &mut memory).ok())
        else {
            return;
        };
        for (index, &byte) in (offset..).zip(bytes) {
            if !atlas.set_byte(index, byte) {
                continue;
            }
            for (cell, side) in (4 * index..4 * index + 4).filter_map(|wall| atlas.nth(wall)) {
                self.walls.insert(edge(cell, side), atlas.wall(cell, side));
            }
        }
    }

    /// Whether a cell may be on the map; it is from now on, if the size of the map is not known.
    fn reaches(&mut self, cell: Cell) -> bool {
        if !self.is_sized && cell.x < SIDE && cell.y < SIDE {
            let (width, height) = self.size;
            self.size = (width.max(cell.x + 1), height.max(cell.y + 1));
        }
        cell.x < self.size.0 && cell.y < self.size.1
    }

    /// Columns and rows of the map, as far as they are known.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The floor, once the robot has said.
    #[must_use]
    pub fn field(&self) -> Option<Field> {
        self.field
    }

    /// The last cells that the robot said to be at, in turn.
    #[must_use]
    pub fn trail(&self) -> &[Cell] {
        &self.trail
    }

    /// Whether the robot has been at a cell.
    #[must_use]
    pub fn has_walked(&self, cell: Cell) -> bool {
        self.walked.contains(&cell)
    }

    /// Where it is going.
    #[must_use]
    pub fn goal(&self) -> Option<Cell> {
        self.goals.first().copied()
    }

    /// All cells that it may be going to.
    #[must_use]
    pub fn goals(&self) -> &[Cell] {
        &self.goals
    }

    /// The cell that it is about to enter.
    #[must_use]
    pub fn next(&self) -> Option<Cell> {
        self.next
    }

    /// Where it is and what it does.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Milliseconds since its power-on, as it told last.
    #[must_use]
    pub fn ms(&self) -> u32 {
        self.state.map_or(0, |state| state.ms)
    }

    /// What planning cost, and when that was told, in milliseconds of the robot.
    #[must_use]
    pub fn loads(&self) -> &VecDeque<(u32, Load)> {
        &self.loads
    }

    /// The last faults, and when they were told, in milliseconds of the robot.
    #[must_use]
    pub fn faults(&self) -> &VecDeque<(u32, Fault)> {
        &self.faults
    }

    /// What became of the map in flash.
    #[must_use]
    pub fn stored(&self) -> Option<Stored> {
        self.stored
    }

    /// The protocol that the robot speaks.
    #[must_use]
    pub fn protocol(&self) -> Option<u8> {
        self.protocol
    }

    /// What is known of a wall; the outer ones stand.
    #[must_use]
    pub fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        let (width, height) = match self.is_sized {
            true => self.size,
            false => (SIDE, SIDE),
        };
        let is_inside = |cell: Cell| cell.x < width && cell.y < height;
        if !is_inside(cell) || !is_inside(neighbour(cell, side)) {
            return Occupancy::Blocked;
        }
        let known = self.walls.get(&edge(cell, side));
        known.copied().unwrap_or(Occupancy::Unknown)
    }

    /// Whether a cell can be stood on, as far as is known.
    #[must_use]
    pub fn cell(&self, cell: Cell) -> Occupancy {
        let is_open = |&side: &Side| self.wall(cell, side) == Occupancy::Free;
        match self.has_walked(cell) || SIDES.iter().any(is_open) {
            true => Occupancy::Free,
            false => Occupancy::Unknown,
        }
    }
}

/// Keeps the last of something.
fn keep<T>(all: &mut VecDeque<T>, new: T, most: usize) {
    if all.len() >= most {
        all.pop_front();
    }
    all.push_back(new);
}

/// The one name of a wall.
fn edge(cell: Cell, side: Side) -> (Cell, Side) {
    match side {
        Side::North | Side::West => (cell, side),
        Side::South => (neighbour(cell, side), Side::North),
        Side::East => (neighbour(cell, side), Side::West),
    }
}

impl Inspect for RobotState {
    fn occupancy(&self, at: Cell) -> Occupancy {
        let cell = Cell::new(at.x / 2, at.y / 2);
        match (at.x % 2, at.y % 2) {
            (1, 1) => self.cell(cell),
            (1, _) => self.wall(cell, Side::North),
            (_, 1) => self.wall(cell, Side::West),
            // A post is part of the walls that meet there.
            _ => {
                let beside: Vec<Occupancy> = SIDES
                    .map(|side| neighbour(at, side))
                    .into_iter()
                    .filter(|at| at.x <= 2 * self.size.0 && at.y <= 2 * self.size.1)
                    .map(|at| self.occupancy(at))
                    .collect();
                [Occupancy::Blocked, Occupancy::Unknown]
                    .into_iter()
                    .find(|fact| beside.contains(fact))
                    .unwrap_or(Occupancy::Free)
            }
        }
    }

    fn is_expanded(&self, _: Cell) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(told: &RobotState) -> String {
        let (width, height) = told.size;
        let row = |y| -> String {
            (0..=2 * width)
                .map(|x| match told.occupancy(Cell::new(x, y)) {
                    Occupancy::Blocked => '#',
                    Occupancy::Free => '.',
                    Occupancy::Unknown => '?',
                })
                .chain(['\n'])
                .collect()
        };
        (0..=2 * height).map(row).collect()
    }

    fn field(width: u16, height: u16) -> Frame {
        Frame::Hello {
            protocol: 1,
            field: Field {
                width,
                height,
                home: Cell::new(0, 0),
                heading: Side::North,
            },
            stored: None,
        }
    }

    #[test]
    fn the_map_that_was_asked_for_is_the_one_the_robot_has() {
        let Frame::Hello { field: floor, .. } = field(5, 3) else {
            unreachable!()
        };
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(floor, &mut memory).unwrap();
        atlas.note(Cell::new(1, 1), Side::East, Occupancy::Blocked);
        atlas.note(Cell::new(4, 2), Side::North, Occupancy::Free);
        let piece = |offset: usize| Frame::Map {
            offset: offset as u16,
            bytes: (offset..atlas.len().min(offset + 5))
                .map(|index| atlas.byte(index))
                .collect(),
            total: atlas.len() as u16,
        };
        let mut told = RobotState::new((0, 0));
        told.hear(&piece(0));
        assert_eq!(told.size(), (0, 0), "nobody knows where this belongs");
        told.hear(&field(5, 3));
        for offset in [0, 5] {
            told.hear(&piece(offset));
        }
        for (cell, side, fact) in atlas.walls() {
            assert_eq!(told.wall(cell, side), fact, "{cell:?} {side:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_passed_over() {
        let mut told = RobotState::new((0, 0));
        let far = Cell::new(u16::MAX, u16::MAX);
        told.hear(&Frame::Wall(far, Side::South, Occupancy::Free));
        told.hear(&Frame::Next(far));
        told.hear(&field(0, 9));
        told.hear(&field(u16::MAX, 2));
        assert_eq!(
            (told.size(), told.next(), told.field()),
            ((0, 0), None, None)
        );
        told.hear(&field(2, 1));
        told.hear(&Frame::Map {
            offset: u16::MAX,
            bytes: [255; 48].into_iter().collect(),
            total: 0,
        });
        told.hear(&Frame::Next(Cell::new(2, 0)));
        assert_eq!(draw(&told), "#####\n#???#\n#####\n");
        assert_eq!(told.next(), None);
    }

    #[test]
    fn a_map_of_unknown_size_grows_with_what_is_told_of_it() {
        let mut told = RobotState::new((0, 0));
        told.hear(&Frame::Wall(
            Cell::new(1, 2),
            Side::West,
            Occupancy::Blocked,
        ));
        assert_eq!(told.size(), (2, 3));
        assert_eq!(told.wall(Cell::new(1, 2), Side::South), Occupancy::Unknown);
        assert_eq!(told.wall(Cell::new(1, 0), Side::North), Occupancy::Blocked);
    }

    #[test]
    fn a_wall_is_drawn_wherever_it_was_told_from() {
        let mut told = RobotState::new((2, 1));
        assert_eq!(draw(&told), "#####\n#???#\n#####\n");
        told.hear(&Frame::Wall(Cell::new(0, 0), Side::East, Occupancy::Free));
        assert_eq!(draw(&told), "#####\n#...#\n#####\n");
        told.hear(&Frame::Wall(
            Cell::new(1, 0),
            Side::West,
            Occupancy::Blocked,
        ));
        assert_eq!(draw(&told), "#####\n#?#?#\n#####\n");
        told.hear(&Frame::Forgotten);
        assert_eq!(draw(&told), "#####\n#???#\n#####\n");
    }
}
