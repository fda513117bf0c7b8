//! State of a robot as reported by its telemetry.

use std::collections::{HashMap, HashSet, VecDeque};

use planner_core::{Cell, Inspect, Side, map::Occupancy};
use tinystar::{
    calibration::Calibration,
    calibrator::Progress,
    config::{CELL_MM, SIDE},
    fault::Fault,
    mission::Field,
    navigator::decode_walls,
    settings::Settings,
    signals::CELLS,
    telemetry::{Frame, Load, Sensors, State, Stored},
};

/// Cells of the trail kept, at least.
pub const TRAIL: usize = 4096;
/// Load frames kept; the robot sends one per second.
pub const LOADS: usize = 400;
/// Faults kept.
pub const FAULTS: usize = 16;

/// Map, trail, goals, load and faults of a robot, in bounded memory. As an [`Inspect`], it has a cell for each
/// cell, wall and post, as in [`view::maze`](crate::view::maze).
#[derive(Clone, Debug, Default)]
pub struct RobotState {
    /// Columns and rows of the map, as far as known.
    pub size: (u16, u16),
    /// True if the size is known; otherwise it grows with the reported cells.
    is_sized: bool,
    /// Field, once reported.
    pub field: Option<Field>,
    /// Walls on the north and west sides of cells.
    walls: HashMap<(Cell, Side), Occupancy>,
    /// Last cells of the robot, in order.
    pub trail: Vec<Cell>,
    /// All cells of the robot.
    walked: HashSet<Cell>,
    pub goals: Vec<Cell>,
    /// Cells that the robot is about to enter, in order: its exit from all but the last is decided.
    pub route: Vec<Cell>,
    /// Last state frame.
    pub state: Option<State>,
    /// Planning load, with times in milliseconds of the robot.
    pub loads: VecDeque<(u32, Load)>,
    /// Last faults, with times in milliseconds of the robot.
    pub faults: VecDeque<(u32, Fault)>,
    /// State of the map in flash.
    pub stored: Option<Stored>,
    /// Protocol version of the robot, once reported.
    pub protocol: Option<u8>,
    /// Settings, once reported.
    pub settings: Option<Settings>,
    /// Raw data of the sensors, once reported.
    pub sensors: Option<Sensors>,
    /// Calibration and state of its measurement, once reported.
    pub calibration: Option<(Calibration, Progress)>,
}

