//! Model of the proximity sensors: how wide a pulse must be for a receiver to detect its reflection.
//!
//! The light that comes back grows with the width of the pulse and falls with the square of the distance. A
//! receiver detects it from a threshold on. So for each receiver and each side's LEDs there is a narrowest
//! pulse that is detected: all that a driver can ask for.

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;

use super::{
    floor::Floor,
    geometry::{Pose, Vector},
    parameters::{
        CROSS_RANGE, FRONT_RANGE, FRONT_RECEIVER, HALF_VIEW, OWN_RANGE, REFERENCE_PULSE_NS,
        SIDE_RECEIVER, SIDE_RECEIVER_FORWARD,
    },
    tolerances::Tolerances,
};
use crate::world::rng::Rng;

/// Proximity receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Facing left.
    Left,
    /// Facing forward.
    Front,
    /// Facing right.
    Right,
}

impl Receiver {
    /// All receivers, in the order of arrays.
    pub const ALL: [Self; 3] = [Self::Left, Self::Front, Self::Right];

    /// Range on a white wall with the reference pulse, in millimetres.
    fn range(self, leds: Leds) -> f64 {
        match (self, leds) {
            (Self::Front, _) => FRONT_RANGE,
            (Self::Left, Leds::Left) | (Self::Right, Leds::Right) => OWN_RANGE,
            (Self::Left, Leds::Right) | (Self::Right, Leds::Left) => CROSS_RANGE,
        }
    }

    /// Position, and direction clockwise from the robot's heading.
    fn mounting(self, robot: &Pose) -> (Vector, f64) {
        match self {
            Self::Left => (
                robot.point(SIDE_RECEIVER_FORWARD, -SIDE_RECEIVER),
                -FRAC_PI_2,
            ),
            Self::Front => (robot.point(FRONT_RECEIVER, 0.0), 0.0),
            Self::Right => (robot.point(SIDE_RECEIVER_FORWARD, SIDE_RECEIVER), FRAC_PI_2),
        }
    }
}

/// LEDs of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leds {
    Left,
    Right,
}

impl Leds {
    /// Both sides, in the order of arrays.
    pub const ALL: [Self; 2] = [Self::Left, Self::Right];
}

/// Proximity sensors on the walls of one run.
#[derive(Clone, Debug)]
pub struct ProximityModel {
    reflectance: f64,
    noise: f64,
    rng: Rng,
    /// Apparent distances for a pose and a revision of the floor.
    cached: Option<(Pose, u64, [f64; 3])>,
}

impl ProximityModel {
    /// Sensors of a robot with tolerances.
    #[must_use]
    pub fn new(tolerances: &Tolerances, rng: Rng) -> Self {
        Self {
            reflectance: tolerances.reflectance,
            noise: tolerances.light_noise,
            rng,
            cached: None,
        }
    }

    /// Receivers (left, front, right) that detect a burst by the LEDs of one side with pulses of a width in
    /// nanoseconds.
    pub fn burst(&mut self, floor: &Floor, robot: &Pose, leds: Leds, width_ns: f64) -> [bool; 3] {
        Receiver::ALL.map(|receiver| width_ns >= self.threshold(floor, robot, receiver, leds))
    }

    /// Narrowest pulse that a receiver detects now, in nanoseconds, with the noise of one burst; infinite if
    /// there is nothing to reflect it.
    pub fn threshold(
        &mut self,
        floor: &Floor,
        robot: &Pose,
        receiver: Receiver,
        leds: Leds,
    ) -> f64 {
        let distance = self.apparent_distances(floor, robot)[receiver as usize];
        let noise = 1.0 + self.noise * self.rng.random_range(-1.0..=1.0);
        let range = receiver.range(leds) * self.reflectance * noise;
        // Twice the distance needs four times the light.
        REFERENCE_PULSE_NS * (distance / range).powi(2)
    }

    /// Apparent distances of the nearest surfaces, computed again when the robot has moved enough to matter.
    fn apparent_distances(&mut self, floor: &Floor, robot: &Pose) -> [f64; 3] {
        /// In millimetres: far less than the noise of any range.
        const MOVED: f64 = 0.3;
        /// In radians: a twentieth of a degree.
        const TURNED: f64 = 0.001;
        let revision = floor.revision();
        if let Some((pose, then, distances)) = self.cached
            && then == revision
            && (pose.heading - robot.heading).abs() < TURNED
            && (pose.at[0] - robot.at[0]).abs() + (pose.at[1] - robot.at[1]).abs() < MOVED
        {
            return distances;
        }
        let distances = Receiver::ALL.map(|receiver| apparent_distance(floor, robot, receiver));
        self.cached = Some((*robot, revision, distances));
        distances
    }
}

/// Apparent distance of the nearest surface, in millimetres: larger than the true one at an angle.
fn apparent_distance(floor: &Floor, robot: &Pose, receiver: Receiver) -> f64 {
    /// Beyond the range on any wall.
    const REACH: f64 = 700.0;
    let (from, angle) = receiver.mounting(robot);
    [-HALF_VIEW, 0.0, HALF_VIEW]
        .into_iter()
        .filter_map(|offset| floor.hit(from, robot.direction(angle + offset), REACH))
        .map(|hit| hit.distance / hit.cosine.sqrt())
        .fold(f64::INFINITY, f64::min)
}
