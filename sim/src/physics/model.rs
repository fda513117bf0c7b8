//! Physics model: a robot on a floor, in steps of a millisecond.

use planner_core::{Cell, Side};

use super::{
    drivetrain::Drivetrain,
    floor::{Floor, Obstacle},
    geometry::{Pose, Vector},
    proximity::{Leds, ProximityModel, Receiver},
    tolerances::Tolerances,
};
use crate::world::rng;

pub use super::parameters::HALF_SIDE as HALF;

/// Clearance at which a collision has ended, in millimetres.
const CLEARANCE: f64 = 1.0;

/// Step of the model, in microseconds.
const STEP_US: u64 = 1000;

/// Contact of the robot with a wall or an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Time, in microseconds.
    pub at: u64,
    pub pose: Pose,
    /// Speed of its fastest corner, in millimetres per second.
    pub speed: f64,
}

/// Ground truth of a run. It has no clock: [`advance`](Self::advance) sets the time, and the result does not
/// depend on how often it is called.
///
/// ```
/// use sim::{physics::{floor::Floor, model::PhysicsModel, tolerances::Tolerances}, world::Maze};
/// use planner_core::{Cell, Side};
///
/// let floor = Floor::new(Maze::open(3, 3)?);
/// let mut model = PhysicsModel::new(floor, Cell::new(1, 2), Side::North, Tolerances::none(), 1);
/// model.advance(10_000);
/// model.set_duty([200, 200]);
/// model.advance(2_000_000);
/// assert!(model.drivetrain().pose().at[1] < 300.0); // north
/// # Ok::<(), sim::world::SizeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PhysicsModel {
    floor: Floor,
    drivetrain: Drivetrain,
    proximity: ProximityModel,
    /// Time in microseconds; a whole number of steps.
    now: u64,
    /// Left and right, in thousandths.
    duty: [i32; 2],
    is_touching: bool,
    collisions: Vec<Collision>,
    /// Cell whose centre the robot was last near.
    cell: Cell,
    cells_entered: u64,
    /// Turn rate in a person's hand, in radians per second clockwise; `None` on the floor.
    carried: Option<f64>,
    /// Position at which the motors were switched off, until they are on again.
    off_at: Option<Vector>,
    coast: f64,
}

impl PhysicsModel {
    /// Robot placed by hand in a cell of a floor; its noise is drawn from the seed.
    pub fn new(floor: Floor, cell: Cell, heading: Side, tolerances: Tolerances, seed: u64) -> Self {
        let pose = placed(&floor, cell, heading, &tolerances);
        Self {
            floor,
            drivetrain: Drivetrain::new(tolerances, pose, rng::derived(seed, 0)),
            proximity: ProximityModel::new(&tolerances, rng::derived(seed, 1)),
            now: 0,
            duty: [0; 2],
            is_touching: false,
            collisions: Vec::new(),
            cell,
            cells_entered: 0,
            carried: None,
            off_at: None,
            coast: 0.0,
        }
    }

    /// Picks the robot up; a hand turns it at a rate in degrees per second, clockwise. Its tracks turn freely, and
    /// its sensors see nothing.
    pub fn pick_up(&mut self, turn_dps: f64) {
        self.carried = Some(turn_dps.to_radians());
        self.is_touching = false;
    }

    /// Puts the robot down at a pose.
    pub fn put_down(&mut self, pose: Pose) {
        self.carried = None;
        self.drivetrain.put_at(pose);
        self.cell = self.floor.cell(pose.at);
        self.off_at = None;
    }

    /// Returns whether the robot is in a person's hand.
    pub fn is_carried(&self) -> bool {
        self.carried.is_some()
    }

    /// Advances to a time in microseconds, in whole steps; never backwards.
    pub fn advance(&mut self, until: u64) {
        while self.now + STEP_US <= until {
            self.now += STEP_US;
            self.step();
        }
    }

