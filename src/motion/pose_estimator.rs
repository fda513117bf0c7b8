//! Pose of the robot in its cell: odometry, corrected by the walls in view.
//!
//! A proximity reading gives an interval of distances. While the estimate is inside, it stays; outside,
//! it moves to the nearer end. So nothing is gained while an interval lasts, and most at the moment it
//! changes. In a corridor, with nothing ahead, the ends of side walls give the forward position.

use super::{CellSize, RADIAN_MDEG, lateral, scale};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    config::{
        CORRECTION_STEP_UM, EDGE_CORRECTION_UM, EDGE_UM, FRONT_CORRECTION_UM, HEADING_PER_LATERAL,
        LOST_EDGES, OUTLIER_UM, SIDE_BIAS_UM, SLIP_MDEG, SLIP_STEPS, STRAIGHT_MDEG,
    },
    fault::Fault,
    robot::{Distances, Interval},
    signals::Pose,
};

/// Estimates the pose of the robot in its cell.
#[derive(Clone, Copy, Debug)]
pub struct PoseEstimator {
    board: &'static BoardConfig,
    cell: CellSize,
    pose: Pose,
    /// Leaky sum of the turn by the wheels less the turn by the gyro, in mdeg.
    slip: i32,
    /// Sum of the corrections by what is ahead, since the robot turned or changed cells.
    front_correction: i32,
    /// Consecutive ends of walls that were outliers.
    outliers: u8,
    /// Wall to the left and to the right at the last reading.
    side_walls: [Option<bool>; 2],
}

impl PoseEstimator {
    /// Estimator of a robot in the centre of its cell.
    #[must_use]
    pub fn new(board: &'static BoardConfig, cell: CellSize) -> Self {
        Self {
            board,
            cell,
            pose: Pose::default(),
            slip: 0,
            front_correction: 0,
            outliers: 0,
            side_walls: [None; 2],
        }
    }

    /// Estimated pose.
    #[must_use]
    pub const fn pose(&self) -> Pose {
        self.pose
    }

    /// Integrates odometry: travel of the left and right wheel in micrometres, and the turn in mdeg.
    pub fn integrate(&mut self, wheels: [i32; 2], turned: i32) {
        let travel = (wheels[0] + wheels[1]) / 2;
        let mean_yaw = self.pose.yaw_mdeg + turned / 2;
        self.pose.yaw_mdeg += turned;
        self.pose.forward_um += travel;
        // A turn in place has no travel that could lead sideways.
        if mean_yaw.abs() < 2 * STRAIGHT_MDEG {
            self.pose.lateral_um += lateral(travel, mean_yaw);
        }
    }

    /// Turn by wheel odometry alone, in mdeg.
    #[must_use]
    pub fn wheel_turn(wheels: [i32; 2], calibration: &Calibration) -> i32 {
        scale(
            wheels[0] - wheels[1],
            RADIAN_MDEG,
            calibration.track_um as i32,
        )
    }

    /// Compares the turn by the wheels with that by the gyro.
    ///
    /// # Errors
    /// They differ by too much: [`Fault::Slip`].
    pub fn check_slip(&mut self, by_wheels: i32, by_gyro: i32) -> Result<(), Fault> {
        self.slip += by_wheels - by_gyro;
        self.slip -= self.slip / SLIP_STEPS;
        if self.slip.abs() > SLIP_MDEG {
            return Err(Fault::Slip);
        }
        Ok(())
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
        self.side_walls = [None; 2];
        self.slip = 0;
        self.front_correction = 0;
    }

    /// Moves the frame forward by a number of cells.
    pub fn advance_frame(&mut self, cells: i32) {
        self.front_correction = 0;
        self.pose.forward_um -= cells * self.cell.um();
    }

