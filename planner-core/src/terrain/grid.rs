//! The numbering of cells: which vertex is which cell.

use core::num::NonZeroUsize;

use crate::{BuildError, Cell, OffMap};

/// A numbered grid. Rows follow each other, `stride` vertices apart.
///
/// With a stride of `width + 1` one spare vertex borders each row: a step off its end lands there,
/// and a step off the top or the bottom leaves the range of vertices. So a search needs no bounds
/// test but the one that every access to a slice makes.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    width: u16,
    height: u16,
    stride: NonZeroUsize,
    /// The stride's reciprocal: a division is slow, most of all on a chip that has none.
    inverse: usize,
}

/// Whether the machine multiplies two words into two.
const WIDE: bool = usize::BITS >= 64;

impl Grid {
    /// A grid of `width` by `height` cells with `border` spare vertices behind each row.
    ///
    /// # Errors
    /// There are no cells.
    pub(crate) fn new(width: u16, height: u16, border: usize) -> Result<Self, BuildError> {
        match NonZeroUsize::new(width as usize + border) {
            Some(stride) if width > 0 && height > 0 => Ok(Self {
                width,
                height,
                stride,
                inverse: if WIDE {
                    // Rounded up: the quotient of a vertex below 2^32 is exact.
                    ((usize::MAX >> 1) / stride).wrapping_add(1)
                } else {
                    0x1_0000 / stride
                },
            }),
            _ => Err(BuildError::Empty),
        }
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.height
    }

    /// From a row to the next.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.stride.get()
    }

    /// All vertices, spare ones included.
    #[inline(always)]
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.stride.get().saturating_mul(self.height as usize)
    }

    /// The vertex of a cell.
    ///
    /// # Errors
    /// The cell is outside the grid.
    #[inline(always)]
    pub fn vertex(&self, cell: Cell) -> Result<usize, OffMap> {
        if cell.x < self.width && cell.y < self.height {
            Ok(cell.y as usize * self.stride.get() + cell.x as usize)
        } else {
            Err(OffMap(cell))
        }
    }

    /// Column and row of a vertex.
    #[inline(always)]
    pub(crate) fn position(&self, vertex: usize) -> (usize, usize) {
        let stride = self.stride.get();
        if WIDE {
            let y = (((vertex << 1) as u128 * self.inverse as u128) >> 64) as usize;
            (vertex.wrapping_sub(y.wrapping_mul(stride)), y)
        } else if vertex < 0x1_0000 {
            // The product fits 32 bits, and the quotient is at most one too small.
            let y = vertex.wrapping_mul(self.inverse) >> 16;
            let x = vertex.wrapping_sub(y.wrapping_mul(stride));
            if x < stride {
                (x, y)
            } else {
                (x - stride, y + 1)
            }
        } else {
            (vertex % self.stride, vertex / self.stride)
        }
    }

    /// The cell of a vertex.
    #[inline(always)]
    #[must_use]
    pub fn cell(&self, vertex: usize) -> Cell {
        let (x, y) = self.position(vertex);
        Cell::new(x as u16, y as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_is_found_again_by_its_cell() {
        for (width, height) in [(1, 1), (1, 9), (7, 3), (101, 101), (255, 256), (1500, 60)] {
            for border in 0..2 {
                let grid = Grid::new(width, height, border).unwrap();
                for y in 0..height {
                    for x in 0..width {
                        let vertex = grid.vertex(Cell::new(x, y)).unwrap();
                        assert!(vertex < grid.vertices());
                        assert_eq!(grid.cell(vertex), Cell::new(x, y));
                    }
                }
                assert!(grid.vertex(Cell::new(width, 0)).is_err());
                assert!(grid.vertex(Cell::new(0, height)).is_err());
            }
        }
    }
}
