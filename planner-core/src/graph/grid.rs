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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inverse {
    /// `2^shift` divided by the divisor, rounded to the nearest.
    factor: usize,
    /// 1 where that is rounded down.
    bias: usize,
    shift: u32,
}

impl Inverse {
    /// Bits of the numbers that are divided: half a machine word, so that a product fits one.
    const BITS: u32 = usize::BITS / 2;

    /// To divide numbers of so many bits.
    fn new(divisor: NonZeroUsize, bits: u32) -> Self {
        // The largest factor of no more bits. Its error is at most half a unit in more than half of `2^bits`,
        // so what it adds up to in a product is less than a part of the divisor.
        let shift = ((1 << bits) - 1_usize)
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
                    inverse: Inverse::new(stride, Inverse::BITS),
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
        inverse: Inverse {
            factor: 0,
            bias: 0,
            shift: 0,
        },
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

    /// The row of a vertex beyond the range of [`Inverse`]: only on 32-bit processors.
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
    fn check_division(bits: u32, divisors: impl Iterator<Item = usize>) {
        for divisor in divisors {
            let divisor = NonZeroUsize::new(divisor).unwrap();
            let inverse = Inverse::new(divisor, bits);
            let largest = (1 << bits) - 1;
            let last = largest / divisor * divisor.get();
            let middle = last / 2 / divisor * divisor.get();
            for multiple in [0, divisor.get(), middle, last, largest] {
                let around = [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1)];
                for number in around.into_iter().filter(|n| *n <= largest) {
                    let quotient = inverse.divide(number);
                    assert_eq!(quotient, number / divisor, "{number} / {divisor}");
                }
            }
            let product = (largest as u128 + 1) * inverse.factor as u128;
            assert!(product >> (2 * bits) == 0, "a word holds it: {divisor}");
        }
    }

    #[test]
    fn division_by_multiplication_is_exact() {
        let large = [1 << 20, (1 << 24) - 1, 123_456_789, u32::MAX as usize];
        check_division(32, (1..70_000).chain(large));
    }

    #[test]
    fn division_by_multiplication_is_exact_on_a_chip() {
        check_division(16, 1..=1 << 16);
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
