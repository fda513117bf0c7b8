//! Every number of the robot, with its unit and its reason; what cannot work does not compile.

use embassy_time::Duration;
use planner_core::{Cell, Side};

use crate::{calibration::Calibration, mission::Field, robot::Levels};

// The floor.

/// Length of a cell in millimetres: a micromouse maze's, and a floor of it is quickly taped.
pub const CELL_MM: i32 = 180;
/// From the middle of a cell to the face of a wall on its edge, in millimetres: half a cell less half
/// the 12 mm of a micromouse maze's wall.
pub const WALL_FACE_MM: i32 = CELL_MM / 2 - 6;
/// Largest map, in cells a side: three searches over it take half of the chip's memory.
pub const SIDE: u16 = 64;
/// The map unless told otherwise. The robot is put in its middle, so that it may go any way.
pub const FIELD: Field = Field {
    width: SIDE,
    height: SIDE,
    home: Cell::new(SIDE / 2, SIDE / 2),
    heading: Side::North,
};
/// Where button A sends the robot unless a goal was set: four cells ahead, two to the right.
pub const GOAL: Cell = Cell::new(SIDE / 2 + 2, SIDE / 2 - 4);

// The robot.

/// From the middle of the robot to its front receiver, in millimetres.
pub const FRONT_SENSOR_MM: i32 = 45;
/// From the middle of the robot out to its side receivers, in millimetres.
pub const SIDE_SENSOR_MM: i32 = 45;
/// From the middle of the robot forward to its side receivers, in millimetres.
pub const SIDE_SENSOR_AHEAD_MM: i32 = 30;
/// What is true of the robot as it comes: a 75:1 gear, and white walls.
pub const CALIBRATION: Calibration = Calibration {
    nm_per_count: 126_600,
    track_um: 99_000,
    range_permille: 1000,
    blocked_at: 8,
    free_at: 6,
};
/// Distance at which a receiver sees each of the six levels of its own side's light, in millimetres,
/// brightest last. It grows with the square root of the pulse's width.
pub const OWN_RANGE_MM: [i32; Levels::MAX as usize] = [61, 109, 157, 204, 253, 300];
/// The same for the light of the other side.
pub const CROSS_RANGE_MM: [i32; Levels::MAX as usize] = [38, 68, 98, 127, 157, 186];
/// The same for the front receiver, which sees both sides alike.
pub const FRONT_RANGE_MM: [i32; Levels::MAX as usize] = [49, 87, 126, 163, 202, 240];
/// Speed at full power and full battery, in millimetres per second.
pub const TOP_SPEED: i32 = 860;

// Driving.

