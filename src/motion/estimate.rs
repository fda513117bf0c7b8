//! Where the robot is in its cell: by its wheels and gyro, and put right by the walls it sees.
//!
//! A level of proximity says between what distances a wall is. As long as the estimate agrees, it
//! stays; when it does not, it is moved to the nearer end. So nothing is gained while a level lasts, and
//! all that can be at the instant it changes. Along a corridor nothing is seen ahead; there the ends of
//! walls at the sides say how far the robot has come.

use super::{range, sideways};
use crate::{
    calibration::Calibration,
    config::{
        ASTRAY_MDEG_PER_MM, CELL_MM, EDGE_STEP_UM, EDGE_UM, FRONT_SENSOR_MM, LOST_EDGES, LOST_UM,
        NUDGE_UM, PULL_UM, SIDE_SENSOR_AHEAD_MM, SIDE_SENSOR_MM, SIGHT_STEP_UM, SLIP_MDEG,
        SLIP_STEPS, STRAIGHT_MDEG, WALL_AT, WALL_FACE_MM,
    },
    fault::Fault,
    robot::Levels,
    signals::Offset,
};

const CELL: i32 = CELL_MM * 1000;

/// Where the robot is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate {
    offset: Offset,
    /// What the wheels have turned the robot by, less what the gyro says.
    twist: i32,
    /// As much as what is ahead has moved the estimate, since the robot turned or changed cells.
    pulled: i32,
    /// Ends of walls in a row that were far from where they should be.
    strays: u8,
    /// Whether there was a wall at the left and at the right when last looked.
    beside: [Option<bool>; 2],
}

impl Estimate {
    /// Where the robot is.
    #[must_use]
    pub const fn offset(&self) -> Offset {
        self.offset
    }

    /// Takes in what the wheels and the gyro did: way of the left and the right wheel in micrometres,
    /// and the turn in thousandths of a degree.
    pub fn moved(&mut self, wheels: [i32; 2], turned: i32) {
        let way = (wheels[0] + wheels[1]) / 2;
        let middle = self.offset.turned_mdeg + turned / 2;
        self.offset.turned_mdeg += turned;
        self.offset.along_um += way;
        // In a turn on the spot there is no way that could lead aside.
        if middle.abs() < 2 * STRAIGHT_MDEG {
            self.offset.aside_um += sideways(way, middle);
        }
    }

    /// The turn that the wheels alone tell of, in thousandths of a degree.
    #[must_use]
    pub fn turn_of(wheels: [i32; 2], calibration: &Calibration) -> i32 {
        super::scale(wheels[0] - wheels[1], 57_296, calibration.track_um as i32)
    }

    /// Compares what the gyro and the wheels say of a turn.
    ///
    /// # Errors
    /// They differ by too much.
    pub fn compare(&mut self, by_wheels: i32, by_gyro: i32) -> Result<(), Fault> {
        self.twist += by_wheels - by_gyro;
        self.twist -= self.twist / SLIP_STEPS;
        if self.twist.abs() > SLIP_MDEG {
            return Err(Fault::Slip);
        }
        Ok(())
    }

    /// The robot has turned: quarters to the right. What was forward is now elsewhere.
    pub fn turned(&mut self, quarters: i8) {
        let Offset {
            along_um,
            aside_um,
            turned_mdeg,
        } = self.offset;
        let (along_um, aside_um) = match quarters.rem_euclid(4) {
            1 => (aside_um, -along_um),
            2 => (-along_um, -aside_um),
            3 => (-aside_um, along_um),
            _ => (along_um, aside_um),
        };
        self.offset = Offset {
            along_um,
            aside_um,
            turned_mdeg: turned_mdeg - i32::from(quarters) * 90_000,
        };
        self.beside = [None; 2];
        self.twist = 0;
        self.pulled = 0;
    }

    /// The robot is so many cells further: its cell is another one.
    pub fn entered(&mut self, cells: i32) {
        self.pulled = 0;
        self.offset.along_um -= cells * CELL;
    }

    /// Puts the estimate right by what is seen; `direction` is `1` for a robot that goes ahead, `-1`
    /// for one that goes back, and `0` for one that does neither.
    ///
    /// # Errors
    /// The wheels turned, but the robot did not go.
    pub fn see(
        &mut self,
        levels: &Levels,
        calibration: &Calibration,
        direction: i32,
    ) -> Result<(), Fault> {
        if self.offset.turned_mdeg.abs() > STRAIGHT_MDEG {
            self.beside = [None; 2];
            return Ok(());
        }
        self.see_front(levels.front, calibration);
        let left = (levels.left[0], levels.left[1]);
        let right = (levels.right[1], levels.right[0]);
        self.see_side(left, -1, calibration, direction);
        self.see_side(right, 1, calibration, direction);
        self.see_edge(0, left, calibration, direction);
        self.see_edge(1, right, calibration, direction);
        if self.strays >= LOST_EDGES {
            return Err(Fault::Slip);
        }
        Ok(())
    }

