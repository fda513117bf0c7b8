//! Size of a cell, which is set at run time.

use crate::config::HALF_WALL_MM;

/// Side of a cell.
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

    /// From the centre of a cell to the face of a wall on its edge, in micrometres.
    #[must_use]
    pub const fn wall_face_um(self) -> i32 {
        self.um / 2 - HALF_WALL_MM * 1000
    }
}
