//! Walls by which a robot can correct its position, and what it costs to go there.

use planner_core::{Cell, Side};

use crate::{
    config::{REFERENCE_STEPS, REFERENCED_UM, REFERENCED_YAW_MDEG, RETURN_UM},
    signals::Uncertainty,
};

/// Cell of a robot, with the uncertainty of its position on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) cell: Cell,
    /// Uncertainty from west to east and from north to south, in micrometres.
    um: [i32; 2],
    /// True if no wall has corrected the yaw.
    pub(super) is_yaw_uncertain: bool,
    /// What a cell without walls adds along the line of travel and across it, in micrometres.
    drift: [i32; 2],
}

impl Position {
    /// Position of a robot with a heading, in cells of a size in micrometres.
    pub(super) fn new(cell: Cell, heading: Side, of: &Uncertainty, cell_um: i32) -> Self {
        let um = if is_vertical(heading) {
            [of.lateral_um, of.forward_um]
        } else {
            [of.forward_um, of.lateral_um]
        };
        Self {
            cell,
            um,
            is_yaw_uncertain: of.yaw_mdeg > REFERENCED_YAW_MDEG,
            drift: of.drift_um(cell_um),
        }
    }

    /// The larger uncertainty, in micrometres.
    pub(super) fn um(&self) -> i32 {
        self.um[0].max(self.um[1])
    }

    /// Position after driving to another cell without walls in view.
    pub(super) fn driven_to(self, cell: Cell) -> Self {
        let [along, across] = self.drift;
        let [x, y] = [cell.x.abs_diff(self.cell.x), cell.y.abs_diff(self.cell.y)].map(i32::from);
        let um = [
            self.um[0] + x * along + y * across,
            self.um[1] + y * along + x * across,
        ];
        Self { cell, um, ..self }
    }

    /// As [`driven_to`](Self::driven_to), by a number of steps: those beyond the least may lead in any direction.
    pub(super) fn driven_along(self, cell: Cell, steps: u16) -> Self {
        let least = cell.x.abs_diff(self.cell.x) + cell.y.abs_diff(self.cell.y);
        let more = i32::from(steps.saturating_sub(least)) * self.drift[1];
        let driven = self.driven_to(cell);
        let um = driven.um.map(|um| um + more);
        Self { um, ..driven }
    }

    /// Position of a robot with walls on some sides of its cell.
    pub(super) fn corrected_by(self, has_wall: impl Fn(Side) -> bool) -> Self {
        let mut um = self.um;
        for side in Side::ALL.into_iter().filter(|&side| has_wall(side)) {
            let by = &mut um[usize::from(is_vertical(side))];
            *by = (*by).min(REFERENCED_UM);
        }
        Self { um, ..self }
    }

    /// Returns whether a robot that is here, or as many cells further, is certain enough to correct itself at a wall.
    pub(super) fn is_certain_after(&self, steps: u16) -> bool {
        self.um() + i32::from(steps) * self.drift[1] <= RETURN_UM
    }

    /// Returns whether a wall on a side of the robot's cell corrects what is uncertain; every wall does if nothing is.
    fn is_corrected_by(&self, side: Side) -> bool {
        let [x, y] = self.um.map(|um| um > REFERENCED_UM);
        x == y || is_vertical(side) == y
    }

    /// The position beside a wall, at most [`REFERENCE_STEPS`] steps away, that the robot reaches with the least
    /// uncertainty. Walls that only correct what is certain do not count, unless the yaw is uncertain: any wall corrects it.
    pub(super) fn best_reference(self, has_wall: impl Fn(Cell, Side) -> bool) -> Option<Self> {
        let has_any = |cell| Side::ALL.into_iter().any(|side| has_wall(cell, side));
        let any_will_do = self.is_yaw_uncertain && !has_any(self.cell);
        let corrects = |cell: &Cell| {
            let mut sides = Side::ALL.into_iter();
            sides.any(|side| (any_will_do || self.is_corrected_by(side)) && has_wall(*cell, side))
        };
        let mut best: Option<Self> = None;
        for steps in 0..=REFERENCE_STEPS {
            let least = self.um() + i32::from(steps) * self.drift[0];
            if best.is_some_and(|best| best.um() <= least) {
                break;
            }
            let cells = ring(self.cell, steps).filter(corrects);
            let nearest = cells.map(|cell| self.driven_to(cell)).min_by_key(Self::um);
            best = best.into_iter().chain(nearest).min_by_key(Self::um);
        }
        best
    }
}

/// Returns whether a side is north or south.
fn is_vertical(side: Side) -> bool {
    matches!(side, Side::North | Side::South)
}

