//! Model of the drivetrain: motors, tracks, encoders, gyro and battery.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;

use super::{
    geometry::Pose,
    parameters::{
        DRAIN_MV, GRAVITY, GRIP_TIME, GYRO_PERIOD, GYRO_UNIT, MOTOR_LAG, NOMINAL_FRICTION,
        NOMINAL_MV, PER_COUNT, TOP_SPEED, TRACK,
    },
    tolerances::Tolerances,
};
use crate::{
    physics::noise::{hash, unit},
    world::rng::Rng,
};

/// Step of the model, in seconds.
pub const STEP: f64 = 0.001;

/// Differential drive on tracks. Collisions are handled by [`PhysicsModel`](super::model::PhysicsModel).
#[derive(Clone, Debug)]
pub struct Drivetrain {
    tolerances: Tolerances,
    rng: Rng,
    /// Places the patches of an uneven floor.
    patch_seed: u64,
    pose: Pose,
    /// Wheel speeds, in millimetres per second.
    speed: [f64; 2],
    /// Wheel travel since power-on, in millimetres.
    travel: [f64; 2],
    /// Share of each wheel's travel lost to random slip.
    slip: [f64; 2],
    /// Ground speed under each track, in millimetres per second: less than the track's when it has no traction.
    ground: [f64; 2],
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
    pub fn new(tolerances: Tolerances, pose: Pose, mut rng: Rng) -> Self {
        Self {
            tolerances,
            patch_seed: rng.random(),
            rng,
            pose,
            speed: [0.0; 2],
            travel: [0.0; 2],
            slip: [0.0; 2],
            ground: [0.0; 2],
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
        self.drive_motors(duty);
        let patch = self.patch_slip();
        let mut wanted = [0.0; 2];
        for wheel in 0..2 {
            self.slip[wheel] = self.wander(self.slip[wheel], self.tolerances.slip);
            let grip = 1.0 - self.slip[wheel] - self.injected_slip[wheel] - patch[wheel];
            wanted[wheel] = self.speed[wheel] * (1.0 + self.tolerances.wheel_scale[wheel]) * grip;
        }
        let scrub = self.tolerances.scrub_mm / FRAC_PI_2;
        for axis in 0..2 {
            self.scrub[axis] = self.wander(self.scrub[axis], scrub);
        }
        let [speed, turn_rate] = self.limit_by_traction(wanted);
        let (turn, ahead) = (turn_rate * STEP, speed * STEP);
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
        if reached != free {
            self.ground = [0.0; 2];
        }
        let turned = reached.heading - self.pose.heading;
        self.pose = reached;
        self.measure(turned);
    }

    /// Advances by a [`STEP`] in the air: the tracks turn freely, and a hand turns the robot by some radians.
    pub fn step_in_hand(&mut self, duty: [f64; 2], turned: f64) {
        self.drive_motors(duty);
        self.ground = [0.0; 2];
        self.pose.heading += turned;
        self.measure(turned);
    }

    /// Puts the robot at a pose, standing.
    pub fn put_at(&mut self, pose: Pose) {
        self.pose = pose;
        self.ground = [0.0; 2];
    }

    /// Advances the tracks: a lag towards the speed of the duty, less friction.
    fn drive_motors(&mut self, duty: [f64; 2]) {
        let duty = duty.map(|share| share.clamp(-1.0, 1.0));
        self.drain(duty);
        let keep = (-STEP / MOTOR_LAG).exp();
        let is_moving = self.speed != [0.0; 2];
        let [left, right] = if is_moving { self.speed } else { duty };
        // `0` straight on, `1` in place.
        let pivot = if left == right {
            0.0
        } else {
            ((left - right).abs() / (left.abs() + right.abs())).min(1.0)
        };
        let extra = self.tolerances.pivot_friction * pivot;
        let kinetic = self.tolerances.friction + extra;
        let holding = self.tolerances.stiction.max(self.tolerances.friction) + extra;
        for wheel in 0..2 {
            let (duty, speed) = (duty[wheel], self.speed[wheel]);
            let is_held = duty.abs() <= holding;
            self.speed[wheel] = if speed == 0.0 && is_held {
                0.0
            } else {
                let full = TOP_SPEED * self.tolerances.motor[wheel] * self.battery_mv / NOMINAL_MV;
                let direction = if speed == 0.0 { duty } else { speed }.signum();
                let target = (duty - kinetic * direction) / (1.0 - NOMINAL_FRICTION) * full;
                let next = target + (speed - target) * keep;
                // Friction stops a wheel and does not turn it back.
                if next * speed < 0.0 && is_held {
                    0.0
                } else {
                    next
                }
            };
            self.travel[wheel] += self.speed[wheel] * STEP;
        }
    }

    /// Speed and turn rate of the robot when its tracks want to move it at some speeds: what the traction allows.
    fn limit_by_traction(&mut self, wanted: [f64; 2]) -> [f64; 2] {
        let track = TRACK * self.tolerances.track_factor;
        let limit = self.tolerances.traction * GRAVITY;
        let motion = |[left, right]: [f64; 2]| [(left + right) / 2.0, (left - right) / track];
        let [speed, turn_rate] = motion(self.ground);
        // Along and across share the traction; some is always left.
        let across = (speed * turn_rate / limit).abs().min(0.95);
        let along = limit * (1.0 - across * across).sqrt() * STEP;
        for (ground, wanted) in self.ground.iter_mut().zip(wanted) {
            *ground += (wanted - *ground).clamp(-along, along);
        }
        let [speed, turn_rate] = motion(self.ground);
        // Beyond the limit the robot runs wide.
        let most = limit / speed.abs().max(1.0);
        [speed, turn_rate.clamp(-most, most)]
    }

    /// Share of travel that each wheel loses to an uneven floor, by tiles.
    fn patch_slip(&self) -> [f64; 2] {
        /// Side of a tile, in millimetres.
        const TILE: f64 = 60.0;
        if self.tolerances.patches <= 0.0 {
            return [0.0; 2];
        }
        let [x, y] = self.pose.at.map(|at| (at / TILE).floor() as i64 as u64);
        let hash = hash([x, y, self.patch_seed]);
        let is_patch = unit(hash) < self.tolerances.patches;
        let mut slip = [0.0; 2];
        if is_patch {
            slip[(hash & 1) as usize] = self.tolerances.patch_slip;
        }
        slip
    }

    /// Drains the battery.
    fn drain(&mut self, duty: [f64; 2]) {
        let load = (duty[0].abs() + duty[1].abs()) / 2.0;
        self.charge_mv -= DRAIN_MV * load * STEP;
        self.battery_mv = self.charge_mv - self.tolerances.sag_mv * load;
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

    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Encoder counts since power-on, wrapping.
    pub fn counts(&self) -> [i32; 2] {
        self.travel
            .map(|travel| (travel / PER_COUNT).floor() as i64 as i32)
    }

    /// Last sample of the gyro, in thousandths of a degree per second, clockwise.
    pub fn gyro(&self) -> i32 {
        self.gyro.value
    }

    /// Battery voltage, in millivolts.
    pub fn battery_mv(&self) -> f64 {
        self.battery_mv
    }
}
