//! Which cells a tick expanded, found by comparing what the planner keeps before and after.

use planner_core::{Budget, Cell, CellValues, Decision, Observation, OffMap};
use sim::catalog::AnyPlanner;

/// What the planner kept of each cell, and what the last tick did to it.
#[derive(Debug, Default)]
pub struct Marks {
    /// `g`, and whether the cell was closed, after the last tick that was looked at. Empty before.
    before: Vec<(Option<usize>, bool)>,
    /// Whether `before` is what the planner keeps now.
    is_current: bool,
    /// The cells that the last tick expanded, if it was looked at.
    fresh: Vec<usize>,
}

impl Marks {
    /// The cells that the last tick expanded, by their numbers.
    #[must_use]
    pub fn fresh(&self) -> &[usize] {
        &self.fresh
    }

    /// Another planner, or another tick, of which nothing is known.
    pub fn forget(&mut self) {
        self.is_current = false;
        self.fresh.clear();
    }

    /// Lets a planner see something and plan. With `look`, finds out which cells it expands: that takes
    /// time in proportion to the map, unless none are.
    pub fn tick(
        &mut self,
        mind: &mut dyn AnyPlanner,
        (width, height): (u16, u16),
        seen: &[Observation],
        (at, budget): (Cell, Budget),
        look: bool,
    ) -> Result<Decision, OffMap> {
        let places = || (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
        if !look {
            self.forget();
        } else if !self.is_current {
            self.before.clear();
            let values = places().map(|cell| mind.values(cell));
            self.before.extend(values.map(|v| (v.g, v.is_closed)));
        }
        for &observation in seen {
            // What is not on the map cannot be seen.
            let changed = mind.observe(observation).unwrap_or(false);
            if let (true, true, Observation::Cell(cell, _)) = (changed, look, observation)
                && let Some(before) = self
                    .before
                    .get_mut(usize::from(cell.y) * usize::from(width) + usize::from(cell.x))
            {
                let values = mind.values(cell);
                *before = (values.g, values.is_closed);
            }
        }
        let searches = mind.stats().searches;
        let decision = mind.tick(at, budget);
        self.fresh.clear();
        if look {
            self.is_current = true;
            if mind.stats().last_tick.expansions > 0 {
                let is_new = mind.stats().searches > searches;
                for ((index, before), cell) in self.before.iter_mut().enumerate().zip(places()) {
                    let now = mind.values(cell);
                    if is_expanded(*before, now, is_new) {
                        self.fresh.push(index);
                    }
                    *before = (now.g, now.is_closed);
                }
            }
        }
        decision
    }
}

/// Whether a cell was expanded since. A search that is repaired expands by changing `g`; others say what
/// they have closed.
fn is_expanded((g, was_closed): (Option<usize>, bool), now: CellValues, is_new: bool) -> bool {
    let is_repaired = now.rhs.is_some() && g.is_some() && g != now.g;
    is_repaired || (now.is_closed && (is_new || !was_closed))
}

#[cfg(test)]
mod tests {
    use planner_core::map::Occupancy;
    use sim::{
        catalog::{Name, Task, with_planner},
        world::{corridors, rng},
    };

    use super::*;

    /// In a maze in which every wall is a surprise.
    #[test]
    fn as_many_cells_are_fresh_as_were_expanded() {
        for name in [
            Name::DstarLite,
            Name::ForwardAstar,
            Name::LssLrtaReplan,
            Name::BackwardAstar,
        ] {
            let world = corridors::corridors(21, 21, 9, &mut rng::seeded(4)).unwrap();
            let (mut at, goal) = (Cell::new(0, 0), Cell::new(20, 20));
            let mut marks = Marks::default();
            let mut repeats = 0;
            with_planner(
                name,
                Task::new((21, 21), at, goal),
                |mind: &mut dyn AnyPlanner| {
                    for _ in 0..2000 {
                        let sensor = sim::environment::Sensor::new(1, sim::catalog::Moves::Four);
                        let seen: Vec<_> = sensor.sense(&world, at).collect();
                        let plan = (at, Budget::UNLIMITED);
                        let decision = marks.tick(mind, (21, 21), &seen, plan, true);
                        let expansions = mind.stats().last_tick.expansions as usize;
                        // D* Lite may expand a cell twice in a tick, or make it what it was.
                        match name {
                            Name::DstarLite => {
                                assert!(marks.fresh().len() <= expansions);
                                repeats += expansions - marks.fresh().len();
                            }
                            // The end of A*'s path counts too.
                            _ => assert!(
                                (expansions..=expansions + 1).contains(&marks.fresh().len()),
                                "{name}"
                            ),
                        }
                        let Ok(Decision::Step(next)) = decision else {
                            break;
                        };
                        at = next;
                    }
                    let total = mind.stats().total.expansions as usize;
                    assert!(repeats * 2 < total, "{repeats} of {total}");
                },
            )
            .unwrap();
            assert_eq!(at, goal, "{name}");
        }
    }

    #[test]
    fn a_cell_that_is_seen_blocked_was_not_expanded() {
        let (at, goal) = (Cell::new(0, 0), Cell::new(8, 0));
        with_planner(
            Name::DstarLite,
            Task::new((9, 9), at, goal),
            |mind: &mut dyn AnyPlanner| {
                let mut marks = Marks::default();
                let mut tick = |seen: &[Observation]| {
                    let plan = (at, Budget::UNLIMITED);
                    marks.tick(mind, (9, 9), seen, plan, true).unwrap();
                    marks.fresh().to_vec()
                };
                assert!(!tick(&[]).is_empty());
                let far = Observation::Cell(Cell::new(4, 8), Occupancy::Blocked);
                assert!(tick(&[far]).is_empty());
            },
        )
        .unwrap();
    }
}
