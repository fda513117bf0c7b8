//! Worlds that are hard on a robot with a short view.

use planner_core::Cell;

use super::{Grid, SizeError};

/// Corridors side by side, joined at alternate ends: one long way up and down.
pub fn comb(side: u16) -> Result<Grid, SizeError> {
    let mut grid = Grid::filled(side, side, false)?;
    for (number, x) in (2..side.saturating_sub(2)).step_by(2).enumerate() {
        let gap = if number % 2 == 0 {
            side - 2..side
        } else {
            0..2
        };
        for y in (0..side).filter(|y| !gap.contains(y)) {
            grid.set_blocked(Cell::new(x, y), true);
        }
    }
    Ok(grid)
}

/// One corridor that winds from a corner to the middle.
pub fn spiral(side: u16) -> Result<Grid, SizeError> {
    let mut grid = Grid::filled(side, side, false)?;
    for ring in (1..side / 2).step_by(2) {
        let (low, high) = (ring, side - 1 - ring);
        for at in low..=high {
            for wall in [(at, low), (at, high), (low, at), (high, at)] {
                grid.set_blocked(Cell::new(wall.0, wall.1), true);
            }
        }
        // The way in, and a wall that makes the corridor go all the way round.
        grid.set_blocked(Cell::new(low, low + 1), false);
        grid.set_blocked(Cell::new(low - 1, low), true);
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combs_and_spirals_are_connected() {
        for grid in [comb(101).unwrap(), comb(20).unwrap(), spiral(41).unwrap()] {
            let free: Vec<Cell> = grid.free_cells().collect();
            assert!(free.len() > 100);
            assert_eq!(grid.reachable(free[0]), grid, "{grid}");
        }
    }
}
