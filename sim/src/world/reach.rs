//! Reachability of cells, so that random problems have a solution.

use planner_core::{Cell, Side};
use rand::{Rng, seq::IndexedRandom};

use super::Grid;

impl Grid {
    /// The part of this world that can be reached from `from`: a world of the same size in which
    /// every other cell is blocked. Nothing is reached from a cell that is not free.
    pub fn reachable(&self, from: Cell) -> Grid {
        let mut reached = self.solid();
        let mut frontier = Vec::new();
        if self.is_free(from) {
            reached.set_blocked(from, false);
            frontier.push(from);
        }
        while let Some(cell) = frontier.pop() {
            for next in self.free_neighbors(cell) {
                let is_new = reached.set_blocked(next, false);
                if is_new {
                    frontier.push(next);
                }
            }
        }
        reached
    }

    /// This world with all blocked but the largest of its connected parts; the first of equals.
    pub fn largest_region(&self) -> Grid {
        let mut rest = self.clone();
        let mut largest = (0, self.solid());
        for cell in self.cells() {
            if rest.is_free(cell) {
                let region = rest.reachable(cell);
                let mut size = 0;
                for cell in region.free_cells() {
                    rest.set_blocked(cell, true);
                    size += 1;
                }
                if size > largest.0 {
                    largest = (size, region);
                }
            }
        }
        largest.1
    }

    /// Two different free cells, the second reachable from the first: a start, uniformly random
    /// among the free cells with a free neighbor, and a goal, uniformly random among the others
    /// it reaches. `None` when no free cell has a free neighbor.
    pub fn random_free_pair(&self, rng: &mut impl Rng) -> Option<(Cell, Cell)> {
        let has_exit = |&cell: &Cell| self.free_neighbors(cell).next().is_some();
        let starts: Vec<Cell> = self.free_cells().filter(has_exit).collect();
        let &start = starts.choose(rng)?;

        let reached = self.reachable(start);
        let goals: Vec<Cell> = reached.free_cells().filter(|&cell| cell != start).collect();
        let &goal = goals.choose(rng)?;
        Some((start, goal))
    }

    /// Free cells a straight step away: a diagonal one, which needs both cells beside it free, leads nowhere else.
    fn free_neighbors(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        let beside = Side::ALL.into_iter();
        beside
            .filter_map(move |side| cell.neighbor(side))
            .filter(|&next| self.is_free(next))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::{rng, text};
    use super::*;

    fn grid(drawing: &str) -> Grid {
        text::parse(drawing).unwrap().grid
    }

    #[test]
    fn walls_and_corners_bound_what_is_reached() {
        let world = grid("..#.\n..#.\n##..\n");
        let reached = world.reachable(Cell::new(0, 0));
        assert_eq!(reached, grid("..##\n..##\n####\n"));
    }

    #[test]
    fn nothing_is_reached_from_a_wall_or_from_outside() {
        let world = grid("#.\n..\n");
        for from in [Cell::new(0, 0), Cell::new(9, 9)] {
            assert_eq!(world.reachable(from).free_cells().count(), 0);
        }
    }

    #[test]
    fn the_largest_region_is_kept() {
        let world = grid("..#.\n..#.\n##..\n#...\n");
        assert_eq!(world.largest_region(), grid("###.\n###.\n##..\n#...\n"));
        assert_eq!(grid("##\n##\n").largest_region(), grid("##\n##\n"));
    }

    #[test]
    fn pairs_are_uniform_over_starts_and_then_over_reachable_goals() {
        let world = grid("...#.#..\n");
        let mut rng = rng::seeded(3);
        let mut starts = HashMap::new();
        let mut pairs = HashMap::new();
        for _ in 0..10_000 {
            let pair = world.random_free_pair(&mut rng).unwrap();
            *starts.entry(pair.0.x).or_insert(0) += 1;
            *pairs.entry((pair.0.x, pair.1.x)).or_insert(0) += 1;
        }
        assert_eq!(starts.len(), 5, "{starts:?}");
        assert!(
            starts.values().all(|count| (1_800..2_200).contains(count)),
            "{starts:?}"
        );
        assert_eq!(pairs.len(), 3 * 2 + 2, "{pairs:?}");
        assert!((850..1_150).contains(&pairs[&(0, 1)]), "{pairs:?}");
        assert!((1_800..2_200).contains(&pairs[&(7, 6)]), "{pairs:?}");
    }

    #[test]
    fn a_world_without_two_connected_cells_has_no_pair() {
        for drawing in ["#", ".", "##\n##\n", ".#.\n#.#\n.#.\n"] {
            let pair = grid(drawing).random_free_pair(&mut rng::seeded(0));
            assert_eq!(pair, None);
        }
    }

    #[test]
    fn the_only_pair_of_a_large_checkerboard_is_found() {
        let mut world = Grid::filled(301, 301, false).unwrap();
        for cell in world.cells() {
            world.set_blocked(cell, (cell.x + cell.y) % 2 == 1);
        }
        world.set_blocked(Cell::new(1, 0), false);
        world.set_blocked(Cell::new(2, 0), true);
        world.set_blocked(Cell::new(1, 1), true);
        let (start, goal) = world.random_free_pair(&mut rng::seeded(0)).unwrap();
        assert_eq!((start.y, goal.y, start.x + goal.x), (0, 0, 1));
    }
}
