//! The numbering of cells as vertices.

use core::num::NonZeroUsize;

use super::move_offset;
use crate::{BuildError, Cell, OffMap};

/// A numbered grid. Rows follow each other, `stride` vertices apart.
///
/// With a stride of `width + 1` one spare vertex borders each row: a step off its end lands there,
/// and a step off the top or the bottom leaves the range of vertices. So a search needs no bounds
/// test but the one that every access to a slice makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    width: u16,
    height: u16,
    /// The stride times the height.
    vertices: usize,
    rows: Rows,
}

/// The rows of a grid: what a search needs to know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Rows {
    /// From a row to the next.
    stride: usize,
    inverse: Inverse,
}

/// A division by multiplication: a real one is slow, most of all on a chip that has none.
#[cfg(target_pointer_width = "64")]
type Inverse = WideInverse;
#[cfg(not(target_pointer_width = "64"))]
type Inverse = NarrowInverse;

/// A division of vertices by a stride in words of 64 bits: columns and rows have 16 bits.
#[cfg(target_pointer_width = "64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WideInverse {
    /// `2^48` divided by the stride, rounded up. The error is less than the stride; times a vertex that is less than
    /// `2^48`, so what it adds to a quotient is less than one part of the stride.
    factor: usize,
}

#[cfg(target_pointer_width = "64")]
impl WideInverse {
    const BITS: u32 = u32::BITS;
    /// The same for all strides: a shift by a variable takes longer. Products fit, as quotients have 16 bits.
    const SHIFT: u32 = 48;
    const ZERO: Self = Self { factor: 0 };

    fn new(stride: NonZeroUsize) -> Self {
        let factor = (1_usize << Self::SHIFT).div_ceil(stride.get());
        Self { factor }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn divide(&self, number: usize) -> usize {
        number.wrapping_mul(self.factor) >> Self::SHIFT
    }
}

/// A division of numbers of half a machine word, so that a product fits one.
#[cfg(any(test, not(target_pointer_width = "64")))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NarrowInverse {
    /// `2^shift` divided by the divisor, rounded to the nearest.
    factor: usize,
    /// 1 where that is rounded down.
    bias: usize,
    shift: u32,
}

#[cfg(any(test, not(target_pointer_width = "64")))]
impl NarrowInverse {
    const BITS: u32 = u16::BITS;
    #[cfg(not(target_pointer_width = "64"))]
    const ZERO: Self = Self {
        factor: 0,
        bias: 0,
        shift: 0,
    };

