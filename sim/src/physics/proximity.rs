//! Model of the proximity sensors: how wide a pulse must be for a receiver to detect its reflection.
//!
//! The light that comes back grows with the width of the pulse, falls with the square of the distance, and depends
//! on the wall and on the angle. A receiver detects it from a threshold on, which ambient light raises. So for
//! each receiver and each side's LEDs there is a narrowest pulse that is detected: all that a driver can ask for.

use std::f64::consts::{FRAC_PI_2, TAU};

use rand::RngExt;

use super::{
    floor::Floor,
    geometry::{Pose, Vector, combine},
    noise::{hash, unit},
    parameters::{
        CROSS_RANGE, FRONT_RANGE, FRONT_RECEIVER, HALF_VIEW, OWN_RANGE, PANEL, REFERENCE_PULSE_NS,
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

    /// Position forward and right of the robot's centre in millimetres, and direction clockwise from its heading.
    fn mounting(self) -> ([f64; 2], f64) {
        match self {
            Self::Left => ([SIDE_RECEIVER_FORWARD, -SIDE_RECEIVER], -FRAC_PI_2),
            Self::Front => ([FRONT_RECEIVER, 0.0], 0.0),
            Self::Right => ([SIDE_RECEIVER_FORWARD, SIDE_RECEIVER], FRAC_PI_2),
        }
    }

    /// Directions of the rays in which it looks, in parts forward and right.
    fn rays(self) -> [[f64; 2]; 3] {
        let (_, angle) = self.mounting();
        // The middle first: it often meets the nearest surface.
        [0.0, -1.0, 1.0].map(|part| {
            let (sin, cos) = (angle + part * HALF_VIEW).sin_cos();
            [cos, sin]
        })
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
    tolerances: Tolerances,
    rng: Rng,
    /// Seed of what belongs to a place: the walls' reflectance and the ambient light.
    place_seed: u64,
    /// Rays of each receiver.
    rays: [[[f64; 2]; 3]; 3],
    /// Apparent distances for a pose and a revision of the floor.
    cached: Option<(Pose, u64, [f64; 3])>,
}

impl ProximityModel {
    /// Sensors of a robot with tolerances.
    pub fn new(tolerances: &Tolerances, mut rng: Rng) -> Self {
        Self {
            tolerances: *tolerances,
            place_seed: rng.random(),
            rng,
            rays: Receiver::ALL.map(Receiver::rays),
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
        let Tolerances {
            reflectance,
            light,
            wall,
            light_noise,
            falloff,
            ..
        } = self.tolerances;
        let noise = 1.0 + light_noise * self.rng.random_range(-1.0..=1.0);
        let factor = reflectance[receiver as usize] * light[leds as usize] * wall;
        let range = receiver.range(leds) * factor * noise;
        // Twice the distance needs four times the light.
        REFERENCE_PULSE_NS * (distance / range).powf(falloff)
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
        let light = 1.0 - self.tolerances.ambient * self.ambient(robot.at);
        let distances =
            Receiver::ALL.map(|receiver| self.apparent_distance(floor, robot, receiver) / light);
        self.cached = Some((*robot, revision, distances));
        distances
    }

    /// Distance at which a matt white wall straight ahead would reflect as much as the brightest surface in
    /// view, in millimetres: larger than the true one at an angle, or on a dark wall.
    fn apparent_distance(&self, floor: &Floor, robot: &Pose, receiver: Receiver) -> f64 {
        /// Beyond the range on any wall.
        const REACH: f64 = 700.0;
        // Light that a polished wall reflects at an angle goes elsewhere.
        let angular = (1.0 + 20.0 * self.tolerances.shine) / 2.0;
        let ([forward, right], _) = receiver.mounting();
        let from = robot.point(forward, right);
        let axes = robot.axes();
        let mut nearest = f64::INFINITY;
        for ray in self.rays[receiver as usize] {
            let direction = combine(axes, ray);
            let Some(hit) = floor.hit(from, direction, REACH) else {
                continue;
            };
            let at = [0, 1].map(|axis: usize| from[axis] + hit.distance * direction[axis]);
            let straight = hit.distance / self.wall_factor(at);
            // At an angle it looks farther still.
            if straight < nearest {
                nearest = nearest.min(straight / hit.cosine.powf(angular));
            }
        }
        nearest
    }

    /// Range on the wall at a point relative to the mean of all walls, which consist of panels.
    fn wall_factor(&self, at: Vector) -> f64 {
        if self.tolerances.wall_variation == 0.0 {
            return 1.0;
        }
        // The same on both sides of a wall.
        let [x, y] = at.map(|at| (at / PANEL).round() as i64 as u64);
        let share = 2.0 * unit(hash([x, y, self.place_seed])) - 1.0;
        1.0 + self.tolerances.wall_variation * share
    }

    /// Ambient light at a place, `0.0..=1.0`: bright and dark places about half a metre apart.
    fn ambient(&self, at: Vector) -> f64 {
        let wave = |axis: usize| {
            let phase = unit(hash([axis as u64, self.place_seed])) * TAU;
            (at[axis] / 160.0 + phase).sin()
        };
        0.5 + 0.5 * wave(0) * wave(1)
    }
}