    /// Corrects the pose by a proximity reading; `direction` is `1` if the robot moves forward, `-1` if
    /// backward, `0` if neither.
    ///
    /// # Errors
    /// The wheels turned but the robot did not move: [`Fault::Slip`].
    pub fn correct(&mut self, distances: &Distances, direction: i32) -> Result<(), Fault> {
        if self.pose.yaw_mdeg.abs() > STRAIGHT_MDEG {
            self.side_walls = [None; 2];
            return Ok(());
        }
        if let Some(front) = distances.front {
            self.correct_by_front(front);
        }
        for (index, side, distance) in [(0, -1, distances.left), (1, 1, distances.right)] {
            if let Some(distance) = distance {
                self.correct_by_side(distance, side, direction);
                self.correct_by_edge(index, distance, direction);
            }
        }
        if self.outliers >= LOST_EDGES {
            return Err(Fault::Slip);
        }
        Ok(())
    }

    /// Corrects the forward position by a wall ahead, which stands on a line between cells.
    fn correct_by_front(&mut self, distance: Interval) {
        if !distance.is_within(self.cell.front_wall_um()) {
            return;
        }
        // The line with the smallest correction, of the next three.
        let mut least = i32::MAX;
        for line in 0..3 {
            let face = line * self.cell.um() + self.cell.wall_face_um()
                - self.board.front_sensor_mm * 1000;
            let correction = -distance.correction(face - self.pose.forward_um);
            if correction.abs() < least.abs() {
                least = correction;
            }
        }
        let step = least.clamp(-CORRECTION_STEP_UM, CORRECTION_STEP_UM);
        if least.abs() < OUTLIER_UM && (self.front_correction + step).abs() <= FRONT_CORRECTION_UM {
            self.front_correction += step;
            self.pose.forward_um += step;
        }
    }

    /// Corrects the lateral position by a wall beside the robot; `side` is `-1` for left, `1` for right.
    ///
    /// Near the centre of a cell, a reading may only give the side of the centre on which the robot is. A
    /// moving robot is therefore taken to be slightly further on that side with every reading: it
    /// steers to where the reading changes and follows that line.
    fn correct_by_side(&mut self, interval: Interval, side: i32, direction: i32) {
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
        let bias = if direction == 0 {
            0
        } else if interval.is_within(face) {
            side * SIDE_BIAS_UM
        } else if interval.is_beyond(face) {
            -side * SIDE_BIAS_UM
        } else {
            0
        };
        let correction = correction.clamp(-CORRECTION_STEP_UM, CORRECTION_STEP_UM) + bias;
        self.pose.lateral_um += correction;
        // A lateral error comes from a heading error.
        self.pose.yaw_mdeg += direction * correction * HEADING_PER_LATERAL / 1000;
    }

    /// Corrects the forward position by the start or end of a side wall, on a line between cells;
    /// `index` is `0` for left, `1` for right.
    fn correct_by_edge(&mut self, index: usize, distance: Interval, direction: i32) {
        let before = self.side_walls[index];
        let now = if distance.is_within(self.cell.side_near_um()) {
            true
        } else if distance.is_beyond(self.cell.side_wall_um()) {
            false
        } else {
            return;
        };
        self.side_walls[index] = Some(now);
        if direction != 1 || before.is_none_or(|before| before == now) {
            return;
        }
        let sensor = self.pose.forward_um + self.board.side_sensor_forward_mm * 1000;
        let cell = self.cell.um();
        let from_line = sensor.rem_euclid(cell) - cell / 2;
        let edge = if now { -EDGE_UM } else { EDGE_UM };
        let correction = edge - from_line;
        if correction.abs() < OUTLIER_UM {
            self.outliers = 0;
            self.pose.forward_um += (correction / 2).clamp(-EDGE_CORRECTION_UM, EDGE_CORRECTION_UM);
        } else {
            self.outliers += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn scrubbing_tracks_are_no_slip_and_spinning_wheels_are() {
        // As fast as the robot turns, for two seconds.
        let mut estimator = PoseEstimator::new(&ZUMO2040, CellSize::mm(180));
        let mut scrubs = (0..400).map(|_| estimator.check_slip(1_080, 900));
        assert!(scrubs.all(|checked| checked.is_ok()));
        for turn in [900, -900] {
            let mut estimator = PoseEstimator::new(&ZUMO2040, CellSize::mm(180));
            let mut spins = (0..400).map(|_| estimator.check_slip(turn, 0));
            assert!(spins.any(|checked| checked == Err(Fault::Slip)));
        }
    }
}
