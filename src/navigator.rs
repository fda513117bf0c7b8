//! Navigator of the robot, planner and wall map in one, and the encoding of the map for flash and telemetry.

use planner_core::{
    BuildError, Cell, Side,
    map::{Occupancy, WallMap},
    navigator::MazeNavigator,
    search::{RunLimits, RunTimes, RunTimesError},
    storage::{Storage, maze_capacity},
};

use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    config::{PIVOT_TIME, RUN_TICK, SIDE},
    mission::Field,
    motion::{CellSize, SpeedLevel},
};

/// Navigator with room for the largest map. A `static` of [`Navigator::new`] is all zero.
pub type Navigator = MazeNavigator<{ maze_capacity(SIDE, SIDE) }>;

/// Begins on an unknown field, with the robot at its home.
///
/// ```
/// use tinystar::{config::{FIELD, LIMIT}, navigator::{self, Navigator}, planner::prelude::*};
///
/// let mut navigator = Box::new(Navigator::new());
/// navigator::begin(&mut navigator, FIELD)?;
/// let (at, goal) = (FIELD.home, Cell::new(FIELD.home.x, FIELD.home.y - 2));
/// navigator.go_to(&[goal])?;
/// let decision = navigator.tick(at, Budget::limit(LIMIT))?;
/// assert_eq!(decision, Decision::Step(Cell::new(at.x, at.y - 1)));
/// # Ok::<(), tinystar::planner::Error>(())
/// ```
///
/// # Errors
/// The field has more cells than the navigator, or its home is outside.
pub fn begin(navigator: &mut Navigator, field: Field) -> Result<(), BuildError> {
    navigator.begin((field.width, field.height), field.home, &[field.home])?;
    stand_at_home(navigator, field)
}

/// Begins again with the robot at its home, on a map that was preloaded.
///
/// # Errors
/// The home is outside the map.
pub fn restart(navigator: &mut Navigator, field: Field) -> Result<(), BuildError> {
    navigator.restart(field.home, &[field.home])?;
    stand_at_home(navigator, field)
}

/// The robot is at its home and prefers to go straight: a turn takes longer than a cell.
fn stand_at_home(navigator: &mut Navigator, field: Field) -> Result<(), BuildError> {
    navigator.set_prefer_straight(true);
    navigator.turn_to(field.heading);
    Ok(navigator.go_to(&[field.home])?)
}

/// Limits of motion of a run at a speed level, as a board drives in cells of a size.
#[must_use]
pub fn run_limits(
    board: &BoardConfig,
    level: SpeedLevel,
    calibration: &Calibration,
    cell: CellSize,
) -> RunLimits {
    let limits = board.limits(level).within(calibration);
    // All are positive and fit.
    RunLimits {
        cell_um: cell.um() as u32,
        turn_um: board.turn.in_cell_um(cell) as u32,
        turn_speed: limits.turn_mm_s as u16,
        top_speed: limits.straight_mm_s as u16,
        acceleration: limits.acceleration_mm_s2 as u16,
        pivot_us: PIVOT_TIME.as_micros() as u32,
        tick_us: RUN_TICK.as_micros() as u32,
    }
}

/// Plans speed runs by time: under these limits of motion, until others are set. Without limits, runs are shortest
/// paths.
///
/// ```
/// use tinystar::{navigator::{self, Navigator}, planner::search::RunLimits};
///
/// let mut navigator = Box::new(Navigator::new());
/// navigator::plan_runs(&mut navigator, RunLimits::MICROMOUSE)?;
/// # Ok::<(), tinystar::planner::search::RunTimesError>(())
/// ```
///
/// # Errors
/// Limits are zero or too large, or the turn speed is not reached within half a cell; those before stay.
pub fn plan_runs(navigator: &mut Navigator, limits: RunLimits) -> Result<(), RunTimesError> {
    navigator.set_run_times(RunTimes::new(limits)?);
    Ok(())
}

/// Walls per encoded byte, two bits each: south and east sides of the cells, row by row, the first in the
/// lowest bits.
const WALLS_PER_BYTE: usize = 4;

/// Bytes of the largest encoded map.
pub const MAX_MAP_BYTES: usize = 2 * SIDE as usize * SIDE as usize / WALLS_PER_BYTE;

/// Bytes of the encoded map of a field.
#[must_use]
pub fn map_bytes(field: Field) -> usize {
    (2 * usize::from(field.width) * usize::from(field.height)).div_ceil(WALLS_PER_BYTE)
}

/// Encodes byte `index` of a map. Outer walls are encoded as unknown.
#[must_use]
pub fn encode_walls<S: Storage>(map: &WallMap<S>, index: usize) -> u8 {
    let first = index * WALLS_PER_BYTE;
    (0..WALLS_PER_BYTE).fold(0, |byte, place| {
        let wall = map
            .nth_wall(first + place)
            .filter(|&(cell, side)| !map.is_outer(cell, side))
            .and_then(|(cell, side)| map.wall(cell, side).ok());
        byte | (wall.unwrap_or(Occupancy::Unknown) as u8) << (2 * place)
    })
}

