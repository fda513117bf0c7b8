//! Randomly placed obstacles, where heuristics mislead little; mazes are the opposite.

use rand::{Rng, RngExt};
use thiserror::Error;

use super::{Grid, SizeError};

/// Obstacles that cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ObstaclesError {
    /// The size is impossible.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The density is not a probability.
    #[error("an obstacle density is a number from 0 to 1, not {0}")]
    Density(f64),
}

/// A world in which each cell is blocked with probability `density`, on its own.
///
/// Its free cells need not be connected: see [`Grid::random_free_pair`].
pub fn obstacles(
    width: u16,
    height: u16,
    density: f64,
    rng: &mut impl Rng,
) -> Result<Grid, ObstaclesError> {
    if !(0.0..=1.0).contains(&density) {
        return Err(ObstaclesError::Density(density));
    }
    let mut grid = Grid::filled(width, height, false)?;
    for cell in grid.cells() {
        grid.set_blocked(cell, rng.random_bool(density));
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::super::rng;
    use super::*;

    #[test]
    fn the_share_of_blocked_cells_is_the_density() {
        let grid = obstacles(200, 200, 0.25, &mut rng::seeded(1)).unwrap();
        let blocked = 40_000 - grid.free_cells().count();
        // Five standard deviations around 10,000.
        assert!((9_567..=10_433).contains(&blocked), "{blocked} blocked");
    }

    #[test]
    fn density_zero_is_free_and_one_is_blocked() {
        for (density, blocked) in [(0.0, false), (1.0, true)] {
            let grid = obstacles(30, 20, density, &mut rng::seeded(1)).unwrap();
            assert_eq!(grid, Grid::filled(30, 20, blocked).unwrap());
        }
    }

    #[test]
    fn an_invalid_probability_is_refused() {
        for density in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            let error = obstacles(3, 3, density, &mut rng::seeded(1)).unwrap_err();
            assert!(matches!(error, ObstaclesError::Density(_)), "{error}");
        }
        let error = obstacles(0, 3, 0.5, &mut rng::seeded(1)).unwrap_err();
        assert!(matches!(error, ObstaclesError::Size(_)), "{error}");
    }
}