impl RobotState {
    /// State before any telemetry, with the size of the map; `(0, 0)` if it is unknown.
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            is_sized: size != (0, 0),
            ..Self::default()
        }
    }

    /// Handles a frame. Impossible content, such as a cell off the map, is ignored.
    pub fn handle(&mut self, frame: &Frame) {
        let ms = self.ms();
        match frame {
            Frame::Hello {
                protocol,
                field,
                stored,
            } => {
                self.protocol = Some(*protocol);
                self.stored = stored.or(self.stored);
                self.set_field(*field);
            }
            Frame::State(state) => self.set_state(state),
            Frame::Goals(goals) => {
                self.goals = goals
                    .iter()
                    .copied()
                    .filter(|&goal| self.contains(goal))
                    .collect();
            }
            Frame::Next(cell) => self.extend_route(*cell),
            Frame::Wall(cell, side, occupancy) => {
                if self.contains(*cell) {
                    self.walls.insert(edge(*cell, *side), *occupancy);
                }
            }
            Frame::Load(load) => push(&mut self.loads, (ms, *load), LOADS),
            Frame::Fault(fault) => push(&mut self.faults, (ms, *fault), FAULTS),
            Frame::Map { offset, bytes, .. } => self.load_map((*offset).into(), bytes),
            Frame::Forgotten => self.walls.clear(),
            Frame::Doubted => self
                .walls
                .retain(|_, occupancy| *occupancy != Occupancy::Blocked),
            Frame::Settings(settings) => {
                self.set_field(settings.field);
                self.settings = Some(settings.clone());
            }
            Frame::Sensors(sensors) => self.sensors = Some(*sensors),
            Frame::Calibration(calibration, progress) => {
                self.calibration = Some((*calibration, *progress));
            }
            Frame::Stored(stored) => self.stored = Some(*stored),
            Frame::Cleared | Frame::Accepted(_) | Frame::Refused { .. } | Frame::Lost(_) => {}
        }
    }

    /// Handles a restart: the robot is at home, and its map must be reported again.
    pub fn restart(&mut self) {
        self.clear_progress();
        self.walls.clear();
        (self.state, self.stored) = (None, None);
        (self.sensors, self.calibration) = (None, None);
    }

    /// Clears trail, goals and load after a restart.
    pub fn clear_progress(&mut self) {
        self.trail.clear();
        self.walked.clear();
        self.goals.clear();
        self.loads.clear();
        self.route.clear();
    }

    fn set_field(&mut self, field: Field) {
        if self.field == Some(field) || !field.is_valid() {
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
        self.route.retain(is_on);
        self.state = self.state.filter(|state| is_on(&state.at));
    }

    fn set_state(&mut self, state: &State) {
        if !self.contains(state.at) {
            return;
        }
        if self.state.is_none_or(|before| before.at != state.at) {
            // Elsewhere, the route was dropped.
            let entered = self.route.iter().position(|&cell| cell == state.at);
            self.route
                .drain(..entered.map_or(self.route.len(), |place| place + 1));
        }
        self.state = Some(*state);
        self.walked.insert(state.at);
        if self.trail.last() != Some(&state.at) {
            if self.trail.len() >= TRAIL + TRAIL / 4 {
                self.trail.drain(..TRAIL / 4);
            }
            self.trail.push(state.at);
        }
    }

    /// Adds a cell behind the last one of the route that is next to it: exits may have been revoked.
    fn extend_route(&mut self, cell: Cell) {
        if !self.contains(cell) {
            return;
        }
        let is_beside = |&from: &Cell| Side::between(from, cell).is_some();
        let before = self.route.iter().rposition(is_beside);
        self.route.truncate(before.map_or(0, |place| place + 1));
        self.route.push(cell);
        // The robot decides on fewer.
        let excess = self.route.len().saturating_sub(CELLS);
        self.route.drain(..excess);
    }

    /// Loads a piece of the encoded map.
    fn load_map(&mut self, offset: usize, bytes: &[u8]) {
        // Without the field, the position of a piece is unknown.
        let Some(field) = self.field else {
            return;
        };
        for (index, &byte) in (offset..).zip(bytes) {
            for (cell, side, occupancy) in decode_walls(field, index, byte).into_iter().flatten() {
                self.walls.insert(edge(cell, side), occupancy);
            }
        }
    }

    /// Returns whether a cell is on the map, which grows if its size is unknown.
    fn contains(&mut self, cell: Cell) -> bool {
        if !self.is_sized && cell.x < SIDE && cell.y < SIDE {
            let (width, height) = self.size;
            self.size = (width.max(cell.x + 1), height.max(cell.y + 1));
        }
        cell.x < self.size.0 && cell.y < self.size.1
    }

    /// Side of a cell in millimetres, as reported; the default until then.
    pub fn cell_mm(&self) -> u16 {
        let settings = self.settings.as_ref();
        settings.map_or(CELL_MM as u16, |settings| settings.cell_mm)
    }

    /// Returns whether the robot has visited a cell.
    pub fn has_walked(&self, cell: Cell) -> bool {
        self.walked.contains(&cell)
    }

    /// First goal.
    pub fn goal(&self) -> Option<Cell> {
        self.goals.first().copied()
    }

    /// Milliseconds since power-on, as last reported.
    pub fn ms(&self) -> u32 {
        self.state.map_or(0, |state| state.ms)
    }

    /// Occupancy of a wall; outer walls are blocked.
    pub fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        let (width, height) = match self.is_sized {
            true => self.size,
            false => (SIDE, SIDE),
        };
        let is_inside = |cell: Cell| cell.x < width && cell.y < height;
        if !is_inside(cell) || !cell.neighbor(side).is_some_and(is_inside) {
            return Occupancy::Blocked;
        }
        let known = self.walls.get(&edge(cell, side));
        known.copied().unwrap_or(Occupancy::Unknown)
    }

    /// Occupancy of a cell: free if visited or entered through a free edge.
    pub fn cell(&self, cell: Cell) -> Occupancy {
        let is_open = |&side: &Side| self.wall(cell, side) == Occupancy::Free;
        match self.has_walked(cell) || Side::ALL.iter().any(is_open) {
            true => Occupancy::Free,
            false => Occupancy::Unknown,
        }
    }
}

