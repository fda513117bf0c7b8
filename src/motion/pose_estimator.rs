//! Pose of the robot in its cell: odometry, corrected by the walls in view.
//!
//! A proximity reading gives an interval of distances. While the estimate is inside, it stays; outside,
//! it moves to the nearer end. So nothing is gained while an interval lasts, and most at the moment it
//! changes. In a corridor, with nothing ahead, the ends of side walls give the forward position.
//!
//! The estimate carries its [uncertainty](Uncertainty): bounds that odometry widens and readings narrow.
//! They decide which readings belong to the expected wall, and when the robot is lost.

use super::{
    CellSize, RADIAN_MDEG, divide, lateral, scale_by,
    trigonometry::{times_cosine, times_sine},
    uncertainty::Bounds,
};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    config::{
        AGREEING_EDGES_UM, CENTRING_256THS, CENTRING_LIMIT_UM, CENTRING_STEP_UM, CONTROL_PERIOD,
        CORRECTION_STEP_UM, EDGE_CORRECTION_UM, EDGE_GATE_UM, EDGE_TOLERANCE_UM, EDGE_UM,
        FRONT_CORRECTION_UM, HEADING_PER_LATERAL, LOST_FORWARD_UM, LOST_LATERAL_UM, OUTLIER_UM,
        SLIP_PART, SLIP_PART_MDEG, SLIP_STEPS, STRAIGHT_MDEG, UNSURE_UM, WALL_END_UM,
    },
    fault::Fault,
    robot::{Distances, Interval},
    signals::{Pose, Uncertainty},
};

/// Proximity reading, with the motion of the robot since it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallView {
    /// Distances.
    pub distances: Distances,
    /// Age of the reading, in microseconds.
    pub age_us: u32,
}

/// Estimates the pose of the robot in its cell.
#[derive(Clone, Copy, Debug)]
pub struct PoseEstimator {
    board: &'static BoardConfig,
    cell: CellSize,
    pose: Pose,
    bounds: Bounds,
    /// Leaky sum of the turn by the wheels less the turn by the gyro, in mdeg.
    slip: i32,
    /// Turn by the wheels, filtered in the same way, in mdeg.
    wheel_turn: i32,
    /// Travel of the last control step, in micrometres.
    travel: i32,
    /// Distance driven since the last reading, in micrometres.
    since_reading: i32,
    /// Sum of the corrections by what is ahead, since the robot turned or changed cells.
    front_correction: i32,
    /// Correction by the last end of a wall, if it was beyond the bounds.
    rejected_edge: Option<i32>,
    /// Wall to the left and to the right at the last reading; `None` unless the robot drove forward.
    side_walls: [Option<bool>; 2],
    /// Distance driven since the wall to the left and to the right was first sensed, in micrometres.
    along_walls: [i32; 2],
    /// True if a wall right ahead has confirmed the position, since the robot turned or changed cells.
    is_fixed_by_front: bool,
    /// Ends of walls, and walls right ahead, that were where they should be, wrapping.
    fixes: u8,
    /// Distances driven since the last fix: ahead, to the right, back and to the left of the heading, in micrometres.
    driven: [i32; 4],
}

/// Longest distance driven that is counted, in micrometres; it leaves room for sums.
const FAR_UM: i32 = 2_000_000;

impl PoseEstimator {
    /// Estimator of a robot that a person has put into the centre of its cell.
    #[must_use]
    pub fn new(board: &'static BoardConfig, cell: CellSize) -> Self {
        Self {
            board,
            cell,
            pose: Pose::default(),
            bounds: Bounds::PLACED,
            slip: 0,
            wheel_turn: 0,
            travel: 0,
            since_reading: 0,
            front_correction: 0,
            rejected_edge: None,
            side_walls: [None; 2],
            along_walls: [0; 2],
            is_fixed_by_front: false,
            fixes: 0,
            driven: [0; 4],
        }
    }

    /// Estimated pose.
    #[must_use]
    pub const fn pose(&self) -> Pose {
        self.pose
    }

    /// Uncertainty of the estimated pose.
    #[must_use]
    pub fn uncertainty(&self) -> Uncertainty {
        self.bounds.get()
    }

