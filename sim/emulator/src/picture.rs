use std::fmt::{self, Display};

use crate::Error;

const ROW_BYTES: usize = Picture::WIDTH / 8;

/// Picture on the robot's display.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Row by row, leftmost pixel in the highest bit; always `HEIGHT * ROW_BYTES` long.
    rows: Vec<u8>,
}

impl Picture {
    pub const WIDTH: usize = 128;
    pub const HEIGHT: usize = 64;

    pub(crate) fn new(rows: Vec<u8>) -> Result<Self, Error> {
        if rows.len() == Self::HEIGHT * ROW_BYTES {
            Ok(Self { rows })
        } else {
            Err(Error::Answer(format!("a picture of {} bytes", rows.len())))
        }
    }

    /// Returns whether the pixel in column `x` and row `y` is lit; `false` outside.
    pub fn lit(&self, x: usize, y: usize) -> bool {
        x < Self::WIDTH
            && y < Self::HEIGHT
            && self.rows[ROW_BYTES * y + x / 8] & (0x80 >> (x % 8)) != 0
    }
}

impl Display for Picture {
    /// 32 lines of 128 characters, each two pixels high.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..Self::HEIGHT).step_by(2) {
            let line: String = (0..Self::WIDTH)
                .map(|x| match (self.lit(x, y), self.lit(x, y + 1)) {
                    (false, false) => ' ',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (true, true) => '█',
                })
                .collect();
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}
