//! One order at a time: turn on the spot, or go ahead and see that nothing is in the way.

use super::{Estimate, Profile, Wheels, range, scale};
use crate::{
    calibration::Calibration,
    config::{
        ACCELERATION, ASIDE_UM, BACK_UP_UM, BLOCKED_LOOKS, BRAKE, CATCH_UP_SPEED, CELL_MM,
        CENTRED_UM, CONTROL_PERIOD, EAGERNESS, FRONT_SENSOR_MM, NEAR_MDEG, NEAR_UM, NEARER_UM,
        OVERTIME, RETURN_MDEG, RETURN_MDEG_PER_MM, SETTLED, SPEED, STEADINESS, STILL_UM,
        STRAIGHTEN_UM, TURN_ACCELERATION, TURN_SPEED, WALL_FACE_MM,
    },
    fault::Fault,
    robot::{Duty, Levels},
    signals::{Offset, Order, Outcome},
};

const CELL: i32 = CELL_MM * 1000;

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
    /// Quarters to the right.
    Turn(Profile, i8),
    Straight(Leg, Then),
}

/// What a straight way is for.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// To come to the middle of the cell from further back, for a turn.
    Come(i8),
    /// To turn in the middle of the cell.
    Turn(i8),
    /// To be so many cells ahead, if nothing is in the way.
    Advance(u8),
    /// To rest, for something is in the way, so far along at most; then to the middle of a cell.
    Return(i32),
    /// To say so.
    Tell(Outcome),
    /// To rest, as ordered.
    Halt,
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
    /// Whether the cell behind is known to be free: it came from there.
    came: bool,
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
            came: false,
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

    /// Begins to carry out an order, instead of any other.
    ///
    /// [`Order::Reset`] is done at once, and so is [`Order::Stop`] for a robot at rest: there will be no
    /// outcome.
    pub fn order(&mut self, order: Order) {
        let along = self.offset().along_um;
        match order {
            Order::Turn(quarters) if self.offset().aside_um.abs() > ASIDE_UM && self.came => {
                let to = along.min(0) - BACK_UP_UM;
                self.go(Leg::new(along, to), Then::Come(quarters));
            }
            Order::Turn(quarters) if along.abs() > CENTRED_UM => {
                self.go(Leg::new(along, 0), Then::Turn(quarters));
            }
            Order::Turn(quarters) => self.turn(quarters),
            Order::Advance(cells) => {
                let to = i32::from(cells) * CELL;
                self.go(Leg::new(along, to), Then::Advance(cells));
            }
            Order::Reset => *self = Self::new(),
            Order::Stop => match self.doing {
                Doing::Straight(mut leg, _) => {
                    leg.way.brake(BRAKE * 1000);
                    self.go(leg, Then::Halt);
                }
                // A turn is soon done, and a robot that looks askew is lost.
                Doing::Nothing | Doing::Turn(..) => {}
            },
        }
    }

    fn go(&mut self, leg: Leg, then: Then) {
        self.begin(Doing::Straight(leg, then));
    }

    fn turn(&mut self, quarters: i8) {
        let angle = i32::from(quarters.unsigned_abs()) * 90_000;
        let way = Profile::new(angle, TURN_SPEED, TURN_ACCELERATION);
        self.begin(Doing::Turn(way, quarters));
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
            let direction = self.direction();
            self.estimate.see(levels, calibration, direction)?;
            self.look_out(levels, calibration);
        }
        let offset = self.estimate.offset();
        let speeds = match &mut self.doing {
            Doing::Nothing => return Ok((None, None)),
            Doing::Turn(way, quarters) => {
                way.step(inputs.us);
                let sign = i32::from(quarters.signum());
                let error = sign * way.position() - offset.turned_mdeg;
                (0, sign * way.speed() + error * STEADINESS)
            }
            Doing::Straight(leg, _) => {
                leg.way.step(inputs.us);
                straight(leg, offset)
            }
        };
        let powers = self.power(speeds, inputs, calibration)?;
        self.settle(inputs)?;
        if self.settled < SETTLED {
            return Ok((Some(powers), None));
        }
        let outcome = self.end();
        Ok(((!self.is_at_rest()).then_some(powers), outcome))
    }

    /// Whether the robot goes ahead, `1`, or back, `-1`, or neither.
    fn direction(&self) -> i32 {
        match &self.doing {
            Doing::Nothing | Doing::Turn(..) => 0,
            Doing::Straight(leg, _) => leg.direction,
        }
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
            Doing::Straight(leg, Then::Return(_) | Then::Halt) => (leg.way.is_done(), true),
            Doing::Straight(leg, _) => {
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
        let is_still = inputs.wheels.iter().all(|way| way.abs() < STILL_UM);
        self.settled = if is_near && is_still {
            self.settled + 1
        } else {
            0
        };
        Ok(())
    }

    /// What comes after the way that has ended.
    fn end(&mut self) -> Option<Outcome> {
        let along = self.offset().along_um;
        match self.doing {
            Doing::Nothing => None,
            Doing::Turn(_, quarters) => {
                self.came = false;
                self.estimate.turned(quarters);
                self.begin(Doing::Nothing);
                Some(Outcome::Done)
            }
            Doing::Straight(_, Then::Come(quarters)) => {
                // Once is enough.
                self.came = false;
                self.go(Leg::new(along, 0), Then::Turn(quarters));
                None
            }
            Doing::Straight(_, Then::Turn(quarters)) => {
                self.turn(quarters);
                None
            }
            Doing::Straight(_, Then::Return(at_most)) => {
                // The last cell whose middle the robot has come through.
                let cells = ((along + CENTRED_UM) / CELL).max(0);
                let is_next = at_most < (cells + 1) * CELL + WALL_FACE_MM * 1000 - NEARER_UM;
                let outcome = if is_next {
                    Outcome::Blocked(cells as u8)
                } else {
                    Outcome::Stopped(cells as u8)
                };
                self.go(Leg::new(along, cells * CELL), Then::Tell(outcome));
                None
            }
            Doing::Straight(_, Then::Advance(cells)) => self.rest(cells, Outcome::Done),
            Doing::Straight(_, Then::Tell(outcome)) => {
                let cells = match outcome {
                    Outcome::Blocked(cells) | Outcome::Stopped(cells) => cells,
                    Outcome::Done => 0,
                };
                self.rest(cells, outcome)
            }
            Doing::Straight(_, Then::Halt) => {
                let cells = (along + CELL / 2).div_euclid(CELL).max(0) as u8;
                self.rest(cells, Outcome::Stopped(cells))
            }
        }
    }

    /// The robot has come to rest so many cells further.
    fn rest(&mut self, cells: u8, outcome: Outcome) -> Option<Outcome> {
        self.came |= cells > 0;
        self.estimate.entered(cells.into());
        self.begin(Doing::Nothing);
        Some(outcome)
    }

    /// Stops short of something in the way.
    fn look_out(&mut self, levels: &Levels, calibration: &Calibration) {
        let Doing::Straight(mut leg, Then::Advance(cells)) = self.doing else {
            return;
        };
        let along = self.estimate.offset().along_um;
        let front = along + FRONT_SENSOR_MM * 1000;
        let face = i32::from(cells) * CELL + WALL_FACE_MM * 1000 - front;
        let near = range::front(levels.front, calibration)
            .filter(|seen| seen.is_in_sight() && seen.1 < face - NEARER_UM);
        self.looks = if near.is_some() { self.looks + 1 } else { 0 };
        let Some(seen) = near.filter(|_| self.looks >= BLOCKED_LOOKS) else {
            return;
        };
        // Cells that lie before the nearest place where it can be.
        let free = (front + seen.0 - CELL / 2) / CELL;
        if free > along / CELL && leg.way.shorten(free * CELL - leg.from) {
            self.go(leg, Then::Tell(Outcome::Stopped(free as u8)));
        } else {
            leg.way.brake(BRAKE * 1000);
            self.go(leg, Then::Return(front + seen.1));
        }
    }
}