    /// Number of walls ahead and ends of walls that confirmed the forward position, wrapping.
    #[must_use]
    pub const fn fixes(&self) -> u8 {
        self.fixes
    }

    /// Distances driven since the last fix, in micrometres: ahead, to the right, back and to the left of the
    /// heading. A robot whose wheels slip has driven less.
    #[must_use]
    pub const fn driven(&self) -> [i32; 4] {
        self.driven
    }

    /// Integrates odometry over some microseconds: travel of the left and right wheel in micrometres, and
    /// the turn in mdeg.
    pub fn integrate(&mut self, wheels: [i32; 2], turned: i32, us: u32) {
        let travel = (wheels[0] + wheels[1]) / 2;
        let mean_yaw = self.pose.yaw_mdeg + turned / 2;
        self.pose.yaw_mdeg += turned;
        let (forward, lateral) = (times_cosine(travel, mean_yaw), times_sine(travel, mean_yaw));
        self.pose.forward_um += forward;
        self.pose.lateral_um += lateral;
        let sum = |driven: i32, by: i32| (driven + by.max(0)).min(FAR_UM);
        let [ahead, right, back, left] = self.driven;
        self.driven = [
            sum(ahead, forward),
            sum(right, lateral),
            sum(back, -forward),
            sum(left, -lateral),
        ];
        self.travel = travel;
        self.since_reading += travel.abs();
        // A still gyro is reported as no turn at all.
        if wheels != [0, 0] || turned != 0 {
            self.bounds.widen(travel.abs(), turned, us);
        }
    }

    /// Turn by wheel odometry alone, in mdeg.
    #[must_use]
    pub fn wheel_turn(wheels: [i32; 2], calibration: &Calibration) -> i32 {
        // More than a wheel does in a control step, and the product fits 32 bits.
        let difference = (wheels[0] - wheels[1]).clamp(-30_000, 30_000);
        difference * RADIAN_MDEG / calibration.track_um as i32
    }

    /// Compares the turn by the wheels with that by the gyro.
    ///
    /// # Errors
    /// They differ by more than a limit in mdeg: [`Fault::Slip`].
    pub fn check_slip(&mut self, by_wheels: i32, by_gyro: i32, limit: i32) -> Result<(), Fault> {
        self.slip += by_wheels - by_gyro;
        self.slip -= self.slip / SLIP_STEPS;
        self.wheel_turn += by_wheels;
        self.wheel_turn -= self.wheel_turn / SLIP_STEPS;
        if self.slip.abs() > limit {
            return Err(Fault::Slip);
        }
        Ok(())
    }

    /// Compares them as parts of a smooth turn: if both tracks slip, their difference is small.
    ///
    /// # Errors
    /// The robot has turned by much less than its wheels say, or by much more: [`Fault::Slip`].
    pub fn check_smooth_turn(&self) -> Result<(), Fault> {
        let slip = self.slip.abs();
        if slip > SLIP_PART_MDEG && slip * SLIP_PART > self.wheel_turn.abs() {
            return Err(Fault::Slip);
        }
        Ok(())
    }

    /// Forgets slip: a robot at rest may be carried.
    pub fn rest(&mut self) {
        (self.slip, self.wheel_turn) = (0, 0);
    }

    /// Sets the pose and its uncertainty.
    pub fn place(&mut self, pose: Pose, uncertainty: Uncertainty) {
        self.pose = pose;
        self.bounds = Bounds::of(uncertainty);
    }

    /// Rotates the frame after a turn, in quarter turns to the right.
    pub fn rotate_frame(&mut self, quarters: i8) {
        let Pose {
            forward_um,
            lateral_um,
            yaw_mdeg,
        } = self.pose;
        let (forward_um, lateral_um) = match quarters.rem_euclid(4) {
            1 => (lateral_um, -forward_um),
            2 => (-forward_um, -lateral_um),
            3 => (-lateral_um, forward_um),
            _ => (forward_um, lateral_um),
        };
        self.pose = Pose {
            forward_um,
            lateral_um,
            yaw_mdeg: yaw_mdeg - i32::from(quarters) * 90_000,
        };
        if quarters % 2 != 0 {
            self.bounds.swap();
        }
        if quarters & 1 != 0 {
            let [ahead, right, back, left] = self.driven;
            self.driven = [right, back, left, ahead];
        }
        if quarters & 2 != 0 {
            let [ahead, right, back, left] = self.driven;
            self.driven = [back, left, ahead, right];
        }
        self.side_walls = [None; 2];
        self.along_walls = [0; 2];
        (self.slip, self.wheel_turn) = (0, 0);
        self.front_correction = 0;
        self.is_fixed_by_front = false;
    }

