//! Size of a cell, which is set at run time.

use crate::{
    calibration::WallCalibration,
    config::{
        CELL_MM, FRONT_NEAR_UM, FRONT_WALL_UM, HALF_WALL_MM, REACH_UM, SENSE_AHEAD_UM,
        SIDE_NEAR_UM, SIDE_WALL_UM,
    },
};

/// Side of a cell, and the distances at which walls are told apart: those of [`config`](crate::config) are for cells of
/// [`CELL_MM`]; in others, walls of this cell are nearer or further by half the difference, and what lies between
/// them and those of the next cell by the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSize {
    um: i32,
}

impl CellSize {
    /// Size in millimetres.
    #[must_use]
    pub const fn mm(mm: u16) -> Self {
        Self {
            um: mm as i32 * 1000,
        }
    }

    /// Side, in micrometres.
    #[must_use]
    pub const fn um(self) -> i32 {
        self.um
    }

    /// Distance by which a wall of this cell is further than in a cell of [`CELL_MM`].
    const fn shift_um(self) -> i32 {
        (self.um - CELL_MM * 1000) / 2
    }

    /// As [`FRONT_NEAR_UM`], in micrometres.
    #[must_use]
    pub const fn front_near_um(self) -> i32 {
        FRONT_NEAR_UM + self.shift_um()
    }

    /// As [`SIDE_NEAR_UM`], in micrometres.
    #[must_use]
    pub const fn side_near_um(self) -> i32 {
        SIDE_NEAR_UM + self.shift_um()
    }

    /// As [`REACH_UM`], in micrometres.
    #[must_use]
    pub const fn reach_um(self) -> i32 {
        REACH_UM + self.shift_um()
    }

    /// As [`FRONT_WALL_UM`], in micrometres.
    #[must_use]
    pub const fn front_wall_um(self) -> i32 {
        self.between_um(FRONT_WALL_UM)
    }

    /// As [`SIDE_WALL_UM`], in micrometres.
    #[must_use]
    pub const fn side_wall_um(self) -> i32 {
        self.between_um(SIDE_WALL_UM)
    }

    /// Distance that lies between walls of this cell and those of the next as `um` does in a cell of [`CELL_MM`].
    #[must_use]
    pub const fn between_um(self, um: i32) -> i32 {
        um + 2 * self.shift_um()
    }

    /// Length that is a part of the side, in 180ths.
    #[must_use]
    pub const fn part_um(self, part: i32) -> i32 {
        self.um / 180 * part
    }

    /// From a receiver of a robot in the centre to a wall of this cell, in micrometres.
    #[must_use]
    pub const fn receiver_um(self) -> i32 {
        WallCalibration::NEAR_UM + self.shift_um()
    }

    /// Forward position from which on the robot belongs to the next cell, in micrometres: [`SENSE_AHEAD_UM`] before its
    /// edge, so that its walls are sensed in its own frame.
    #[must_use]
    pub const fn next_cell_um(self) -> i32 {
        self.um / 2 - SENSE_AHEAD_UM
    }

    /// From the centre of a cell to the face of a wall on its edge, in micrometres.
    #[must_use]
    pub const fn wall_face_um(self) -> i32 {
        self.um / 2 - HALF_WALL_MM * 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_of_this_cell_and_the_next_are_told_apart_in_cells_of_any_size() {
        for mm in [168, 180, 200, 250, 300] {
            let cell = CellSize::mm(mm);
            let (this, next) = (cell.receiver_um(), cell.receiver_um() + cell.um());
            // A robot 8 mm off the centre.
            assert!(this + 8_000 <= cell.front_near_um(), "{mm}");
            assert!(cell.front_near_um() < cell.side_near_um(), "{mm}");
            assert!(cell.side_near_um() < cell.reach_um(), "{mm}");
            assert!(cell.reach_um() < cell.side_wall_um(), "{mm}");
            for wall in [cell.front_wall_um(), cell.side_wall_um()] {
                assert!(wall < next - 60_000, "{mm}");
            }
        }
    }
}
