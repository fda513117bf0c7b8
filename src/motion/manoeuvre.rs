//! One order at a time: turn on the spot, or go ahead and see that nothing is in the way.

use super::{Estimate, Profile, Wheels, range, scale};
use crate::{
    calibration::Calibration,
    config::{
        ACCELERATION, BRAKE, CELL_MM, CONTROL_PERIOD, FRONT_SENSOR_MM, NEAR_MDEG, NEAR_UM,
        OVERTIME, SETTLED, SPEED, TURN_ACCELERATION, TURN_SPEED, WALL_FACE_MM,
    },
    fault::Fault,
    robot::{Duty, Levels},
    signals::{Offset, Order, Outcome},
};

const CELL: i32 = CELL_MM * 1000;
/// Before a turn the robot goes to the middle of its cell if it is further from it.
const CENTRED_UM: i32 = 4_000;
/// Speed that the robot is given for being behind: per second, so many times the way.
const EAGERNESS: i32 = 4;
/// The same for being turned.
const STEADINESS: i32 = 6;
/// How far the robot turns back for each millimetre it is aside, in thousandths of a degree.
const RETURN_MDEG_PER_MM: i32 = 400;
/// As far as it turns back at most.
const RETURN_MDEG: i32 = 8_000;
/// Over so much of the end of the way it looks straight ahead again.
const STRAIGHTEN_UM: i32 = 50_000;
/// Looks in a row that must find something in the way.
const BLOCKED_LOOKS: u8 = 2;
/// Something that is so much nearer than the wall behind the robot's next place is in the way.
const NEARER_UM: i32 = 25_000;

/// Power for the left and the right wheel; none while the robot rests.
pub type Powers = Option<[Duty; 2]>;

/// What is known of the last step of control.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// How long it took, in microseconds.
    pub us: u32,
    /// Way of the left and of the right wheel, in micrometres.
    pub wheels: [i32; 2],
    /// How far the robot has turned clockwise, in thousandths of a degree; `None` when the gyro cannot
    /// tell.
    pub turned: Option<i32>,
    /// What was seen, if there is a new reading.
    pub seen: Option<Levels>,
}

/// What the wheels are doing.
#[derive(Clone, Copy, Debug)]
enum Doing {
    Nothing,
    /// To the middle of the cell; then the turn.
    Centre(Leg, i8),
    Turn(Profile, i8),
    Advance(Leg, u8),
    /// To rest, for something is in the way; then back.
    Brake(Leg),
    /// Back to the middle of the last cell.
    Return(Leg, u8),
    /// To rest, as ordered.
    Halt(Leg),
}

/// A straight way.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: i32,
    /// `1` or `-1`.
    direction: i32,
    way: Profile,
}

impl Leg {
    fn new(from: i32, to: i32) -> Self {
        Self {
            from,
            direction: if to < from { -1 } else { 1 },
            way: Profile::new((to - from).abs(), SPEED * 1000, ACCELERATION * 1000),
        }
    }

    /// Where the robot should be.
    fn place(&self) -> i32 {
        self.from + self.direction * self.way.position()
    }
}

/// A robot that carries out orders.
#[derive(Clone, Copy, Debug)]
pub struct Manoeuvre {
    estimate: Estimate,
    wheels: Wheels,
    doing: Doing,
    /// Steps for which the end has been near.
    settled: u8,
    /// Steps since the profile ended.
    over: u32,
    /// Looks in a row that found something in the way.
    looks: u8,
}

impl Manoeuvre {
    /// A robot at rest in the middle of a cell.
    #[must_use]
    pub fn new() -> Self {
        Self {
            estimate: Estimate::default(),
            wheels: Wheels::default(),
            doing: Doing::Nothing,
            settled: 0,
            over: 0,
            looks: 0,
        }
    }

    /// Where the robot is.
    #[must_use]
    pub fn offset(&self) -> Offset {
        self.estimate.offset()
    }