    /// Moves the frame forward by a number of cells.
    pub fn advance_frame(&mut self, cells: i32) {
        self.front_correction = 0;
        self.is_fixed_by_front = false;
        self.pose.forward_um -= cells * self.cell.um();
    }

    /// Corrects the pose by a proximity reading; `direction` is `1` if the robot moves forward, `-1` if
    /// backward, `0` if neither. Walls ahead are those of the cell `first` cells further, and of those behind it.
    ///
    /// # Errors
    /// The ends of walls contradict each other, or none was seen for too long: [`Fault::Lost`].
    pub fn correct(&mut self, view: &WallView, direction: i32, first: i32) -> Result<(), Fault> {
        let driven = core::mem::take(&mut self.since_reading);
        if self.pose.yaw_mdeg.abs() > STRAIGHT_MDEG {
            self.side_walls = [None; 2];
            return Ok(());
        }
        let Distances { left, front, right } = view.distances;
        if let Some(front) = front {
            self.correct_by_front(front, first);
        }
        // Where the robot was when the reading was taken, by its speed now.
        let age_us = i64::from(view.age_us.min(50_000));
        let since_taken =
            divide::<{ CONTROL_PERIOD.as_micros() as u32 }>(i64::from(self.travel) * age_us) as i32;
        for (index, side, distance) in [(0, -1, left), (1, 1, right)] {
            if let Some(distance) = distance {
                if self.is_steady(index, distance, driven) {
                    self.correct_by_side(distance, side, direction, driven);
                }
                self.correct_by_edge(index, side, distance, direction, since_taken)?;
            }
        }
        let Uncertainty {
            forward_um,
            lateral_um,
            ..
        } = self.uncertainty();
        if forward_um > LOST_FORWARD_UM || lateral_um > LOST_LATERAL_UM {
            return Err(Fault::Lost);
        }
        Ok(())
    }

    /// Corrects the forward position by a wall ahead, which stands on a line between cells.
    fn correct_by_front(&mut self, distance: Interval, first: i32) {
        if !distance.is_within(self.cell.front_wall_um()) {
            return;
        }
        // The line with the smallest correction, of the next three.
        let (mut least, mut expected) = (i32::MAX, 0);
        for line in 0..3 {
            let face = line * self.cell.um() + self.cell.wall_face_um()
                - self.board.front_sensor_mm * 1000;
            let to_face = face - self.pose.forward_um;
            let correction = -distance.correction(to_face);
            if line >= first && correction.abs() < least.abs() {
                (least, expected) = (correction, to_face);
            }
        }
        let step = least.clamp(-CORRECTION_STEP_UM, CORRECTION_STEP_UM);
        let limit = (self.bounds.get().forward_um / 2).max(FRONT_CORRECTION_UM);
        if least.abs() < OUTLIER_UM && (self.front_correction + step).abs() <= limit {
            self.front_correction += step;
            self.pose.forward_um += step;
            let (near, far) = distance.widened();
            let to_face = expected - step;
            let fits = self.bounds.narrow_forward(to_face - far, to_face - near);
            if fits && distance.is_within(self.cell.front_near_um()) && !self.is_fixed_by_front {
                self.is_fixed_by_front = true;
                self.count_fix();
            }
        }
    }

    /// Returns whether a side reading may correct the lateral position after another distance driven. The end face of a wall
    /// looks further away than the wall: a robot of uncertain position does not know that it is there.
    fn is_steady(&mut self, index: usize, distance: Interval, driven: i32) -> bool {
        let along = &mut self.along_walls[index];
        *along = if distance.is_within(self.cell.side_near_um()) {
            (*along + driven).min(FAR_UM)
        } else {
            0
        };
        *along >= WALL_END_UM || self.bounds.get().lateral_um <= UNSURE_UM
    }