/// How often the wheels are controlled: the gyro has a new value every 4.8 ms.
pub const CONTROL_PERIOD: Duration = Duration::from_millis(5);
/// Speed between cells, in millimetres per second: a stop from it takes 34 mm.
pub const SPEED: i32 = 200;
/// Acceleration, in millimetres per second per second: tracks slip above a few metres.
pub const ACCELERATION: i32 = 600;
/// Acceleration when something is in the way, in millimetres per second per second: 13 mm from
/// [`SPEED`].
pub const BRAKE: i32 = 1500;
/// Speed of a turn, in thousandths of a degree per second.
pub const TURN_SPEED: i32 = 180_000;
/// Acceleration of a turn, in thousandths of a degree per second per second.
pub const TURN_ACCELERATION: i32 = 900_000;
/// A motion has ended when it is as near as this for [`SETTLED`] steps of control, in micrometres.
pub const NEAR_UM: i32 = 2_000;
/// The same for a turn, in thousandths of a degree.
pub const NEAR_MDEG: i32 = 800;
/// Steps of control for which a motion must have been near its end.
pub const SETTLED: u8 = 6;
/// A motion that has not ended so long after its profile has is a fault.
pub const OVERTIME: Duration = Duration::from_millis(1500);
/// A wheel that is so far from where it should be is stalled, in micrometres.
pub const STALL_UM: i32 = 15_000;
/// Power that a wheel needs to move at all, in thousandths: what friction takes.
pub const FRICTION: i32 = 25;
/// Speed that a wheel is given for being behind: per second, so many times the way. With the motors' lag
/// of 60 ms, more would swing.
pub const STIFFNESS: i32 = 15;
/// Speed that a wheel is given for having been behind: per second of it, so many times the way. It makes
/// up for a battery that is not full.
pub const PATIENCE: i32 = 30;
/// As much as [`PATIENCE`] may add, in micrometres per second: a tenth of [`TOP_SPEED`].
pub const MOST_PATIENCE: i32 = TOP_SPEED * 100;
/// Speed that the robot is given for being behind: per second, so many times the way. Slower than the
/// wheels, which must follow.
pub const EAGERNESS: i32 = 4;
/// The same for being turned: per second, so many times the angle.
pub const STEADINESS: i32 = 6;
/// The fastest that a robot may go to make up for being behind, in millimetres per second.
pub const CATCH_UP_SPEED: i32 = 260;
/// How far the robot turns back for each millimetre that it is aside, in thousandths of a degree: it is
/// half as far aside after half a second.
pub const RETURN_MDEG_PER_MM: i32 = 400;
/// As far as it turns back at most, in thousandths of a degree: its sight is made for walls ahead.
pub const RETURN_MDEG: i32 = 8_000;
/// Over so much of the end of a way it comes to look straight ahead again, in micrometres.
pub const STRAIGHTEN_UM: i32 = 50_000;
/// Before a turn the robot goes to the middle of its cell if it is so far from it, in micrometres.
pub const CENTRED_UM: i32 = 4_000;
/// Before a turn a robot that is so far aside goes back and comes again, in micrometres: turning, its
/// corners have 15 mm to spare.
pub const ASIDE_UM: i32 = 7_000;
/// How far it goes back for that, in micrometres: not out of the cell that it came from.
pub const BACK_UP_UM: i32 = 130_000;
/// Looks in a row that must find something in the way.
pub const BLOCKED_LOOKS: u8 = 2;
/// Something that is so much nearer than the wall behind the robot's next place is in the way, in
/// micrometres: half the width of a level of light.
pub const NEARER_UM: i32 = 25_000;
/// A wheel that turns no more than so far in a step of control is still, in micrometres: one count, but
/// not two.
pub const STILL_UM: i32 = 200;
/// Steps of control for which the wheels must have been still for the robot to be: it sways to rest.
pub const STILL_STEPS: u8 = 12;
/// The gyro's error at rest is taken in over so many steps of it: a third of a second.
pub const REST_STEPS: i32 = 64;
/// A turn that the gyro and the wheels tell differently by so much within [`SLIP_STEPS`] is a slip,
/// in thousandths of a degree. Tracks scrub, so that a turn is told differently by a fifth or so.
pub const SLIP_MDEG: i32 = 25_000;
/// Steps of control after which a third is left of a difference between gyro and wheels.
pub const SLIP_STEPS: i32 = 40;
/// Something that is so far from where a wall should be is none, in micrometres; or the robot is.
pub const LOST_UM: i32 = 25_000;
/// Ends of walls in a row that must be so far from where they should be for the robot to be lost.
pub const LOST_EDGES: u8 = 2;
/// Levels of both lights that, from the middle of a cell, only a wall on its edge gives: what is in
/// the next cell is further off, and may go away.
pub const WALL_AT: u8 = 11;
/// A robot that is turned by more does not look along its corridor, in thousandths of a degree.
pub const STRAIGHT_MDEG: i32 = 8_000;
/// As much as one reading may move the estimate, in micrometres: a wrong one does little harm.
pub const SIGHT_STEP_UM: i32 = 2_000;
/// As much as what is ahead may move the estimate from cell to cell, in micrometres: it may be no wall.
pub const PULL_UM: i32 = 12_000;
/// As much as a look aside moves the estimate, in micrometres: the robot must have the time to answer.
pub const NUDGE_UM: i32 = 100;
/// How far a robot that is found to be aside is taken to be turned, in thousandths of a degree for each
/// millimetre: a degree leads 3 mm aside in a cell.
pub const ASTRAY_MDEG_PER_MM: i32 = 100;
/// As much as the end of a wall may move the estimate, in micrometres: it is seen once.
pub const EDGE_STEP_UM: i32 = 10_000;
/// From the line between two cells to where a side receiver, which sees a cone, begins or ceases to see a
/// wall that ends there, in micrometres: half a post, half the cone, and what a reading takes.
pub const EDGE_UM: i32 = 13_000;
/// Gyro readings that may fail in a row: 50 ms are driven by the wheels alone.
pub const GYRO_MISSES: u8 = 10;
/// Encoder readings that may fail in a row.
pub const ENCODER_MISSES: u8 = 3;

// Seeing.

/// How often the proximity sensors look; a look takes 6.9 ms.
pub const SENSE_PERIOD: Duration = Duration::from_millis(10);
/// Looks that vote on what is seen.
pub const VOTES: usize = 5;
/// Votes that decide.
pub const MAJORITY: usize = 4;
/// A robot that moves stops when the last good reading is older; at 200 mm/s these are 16 mm.
pub const STALE: Duration = Duration::from_millis(80);
/// A robot that stands says so when the last good reading is older.
pub const BLIND: Duration = Duration::from_millis(400);

// Planning.

