//! Model of the drivetrain: motors, tracks, encoders, gyro and battery.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;

use super::{
    geometry::Pose,
    parameters::{
        DRAIN_MV, GRIP_TIME, GYRO_PERIOD, GYRO_UNIT, MOTOR_LAG, NOMINAL_MV, PER_COUNT, TOP_SPEED,
        TRACK,
    },
    tolerances::Tolerances,
};
use crate::world::rng::Rng;

/// Step of the model, in seconds.
pub const STEP: f64 = 0.001;

/// Duty lost to friction.
const FRICTION: f64 = 0.03;
/// Voltage sag at full duty, in millivolts.
const SAG_MV: f64 = 500.0;

/// Differential drive on tracks. Collisions are handled by [`PhysicsModel`](super::model::PhysicsModel).
#[derive(Clone, Debug)]
pub struct Drivetrain {
    tolerances: Tolerances,
    rng: Rng,
    pose: Pose,
    /// Wheel speeds, in millimetres per second.
    speed: [f64; 2],
    /// Wheel travel since power-on, in millimetres.
    travel: [f64; 2],
    /// Share of each wheel's travel lost to random slip.
    slip: [f64; 2],
    /// Share lost to injected slip.
    injected_slip: [f64; 2],
    /// Motion of the centre per radian of a turn, forward and right, in millimetres.
    scrub: [f64; 2],
    gyro: Gyro,
    /// Open-circuit voltage, in millivolts.
    charge_mv: f64,
    /// Voltage under the load of the last step, in millivolts.
    battery_mv: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gyro {
    /// Bias in degrees per second.
    bias: f64,
    /// Last sample in thousandths of a degree per second.
    value: i32,
    /// Time to the next sample, in seconds.
    due: f64,
    /// Turn since the last sample, in radians.
    turned: f64,
    /// Time since the last sample, in seconds.
    over: f64,
}

impl Drivetrain {
    /// Drivetrain at rest at a pose.
    #[must_use]
    pub fn new(tolerances: Tolerances, pose: Pose, rng: Rng) -> Self {
        Self {
            tolerances,
            rng,
            pose,
            speed: [0.0; 2],
            travel: [0.0; 2],
            slip: [0.0; 2],
            injected_slip: [0.0; 2],
            scrub: [0.0; 2],
            gyro: Gyro {
                bias: tolerances.gyro_bias_dps,
                ..Gyro::default()
            },
            charge_mv: tolerances.battery_mv,
            battery_mv: tolerances.battery_mv,
        }
    }

    /// Advances by a [`STEP`] with a duty of the left and right motor in `-1.0..=1.0`. `collide` maps the
    /// current pose and the pose without collisions to the pose that is reached.
    pub fn step(&mut self, duty: [f64; 2], collide: impl FnOnce(Pose, Pose) -> Pose) {
        let duty = duty.map(|share| share.clamp(-1.0, 1.0));
        self.drain(duty);
        let keep = (-STEP / MOTOR_LAG).exp();
        let mut ground = [0.0; 2];
        for wheel in 0..2 {
            let driven = (duty[wheel].abs() - FRICTION).max(0.0) / (1.0 - FRICTION);
            let full = TOP_SPEED * self.battery_mv / NOMINAL_MV;
            let target = duty[wheel].signum() * driven * full;
            self.speed[wheel] = target + (self.speed[wheel] - target) * keep;
            self.travel[wheel] += self.speed[wheel] * STEP;
            self.slip[wheel] = self.wander(self.slip[wheel], self.tolerances.slip);
            let grip = 1.0 - self.slip[wheel] - self.injected_slip[wheel];
            ground[wheel] = self.speed[wheel] * (1.0 + self.tolerances.wheel_scale[wheel]) * grip;
        }
        let scrub = self.tolerances.scrub_mm / FRAC_PI_2;
        for axis in 0..2 {
            self.scrub[axis] = self.wander(self.scrub[axis], scrub);
        }
        let turn = (ground[0] - ground[1]) / (TRACK * self.tolerances.track_factor) * STEP;
        let ahead = (ground[0] + ground[1]) / 2.0 * STEP;
        let half_turned = Pose {
            at: self.pose.at,
            heading: self.pose.heading + turn / 2.0,
        };
        let free = Pose {
            at: half_turned.point(
                ahead + self.scrub[0] * turn.abs(),
                self.scrub[1] * turn.abs(),
            ),
            heading: self.pose.heading + turn,
        };
        let reached = collide(self.pose, free);
        let turned = reached.heading - self.pose.heading;
        self.pose = reached;
        self.measure(turned);
    }

    /// Drains the battery.
    fn drain(&mut self, duty: [f64; 2]) {
        let load = (duty[0].abs() + duty[1].abs()) / 2.0;
        self.charge_mv -= DRAIN_MV * load * STEP;
        self.battery_mv = self.charge_mv - SAG_MV * load;
    }

    /// Samples the gyro.
    fn measure(&mut self, turned: f64) {
        let drift = self.tolerances.gyro_drift_dps * STEP.sqrt();
        self.gyro.bias += drift * self.normal();
        self.gyro.turned += turned;
        self.gyro.over += STEP;
        self.gyro.due -= STEP;
        if self.gyro.due <= 0.0 {
            let true_dps = self.gyro.turned.to_degrees() / self.gyro.over;
            let noise = self.tolerances.gyro_noise_dps * self.normal();
            let measured = true_dps * (1.0 + self.tolerances.gyro_scale) + self.gyro.bias + noise;
            self.gyro.value = ((measured * 1000.0 / GYRO_UNIT).round() * GYRO_UNIT) as i32;
            (self.gyro.turned, self.gyro.over) = (0.0, 0.0);
            self.gyro.due += GYRO_PERIOD;
        }
    }

    /// Next value of a random process around zero with a standard deviation.
    fn wander(&mut self, value: f64, deviation: f64) -> f64 {
        let keep = (-STEP / GRIP_TIME).exp();
        value * keep + deviation * (1.0 - keep * keep).sqrt() * self.normal()
    }

    /// Approximately normal with a standard deviation of one, bounded by 3.5, from one draw.
    fn normal(&mut self) -> f64 {
        // Sum of four uniform 16-bit numbers: a variance of 4/12 of their range.
        let bits: u64 = self.rng.random();
        let sum: u64 = (0..4).map(|place| bits >> (16 * place) & 0xffff).sum();
        (sum as f64 / 65_535.0 - 2.0) * 3.0_f64.sqrt()
    }

    /// Injects slip: the share of each wheel's travel that is lost, as on sand.
    pub fn set_slip(&mut self, share: [f64; 2]) {
        self.injected_slip = share;
    }

    #[must_use]
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Encoder counts since power-on, wrapping.
    #[must_use]
    pub fn counts(&self) -> [i32; 2] {
        self.travel
            .map(|travel| (travel / PER_COUNT).floor() as i64 as i32)
    }

    /// Last sample of the gyro, in thousandths of a degree per second, clockwise.
    #[must_use]
    pub fn gyro(&self) -> i32 {
        self.gyro.value
    }

    /// Battery voltage, in millivolts.
    #[must_use]
    pub fn battery_mv(&self) -> f64 {
        self.battery_mv
    }
}