    /// Corrects the lateral position by a wall beside the robot; `side` is `-1` for left, `1` for right.
    ///
    /// Near the centre of a cell, a reading may only give the side of the centre on which the robot is. A
    /// moving robot near it is therefore taken to be slightly further on that side with every millimetre: it
    /// steers to where the reading changes and follows that line.
    fn correct_by_side(&mut self, interval: Interval, side: i32, direction: i32, driven: i32) {
        if !interval.is_within(self.cell.side_near_um()) {
            return;
        }
        let swing = lateral(self.board.side_sensor_forward_mm * 1000, self.pose.yaw_mdeg);
        let face = self.cell.wall_face_um() - self.board.side_sensor_mm * 1000;
        let distance = face - side * (self.pose.lateral_um + swing);
        let correction = -side * interval.correction(distance);
        if correction.abs() > OUTLIER_UM {
            return;
        }
        let bias = ((driven.min(10_000) * CENTRING_256THS) >> 8).min(CENTRING_STEP_UM);
        let bias = if direction == 0 {
            0
        } else if interval.is_within(face) {
            side * bias
        } else if interval.is_beyond(face) {
            -side * bias
        } else {
            0
        };
        let step = correction.clamp(-CORRECTION_STEP_UM, CORRECTION_STEP_UM);
        // A lateral error comes from a heading error.
        self.pose.yaw_mdeg += scale_by::<1000>(direction * (step + bias), HEADING_PER_LATERAL);
        // Further off, the robot steers to the centre anyway.
        let is_near = bias.signum() * self.pose.lateral_um < CENTRING_LIMIT_UM;
        let correction = if is_near { step + bias } else { step };
        self.pose.lateral_um += correction;
        let (near, far) = interval.widened();
        let distance = distance - side * correction;
        let (low, high) = (distance - far, distance - near);
        let (low, high) = if side < 0 { (-high, -low) } else { (low, high) };
        self.pose.lateral_um += self.bounds.narrow_lateral(low, high);
        if direction != 0 {
            self.bounds.follow_wall(driven);
        }
    }

    /// Corrects the forward position by the start or end of a side wall, on a line between cells;
    /// `index` is `0` for left, `1` for right, `side` is `-1` or `1`.
    ///
    /// An end beyond the bounds is no end of a wall, or the robot has slipped. If the next one has the same
    /// error, both are believed.
    fn correct_by_edge(
        &mut self,
        index: usize,
        side: i32,
        distance: Interval,
        direction: i32,
        since_taken: i32,
    ) -> Result<(), Fault> {
        if direction != 1 {
            self.side_walls[index] = None;
            return Ok(());
        }
        let now = if distance.is_within(self.cell.side_near_um()) {
            true
        } else if distance.is_beyond(self.cell.side_wall_um()) {
            false
        } else {
            return Ok(());
        };
        let before = self.side_walls[index].replace(now);
        if before.is_none_or(|before| before == now) {
            return Ok(());
        }
        // A robot turned to the right looks back on its right.
        let swing = side * lateral(self.cell.wall_face_um(), self.pose.yaw_mdeg);
        let sensor =
            self.pose.forward_um - since_taken + self.board.side_sensor_forward_mm * 1000 - swing;
        let cell = self.cell.um();
        let from_line = sensor.rem_euclid(cell) - cell / 2;
        let edge = if now { -EDGE_UM } else { EDGE_UM };
        let correction = edge - from_line;
        let bound = self.bounds.get().forward_um;
        let gate = (bound + EDGE_TOLERANCE_UM).min(LOST_FORWARD_UM);
        let step = if correction.abs() <= gate {
            self.rejected_edge = None;
            if bound > UNSURE_UM {
                correction
            } else {
                (correction / 2).clamp(-EDGE_CORRECTION_UM, EDGE_CORRECTION_UM)
            }
        } else {
            match self.rejected_edge {
                None => {
                    self.rejected_edge = Some(correction);
                    return Ok(());
                }
                Some(first)
                    if (first - correction).abs() <= AGREEING_EDGES_UM
                        && correction.abs() <= EDGE_GATE_UM =>
                {
                    self.rejected_edge = None;
                    correction
                }
                Some(_) => return Err(Fault::Lost),
            }
        };
        self.pose.forward_um += step;
        self.bounds
            .fix_forward((correction - step).abs() + EDGE_TOLERANCE_UM);
        self.count_fix();
        Ok(())
    }