/// Appends to a bounded queue.
fn push<T>(all: &mut VecDeque<T>, new: T, most: usize) {
    if all.len() >= most {
        all.pop_front();
    }
    all.push_back(new);
}

/// Canonical name of a wall.
fn edge(cell: Cell, side: Side) -> (Cell, Side) {
    match side {
        Side::North | Side::West => (cell, side),
        Side::South => (cell.neighbor(side).unwrap_or(cell), Side::North),
        Side::East => (cell.neighbor(side).unwrap_or(cell), Side::West),
    }
}

impl Inspect for RobotState {
    fn occupancy(&self, at: Cell) -> Occupancy {
        let cell = Cell::new(at.x / 2, at.y / 2);
        match (at.x % 2, at.y % 2) {
            (1, 1) => self.cell(cell),
            (1, _) => self.wall(cell, Side::North),
            (_, 1) => self.wall(cell, Side::West),
            // A post belongs to the walls that meet there.
            _ => {
                let beside: Vec<Occupancy> = Side::ALL
                    .into_iter()
                    .filter_map(|side| at.neighbor(side))
                    .filter(|at| at.x <= 2 * self.size.0 && at.y <= 2 * self.size.1)
                    .map(|at| self.occupancy(at))
                    .collect();
                [Occupancy::Blocked, Occupancy::Unknown]
                    .into_iter()
                    .find(|occupancy| beside.contains(occupancy))
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
    use planner_core::{Observation, Planner};
    use tinystar::navigator::{self, Navigator, encode_walls, map_bytes};

    use super::*;

    fn draw(robot: &RobotState) -> String {
        let (width, height) = robot.size;
        let row = |y| -> String {
            (0..=2 * width)
                .map(|x| match robot.occupancy(Cell::new(x, y)) {
                    Occupancy::Blocked => '#',
                    Occupancy::Free => '.',
                    Occupancy::Unknown => '?',
                })
                .chain(['\n'])
                .collect()
        };
        (0..=2 * height).map(row).collect()
    }

    fn wall(x: u16, y: u16, side: Side, occupancy: Occupancy) -> Frame {
        Frame::Wall(Cell::new(x, y), side, occupancy)
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
    fn the_reported_map_is_that_of_the_robot() {
        let Frame::Hello { field: floor, .. } = field(5, 3) else {
            unreachable!()
        };
        let mut navigator = Box::new(Navigator::new());
        navigator::begin(&mut navigator, floor).unwrap();
        for (cell, side, occupancy) in [
            (Cell::new(1, 1), Side::East, Occupancy::Blocked),
            (Cell::new(4, 2), Side::North, Occupancy::Free),
        ] {
            let wall = Observation::Wall(cell, side, occupancy);
            navigator.observe(wall).unwrap();
        }
        let map = navigator.map();
        let total = map_bytes(floor);
        let piece = |offset: usize| Frame::Map {
            offset: offset as u16,
            bytes: (offset..total.min(offset + 5))
                .map(|index| encode_walls(map, index))
                .collect(),
            total: total as u16,
        };
        let mut robot = RobotState::new((0, 0));
        robot.handle(&piece(0));
        assert_eq!(robot.size, (0, 0), "the field is unknown");
        robot.handle(&field(5, 3));
        for offset in [0, 5] {
            robot.handle(&piece(offset));
        }
        for (cell, side, wall) in map.walls() {
            assert_eq!(robot.wall(cell, side), wall, "{cell:?} {side:?}");
        }
    }

    #[test]
    fn impossible_content_is_ignored() {
        let mut robot = RobotState::new((0, 0));
        let far = Cell::new(u16::MAX, u16::MAX);
        robot.handle(&Frame::Wall(far, Side::South, Occupancy::Free));
        robot.handle(&Frame::Next(far));
        robot.handle(&field(0, 9));
        robot.handle(&field(u16::MAX, 2));
        assert_eq!((robot.size, robot.field), ((0, 0), None));
        assert_eq!(robot.route, []);
        robot.handle(&field(2, 1));
        robot.handle(&Frame::Map {
            offset: u16::MAX,
            bytes: [255; 48].into_iter().collect(),
            total: 0,
        });
        robot.handle(&Frame::Next(Cell::new(2, 0)));
        assert_eq!(draw(&robot), "#####\n#???#\n#####\n");
        assert_eq!(robot.route, []);
    }

    #[test]
    fn the_route_ends_with_the_cell_that_was_decided_on_last() {
        let mut robot = RobotState::new((9, 9));
        let cell = |(x, y)| Cell::new(x, y);
        let at = |robot: &mut RobotState, place| {
            robot.handle(&Frame::State(State::new(cell(place), Side::North)));
        };
        at(&mut robot, (1, 5));
        // A dead end is entered and left.
        for next in [(1, 4), (1, 3), (1, 4)] {
            robot.handle(&Frame::Next(cell(next)));
        }
        assert_eq!(robot.route, [(1, 4), (1, 3), (1, 4)].map(cell));
        at(&mut robot, (1, 4));
        at(&mut robot, (1, 4));
        assert_eq!(robot.route, [(1, 3), (1, 4)].map(cell));
        at(&mut robot, (1, 3));
        for next in [(2, 4), (3, 4), (4, 4)] {
            robot.handle(&Frame::Next(cell(next)));
        }
        // The exits from 2,4 on were revoked.
        robot.handle(&Frame::Next(cell((2, 5))));
        assert_eq!(robot.route, [(1, 4), (2, 4), (2, 5)].map(cell));
        for number in 0..1000 {
            robot.handle(&Frame::Next(cell((2, 5 + number % 2))));
        }
        assert!(robot.route.len() <= CELLS);
    }

    #[test]
    fn a_map_of_unknown_size_grows_with_reported_cells() {
        let mut robot = RobotState::new((0, 0));
        robot.handle(&wall(1, 2, Side::West, Occupancy::Blocked));
        assert_eq!(robot.size, (2, 3));
        assert_eq!(robot.wall(Cell::new(1, 2), Side::South), Occupancy::Unknown);
        assert_eq!(robot.wall(Cell::new(1, 0), Side::North), Occupancy::Blocked);
    }

    #[test]
    fn a_wall_is_the_same_from_both_sides() {
        let mut robot = RobotState::new((2, 1));
        assert_eq!(draw(&robot), "#####\n#???#\n#####\n");
        robot.handle(&wall(0, 0, Side::East, Occupancy::Free));
        assert_eq!(draw(&robot), "#####\n#...#\n#####\n");
        robot.handle(&wall(1, 0, Side::West, Occupancy::Blocked));
        assert_eq!(draw(&robot), "#####\n#?#?#\n#####\n");
        robot.handle(&Frame::Forgotten);
        assert_eq!(draw(&robot), "#####\n#???#\n#####\n");
    }
}