impl Default for Manoeuvre {
    fn default() -> Self {
        Self::new()
    }
}

/// Speed ahead and speed of turning for a robot on a straight way.
fn straight(leg: &Leg, offset: Offset) -> (i32, i32) {
    let behind = leg.place() - offset.along_um;
    let top = CATCH_UP_SPEED * 1000;
    let speed = (leg.direction * leg.way.speed() + behind * EAGERNESS).clamp(-top, top);
    let back = -leg.direction * scale(offset.aside_um, RETURN_MDEG_PER_MM, 1000);
    let back = back.clamp(-RETURN_MDEG, RETURN_MDEG);
    let back = scale(back, leg.way.remaining().min(STRAIGHTEN_UM), STRAIGHTEN_UM);
    let turn = (back - offset.turned_mdeg) * STEADINESS;
    (speed, turn)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::config::{CALIBRATION, FRONT_RANGE_MM, TOP_SPEED};

    /// Wheels that follow their power with a lag, on a floor that is perfect.
    struct Plant {
        speeds: [f64; 2],
        ways: [f64; 2],
        /// As far as it has ever been.
        furthest: f64,
        counts: [i64; 2],
        turned: f64,
        powers: [i32; 2],
        /// What each wheel makes of its power.
        strength: [f64; 2],
        /// From where the front receiver began to what stands ahead of it, in millimetres.
        ahead: Option<f64>,
        gyro_works: bool,
    }

    impl Plant {
        fn new() -> Self {
            Self {
                speeds: [0.0; 2],
                ways: [0.0; 2],
                furthest: 0.0,
                counts: [0; 2],
                turned: 0.0,
                powers: [0; 2],
                strength: [1.0; 2],
                ahead: None,
                gyro_works: true,
            }
        }

        fn step(&mut self) -> Inputs {
            let before = self.turned;
            for _ in 0..5 {
                for wheel in 0..2 {
                    let power = f64::from(self.powers[wheel]) / 1000.0;
                    // What friction takes.
                    let power = power.signum() * (power.abs() - 0.03).max(0.0);
                    let target = power * f64::from(TOP_SPEED) * self.strength[wheel];
                    self.speeds[wheel] += (target - self.speeds[wheel]) / 60.0;
                    self.ways[wheel] += self.speeds[wheel] / 1000.0;
                }
                let difference = self.speeds[0] - self.speeds[1];
                self.turned += difference / 99.0 * 57_296.0 / 1000.0;
            }
            let mm_per_count = f64::from(CALIBRATION.nm_per_count) / 1e6;
            let wheels = [0, 1].map(|wheel| {
                let counts = (self.ways[wheel] / mm_per_count).floor() as i64;
                let way = counts - core::mem::replace(&mut self.counts[wheel], counts);
                (way * i64::from(CALIBRATION.nm_per_count) / 1000) as i32
            });
            let way = self.way();
            self.furthest = self.furthest.max(way);
            let seen = self.ahead.map(|ahead| {
                let distance = ahead - way;
                let level = FRONT_RANGE_MM
                    .iter()
                    .filter(|&&range| distance <= f64::from(range))
                    .count() as u8;
                Levels {
                    front: [level; 2],
                    ..Levels::default()
                }
            });
            Inputs {
                us: 5_000,
                wheels,
                turned: self.gyro_works.then_some((self.turned - before) as i32),
                seen,
            }
        }

        /// Carries out an order; how it ended, and after how many steps.
        fn run(&mut self, robot: &mut Manoeuvre, order: Order) -> Result<(Outcome, u32), Fault> {
            robot.order(order);
            for step in 0..2_000 {
                let inputs = self.step();
                let (powers, outcome) = robot.step(&inputs, &CALIBRATION)?;
                self.powers = powers.map_or([0; 2], |powers| powers.map(Duty::get));
                if let Some(outcome) = outcome {
                    assert_eq!(self.powers, [0; 2], "at rest");
                    return Ok((outcome, step));
                }
            }
            panic!("{order:?} does not end: {robot:?}");
        }

        fn way(&self) -> f64 {
            (self.ways[0] + self.ways[1]) / 2.0
        }
    }

    #[test]
    fn a_cell_ahead_is_a_cell_ahead() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        for cells in [1, 1, 3] {
            let from = plant.way();
            let (outcome, steps) = plant.run(&mut robot, Order::Advance(cells)).unwrap();
            assert_eq!(outcome, Outcome::Done);
            let way = plant.way() - from;
            assert!((way - 180.0 * f64::from(cells)).abs() < 4.0, "{way}");
            std::println!("{cells} cells: {way:.1} mm in {} ms", steps * 5);
        }
        // What one motion leaves the next makes up for.
        assert!((plant.way() - 900.0).abs() < 4.0, "{}", plant.way());
    }

    #[test]
    fn quarters_are_turned_and_the_frame_with_them() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        let mut heading = 0.0;
        for quarters in [1, -1, 2, -1, -1] {
            let (outcome, steps) = plant.run(&mut robot, Order::Turn(quarters)).unwrap();
            assert_eq!(outcome, Outcome::Done);
            heading += 90_000.0 * f64::from(quarters);
            let error = plant.turned - heading;
            assert!(error.abs() < 1_500.0, "{error}");
            assert!(robot.offset().turned_mdeg.abs() < 1_500);
            std::println!("{quarters} quarters: off by {error:.0} in {} ms", steps * 5);
        }
    }

    #[test]
    fn unequal_motors_do_not_lead_astray() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        plant.strength = [0.85, 1.0];
        for _ in 0..5 {
            plant.run(&mut robot, Order::Advance(1)).unwrap();
        }
        assert!(plant.turned.abs() < 1_500.0, "{}", plant.turned);
        assert!((plant.way() - 900.0).abs() < 5.0, "{}", plant.way());
    }

    #[test]
    fn something_in_the_way_sends_the_robot_back() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        plant.ahead = Some(120.0);
        let (outcome, _) = plant.run(&mut robot, Order::Advance(1)).unwrap();
        assert_eq!(outcome, Outcome::Blocked(0));
        assert!(plant.way().abs() < 4.0, "{}", plant.way());
    }

    #[test]
    fn something_far_ahead_shortens_a_long_way() {
        for ahead in (150..1200).step_by(7) {
            let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
            plant.ahead = Some(f64::from(ahead));
            // Cells that the robot fits into: its front is 45 mm ahead of its middle.
            let free = f64::from(ahead + 45 - 49) / 180.0;
            let (outcome, _) = plant.run(&mut robot, Order::Advance(8)).unwrap();
            let cells = match outcome {
                Outcome::Stopped(cells) => cells,
                Outcome::Blocked(cells) => {
                    let next = f64::from(cells) + 1.0;
                    assert!(free < next, "{ahead}: cell {next} is free");
                    cells
                }
                Outcome::Done => panic!("{ahead}: went through"),
            };
            assert!(f64::from(cells) <= free, "{ahead}: {cells}");
            let way = plant.way() - 180.0 * f64::from(cells);
            assert!(way.abs() < 30.0, "{ahead}: {way}");
        }
    }

    #[test]
    fn a_way_that_is_seen_to_be_shorter_in_time_ends_there_at_once() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        // In the fifth cell ahead; the fourth is free.
        plant.ahead = Some(860.0);
        let (outcome, _) = plant.run(&mut robot, Order::Advance(8)).unwrap();
        assert_eq!(outcome, Outcome::Stopped(4));
        let (way, furthest) = (plant.way(), plant.furthest);
        assert!((way - 720.0).abs() < 4.0, "{way}");
        assert!(furthest < way + 2.0, "it came back from {furthest}");
    }

    #[test]
    fn the_wall_behind_the_next_cell_is_not_in_the_way() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        plant.ahead = Some(180.0 + 39.0);
        let (outcome, _) = plant.run(&mut robot, Order::Advance(1)).unwrap();
        assert_eq!(outcome, Outcome::Done);
    }

    #[test]
    fn a_wall_ahead_puts_right_what_the_wheels_got_wrong() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        // The robot stands 15 mm further back than it thinks.
        plant.ahead = Some(180.0 + 39.0 + 15.0);
        plant.run(&mut robot, Order::Advance(1)).unwrap();
        assert!((plant.way() - 195.0).abs() < 5.0, "{}", plant.way());
    }

    #[test]
    fn a_wheel_that_does_not_turn_is_a_stall() {
        for strength in [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
            for order in [Order::Advance(1), Order::Turn(1)] {
                let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
                plant.strength = strength;
                let fault = plant.run(&mut robot, order).unwrap_err();
                assert_eq!(fault, Fault::Stall, "{strength:?} {order:?}");
            }
        }
    }

    #[test]
    fn without_a_gyro_the_wheels_will_do_for_a_while() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        plant.gyro_works = false;
        plant.run(&mut robot, Order::Turn(1)).unwrap();
        assert!((plant.turned - 90_000.0).abs() < 2_000.0);
    }

    #[test]
    fn a_stop_is_soon_and_the_next_order_begins_from_there() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        robot.order(Order::Stop);
        assert!(robot.is_at_rest());
        robot.order(Order::Advance(1));
        while plant.way() < 60.0 {
            let inputs = plant.step();
            let (powers, _) = robot.step(&inputs, &CALIBRATION).unwrap();
            plant.powers = powers.unwrap().map(Duty::get);
        }
        let (outcome, _) = plant.run(&mut robot, Order::Stop).unwrap();
        assert_eq!(outcome, Outcome::Stopped(0));
        assert!((60.0..100.0).contains(&plant.way()), "{}", plant.way());
        // A turn is made in the middle of the cell.
        plant.run(&mut robot, Order::Turn(1)).unwrap();
        assert!(plant.way().abs() < 4.0, "{}", plant.way());
    }

    #[test]
    fn a_robot_that_was_put_home_is_in_the_middle_of_its_cell() {
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        robot.order(Order::Advance(1));
        for _ in 0..100 {
            let (powers, _) = robot.step(&plant.step(), &CALIBRATION).unwrap();
            plant.powers = powers.unwrap().map(Duty::get);
        }
        robot.abort();
        assert!(robot.offset().along_um > CENTRED_UM);
        robot.order(Order::Reset);
        assert_eq!(robot.offset(), Offset::default());
        assert!(robot.is_at_rest());
    }

    #[test]
    fn a_robot_that_was_put_elsewhere_does_not_back_up() {
        let aside = |robot: &mut Manoeuvre| {
            // A way to the right of 10 mm, at ten degrees.
            for (way, turned) in [(0, 10_000), (57_600, 0), (0, -10_000), (-57_600, 0)] {
                robot.estimate.moved([way, way], turned);
            }
            assert!(robot.offset().aside_um > ASIDE_UM);
        };
        let (mut plant, mut robot) = (Plant::new(), Manoeuvre::new());
        plant.run(&mut robot, Order::Advance(1)).unwrap();
        aside(&mut robot);
        let mut told = robot;
        told.order(Order::Turn(1));
        assert_eq!(told.direction(), -1, "it came from there");

        robot.order(Order::Reset);
        aside(&mut robot);
        robot.order(Order::Turn(1));
        assert_eq!(robot.direction(), 0, "what is behind it is not known");
    }
}
