//! The physics model at the pins of the emulated chip.

use std::{f64::consts::FRAC_PI_2, time::Duration};

use emulator::{I2cBus, Inputs, Outputs, Surroundings};

use super::{SLICE, instant};
use crate::physics::{
    faults::{FaultKind, Hand, InjectedFault, ObstacleSchedule, SLIP, is_active, pressed},
    model::PhysicsModel,
    parameters::{FRONT_RECEIVER, SIDE_RECEIVER, SIDE_RECEIVER_FORWARD},
};

/// Reach of an analogue distance sensor in the model, in millimetres: beyond, its voltage is that of the reach.
const DISTANCE_REACH: f64 = 400.0;

/// Output of a Sharp GP2Y0A51SK0F in millivolts. By its data sheet 0.4 V at 150 mm and 1.65 V more at 20 mm;
/// such sensors measure by triangulation, so the voltage falls with the inverse of the distance from a point
/// behind the lens.
fn distance_mv(mm: f64) -> u32 {
    const BEHIND_LENS: f64 = 11.5;
    const MV_MM: f64 = 64_600.0;
    (MV_MM / (mm.max(20.0) + BEHIND_LENS)).round() as u32
}

/// Voltages of the left, front and right distance sensor of a Pico robot.
fn distances(physics: &PhysicsModel) -> [u32; 3] {
    let robot = physics.drivetrain().pose();
    let left = (SIDE_RECEIVER_FORWARD, -SIDE_RECEIVER, -FRAC_PI_2);
    let front = (FRONT_RECEIVER, 0.0, 0.0);
    let right = (SIDE_RECEIVER_FORWARD, SIDE_RECEIVER, FRAC_PI_2);
    [left, front, right].map(|(forward, lateral, angle)| {
        let from = robot.point(forward, lateral);
        let hit = physics
            .floor()
            .hit(from, robot.direction(angle), DISTANCE_REACH);
        distance_mv(hit.map_or(DISTANCE_REACH, |hit| hit.distance))
    })
}

/// Motors, sensors and buttons of the robot, connected to the physics model.
#[derive(Clone, Debug)]
struct Hardware {
    physics: PhysicsModel,
    /// Encoder counts passed to the chip so far.
    counts: [i32; 2],
    /// Buttons A, B and C.
    buttons: [bool; 3],
    /// Yaw rate by a hand that carries the robot, in thousandths of a degree per second, clockwise.
    carried: i32,
}

impl Surroundings for Hardware {
    fn after(&mut self, outputs: &Outputs, _slice: Duration) -> Inputs {
        let duty = outputs
            .duty
            .map(|duty| (f64::from(duty) / 10.0).round() as i32);
        self.physics.set_duty(duty);
        self.physics.advance(instant(outputs.now).as_micros());

        let counts = self.physics.drivetrain().counts();
        // Counts of this slice are applied in the next, as counts per second.
        let per_second = (1.0 / SLICE.as_secs_f64()) as i32;
        let wheels =
            [0, 1].map(|wheel: usize| counts[wheel].wrapping_sub(self.counts[wheel]) * per_second);
        self.counts = counts;
        // Casts saturate: an infinite width is `Inputs::DARK`.
        let thresholds = self.physics.pulse_thresholds();
        let proximity = thresholds.map(|widths| widths.map(|ns| ns.ceil() as u32));
        let drivetrain = self.physics.drivetrain();
        Inputs {
            wheels,
            proximity,
            distances: distances(&self.physics),
            // The sensor's axis points up, so positive is to the left.
            gyro: -(drivetrain.gyro() + self.carried),
            battery: drivetrain.battery_mv().max(0.0).round() as u32,
            buttons: self.buttons,
            ..Inputs::default()
        }
    }
}

/// Hardware with injected faults.
#[derive(Clone, Debug)]
pub struct FaultyHardware {
    hardware: Hardware,
    faults: Vec<InjectedFault>,
    obstacles: ObstacleSchedule,
    hand: Hand,
}

impl FaultyHardware {
    /// Hardware of a robot in a physics model. Power faults are not part of it.
    pub fn new(physics: PhysicsModel, faults: &[InjectedFault]) -> Self {
        // A hand puts the robot down where it stood at first.
        let hand = Hand::new(faults, physics.drivetrain().pose());
        Self {
            hardware: Hardware {
                counts: physics.drivetrain().counts(),
                physics,
                buttons: [false; 3],
                carried: 0,
            },
            faults: faults.to_vec(),
            obstacles: ObstacleSchedule::new(faults),
            hand,
        }
    }

    /// Returns whether a fault can be injected at the pins. The chip takes its readings itself, so none can be
    /// dropped or stale.
    pub fn supports(kind: FaultKind) -> bool {
        !matches!(kind, FaultKind::Dropped | FaultKind::Frozen)
    }

    /// Ground truth.
    pub fn physics(&self) -> &PhysicsModel {
        &self.hardware.physics
    }

    /// Turns the robot in a hand at a yaw rate in thousandths of a degree per second; the model stays where
    /// it is, and so does the robot when it is put down.
    pub(super) fn carry(&mut self, rate: i32) {
        self.hardware.carried = rate;
    }

    pub(super) fn hold_buttons(&mut self, buttons: [bool; 3]) {
        self.hardware.buttons = buttons;
    }
}

impl Surroundings for FaultyHardware {
    fn after(&mut self, outputs: &Outputs, slice: Duration) -> Inputs {
        let now = instant(outputs.now);
        let is_active = |kind| is_active(&self.faults, kind, now);
        let physics = &mut self.hardware.physics;
        self.obstacles.update(now, physics);
        self.hand.update(now, physics);
        let is_slipping = is_active(FaultKind::Slip);
        let slip = if is_slipping { SLIP } else { [0.0; 2] };
        physics.drivetrain_mut().set_slip(slip);
        let mut outputs = outputs.clone();
        if is_active(FaultKind::Motor) {
            outputs.duty[1] = 0;
        }
        let mut inputs = self.hardware.after(&outputs, slice);
        if is_active(FaultKind::Encoder) {
            inputs.wheels[0] = 0;
        }
        let [_, front, _] = &mut inputs.proximity;
        if is_active(FaultKind::Ghost) {
            *front = [0; 2];
        }
        if is_active(FaultKind::Missed) {
            *front = [Inputs::DARK; 2];
        }
        for (button, is_pressed) in inputs.buttons.iter_mut().zip(pressed(&self.faults, now)) {
            *button |= is_pressed;
        }
        if is_active(FaultKind::Gyro) {
            inputs.i2c = I2cBus::Silent;
        }
        inputs
    }
}
