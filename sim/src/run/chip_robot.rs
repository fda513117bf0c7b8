//! The image that is flashed, on an emulated chip, in the body and on the floor of the model.
//!
//! ```text
//!  duty ---> arena ---> encoder counts, gyro, light on receivers, battery ---> pins
//!  chip <-------------------------------------------------------------------- pins
//!   \--USB--> desk
//! ```

use std::time::Duration;

use embassy_time::Instant;
use emulator::{Emulator, Error, I2cBus, Image, Inputs, Outputs, Surroundings};
use planner_core::Cell;
use thiserror::Error as ThisError;
use tinystar::{
    config::FIELD,
    robot::Levels,
    telemetry::{Command, Frame},
};

use super::model::SLIP;
use crate::physics::{
    devices::Cable,
    faults::{FaultKind, InjectedFault},
    model::PhysicsModel,
};
use crate::telemetry::TelemetryClient;
use crate::world::{Maze, maze::SIDES};

/// How long the chip runs between two looks at the world: a step of the model.
pub const SLICE: Duration = Duration::from_millis(1);

/// A map does not fit around the home of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ThisError)]
#[error("with its start at {},{}, this map of {width}x{height} cells reaches beyond the image's {}x{}, whose home is {},{}",
    start.x, start.y, FIELD.width, FIELD.height, FIELD.home.x, FIELD.home.y)]
pub struct FieldTooSmall {
    width: u16,
    height: u16,
    start: Cell,
}

/// Where on the image's own field a cell of a map is whose start is the image's home.
#[must_use]
pub fn on_field(cell: Cell, start: Cell) -> Option<Cell> {
    let moved = |at: u16, start: u16, home: u16| at.checked_add(home)?.checked_sub(start);
    let x = moved(cell.x, start.x, FIELD.home.x)?;
    let y = moved(cell.y, start.y, FIELD.home.y)?;
    (x < FIELD.width && y < FIELD.height).then_some(Cell::new(x, y))
}

/// Where on such a map a cell of the image's own field is, if it is not above or left of it.
#[must_use]
pub fn on_map(cell: Cell, start: Cell) -> Option<Cell> {
    let moved = |at: u16, start: u16, home: u16| at.checked_add(start)?.checked_sub(home);
    let x = moved(cell.x, start.x, FIELD.home.x)?;
    let y = moved(cell.y, start.y, FIELD.home.y)?;
    Some(Cell::new(x, y))
}

/// The walls of a map on the image's own field, the map's start on the image's home; all around it is
/// open.
///
/// # Errors
/// It reaches beyond the field.
pub fn embed(map: &Maze, start: Cell) -> Result<Maze, FieldTooSmall> {
    let no_fit = FieldTooSmall {
        width: map.width(),
        height: map.height(),
        start,
    };
    let mut field = Maze::open(FIELD.width.into(), FIELD.height.into()).map_err(|_| no_fit)?;
    for cell in map.cells() {
        let place = on_field(cell, start).ok_or(no_fit)?;
        for side in SIDES {
            field.set_wall(place, side, map.has_wall(cell, side));
        }
    }
    Ok(field)
}

/// The model, as the pins of the chip feel it.
#[derive(Clone, Debug)]
pub struct World {
    arena: PhysicsModel,
    /// Encoder counts that the chip was shown.
    counts: [i32; 2],
    /// Buttons A, B and C that a person holds down.
    buttons: [bool; 3],
    troubles: Vec<InjectedFault>,
    /// People and doors that have not yet come.
    awaited: Vec<InjectedFault>,
}

impl World {
    /// A robot on its floor, and what goes wrong there; a power cut is none of the world's.
    #[must_use]
    pub fn new(arena: PhysicsModel, troubles: &[InjectedFault]) -> Self {
        let comes =
            |trouble: &&InjectedFault| matches!(trouble.kind, FaultKind::Person | FaultKind::Door);
        Self {
            counts: arena.body().counts(),
            arena,
            buttons: [false; 3],
            awaited: troubles.iter().filter(comes).copied().collect(),
            troubles: troubles.to_vec(),
        }
    }

