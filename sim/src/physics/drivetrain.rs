//! The robot's body: motors, tracks, encoders, gyro and battery.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;

use super::{geometry::Pose, tolerances::Tolerances};
use crate::world::rng::Rng;

/// A step of the model, in seconds.
pub const STEP: f64 = 0.001;

/// Speed of a wheel at full power and [`NOMINAL_MV`], in millimetres per second: 75:1 gears.
const TOP_SPEED: f64 = 860.0;
/// Voltage at which the top speed is reached, in millivolts.
const NOMINAL_MV: f64 = 6000.0;
/// How long the motors take to come within 37 % of a new speed, in seconds: their rotors' inertia.
const MOTOR_LAG: f64 = 0.060;
/// Share of full power that friction takes.
const FRICTION: f64 = 0.03;
/// Between the tracks, in millimetres.
const TRACK: f64 = 99.0;
/// Way of a wheel for one count of its encoder, in millimetres: 115.2 mm of track for a turn of the
/// sprocket, 12 counts for a turn of the motor, gears of 75.81:1.
const PER_COUNT: f64 = 115.2 / (12.0 * 75.81);
/// How long slip and scrub stay what they are, in seconds: about the way of a track's pitch.
const GRIP_TIME: f64 = 0.1;
/// Between two values of the gyro, in seconds: 208 Hz.
const GYRO_PERIOD: f64 = 1.0 / 208.0;
/// The least that the gyro can tell, in thousandths of a degree per second.
const GYRO_UNIT: f64 = 70.0;
/// What the battery loses in a second at full power, in millivolts: empty after an hour and a half.
const DRAIN_MV: f64 = 0.3;
/// How far the battery's voltage sags under both motors at full power, in millivolts.
const SAG_MV: f64 = 500.0;

/// A differential drive on tracks.
///
/// It knows nothing of walls: [`PhysicsModel`](super::model::PhysicsModel) tells it how far it could go.
#[derive(Clone, Debug)]
pub struct Drivetrain {
    is: Tolerances,
    rng: Rng,
    pose: Pose,
    /// Of the wheels, in millimetres per second, forward.
    speed: [f64; 2],
    /// Of the wheels since power-on, in millimetres.
    travel: [f64; 2],
    /// Share of each wheel's way that is lost now.
    slip: [f64; 2],
    /// Share that is lost besides, in a burst.
    burst: [f64; 2],
    /// How far the middle moves for each radian of a turn, ahead and to the right, in millimetres.
    scrub: [f64; 2],
    /// Clockwise, in radians per second, over the last step.
    yaw_rate: f64,
    gyro: Gyro,
    /// The battery's voltage without load, in millivolts.
    charge_mv: f64,
    /// The battery's voltage under the load of the last step, in millivolts.
    battery_mv: f64,
}

#[derive(Clone, Copy, Debug)]
struct Gyro {
    /// In degrees per second.
    bias: f64,
    /// In thousandths of a degree per second.
    value: i32,
    /// Until the next value, in seconds.
    due: f64,
    /// Turned since the last value, in radians, ...
    turned: f64,
    /// ... and for how long, in seconds.
    over: f64,
}

impl Drivetrain {
    /// A body at rest at a pose.
    #[must_use]
    pub fn new(tolerances: Tolerances, pose: Pose, rng: Rng) -> Self {
        Self {
            is: tolerances,
            rng,
            pose,
            speed: [0.0; 2],
            travel: [0.0; 2],
            slip: [0.0; 2],
            burst: [0.0; 2],
            scrub: [0.0; 2],
            yaw_rate: 0.0,
            gyro: Gyro {
                bias: tolerances.gyro_bias_dps,
                value: 0,
                due: 0.0,
                turned: 0.0,
                over: 0.0,
            },
            charge_mv: tolerances.battery_mv,
            battery_mv: tolerances.battery_mv,
        }
    }

