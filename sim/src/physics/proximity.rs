//! How far light reaches: what the proximity receivers see of the walls.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;
use tinystar::{boards::ZUMO2040, robot::Levels};

use super::{
    floor::Floor,
    geometry::{Pose, Vector},
    tolerances::Tolerances,
};
use crate::world::rng::Rng;

/// Widths of the six pulses of light, in nanoseconds.
pub const PULSES_NS: [f64; Levels::MAX as usize] = [313.0, 1000.0, 2063.0, 3500.0, 5375.0, 7563.0];

/// Half the angle that a receiver sees, in radians.
const HALF_CONE: f64 = 0.1745;

/// Where something is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Ahead.
    Front,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// What shines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Led {
    /// The LEDs on the left.
    Left,
    /// The LEDs on the right.
    Right,
}

impl Receiver {
    /// How far a white wall is seen by the widest pulse of light, in millimetres.
    fn range(self, led: Led) -> f64 {
        match (self, led) {
            (Self::Front, _) => 240.0,
            (Self::Left, Led::Left) | (Self::Right, Led::Right) => 300.0,
            (Self::Left, Led::Right) | (Self::Right, Led::Left) => 186.0,
        }
    }

    /// Where it is, and the angle to the right of the robot's heading at which it looks.
    fn place(self, robot: &Pose) -> (Vector, f64) {
        let ahead = f64::from(ZUMO2040.side_sensor_forward_mm);
        let out = f64::from(ZUMO2040.side_sensor_mm);
        match self {
            Self::Front => (robot.point(ZUMO2040.front_sensor_mm.into(), 0.0), 0.0),
            Self::Left => (robot.point(ahead, -out), -FRAC_PI_2),
            Self::Right => (robot.point(ahead, out), FRAC_PI_2),
        }
    }
}

/// The light of one run.
#[derive(Clone, Debug)]
pub struct ProximityModel {
    reflectance: f64,
    noise: f64,
    rng: Rng,
}

impl ProximityModel {
    /// ProximityModel as far as it reaches in a run.
    #[must_use]
    pub fn new(tolerances: &Tolerances, rng: Rng) -> Self {
        Self {
            reflectance: tolerances.reflectance,
            noise: tolerances.light_noise,
            rng,
        }
    }

    /// Looks with all pulses, as the board does.
    pub fn look(&mut self, floor: &Floor, robot: &Pose) -> Levels {
        let mut levels = |receiver| {
            let seems = distance(floor, robot, receiver);
            [Led::Left, Led::Right].map(|led| {
                let seen = PULSES_NS.map(|pulse| self.reaches(seems, receiver, led, pulse));
                seen.iter().map(|&seen| u8::from(seen)).sum()
            })
        };
        Levels {
            front: levels(Receiver::Front),
            left: levels(Receiver::Left),
            right: levels(Receiver::Right),
        }
    }

    /// Whether a receiver sees a pulse of so many nanoseconds.
    pub fn sees(
        &mut self,
        floor: &Floor,
        robot: &Pose,
        receiver: Receiver,
        led: Led,
        pulse_ns: f64,
    ) -> bool {
        let seems = distance(floor, robot, receiver);
        self.reaches(seems, receiver, led, pulse_ns)
    }

    /// A pulse twice as far away needs four times the light.
    fn reaches(&mut self, seems: f64, receiver: Receiver, led: Led, pulse_ns: f64) -> bool {
        let widest = PULSES_NS[PULSES_NS.len() - 1];
        let range = receiver.range(led) * (pulse_ns / widest).sqrt();
        let noise = 1.0 + self.noise * self.rng.random_range(-1.0..=1.0);
        seems <= range * self.reflectance * noise
    }
}

/// How far away something seems to a receiver, in millimetres: further than it is where light falls
/// on it at an angle.
fn distance(floor: &Floor, robot: &Pose, receiver: Receiver) -> f64 {
    /// Beyond all ranges, whatever the walls are made of.
    const REACH: f64 = 400.0;
    let (from, angle) = receiver.place(robot);
    [-HALF_CONE, 0.0, HALF_CONE]
        .into_iter()
        .filter_map(|aside| floor.hit(from, robot.direction(angle + aside), REACH))
        .map(|hit| hit.distance / hit.cosine.sqrt())
        .fold(f64::INFINITY, f64::min)
}