    /// Whether this can go wrong at the pins of a chip: it takes its readings itself, so that none is
    /// dropped or old.
    #[must_use]
    pub fn knows(kind: FaultKind) -> bool {
        !matches!(kind, FaultKind::Dropped | FaultKind::Frozen)
    }

    fn make_trouble(&mut self, now: Instant) {
        let arena = &mut self.arena;
        self.awaited.retain(|trouble| {
            let event = Some(trouble)
                .filter(|trouble| trouble.at <= now)
                .and_then(|trouble| trouble.in_the_way(arena));
            event.map(|event| arena.expect(event)).is_none()
        });
    }
}

impl Surroundings for World {
    fn after(&mut self, outputs: &Outputs, _slice: Duration) -> Inputs {
        let now = instant(outputs.now);
        self.make_trouble(now);
        let goes_wrong = |kind| {
            let mut own = self.troubles.iter().filter(|trouble| trouble.kind == kind);
            own.any(|trouble| trouble.span().contains(now))
        };
        let mut power = outputs
            .duty
            .map(|duty| (f64::from(duty) / 10.0).round() as i32);
        if goes_wrong(FaultKind::Motor) {
            power[1] = 0;
        }
        let slip = if goes_wrong(FaultKind::Slip) {
            SLIP
        } else {
            [0.0; 2]
        };
        self.arena.body_mut().set_slip(slip);
        self.arena.set_power(power);
        self.arena.advance(now.as_micros());

        let counts = self.arena.body().counts();
        // All that came in this slice is shown in the next: counts per second.
        let per_second = (1.0 / SLICE.as_secs_f64()) as i32;
        let mut wheels =
            [0, 1].map(|wheel: usize| counts[wheel].wrapping_sub(self.counts[wheel]) * per_second);
        self.counts = counts;
        if goes_wrong(FaultKind::Encoder) {
            wheels[0] = 0;
        }
        let Levels {
            mut front,
            left,
            right,
        } = self.arena.look();
        if goes_wrong(FaultKind::Ghost) {
            front = [Levels::MAX; 2];
        }
        if goes_wrong(FaultKind::Missed) {
            front = [0; 2];
        }
        let body = self.arena.body();
        Inputs {
            wheels,
            proximity: [left, front, right],
            // The chip's axis points up: positive is to the left.
            gyro: -body.gyro(),
            battery: body.battery_mv().max(0.0).round() as u32,
            buttons: self.buttons,
            i2c: if goes_wrong(FaultKind::Gyro) {
                I2cBus::Silent
            } else {
                I2cBus::Works
            },
            ..Inputs::default()
        }
    }
}

/// A robot whose chip runs an image, with a desktop at its serial port; off at first.
///
/// ```no_run
/// use emulator::Image;
/// use sim::{physics::{floor::Floor, model::PhysicsModel, tolerances::Tolerances}, run::{EmulatedRobot, World}, world::Maze};
/// use tinystar::config::FIELD;
///
/// let floor = Floor::new(Maze::open(64, 64)?);
/// let arena = PhysicsModel::new(floor, FIELD.home, FIELD.heading, Tolerances::none(), 1);
/// let image = Image::read("target/thumbv6m-none-eabi/chip/tinystar")?;
/// let mut robot = EmulatedRobot::new(image, World::new(arena, &[]))?;
/// robot.power_on()?;
/// for _ in 0..1000 {
///     for frame in robot.step()?.frames {
///         println!("{frame:?}");
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EmulatedRobot {
    emulator: Emulator,
    world: World,
    cable: Cable,
    desk: TelemetryClient,
}

/// What a robot did in a [`SLICE`].
#[derive(Debug)]
pub struct Step {
    /// What its chip did.
    pub outputs: Outputs,
    /// What it told.
    pub frames: Vec<Frame>,
}

