//! A robot on a floor: what happens to it as time goes by.

use planner_core::{Cell, Side};

use super::{
    drivetrain::Drivetrain,
    floor::{self, CELL, Event, Floor, middle},
    geometry::Pose,
    proximity::{self, ProximityModel},
    tolerances::Tolerances,
};
use crate::world::rng;

/// Half a side of the robot, in millimetres: it is 98 mm long and wide.
pub const HALF: f64 = 49.0;

/// How far the robot must be from everything for a contact to have ended, in millimetres.
const APART: f64 = 1.0;

/// A step of the model, in microseconds.
const STEP_US: u64 = 1000;

/// The robot touched something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// When, in microseconds.
    pub at: u64,
    /// Where the robot was.
    pub pose: Pose,
    /// How fast its fastest corner was, in millimetres per second.
    pub speed: f64,
}

/// The physical model, in steps of a millisecond.
///
/// It needs no clock: whoever uses it says how late it is. What happens does not depend on how often
/// that is said.
///
/// ```
/// use sim::{physics::{floor::Floor, model::PhysicsModel, tolerances::Tolerances}, world::Maze};
/// use planner_core::{Cell, Side};
///
/// let floor = Floor::new(Maze::open(3, 3)?);
/// let mut arena = PhysicsModel::new(floor, Cell::new(1, 2), Side::North, Tolerances::none(), 1);
/// arena.advance(10_000);
/// arena.set_power([200, 200]);
/// arena.advance(2_000_000);
/// assert!(arena.body().pose().at[1] < 300.0); // north
/// # Ok::<(), sim::world::SizeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PhysicsModel {
    floor: Floor,
    body: Drivetrain,
    light: ProximityModel,
    /// Since the beginning, in microseconds; a whole number of steps.
    now: u64,
    /// Of the wheels, in thousandths.
    power: [i32; 2],
    is_touching: bool,
    contacts: Vec<Contact>,
    /// Where the robot was last near the middle of a cell.
    cell: Cell,
    cells: u64,
}

impl PhysicsModel {
    /// A robot in a cell of a floor, as a person puts it there; the seed makes its noise.
    #[must_use]
    pub fn new(floor: Floor, cell: Cell, heading: Side, tolerances: Tolerances, seed: u64) -> Self {
        let straight = Pose {
            at: middle(cell),
            heading: angle(heading),
        };
        let pose = Pose {
            at: straight.point(tolerances.put_mm[0], tolerances.put_mm[1]),
            heading: straight.heading + tolerances.put_deg.to_radians(),
        };
        Self {
            floor,
            body: Drivetrain::new(tolerances, pose, rng::derived(seed, 0)),
            light: ProximityModel::new(&tolerances, rng::derived(seed, 1)),
            now: 0,
            power: [0; 2],
            is_touching: false,
            contacts: Vec::new(),
            cell,
            cells: 0,
        }
    }

    /// Lets the time go by until so many microseconds, in whole steps; never backwards.
    pub fn advance(&mut self, until: u64) {
        while self.now + STEP_US <= until {
            self.now += STEP_US;
            self.step();
        }
    }

    fn step(&mut self) {
        self.floor.pass(self.now, &self.body.pose(), HALF);
        let floor = &self.floor;
        let mut blocked = None;
        let power = self.power.map(|permille| f64::from(permille) / 1000.0);
        self.body.step(power, |from, to| {
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
        let pose = self.body.pose();
        self.count_cells(&pose);
        match blocked {
            Some(speed) if !self.is_touching => {
                self.is_touching = true;
                self.contacts.push(Contact {
                    at: self.now,
                    pose,
                    speed,
                });
            }
            None if self.is_touching => {
                self.is_touching = self.floor.touches(&pose, HALF + APART);
            }
            _ => {}
        }
    }

    /// A cell counts when its middle is near, so that its edge is crossed once.
    fn count_cells(&mut self, pose: &Pose) {
        let cell = floor::cell(pose.at);
        let [x, y] = middle(cell);
        let is_near = (pose.at[0] - x).abs().max((pose.at[1] - y).abs()) < CELL / 4.0;
        if is_near && cell != self.cell {
            self.cell = cell;
            self.cells += 1;
        }
    }

    /// Power for the left and the right wheel from now on, in thousandths.
    pub fn set_power(&mut self, permille: [i32; 2]) {
        self.power = permille;
    }

    /// Power of the left and the right wheel, in thousandths.
    #[must_use]
    pub fn power(&self) -> [i32; 2] {
        self.power
    }

    /// What the proximity receivers see now: each number is a draw of its own.
    pub fn look(&mut self) -> tinystar::robot::Levels {
        self.light.look(&self.floor, &self.body.pose())
    }

    /// Whether one receiver sees one pulse of light now, as the emulated chip asks.
    pub fn sees(
        &mut self,
        receiver: proximity::Receiver,
        led: proximity::Led,
        pulse_ns: f64,
    ) -> bool {
        let pose = self.body.pose();
        self.light.sees(&self.floor, &pose, receiver, led, pulse_ns)
    }

    /// The robot's body.
    #[must_use]
    pub fn body(&self) -> &Drivetrain {
        &self.body
    }

    /// The robot's body, to be tampered with.
    pub fn body_mut(&mut self) -> &mut Drivetrain {
        &mut self.body
    }

    /// The floor.
    #[must_use]
    pub fn floor(&self) -> &Floor {
        &self.floor
    }

    /// How late it is, in microseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets something come and go.
    pub fn expect(&mut self, event: Event) {
        self.floor.expect(event);
    }

    /// Cells that the robot has entered.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Every time the robot touched something.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
}

/// The angle of a heading, in radians clockwise from north.
#[must_use]
pub fn angle(heading: Side) -> f64 {
    let quarters = match heading {
        Side::North => 0.0,
        Side::East => 1.0,
        Side::South => 2.0,
        Side::West => 3.0,
    };
    quarters * std::f64::consts::FRAC_PI_2
}