    fn step(&mut self) {
        self.floor.update(self.now, &self.drivetrain.pose(), HALF);
        let floor = &self.floor;
        let mut blocked = None;
        let duty = self.duty.map(|permille| f64::from(permille) / 1000.0);
        if let Some(rate) = self.carried {
            self.drivetrain
                .step_in_hand(duty, rate * super::drivetrain::STEP);
            return;
        }
        self.drivetrain.step(duty, |from, to| {
            if to == from || !floor.touches(&to, HALF) {
                return to;
            }
            let across = f64::hypot(to.at[0] - from.at[0], to.at[1] - from.at[1]);
            let turn = (to.heading - from.heading).abs() * HALF * std::f64::consts::SQRT_2;
            blocked = Some((across + turn) / super::drivetrain::STEP);
            let slid = Pose {
                heading: from.heading,
                ..to
            };
            let turned = Pose { at: from.at, ..to };
            [slid, turned]
                .into_iter()
                .find(|pose| !floor.touches(pose, HALF))
                .unwrap_or(from)
        });
        let pose = self.drivetrain.pose();
        self.count_cells(&pose);
        if let Some([x, y]) = self.off_at {
            self.coast = self.coast.max(f64::hypot(pose.at[0] - x, pose.at[1] - y));
        }
        match blocked {
            Some(speed) if !self.is_touching => {
                self.is_touching = true;
                self.collisions.push(Collision {
                    at: self.now,
                    pose,
                    speed,
                });
            }
            None if self.is_touching => {
                self.is_touching = self.floor.touches(&pose, HALF + CLEARANCE);
            }
            _ => {}
        }
    }

    /// Counts a cell when its centre is near, so that each edge counts once.
    fn count_cells(&mut self, pose: &Pose) {
        let cell = self.floor.cell(pose.at);
        let [x, y] = self.floor.middle(cell);
        let off = (pose.at[0] - x).abs().max((pose.at[1] - y).abs());
        let is_near = off < self.floor.cell_mm() / 4.0;
        if is_near && cell != self.cell {
            self.cell = cell;
            self.cells_entered += 1;
        }
    }

    /// Sets the duty of the left and right motor, in thousandths.
    pub fn set_duty(&mut self, permille: [i32; 2]) {
        self.duty = permille;
        self.off_at = match permille {
            [0, 0] => self.off_at.or(Some(self.drivetrain.pose().at)),
            _ => None,
        };
    }

    /// Duty of the left and right motor, in thousandths.
    pub fn duty(&self) -> [i32; 2] {
        self.duty
    }

    /// Receivers (left, front, right) that detect a burst by the LEDs of one side with pulses of a width in
    /// nanoseconds, with noise of its own.
    pub fn burst(&mut self, leds: Leds, width_ns: f64) -> [bool; 3] {
        if self.is_carried() {
            return [false; 3];
        }
        let pose = self.drivetrain.pose();
        self.proximity.burst(&self.floor, &pose, leds, width_ns)
    }

    /// Narrowest pulses that are detected now, in nanoseconds, by receiver (left, front, right) and LEDs (left,
    /// right), each with the noise of one burst; infinite where nothing reflects.
    pub fn pulse_thresholds(&mut self) -> [[f64; 2]; 3] {
        if self.is_carried() {
            return [[f64::INFINITY; 2]; 3];
        }
        let pose = self.drivetrain.pose();
        Receiver::ALL.map(|receiver| {
            Leds::ALL.map(|leds| self.proximity.threshold(&self.floor, &pose, receiver, leds))
        })
    }

    pub fn drivetrain(&self) -> &Drivetrain {
        &self.drivetrain
    }

    /// Drivetrain of the robot, for fault injection.
    pub fn drivetrain_mut(&mut self) -> &mut Drivetrain {
        &mut self.drivetrain
    }

    pub fn floor(&self) -> &Floor {
        &self.floor
    }

    /// Time in microseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    pub fn add_obstacle(&mut self, obstacle: Obstacle) {
        self.floor.add_obstacle(obstacle);
    }

    /// Number of cells entered.
    pub fn cells_entered(&self) -> u64 {
        self.cells_entered
    }

    /// Longest distance driven with the motors off, in millimetres.
    pub fn coast(&self) -> f64 {
        self.coast
    }

    /// All collisions so far.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }
}

/// Pose of a robot that a person has put into a cell of a floor, as exactly as the tolerances say.
pub fn placed(floor: &Floor, cell: Cell, heading: Side, tolerances: &Tolerances) -> Pose {
    let exact = Pose {
        at: floor.middle(cell),
        heading: angle(heading),
    };
    let [forward, right] = tolerances.initial_offset_mm;
    Pose {
        at: exact.point(forward, right),
        heading: exact.heading + tolerances.initial_yaw_deg.to_radians(),
    }
}

/// Angle of a heading, in radians clockwise from north.
pub fn angle(heading: Side) -> f64 {
    let quarters = match heading {
        Side::North => 0.0,
        Side::East => 1.0,
        Side::South => 2.0,
        Side::West => 3.0,
    };
    quarters * std::f64::consts::FRAC_PI_2
}