impl EmulatedRobot {
    /// A robot in a world.
    ///
    /// # Errors
    /// The emulator cannot be started.
    pub fn new(image: Image, world: World) -> Result<Self, Error> {
        let cable = Cable::default();
        Ok(Self {
            emulator: Emulator::start(image)?,
            world,
            desk: TelemetryClient::new(cable.clone(), false),
            cable,
        })
    }

    /// Switches it on; its flash is as it was.
    ///
    /// # Errors
    /// The emulator failed.
    pub fn power_on(&mut self) -> Result<(), Error> {
        self.cable = Cable::default();
        self.desk = TelemetryClient::new(self.cable.clone(), false);
        self.emulator.power_on()
    }

    /// Switches it off, whatever it is doing.
    ///
    /// # Errors
    /// The emulator failed.
    pub fn power_off(&mut self) -> Result<(), Error> {
        self.emulator.power_off()
    }

    /// Lets a [`SLICE`] pass.
    ///
    /// # Errors
    /// The emulator failed.
    pub fn step(&mut self) -> Result<Step, Error> {
        self.emulator.send(&self.cable.take_for_robot());
        let outputs = self.emulator.run(SLICE)?;
        *self.emulator.inputs_mut() = self.world.after(&outputs, SLICE);
        self.cable.relay(instant(outputs.now), outputs.usb.clone());
        let frames = self.desk.frames();
        Ok(Step { outputs, frames })
    }

    /// Takes the robot and puts it into another world, or elsewhere in this one.
    pub fn put(&mut self, world: World) {
        self.world = world;
    }

    /// Holds buttons A, B and C down, or lets them go.
    pub fn hold(&mut self, buttons: [bool; 3]) {
        self.world.buttons = buttons;
    }

    /// Sends a command over the serial port.
    pub fn command(&mut self, command: &Command) {
        self.desk.command(command);
    }

    /// The truth.
    #[must_use]
    pub fn arena(&self) -> &PhysicsModel {
        &self.world.arena
    }

    /// The desktop.
    #[must_use]
    pub fn desk(&self) -> &TelemetryClient {
        &self.desk
    }

    /// The chip.
    pub fn emulator(&mut self) -> &mut Emulator {
        &mut self.emulator
    }
}

/// The emulator's time as the model's.
#[must_use]
pub fn instant(since_start: Duration) -> Instant {
    Instant::from_micros(u64::try_from(since_start.as_micros()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use planner_core::Side;

    use super::*;

    #[test]
    fn a_map_lies_with_its_start_on_the_home_and_all_around_it_is_open() {
        let mut map = Maze::open(3, 2).unwrap();
        map.set_wall(Cell::new(1, 0), Side::East, true);
        let field = embed(&map, Cell::new(2, 1)).unwrap();
        let Cell { x, y } = FIELD.home;
        assert!(field.has_wall(Cell::new(x - 1, y - 1), Side::East));
        assert!(!field.has_wall(Cell::new(x - 1, y), Side::East));
        // The outer walls of the map, and nothing behind them.
        assert!(field.has_wall(FIELD.home, Side::South));
        assert!(field.has_wall(Cell::new(x - 2, y), Side::West));
        assert!(!field.has_wall(Cell::new(x, y + 1), Side::South));
        assert!(!field.has_wall(Cell::new(x - 3, y), Side::West));
    }

    #[test]
    fn there_and_back_is_the_same_cell() {
        let start = Cell::new(5, 2);
        for cell in [Cell::new(0, 0), start, Cell::new(30, 7)] {
            let moved = on_field(cell, start).unwrap();
            assert_eq!(on_map(moved, start), Some(cell));
        }
        let left = Cell::new(FIELD.home.x - 6, FIELD.home.y);
        assert_eq!(on_map(left, start), None);
    }

    #[test]
    fn a_map_that_reaches_beyond_the_field_does_not_fit() {
        let map = Maze::open(40, 2).unwrap();
        assert!(embed(&map, Cell::new(8, 0)).is_ok());
        assert!(embed(&map, Cell::new(7, 0)).is_err());
        assert!(embed(&map, Cell::new(32, 0)).is_ok());
        assert!(embed(&map, Cell::new(33, 0)).is_err());
    }
}