    fn count_fix(&mut self) {
        self.fixes = self.fixes.wrapping_add(1);
        self.driven = [0; 4];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        boards::ZUMO2040,
        config::{SLIP_SMOOTH_MDEG, SLIP_TURN_MDEG},
    };

    /// A robot in a smooth turn that turns by a share of what its wheels say; returns after how much of it that is a slip.
    fn slip_in_smooth_turn(share: f64) -> Option<i32> {
        let mut estimator = estimator();
        let by_wheels = 1_500;
        (1..=60).find_map(|step| {
            let by_gyro = (share * f64::from(by_wheels)) as i32;
            let checked = estimator
                .check_slip(by_wheels, by_gyro, SLIP_SMOOTH_MDEG)
                .and_then(|()| estimator.check_smooth_turn());
            checked.is_err().then_some(step * by_wheels)
        })
    }

    #[test]
    fn tracks_that_both_slip_in_a_smooth_turn_are_noticed_within_25_degrees() {
        assert_eq!(slip_in_smooth_turn(0.88), None, "tracks scrub");
        assert!(slip_in_smooth_turn(0.73).is_some_and(|turned| turned < 25_000));
        assert!(slip_in_smooth_turn(1.3).is_some_and(|turned| turned < 25_000));
    }

    #[test]
    fn scrubbing_tracks_are_no_slip_and_spinning_wheels_are() {
        // As fast as the robot turns, for two seconds.
        let mut estimator = PoseEstimator::new(&ZUMO2040, CellSize::mm(180));
        let mut scrubs = (0..400).map(|_| estimator.check_slip(1_080, 900, SLIP_TURN_MDEG));
        assert!(scrubs.all(|checked| checked.is_ok()));
        for turn in [900, -900] {
            let mut estimator = PoseEstimator::new(&ZUMO2040, CellSize::mm(180));
            let mut spins = (0..400).map(|_| estimator.check_slip(turn, 0, SLIP_TURN_MDEG));
            assert!(spins.any(|checked| checked == Err(Fault::Slip)));
        }
    }

    /// A wall, on whichever side of the centre the robot is.
    const WALL: Interval = Interval {
        near: 30_000,
        far: 61_000,
    };
    const NOTHING: Interval = Interval::beyond(240_000);

    fn estimator() -> PoseEstimator {
        PoseEstimator::new(&ZUMO2040, CellSize::mm(180))
    }

    /// Drives by whole millimetres, forward or backward, and senses `right` at each: the true position of the right
    /// receiver along the wall tells what it sees.
    fn drive(
        estimator: &mut PoseEstimator,
        truth_mm: &mut i32,
        mm: i32,
        right: impl Fn(i32) -> Interval,
    ) -> Result<(), Fault> {
        let direction = mm.signum();
        for _ in 0..mm.abs() {
            *truth_mm += direction;
            estimator.integrate([direction * 1000; 2], 0, 5_000);
            let distances = Distances {
                left: Some(NOTHING),
                front: Some(NOTHING),
                right: Some(right(*truth_mm + 30)),
            };
            let age_us = 0;
            estimator.correct(&WallView { distances, age_us }, direction, 0)?;
        }
        Ok(())
    }

    /// Walls on the right of every other cell, which begin and end 12.5 mm beyond the lines.
    fn every_other(mm: i32) -> Interval {
        match (mm + 90 - 13).rem_euclid(360) {
            0..154 => WALL,
            _ if (mm + 90 + 13).rem_euclid(360) < 206 => WALL,
            _ => NOTHING,
        }
    }

    fn forward_mm(estimator: &PoseEstimator) -> i32 {
        estimator.pose().forward_um / 1000
    }