    /// Goes on by a [`STEP`] with so much power for the left and the right wheel, `-1.0..=1.0`.
    /// `settle` is told where the robot is and where its wheels would move it, and tells where it
    /// gets to.
    pub fn step(&mut self, power: [f64; 2], settle: impl FnOnce(Pose, Pose) -> Pose) {
        let power = power.map(|share| share.clamp(-1.0, 1.0));
        self.drain(power);
        let keep = (-STEP / MOTOR_LAG).exp();
        let mut ground = [0.0; 2];
        for wheel in 0..2 {
            let driven = (power[wheel].abs() - FRICTION).max(0.0) / (1.0 - FRICTION);
            let full = TOP_SPEED * self.battery_mv / NOMINAL_MV;
            let target = power[wheel].signum() * driven * full;
            self.speed[wheel] = target + (self.speed[wheel] - target) * keep;
            self.travel[wheel] += self.speed[wheel] * STEP;
            self.slip[wheel] = self.wander(self.slip[wheel], self.is.slip);
            let grip = 1.0 - self.slip[wheel] - self.burst[wheel];
            ground[wheel] = self.speed[wheel] * (1.0 + self.is.wheel_scale[wheel]) * grip;
        }
        let scrub = self.is.scrub_mm / FRAC_PI_2;
        for axis in 0..2 {
            self.scrub[axis] = self.wander(self.scrub[axis], scrub);
        }
        let turn = (ground[0] - ground[1]) / (TRACK * self.is.track_factor) * STEP;
        let ahead = (ground[0] + ground[1]) / 2.0 * STEP;
        let half_turned = Pose {
            at: self.pose.at,
            heading: self.pose.heading + turn / 2.0,
        };
        let wanted = Pose {
            at: half_turned.point(
                ahead + self.scrub[0] * turn.abs(),
                self.scrub[1] * turn.abs(),
            ),
            heading: self.pose.heading + turn,
        };
        let reached = settle(self.pose, wanted);
        let turned = reached.heading - self.pose.heading;
        self.pose = reached;
        self.yaw_rate = turned / STEP;
        self.measure(turned);
    }

    /// Takes current from the battery.
    fn drain(&mut self, power: [f64; 2]) {
        let load = (power[0].abs() + power[1].abs()) / 2.0;
        self.charge_mv -= DRAIN_MV * load * STEP;
        self.battery_mv = self.charge_mv - SAG_MV * load;
    }

    /// The gyro's turn.
    fn measure(&mut self, turned: f64) {
        let drift = self.is.gyro_drift_dps * STEP.sqrt();
        self.gyro.bias += drift * self.normal();
        self.gyro.turned += turned;
        self.gyro.over += STEP;
        self.gyro.due -= STEP;
        if self.gyro.due <= 0.0 {
            let true_dps = self.gyro.turned.to_degrees() / self.gyro.over;
            let noise = self.is.gyro_noise_dps * self.normal();
            let told = true_dps * (1.0 + self.is.gyro_scale) + self.gyro.bias + noise;
            self.gyro.value = ((told * 1000.0 / GYRO_UNIT).round() * GYRO_UNIT) as i32;
            (self.gyro.turned, self.gyro.over) = (0.0, 0.0);
            self.gyro.due += GYRO_PERIOD;
        }
    }

    /// What wanders around zero with a standard deviation, a step later.
    fn wander(&mut self, value: f64, deviation: f64) -> f64 {
        let keep = (-STEP / GRIP_TIME).exp();
        value * keep + deviation * (1.0 - keep * keep).sqrt() * self.normal()
    }

    /// Nearly normally distributed, with a standard deviation of one, and never above 3.5: from one draw.
    fn normal(&mut self) -> f64 {
        // Four numbers of 16 bits, evenly distributed; their sum has a variance of 4/12 of their range.
        let bits: u64 = self.rng.random();
        let sum: u64 = (0..4).map(|place| bits >> (16 * place) & 0xffff).sum();
        (sum as f64 / 65_535.0 - 2.0) * 3.0_f64.sqrt()
    }

    /// From now on this share of each wheel's way is lost besides, as on sand.
    pub fn set_slip(&mut self, share: [f64; 2]) {
        self.burst = share;
    }

    /// Where the robot is.
    #[must_use]
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// How fast each wheel turns, in millimetres of its way per second, forward.
    #[must_use]
    pub fn wheel_speed(&self) -> [f64; 2] {
        self.speed
    }

    /// Encoder counts of each wheel since power-on; they wrap.
    #[must_use]
    pub fn counts(&self) -> [i32; 2] {
        self.travel
            .map(|travel| (travel / PER_COUNT).floor() as i64 as i32)
    }

    /// The gyro's last value: how fast the robot turns clockwise, in thousandths of a degree per
    /// second.
    #[must_use]
    pub fn gyro(&self) -> i32 {
        self.gyro.value
    }

    /// How fast the robot really turns clockwise, in radians per second.
    #[must_use]
    pub fn yaw_rate(&self) -> f64 {
        self.yaw_rate
    }

    /// The battery's voltage in millivolts.
    #[must_use]
    pub fn battery_mv(&self) -> f64 {
        self.battery_mv
    }

    /// What this robot is like.
    #[must_use]
    pub fn tolerances(&self) -> &Tolerances {
        &self.is
    }
}
