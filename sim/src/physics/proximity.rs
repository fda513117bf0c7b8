//! Model of the proximity sensors: range of the LEDs' light.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;
use tinystar::{boards::ZUMO2040, robot::Levels};

use super::{
    floor::Floor,
    geometry::{Pose, Vector},
    tolerances::Tolerances,
};
use crate::world::rng::Rng;

/// Widths of the six infrared pulses, in nanoseconds.
const PULSES_NS: [f64; Levels::MAX as usize] = [313.0, 1000.0, 2063.0, 3500.0, 5375.0, 7563.0];

/// Half the field of view of a receiver, in radians.
const HALF_CONE: f64 = 0.1745;

/// Proximity receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    /// Facing forward.
    Front,
    /// Facing left.
    Left,
    /// Facing right.
    Right,
}

/// LEDs of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Led {
    Left,
    Right,
}

impl Receiver {
    /// Range on a white wall with the widest pulse, in millimetres.
    fn range(self, led: Led) -> f64 {
        match (self, led) {
            (Self::Front, _) => 240.0,
            (Self::Left, Led::Left) | (Self::Right, Led::Right) => 300.0,
            (Self::Left, Led::Right) | (Self::Right, Led::Left) => 186.0,
        }
    }

    /// Position, and direction clockwise from the robot's heading.
    fn mounting(self, robot: &Pose) -> (Vector, f64) {
        let ahead = f64::from(ZUMO2040.side_sensor_forward_mm);
        let out = f64::from(ZUMO2040.side_sensor_mm);
        match self {
            Self::Front => (robot.point(ZUMO2040.front_sensor_mm.into(), 0.0), 0.0),
            Self::Left => (robot.point(ahead, -out), -FRAC_PI_2),
            Self::Right => (robot.point(ahead, out), FRAC_PI_2),
        }
    }
}

/// Proximity sensors on the walls of one run.
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

    /// Takes a reading with all pulses, as the board does.
    pub fn read(&mut self, floor: &Floor, robot: &Pose) -> Levels {
        let mut levels = |receiver| {
            let distance = apparent_distance(floor, robot, receiver);
            [Led::Left, Led::Right].map(|led| {
                let detected =
                    PULSES_NS.map(|pulse| self.is_detected(distance, receiver, led, pulse));
                detected.iter().map(|&is| u8::from(is)).sum()
            })
        };
        Levels {
            front: levels(Receiver::Front),
            left: levels(Receiver::Left),
            right: levels(Receiver::Right),
        }
    }

    /// Whether a reflection is detected: twice the distance needs four times the light.
    fn is_detected(&mut self, distance: f64, receiver: Receiver, led: Led, pulse_ns: f64) -> bool {
        let widest = PULSES_NS[PULSES_NS.len() - 1];
        let range = receiver.range(led) * (pulse_ns / widest).sqrt();
        let noise = 1.0 + self.noise * self.rng.random_range(-1.0..=1.0);
        distance <= range * self.reflectance * noise
    }
}

/// Apparent distance of the nearest surface, in millimetres: larger than the true one at an angle.
fn apparent_distance(floor: &Floor, robot: &Pose, receiver: Receiver) -> f64 {
    /// Beyond the range on any wall.
    const REACH: f64 = 400.0;
    let (from, angle) = receiver.mounting(robot);
    [-HALF_CONE, 0.0, HALF_CONE]
        .into_iter()
        .filter_map(|offset| floor.hit(from, robot.direction(angle + offset), REACH))
        .map(|hit| hit.distance / hit.cosine.sqrt())
        .fold(f64::INFINITY, f64::min)
}