    /// Whether it rests: the wheels have no power.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(self.doing, Doing::Nothing)
    }

    /// Gives up whatever was ordered, at once.
    pub fn abort(&mut self) {
        self.begin(Doing::Nothing);
    }

    /// Begins to carry out an order, instead of any other; what is answered at once needs no more.
    pub fn order(&mut self, order: Order) -> Option<Outcome> {
        let along = self.offset().along_um;
        match order {
            Order::Turn(quarters) if along.abs() > CENTRED_UM => {
                self.begin(Doing::Centre(Leg::new(along, 0), quarters));
            }
            Order::Turn(quarters) => self.begin(turn(quarters)),
            Order::Advance(cells) => {
                let to = i32::from(cells) * CELL;
                self.begin(Doing::Advance(Leg::new(along, to), cells));
            }
            Order::Reset => {
                self.estimate.reset();
                self.begin(Doing::Nothing);
                return Some(Outcome::Done);
            }
            Order::Stop => match self.doing {
                Doing::Nothing => return Some(Outcome::Stopped(0)),
                Doing::Centre(mut leg, _)
                | Doing::Advance(mut leg, _)
                | Doing::Brake(mut leg)
                | Doing::Return(mut leg, _) => {
                    leg.way.brake(BRAKE * 1000);
                    self.begin(Doing::Halt(leg));
                }
                // A turn is soon done, and a robot that looks askew is lost.
                Doing::Turn(..) | Doing::Halt(_) => {}
            },
        }
        None
    }

    fn begin(&mut self, doing: Doing) {
        if matches!(self.doing, Doing::Nothing) {
            self.wheels.reset();
        }
        self.doing = doing;
        (self.settled, self.over, self.looks) = (0, 0, 0);
    }

    /// One step of control.
    ///
    /// # Errors
    /// The robot does not do what it should, and must be stopped.
    pub fn step(
        &mut self,
        inputs: &Inputs,
        calibration: &Calibration,
    ) -> Result<(Powers, Option<Outcome>), Fault> {
        let by_wheels = Estimate::turn_of(inputs.wheels, calibration);
        self.estimate
            .moved(inputs.wheels, inputs.turned.unwrap_or(by_wheels));
        if let Some(turned) = inputs.turned {
            self.estimate.compare(by_wheels, turned)?;
        }
        if let Some(levels) = &inputs.seen {
            let is_moving = matches!(self.doing, Doing::Advance(..));
            self.estimate.see(levels, calibration, is_moving)?;
            self.look_out(levels, calibration);
        }
        let speeds = match &mut self.doing {
            Doing::Nothing => return Ok((None, None)),
            Doing::Turn(way, quarters) => {
                way.step(inputs.us);
                let sign = i32::from(quarters.signum());
                let error = sign * way.position() - self.estimate.offset().turned_mdeg;
                let turn = sign * way.speed() + error * STEADINESS;
                (0, turn)
            }
            Doing::Centre(leg, _)
            | Doing::Advance(leg, _)
            | Doing::Return(leg, _)
            | Doing::Brake(leg)
            | Doing::Halt(leg) => {
                leg.way.step(inputs.us);
                straight(leg, self.estimate.offset())
            }
        };
        let powers = self.power(speeds, inputs, calibration)?;
        self.settle(inputs)?;
        let outcome = if self.settled >= SETTLED {
            self.end()
        } else {
            None
        };
        Ok((
            match self.doing {
                Doing::Nothing => None,
                _ => Some(powers),
            },
            outcome,
        ))
    }

    fn power(
        &mut self,
        (speed, turn): (i32, i32),
        inputs: &Inputs,
        calibration: &Calibration,
    ) -> Result<[Duty; 2], Fault> {
        // Half the track times the turn in radians.
        let swing = scale(turn, calibration.track_um as i32 / 2, 57_296);
        self.wheels
            .step([speed + swing, speed - swing], inputs.wheels, inputs.us)
    }

    /// Counts for how long the end has been near, and what came too late.
    fn settle(&mut self, inputs: &Inputs) -> Result<(), Fault> {
        let Offset {
            along_um,
            turned_mdeg,
            ..
        } = self.estimate.offset();
        let (is_done, is_near) = match &self.doing {
            Doing::Nothing => return Ok(()),
            Doing::Turn(way, quarters) => {
                let error = i32::from(*quarters) * 90_000 - turned_mdeg;
                (way.is_done(), error.abs() < NEAR_MDEG)
            }
            // Wherever that is.
            Doing::Brake(leg) | Doing::Halt(leg) => (leg.way.is_done(), true),
            Doing::Centre(leg, _) | Doing::Advance(leg, _) | Doing::Return(leg, _) => {
                let error = leg.place() - along_um;
                let is_near = error.abs() < NEAR_UM && turned_mdeg.abs() < NEAR_MDEG;
                (leg.way.is_done(), is_near)
            }
        };
        if !is_done {
            return Ok(());
        }
        self.over += 1;
        if u64::from(self.over) * CONTROL_PERIOD.as_ticks() > OVERTIME.as_ticks() {
            return Err(Fault::Motion);
        }
        // A quarter of a millimetre in a step is 50 mm/s.
        let is_still = inputs.wheels.iter().all(|way| way.abs() < 250);
        self.settled = if is_near && is_still {
            self.settled + 1
        } else {
            0
        };
        Ok(())
    }

    /// What comes after the way that has ended.
    fn end(&mut self) -> Option<Outcome> {
        let (next, outcome) = match self.doing {
            Doing::Nothing => (Doing::Nothing, None),
            Doing::Centre(_, quarters) => (turn(quarters), None),
            Doing::Turn(_, quarters) => {
                self.estimate.turned(quarters);
                (Doing::Nothing, Some(Outcome::Done))
            }
            Doing::Advance(_, cells) => {
                self.estimate.entered(cells.into());
                (Doing::Nothing, Some(Outcome::Done))
            }
            Doing::Return(_, cells) => {
                self.estimate.entered(cells.into());
                (Doing::Nothing, Some(Outcome::Blocked(cells)))
            }
            Doing::Brake(_) => {
                // The last cell whose middle the robot has come through.
                let along = self.offset().along_um;
                let back = (along / CELL).max(0);
                let leg = Leg::new(along, back * CELL);
                (Doing::Return(leg, back as u8), None)
            }
            Doing::Halt(leg) => {
                let cells = (leg.place() + CELL / 2).div_euclid(CELL).max(0);
                self.estimate.entered(cells);
                (Doing::Nothing, Some(Outcome::Stopped(cells as u8)))
            }
        };
        self.begin(next);
        outcome
    }

    /// Turns back if something is in the way.
    fn look_out(&mut self, levels: &Levels, calibration: &Calibration) {
        let Doing::Advance(leg, cells) = self.doing else {
            return;
        };
        let along = self.estimate.offset().along_um;
        let face = i32::from(cells) * CELL + (WALL_FACE_MM - FRONT_SENSOR_MM) * 1000 - along;
        let is_near = range::front(levels.front, calibration)
            .is_some_and(|seen| seen.is_in_sight() && seen.1 < face - NEARER_UM);
        self.looks = if is_near { self.looks + 1 } else { 0 };
        if self.looks >= BLOCKED_LOOKS {
            let mut leg = leg;
            leg.way.brake(BRAKE * 1000);
            self.begin(Doing::Brake(leg));
        }
    }
}

impl Default for Manoeuvre {
    fn default() -> Self {
        Self::new()
    }
}

fn turn(quarters: i8) -> Doing {
    let angle = i32::from(quarters.unsigned_abs()) * 90_000;
    Doing::Turn(Profile::new(angle, TURN_SPEED, TURN_ACCELERATION), quarters)
}

/// Speed ahead and speed of turning for a robot on a straight way.
fn straight(leg: &Leg, offset: Offset) -> (i32, i32) {
    let behind = leg.place() - offset.along_um;
    let top = SPEED * 1300;
    let speed = (leg.direction * leg.way.speed() + behind * EAGERNESS).clamp(-top, top);
    let back = -leg.direction * scale(offset.aside_um, RETURN_MDEG_PER_MM, 1000);
    let back = back.clamp(-RETURN_MDEG, RETURN_MDEG);
    let back = scale(back, leg.way.remaining().min(STRAIGHTEN_UM), STRAIGHTEN_UM);
    let turn = (back - offset.turned_mdeg) * STEADINESS;
    (speed, turn)
}