/// Cells that are a number of steps from one, if there are no walls; also some beyond the map.
fn ring(from: Cell, steps: u16) -> impl Iterator<Item = Cell> {
    (0..=steps).flat_map(move |across| {
        let along = steps - across;
        let ends = move |at: u16, by: u16| {
            let before = at.checked_sub(by);
            let after = at.checked_add(by).filter(|_| by > 0);
            before.into_iter().chain(after)
        };
        ends(from.x, across).flat_map(move |x| ends(from.y, along).map(move |y| Cell::new(x, y)))
    })
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{collections::BTreeSet, vec::Vec};

    use super::*;

    fn position(x: u16, y: u16, um: [i32; 2]) -> Position {
        Position {
            cell: Cell::new(x, y),
            um,
            is_yaw_uncertain: false,
            drift: [1_000, 3_000],
        }
    }

    #[test]
    fn a_ring_has_every_cell_at_its_distance_once() {
        let from = Cell::new(3, 20);
        for steps in 0..8 {
            let cells: Vec<_> = ring(from, steps).map(|cell| (cell.x, cell.y)).collect();
            let distance = |x: u16, y: u16| x.abs_diff(from.x) + y.abs_diff(from.y);
            let all = (0..40).flat_map(|x| (0..40).map(move |y| (x, y)));
            let expected: BTreeSet<_> = all.filter(|&(x, y)| distance(x, y) == steps).collect();
            assert_eq!(cells.len(), expected.len(), "{steps}: {cells:?}");
            assert_eq!(cells.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }

    #[test]
    fn uncertainty_grows_across_the_line_of_travel_most() {
        let driven = position(5, 5, [4_000, 6_000]).driven_to(Cell::new(8, 4));
        assert_eq!(driven.um, [4_000 + 3_000 + 3_000, 6_000 + 1_000 + 9_000]);
        assert_eq!(driven.um(), 16_000);
        let steps = ((RETURN_UM - 16_000) / 3_000) as u16;
        assert!(driven.is_certain_after(steps) && !driven.is_certain_after(steps + 1));
        let uncertainty = Uncertainty {
            forward_um: 10_000,
            lateral_um: 20_000,
            yaw_mdeg: 1_700,
        };
        for (heading, um) in [
            (Side::North, [20_000, 10_000]),
            (Side::West, [10_000, 20_000]),
        ] {
            let position = Position::new(Cell::new(1, 1), heading, &uncertainty, 180_000);
            assert_eq!(position.um, um);
            let [along, across] = position.drift;
            assert!((1_000..2_000).contains(&along) && (2 * along..5_000).contains(&across));
        }
    }

    #[test]
    fn steps_beyond_the_least_count_in_both_directions() {
        let from = position(5, 5, [4_000, 6_000]);
        let to = Cell::new(5, 3);
        assert_eq!(from.driven_along(to, 2), from.driven_to(to));
        assert_eq!(from.driven_along(to, 0), from.driven_to(to));
        assert_eq!(
            from.driven_along(to, 6).um,
            from.driven_to(to).um.map(|um| um + 4 * 3_000)
        );
    }

    #[test]
    fn walls_around_a_robot_correct_no_more_than_they_can() {
        let at = position(5, 5, [REFERENCED_UM + 1_000, REFERENCED_UM - 1_000]);
        let corrected = |by: Side| at.corrected_by(|side| side == by).um;
        assert_eq!(corrected(Side::West), [REFERENCED_UM, at.um[1]]);
        assert_eq!(corrected(Side::North), at.um);
    }

    /// Walls around a field of 16x16 cells.
    fn outer(cell: Cell, side: Side) -> bool {
        let is_inside = cell.x < 16 && cell.y < 16;
        is_inside
            && match side {
                Side::North => cell.y == 0,
                Side::South => cell.y == 15,
                Side::West => cell.x == 0,
                Side::East => cell.x == 15,
            }
    }

    #[test]
    fn a_robot_goes_to_walls_that_correct_what_is_uncertain() {
        let (low, high) = (REFERENCED_UM, REFERENCED_UM + 1_000);
        for (um, is_yaw_uncertain, cell) in [
            ([low, low], false, (4, 0)),
            ([high, low], false, (0, 2)),
            ([low, high], false, (4, 0)),
            // The nearest wall corrects the yaw.
            ([high, low], true, (4, 0)),
            // Along the line that is less certain.
            ([2 * high, high], false, (0, 2)),
        ] {
            let from = Position {
                is_yaw_uncertain,
                ..position(4, 2, um)
            };
            let best = from.best_reference(outer);
            assert_eq!(
                best.map(|at| at.cell),
                Some(Cell::new(cell.0, cell.1)),
                "{um:?}"
            );
        }
        // At a wall, the yaw is corrected on the way to the next.
        let at_wall = Position {
            is_yaw_uncertain: true,
            ..position(4, 0, [high, low])
        };
        assert_eq!(at_wall.best_reference(outer).unwrap().cell, Cell::new(0, 0));
    }

    #[test]
    fn walls_too_far_away_are_not_found() {
        let at = position(40, 40, [0; 2]);
        let wall_at = |x| at.best_reference(move |cell, _| cell == Cell::new(x, 40));
        assert_eq!(
            wall_at(40 + REFERENCE_STEPS).unwrap().cell.x,
            40 + REFERENCE_STEPS
        );
        assert_eq!(wall_at(41 + REFERENCE_STEPS), None);
    }
}