/// How often the planner ticks.
pub const PLAN_PERIOD: Duration = Duration::from_millis(10);
/// The most expansions in a tick: about a millisecond of the chip.
pub const LIMIT: u32 = 64;
/// The local search's share of them in per cent.
pub const LOCAL_RATIO: u8 = 25;
/// Expansions of the local search: its share of [`LIMIT`].
pub const LOOK_AHEAD: usize = LIMIT as usize * LOCAL_RATIO as usize / 100;
/// Changes of the map that may wait for the search.
pub const BACKLOG: usize = 16;
/// A tick that takes longer is a fault: what was meant as a bound is none.
pub const DEADLINE: Duration = Duration::from_millis(8);
/// A wall where there was none is a door; it is tried again after so long.
pub const FORGET_DOOR: Duration = Duration::from_secs(20);
/// Doors that are remembered to be tried again.
pub const DOORS: usize = 16;
/// Readings that do not agree may be repeated so often; then what is ahead counts as blocked.
pub const LOOKS: u8 = 4;
/// Walls that are looked at in one tick when the map is read or forgotten.
pub const SWEEP: usize = 16;
/// The most cells that are gone in one go, in a run over what is known.
pub const LONGEST_ADVANCE: u8 = 8;
/// With no way left, the robot waits so long and looks again.
pub const RETRY: Duration = Duration::from_secs(5);
/// So many waits for a way, and the map itself is doubted and forgotten.
pub const RETRIES: u8 = 3;

// Keeping.

/// Where the learned map is kept: bytes of flash behind the program, as `memory.x` says.
pub const STORE: core::ops::Range<u32> = 0x1F_0000..0x20_0000;
/// Facts learned after which the map is written, at the next stop.
pub const SAVE_AFTER: u16 = 64;

// Telling.

/// Ticks of the planner after which its load is told.
pub const LOAD_TICKS: u16 = 100;
/// How often the state is reported.
pub const REPORT_PERIOD: Duration = Duration::from_millis(100);
/// How often buttons are read; a press is two equal readings.
pub const PANEL_PERIOD: Duration = Duration::from_millis(20);
/// Panel periods between two pictures on the display.
pub const SCREEN_EVERY: u32 = 10;

// Safety.

/// The watchdog bites after so long without being fed.
pub const WATCHDOG: Duration = Duration::from_millis(1000);
/// How often tasks must have checked in, all of them. The longest that one may be silent is an erase
/// of flash, 400 ms at worst.
pub const SUPERVISE_PERIOD: Duration = Duration::from_millis(250);
/// Below so many millivolts the robot stops: four cells of 1.1 V.
pub const BATTERY_LOW_MV: u32 = 4_400;
/// Below so many millivolts it runs on USB, with its motors unpowered: not low, but absent.
pub const BATTERY_ABSENT_MV: u32 = 2_000;
/// Battery readings in a row that must be low.
pub const BATTERY_LOW_READINGS: u8 = 4;

// Budgets, checked against the image by `cargo xtask size`.

/// Bytes of RAM that static data may take, of 264 KiB; the rest is the stack.
pub const RAM_BUDGET: u32 = 200 * 1024;
/// Bytes of flash that the program may take.
pub const FLASH_BUDGET: u32 = 256 * 1024;

const _: () = {
    assert!(
        SIDE >= 2 && SIDE as u32 * SIDE as u32 <= 16_384,
        "ids of 16 bits with room to spare"
    );
    assert!(FIELD.width <= SIDE && FIELD.height <= SIDE);
    assert!(FIELD.home.x < FIELD.width && FIELD.home.y < FIELD.height);
    assert!(GOAL.x < FIELD.width && GOAL.y < FIELD.height);
    assert!(CALIBRATION.is_valid());
    // From any speed the robot stops before the wall it has just seen at the edge of its sight.
    assert!(
        SPEED * SPEED / (2 * ACCELERATION) + SPEED * STALE.as_millis() as i32 / 1000 < CELL_MM / 2
    );
    assert!(
        0 < SPEED && SPEED < CATCH_UP_SPEED && CATCH_UP_SPEED < TOP_SPEED / 2,
        "power is left for control"
    );
    assert!(
        CELL_MM * 500 < BACK_UP_UM && BACK_UP_UM < CELL_MM * 1000,
        "back into the cell it came from, and not out of it"
    );
    assert!(
        NEAR_UM < STALL_UM && LOST_UM < CELL_MM * 500,
        "a wall is told from the next"
    );
    assert!(VOTES <= 8 && MAJORITY * 2 > VOTES && MAJORITY <= VOTES);
    assert!(
        STALE.as_ticks() > 3 * SENSE_PERIOD.as_ticks(),
        "a lost reading or two are no fault"
    );
    assert!(DEADLINE.as_ticks() <= PLAN_PERIOD.as_ticks());
    assert!(LOCAL_RATIO <= 100 && LOOK_AHEAD > 0);
    assert!(
        STORE.start.is_multiple_of(4096)
            && STORE.end.is_multiple_of(4096)
            && STORE.end - STORE.start >= 2 * 4096
    );
    assert!(WATCHDOG.as_ticks() > 2 * SUPERVISE_PERIOD.as_ticks());
    assert!(BATTERY_ABSENT_MV < BATTERY_LOW_MV);
};