    /// At its end a wall looks further away than it is.
    #[test]
    fn the_end_face_of_a_wall_does_not_place_an_uncertain_robot() {
        let mut estimator = estimator();
        let lateral_um = 60_000;
        let uncertainty = Uncertainty {
            lateral_um,
            ..estimator.uncertainty()
        };
        estimator.place(Pose::default(), uncertainty);
        let mut truth = 0;
        let near = Interval {
            near: 0,
            far: 38_500,
        };
        // It is 33 mm to the right of where it takes itself to be.
        let right = |mm| match mm {
            ..77 => NOTHING,
            77..79 => WALL,
            _ => near,
        };
        drive(&mut estimator, &mut truth, 49, right).unwrap();
        assert!(estimator.uncertainty().lateral_um >= lateral_um);
        drive(&mut estimator, &mut truth, 40, right).unwrap();
        let off = 33_000 - estimator.pose().lateral_um;
        let bound = estimator.uncertainty().lateral_um;
        assert!(off.abs() <= bound && bound < 30_000, "{off} {bound}");
    }

    #[test]
    fn ends_of_walls_correct_odometry() {
        for error in [-9, -4, 4, 9] {
            let mut estimator = estimator();
            let mut truth = error;
            drive(&mut estimator, &mut truth, 700, every_other).unwrap();
            let left = truth - forward_mm(&estimator);
            assert!(left.abs() <= 2, "{error}: {left}");
            assert!(estimator.fixes() >= 3, "{error}");
            assert!(estimator.uncertainty().forward_um >= left.abs() * 1000);
        }
    }

    #[test]
    fn one_wrong_end_of_a_wall_corrects_nothing() {
        let mut estimator = estimator();
        let mut truth = 0;
        // Something beside the robot, in the middle of a cell.
        let right = |mm| if mm > 150 { WALL } else { NOTHING };
        drive(&mut estimator, &mut truth, 140, right).unwrap();
        assert_eq!((forward_mm(&estimator), estimator.fixes()), (truth, 0));
    }

    #[test]
    fn two_wrong_ends_that_agree_are_believed() {
        // Slipped by 30 mm.
        let mut estimator = estimator();
        let mut truth = -30;
        drive(&mut estimator, &mut truth, 600, every_other).unwrap();
        let left = truth - forward_mm(&estimator);
        assert!(left.abs() <= 8, "{left}");
    }

    #[test]
    fn two_wrong_ends_that_disagree_lose_the_robot() {
        let mut estimator = estimator();
        let mut truth = 0;
        let right = |mm| {
            if (150..190).contains(&mm) {
                WALL
            } else {
                NOTHING
            }
        };
        let result = drive(&mut estimator, &mut truth, 200, right);
        assert_eq!(result, Err(Fault::Lost));
    }

    #[test]
    fn two_wrong_ends_half_a_cell_away_lose_the_robot() {
        let mut estimator = estimator();
        let mut truth = 90;
        let result = drive(&mut estimator, &mut truth, 800, every_other);
        assert_eq!(result, Err(Fault::Lost));
    }

    #[test]
    fn an_end_of_a_wall_passed_backward_corrects_nothing() {
        let mut estimator = estimator();
        let mut truth = 0;
        let right = |mm| if mm > 77 { WALL } else { NOTHING };
        drive(&mut estimator, &mut truth, 70, right).unwrap();
        let (before, fixes) = (truth - forward_mm(&estimator), estimator.fixes());
        assert_eq!(fixes, 1);
        // Back beyond the end, and forward again up to just before it.
        drive(&mut estimator, &mut truth, -60, right).unwrap();
        drive(&mut estimator, &mut truth, 30, right).unwrap();
        assert_eq!(truth - forward_mm(&estimator), before);
        assert_eq!(estimator.fixes(), fixes);
    }

    #[test]
    fn heading_and_age_shift_the_end_of_a_wall() {
        // Six degrees to the right, the receiver looks 9 mm back; the reading is 3 mm old.
        let mut estimator = estimator();
        estimator.integrate([0, 0], 6_000, 5_000);
        let mut view = |right, forward_mm: i32| {
            estimator.pose.forward_um = forward_mm * 1000;
            estimator.travel = 1_000;
            let distances = Distances {
                right: Some(right),
                ..Distances::all(NOTHING)
            };
            let age_us = 15_000;
            estimator
                .correct(&WallView { distances, age_us }, 1, 0)
                .unwrap();
            estimator.pose.forward_um
        };
        view(NOTHING, 40);
        // Where the wall begins: 90 - 12.5 mm seen at 30 - 8.8 - 3 mm ahead of the centre.
        let corrected = view(WALL, 59);
        assert!((corrected - 59_250).abs() < 500, "{corrected}");
    }

