//! A drive of the emulated robot in an empty room, to measure functions of the firmware's image. It is calibrated: only
//! then walls ahead correct its pose.

use std::{path::Path, time::Duration};

use anyhow::{Result, ensure};
use emulator::{Calls, Emulator, Image, Inputs, Largest, Outputs, Surroundings};
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::Routine,
    config::{CELL_MM, WALL_FACE_MM},
    telemetry::{Command, codec},
};

use crate::chip::Probes;

/// Encoder counts per second at full duty.
const TOP_SPEED: i64 = 6_800;
const SLICE: Duration = Duration::from_millis(2);
/// Until the firmware has loaded its map and stored the calibration.
const START_UP: Duration = Duration::from_secs(1);
/// Duration for which button A is held, which starts the mission.
const PRESS: Duration = Duration::from_millis(200);
const DRIVE: Duration = Duration::from_secs(8);

/// From the centre of the room, where the robot starts, to its walls, in micrometres: three by three cells.
const WALL_UM: i64 = (CELL_MM as i64 + WALL_FACE_MM as i64) * 1000;

/// Wheels that turn as fast as they are driven, the gyro that goes with them, and the wall ahead.
#[derive(Default)]
struct Room {
    is_pressed: bool,
    has_moved: bool,
    /// From the start in the first heading and to its left, in nanometres.
    position: [i64; 2],
    /// Turn since the start, in millionths of a degree, positive to the left.
    turned: i64,
}

impl Surroundings for Room {
    fn after(&mut self, outputs: &Outputs, slice: Duration) -> Inputs {
        let [left, right] = outputs
            .duty
            .map(|duty| i64::from(duty) * TOP_SPEED / 10_000);
        self.has_moved |= (left, right) != (0, 0);
        let calibration = &ZUMO2040.calibration;
        let um = (right - left) * i64::from(calibration.nm_per_count) / 1000;
        let gyro = um * 57_296 / i64::from(calibration.track_um);
        let ms = slice.as_millis() as i64;
        self.turned += gyro * ms;
        let quarters = (self.turned + 45_000_000).div_euclid(90_000_000);
        let (axis, sign) = [(0, 1), (1, 1), (0, -1), (1, -1)][quarters.rem_euclid(4) as usize];
        self.position[axis] +=
            sign * (left + right) / 2 * i64::from(calibration.nm_per_count) * ms / 1000;
        let receiver_um =
            sign * self.position[axis] / 1000 + 1000 * i64::from(ZUMO2040.front_sensor_mm);
        let to_wall = (WALL_UM - receiver_um).max(0) as i32;
        let mut proximity = Inputs::default().proximity;
        let [_, near_ns, _] = calibration.walls.near_ns;
        proximity[1] = near_ns.map(|near| calibration.walls.width_ns(near, to_wall).into());
        Inputs {
            // They fit: speeds are those of a robot.
            wheels: [left as i32, right as i32],
            gyro: gyro as i32,
            proximity,
            buttons: [self.is_pressed, false, false],
            ..Inputs::default()
        }
    }
}

/// Starts a mission on the firmware in an ELF file, and measures and counts while the robot drives.
pub fn measure(image: &Path, probes: Probes) -> Result<(Vec<Calls>, Vec<Largest>)> {
    let mut emulator = Emulator::start(Image::read(image)?)?;
    emulator.start_probes(probes.functions)?;
    emulator.start_counters(probes.counted, probes.counters)?;
    emulator.power_on()?;
    let calibration = Calibration {
        measured: Routine::Walls.bit(),
        ..ZUMO2040.calibration
    };
    let mut buffer = [0; codec::COMMAND];
    emulator.send(codec::encode(
        0,
        &Command::SetCalibration(calibration),
        &mut buffer,
    )?);
    let mut room = Room::default();
    for (is_pressed, time) in [(false, START_UP), (true, PRESS), (false, DRIVE)] {
        room.is_pressed = is_pressed;
        let mut left = time;
        while !left.is_zero() {
            let outputs = emulator.run(SLICE)?;
            ensure!(outputs.faults().is_empty(), "{:?}", outputs.faults());
            *emulator.inputs_mut() = room.after(&outputs, SLICE);
            left = left.saturating_sub(SLICE);
        }
    }
    ensure!(room.has_moved, "the robot did not drive");
    Ok((emulator.take_probes()?, emulator.take_counters()?))
}