    /// A wall ahead stands on a line between cells: this puts right how far along the robot is.
    fn see_front(&mut self, levels: [u8; 2], calibration: &Calibration) {
        if levels[0] + levels[1] < calibration.blocked_at {
            return;
        }
        let Some(seen) = range::front(levels, calibration) else {
            return;
        };
        // On the nearest line that it can be on, counting the robot's own cell's as the first.
        let mut least = i32::MAX;
        for line in 0..3 {
            let face = line * CELL + (WALL_FACE_MM - FRONT_SENSOR_MM) * 1000;
            let correction = -seen.correction(face - self.offset.along_um);
            if correction.abs() < least.abs() {
                least = correction;
            }
        }
        let step = least.clamp(-SIGHT_STEP_UM, SIGHT_STEP_UM);
        if least.abs() < LOST_UM && (self.pulled + step).abs() <= PULL_UM {
            self.pulled += step;
            self.offset.along_um += step;
        }
    }

    /// A wall beside the robot says how far aside it is; `to` is `-1` for the left, `1` for the right.
    ///
    /// All that can be seen near the middle is whether the robot is on this or on that side of one
    /// distance. So a robot that moves is taken to be a little further on that side with every look:
    /// it steers to where the answer changes, and goes along there.
    fn see_side(
        &mut self,
        (own, cross): (u8, u8),
        to: i32,
        calibration: &Calibration,
        direction: i32,
    ) {
        if own + cross < WALL_AT {
            return;
        }
        let Some(seen) = range::side(own, cross, calibration) else {
            return;
        };
        let swing = sideways(SIDE_SENSOR_AHEAD_MM * 1000, self.offset.turned_mdeg);
        let face = (WALL_FACE_MM - SIDE_SENSOR_MM) * 1000;
        let distance = face - to * (self.offset.aside_um + swing);
        let correction = -to * seen.correction(distance);
        if correction.abs() > LOST_UM {
            return;
        }
        let nudge = match (direction, own + cross == 2 * Levels::MAX) {
            (0, _) => 0,
            (_, true) => to * NUDGE_UM,
            (_, false) => -to * NUDGE_UM,
        };
        let correction = correction.clamp(-SIGHT_STEP_UM, SIGHT_STEP_UM) + nudge;
        self.offset.aside_um += correction;
        // It came to be there by going astray.
        self.offset.turned_mdeg += direction * correction * ASTRAY_MDEG_PER_MM / 1000;
    }

    /// Where a wall beside the robot begins or ends, there is a line between cells.
    fn see_edge(
        &mut self,
        place: usize,
        (own, cross): (u8, u8),
        calibration: &Calibration,
        direction: i32,
    ) {
        let before = self.beside[place];
        let sum = own + cross;
        let now = if sum >= WALL_AT {
            true
        } else if sum <= calibration.free_at {
            false
        } else {
            return;
        };
        self.beside[place] = Some(now);
        if direction != 1 || before.is_none_or(|before| before == now) {
            return;
        }
        let sensor = self.offset.along_um + SIDE_SENSOR_AHEAD_MM * 1000;
        // From the nearest line between cells.
        let from_line = sensor.rem_euclid(CELL) - CELL / 2;
        let edge = if now { -EDGE_UM } else { EDGE_UM };
        let correction = edge - from_line;
        if correction.abs() < LOST_UM {
            self.strays = 0;
            self.offset.along_um += (correction / 2).clamp(-EDGE_STEP_UM, EDGE_STEP_UM);
        } else {
            self.strays += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_that_scrub_are_no_slip_and_wheels_that_spin_are() {
        // As fast as the robot turns, for two seconds.
        let mut estimate = Estimate::default();
        let mut scrubs = (0..400).map(|_| estimate.compare(1_080, 900));
        assert!(scrubs.all(|compared| compared.is_ok()));
        for turn in [900, -900] {
            let mut estimate = Estimate::default();
            let mut spins = (0..400).map(|_| estimate.compare(turn, 0));
            assert!(spins.any(|compared| compared == Err(Fault::Slip)));
        }
    }
}