    #[test]
    fn a_corridor_without_ends_of_walls_is_given_up_in_time() {
        let mut estimator = estimator();
        let mut truth = 0;
        let lost = (0..200).find(|_| {
            // Cell by cell, as a robot drives.
            let result = drive(&mut estimator, &mut truth, 180, |_| WALL);
            estimator.advance_frame(1);
            result.is_err()
        });
        let cells = lost.expect("nobody drives for ever without a fix");
        assert!((20..100).contains(&cells), "{cells}");
    }

    #[test]
    fn centring_depends_on_the_distance_not_on_the_number_of_readings() {
        let offset = |readings_per_mm: i32| {
            let mut estimator = estimator();
            let near = Interval {
                near: 0,
                far: 38_500,
            };
            for _ in 0..100 {
                for _ in 0..readings_per_mm {
                    let travel = 1_000 / readings_per_mm;
                    estimator.integrate([travel; 2], 0, 5_000);
                    let distances = Distances {
                        right: Some(near),
                        ..Distances::all(NOTHING)
                    };
                    let age_us = 0;
                    estimator
                        .correct(&WallView { distances, age_us }, 1, 0)
                        .unwrap();
                    // Heading is not the subject.
                    estimator.pose.yaw_mdeg = 0;
                }
            }
            estimator.pose().lateral_um
        };
        let (slow, fast) = (offset(5), offset(1));
        assert!((slow - fast).abs() < 1_000, "{slow} {fast}");
        assert!(fast > 4_000, "{fast}");
    }

    #[test]
    fn the_walls_beside_the_robot_are_forgotten_in_a_turn() {
        let mut estimator = estimator();
        let mut truth = 0;
        drive(&mut estimator, &mut truth, 20, |_| WALL).unwrap();
        // No reading comes meanwhile.
        estimator.integrate([0, 0], 90_000, 5_000);
        estimator.rotate_frame(1);
        drive(&mut estimator, &mut truth, 20, |_| NOTHING).unwrap();
        assert_eq!((estimator.rejected_edge, estimator.fixes()), (None, 0));
    }

    #[test]
    fn the_walls_beside_the_robot_are_forgotten_at_an_angle() {
        let mut estimator = estimator();
        let mut truth = 0;
        drive(&mut estimator, &mut truth, 20, |_| WALL).unwrap();
        estimator.integrate([0, 0], 10_000, 5_000);
        drive(&mut estimator, &mut truth, 10, |_| WALL).unwrap();
        estimator.integrate([0, 0], -10_000, 5_000);
        drive(&mut estimator, &mut truth, 20, |_| NOTHING).unwrap();
        assert_eq!((estimator.rejected_edge, estimator.fixes()), (None, 0));
    }

    #[test]
    fn two_ends_that_were_believed_are_not_compared_with_the_next_one() {
        let mut estimator = estimator();
        let mut truth = 0;
        // Begin and end of a wall, both 30 mm late, and something elsewhere.
        let right = |mm| match mm {
            107..312 | 372.. => WALL,
            _ => NOTHING,
        };
        drive(&mut estimator, &mut truth, 350, right).unwrap();
        assert_eq!(estimator.fixes(), 1);
        assert!(estimator.rejected_edge.is_some());
    }

    #[test]
    fn a_right_end_of_a_wall_clears_a_wrong_one() {
        let mut estimator = estimator();
        let mut truth = 0;
        // Something thin beside the robot, an end of a wall where it should be, and something thin again.
        let right = |mm| match mm {
            150..283 | 330.. => WALL,
            _ => NOTHING,
        };
        drive(&mut estimator, &mut truth, 330, right).unwrap();
        assert_eq!(estimator.fixes(), 1);
        assert!(estimator.rejected_edge.is_some());
    }
}