/// Byte and lowest bit of a wall in the encoded map of a field; `None` for outer walls and off the field.
#[must_use]
pub fn wall_bits(field: Field, cell: Cell, side: Side) -> Option<(usize, u32)> {
    // A wall belongs to the cell north or west of it.
    let (cell, place) = match side {
        Side::South => (cell, 0),
        Side::East => (cell, 1),
        Side::North => (cell.neighbor(Side::North)?, 0),
        Side::West => (cell.neighbor(Side::West)?, 1),
    };
    let number = 2 * (usize::from(cell.y) * usize::from(field.width) + usize::from(cell.x)) + place;
    field.contains(cell).then_some((
        number / WALLS_PER_BYTE,
        (number % WALLS_PER_BYTE * 2) as u32,
    ))
}

/// Decodes byte `index` of the map of a field; `None` if it is invalid.
///
/// ```
/// use tinystar::{config::FIELD, navigator::decode_walls, planner::{Cell, Side, map::Occupancy}};
///
/// let mut walls = decode_walls(FIELD, 1, 0b0110).unwrap();
/// assert_eq!(walls.next(), Some((Cell::new(2, 0), Side::South, Occupancy::Blocked)));
/// assert_eq!(walls.next(), Some((Cell::new(2, 0), Side::East, Occupancy::Free)));
/// assert!(decode_walls(FIELD, 1, 0b11).is_none());
/// ```
#[must_use]
pub fn decode_walls(
    field: Field,
    index: usize,
    byte: u8,
) -> Option<impl Iterator<Item = (Cell, Side, Occupancy)>> {
    // Two bits have three valid values.
    let is_valid = byte & byte >> 1 & 0b0101_0101 == 0;
    let width = usize::from(field.width);
    let cells = width * usize::from(field.height);
    is_valid.then(|| {
        (0..WALLS_PER_BYTE)
            .map(move |place| (index * WALLS_PER_BYTE + place, byte >> (2 * place) & 3))
            .take_while(move |&(number, _)| number / 2 < cells)
            .map(move |(number, bits)| {
                let cell = number / 2;
                // They fit: both are below the sides of the field.
                let cell = Cell::new((cell % width) as u16, (cell / width) as u16);
                let side = [Side::South, Side::East][number % 2];
                let occupancy = match bits {
                    0 => Occupancy::Unknown,
                    1 => Occupancy::Free,
                    _ => Occupancy::Blocked,
                };
                (cell, side, occupancy)
            })
    })
}

#[cfg(test)]
mod tests {
    use planner_core::{Observation, map::Map, storage::Array};

    use super::*;

    #[test]
    fn every_wall_has_its_bits() {
        let field = Field {
            width: 5,
            height: 3,
            home: Cell::new(0, 0),
            heading: Side::North,
        };
        let mut map = WallMap::<Array<{ maze_capacity(5, 3) }>>::new();
        map.resize(5, 3).unwrap();
        for cell in (0..3).flat_map(|y| (0..5).map(move |x| Cell::new(x, y))) {
            for side in Side::ALL {
                if map.is_outer(cell, side) {
                    continue;
                }
                map.observe(Observation::Wall(cell, side, Occupancy::Blocked))
                    .unwrap();
                let bits = wall_bits(field, cell, side).unwrap();
                for index in 0..map_bytes(field) {
                    let expected = if index == bits.0 { 0b10 << bits.1 } else { 0 };
                    assert_eq!(encode_walls(&map, index), expected, "{cell:?} {side:?}");
                }
                map.observe(Observation::Wall(cell, side, Occupancy::Unknown))
                    .unwrap();
            }
        }
    }

    #[test]
    fn a_map_survives_encoding_and_decoding() {
        for (width, height) in [(1, 1), (5, 3), (16, 16)] {
            let field = Field {
                width,
                height,
                home: Cell::new(0, 0),
                heading: Side::North,
            };
            let mut map = WallMap::<Array<{ maze_capacity(16, 16) }>>::new();
            map.resize(width, height).unwrap();
            let values = [Occupancy::Unknown, Occupancy::Blocked, Occupancy::Free];
            for number in 0.. {
                let Some((cell, side)) = map.nth_wall(number) else {
                    break;
                };
                let _ = map.observe(Observation::Wall(cell, side, values[number % 3]));
            }
            let decoded = (0..map_bytes(field))
                .flat_map(|index| decode_walls(field, index, encode_walls(&map, index)).unwrap())
                .filter(|&(cell, side, _)| !map.is_outer(cell, side));
            assert!(decoded.eq(map.walls()), "{width}x{height}");
        }
    }
}
