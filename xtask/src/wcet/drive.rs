//! A drive of the emulated robot without walls around it, to measure functions of the firmware's image.

use std::{path::Path, time::Duration};

use anyhow::{Result, ensure};
use emulator::{Calls, Counter, Emulator, Image, Inputs, Largest, Outputs, Surroundings};
use tinystar::boards::ZUMO2040;

/// Encoder counts per second at full duty.
const TOP_SPEED: i64 = 6_800;
const SLICE: Duration = Duration::from_millis(2);
/// Until the firmware has loaded its map.
const START_UP: Duration = Duration::from_secs(1);
/// Duration for which button A is held, which starts the mission.
const PRESS: Duration = Duration::from_millis(200);
const DRIVE: Duration = Duration::from_secs(8);

/// Wheels that turn as fast as they are driven, and the gyro that goes with them.
struct Wheels {
    is_pressed: bool,
    has_moved: bool,
}

impl Surroundings for Wheels {
    fn after(&mut self, outputs: &Outputs, _slice: Duration) -> Inputs {
        let [left, right] = outputs
            .duty
            .map(|duty| i64::from(duty) * TOP_SPEED / 10_000);
        self.has_moved |= (left, right) != (0, 0);
        let calibration = &ZUMO2040.calibration;
        let um = (right - left) * i64::from(calibration.nm_per_count) / 1000;
        let gyro = um * 57_296 / i64::from(calibration.track_um);
        Inputs {
            // They fit: speeds are those of a robot.
            wheels: [left as i32, right as i32],
            gyro: gyro as i32,
            buttons: [self.is_pressed, false, false],
            ..Inputs::default()
        }
    }
}

/// Starts a mission on the firmware in an ELF file and measures the calls of functions while the robot drives, and counts
/// in them.
pub fn measure(
    image: &Path,
    functions: &[u32],
    counters: &[Counter],
) -> Result<(Vec<Calls>, Vec<Largest>)> {
    let mut emulator = Emulator::start(Image::read(image)?)?;
    emulator.start_probes(functions)?;
    emulator.start_counters(functions, counters)?;
    emulator.power_on()?;
    let mut wheels = Wheels {
        is_pressed: false,
        has_moved: false,
    };
    for (is_pressed, time) in [(false, START_UP), (true, PRESS), (false, DRIVE)] {
        wheels.is_pressed = is_pressed;
        let mut left = time;
        while !left.is_zero() {
            let outputs = emulator.run(SLICE)?;
            ensure!(outputs.faults().is_empty(), "{:?}", outputs.faults());
            *emulator.inputs_mut() = wheels.after(&outputs, SLICE);
            left = left.saturating_sub(SLICE);
        }
    }
    ensure!(wheels.has_moved, "the robot did not drive");
    Ok((emulator.take_probes()?, emulator.take_counters()?))
}