    fn new(divisor: NonZeroUsize) -> Self {
        // The largest factor of no more bits. Its error is at most half a unit in more than half of `2^BITS`,
        // so what it adds up to in a product is less than a part of the divisor.
        let shift = ((1 << Self::BITS) - 1_usize)
            .saturating_mul(divisor.get())
            .ilog2();
        let (factor, rest) = ((1 << shift) / divisor, (1 << shift) % divisor);
        let up = rest > divisor.get() / 2;
        Self {
            factor: factor + usize::from(up),
            bias: usize::from(rest > 0 && !up),
            shift,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn divide(&self, number: usize) -> usize {
        let biased = number.wrapping_add(self.bias);
        biased.wrapping_mul(self.factor) >> self.shift
    }
}

impl Grid {
    /// A grid without cells.
    pub(crate) const EMPTY: Self = Self {
        width: 0,
        height: 0,
        vertices: 0,
        rows: Rows::NONE,
    };

    /// A grid of `width` by `height` cells with `border` spare vertices behind each row.
    ///
    /// # Errors
    /// There are no cells.
    pub(crate) fn new(width: u16, height: u16, border: usize) -> Result<Self, BuildError> {
        match NonZeroUsize::new(width as usize + border) {
            Some(stride) if width > 0 && height > 0 => Ok(Self {
                width,
                height,
                vertices: stride.get().saturating_mul(height.into()),
                rows: Rows {
                    stride: stride.get(),
                    inverse: Inverse::new(stride),
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn stride(&self) -> usize {
        self.rows.stride()
    }

    /// The numbering of vertices by rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn rows(&self) -> Rows {
        self.rows
    }

    /// All vertices, spare ones included.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The vertex of a cell.
    ///
    /// # Errors
    /// The cell is outside the grid.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn vertex(&self, cell: Cell) -> Result<usize, OffMap> {
        if cell.x < self.width && cell.y < self.height {
            Ok(cell.y as usize * self.stride() + cell.x as usize)
        } else {
            Err(OffMap(cell))
        }
    }

    /// Returns the vertex that move `m` leads to. It may be out of range or in the border, where no vertex is
    /// passable.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn neighbor(&self, from: usize, m: usize) -> usize {
        self.rows.neighbor(from, m)
    }

    /// The cell of a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn cell(&self, vertex: usize) -> Cell {
        let (x, y) = self.rows.position(vertex);
        Cell::new(x as u16, y as u16)
    }
}

impl Rows {
    /// Those of a grid without cells.
    pub(crate) const NONE: Self = Self {
        stride: 0,
        inverse: Inverse::ZERO,
    };

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn stride(&self) -> usize {
        self.stride
    }

    /// Column and row of a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn position(&self, vertex: usize) -> (usize, usize) {
        // Columns and rows have 16 bits, so vertices fit half of a 64-bit word.
        let y = if usize::BITS >= 64 || vertex >> Inverse::BITS == 0 {
            self.inverse.divide(vertex)
        } else {
            self.row_by_division(vertex)
        };
        (vertex.wrapping_sub(y.wrapping_mul(self.stride())), y)
    }

    /// The row of a vertex beyond the range of the inverse: only on 32-bit processors.
    #[cold]
    #[inline(never)]
    fn row_by_division(&self, vertex: usize) -> usize {
        vertex.checked_div(self.stride()).unwrap_or(0)
    }

    /// The first vertex of a row, and of the next.
    pub(crate) fn row(&self, y: u16) -> (usize, usize) {
        let first = self.stride.wrapping_mul(y.into());
        (first, first.wrapping_add(self.stride))
    }

    /// The vertex that move `m` leads to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn neighbor(&self, from: usize, m: usize) -> usize {
        let (columns, rows) = move_offset(m);
        from.wrapping_add_signed(rows.wrapping_mul(self.stride() as isize))
            .wrapping_add_signed(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a quotient grows with the number, and shows first where the true one changes.
    fn around(multiple: usize) -> [usize; 3] {
        [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1)]
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn rows_by_multiplication_are_exact() {
        const ROWS: usize = u16::MAX as usize;
        for stride in 1..=1 << 16 {
            let inverse = WideInverse::new(NonZeroUsize::new(stride).unwrap());
            for row in [0, 1, ROWS / 2, ROWS - 1, ROWS] {
                let vertices = around(row * stride).into_iter();
                for vertex in vertices.filter(|v| *v < stride * ROWS) {
                    let found = inverse.divide(vertex);
                    assert_eq!(found, vertex / stride, "{vertex} / {stride}");
                }
            }
        }
    }

    #[test]
    fn division_by_multiplication_is_exact_on_a_chip() {
        let largest = (1 << NarrowInverse::BITS) - 1;
        for divisor in (1..=1 << 16).filter_map(NonZeroUsize::new) {
            let inverse = NarrowInverse::new(divisor);
            let last = largest / divisor * divisor.get();
            let middle = last / 2 / divisor * divisor.get();
            for multiple in [0, divisor.get(), middle, last, largest] {
                for number in around(multiple).into_iter().filter(|n| *n <= largest) {
                    let quotient = inverse.divide(number);
                    assert_eq!(quotient, number / divisor, "{number} / {divisor}");
                }
            }
            let product = (largest as u64 + 1) * inverse.factor as u64;
            assert!(product >> 32 == 0, "a word holds it: {divisor}");
        }
    }

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
