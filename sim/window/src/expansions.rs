//! Finds the cells that a tick expanded, by comparing the planner's values before and after it.

use planner_core::{
    Budget, Cell, CellValues, Decision, GoalsError, Observation, ObserveError, OffMap, Planner,
    Stats,
};
use sim::{catalog::AnyPlanner, world::cells};
use web_time::Instant;

/// The values of each cell after the last tick, and the cells that it expanded.
#[derive(Debug, Default)]
pub struct ExpansionTracker {
    /// `g`, and whether the cell was closed, after the last tick that was tracked. Empty before.
    before: Vec<(Option<usize>, bool)>,
    /// True if `before` is up to date.
    is_current: bool,
    /// The cells that the last tick expanded, if it was tracked.
    expanded: Vec<usize>,
    /// The time that finding them took in the last tick, in nanoseconds.
    tracking_ns: u64,
}

impl ExpansionTracker {
    /// The time that tracking took in the last tick, in nanoseconds; it is no time of the planner.
    pub fn tracking_ns(&self) -> u64 {
        self.tracking_ns
    }

    /// The cells that the last tick expanded, by their indices.
    pub fn expanded(&self) -> &[usize] {
        &self.expanded
    }

    /// Forgets the values, for another planner or after ticks that were not tracked.
    pub fn reset(&mut self) {
        self.is_current = false;
        self.expanded.clear();
        self.tracking_ns = 0;
    }

    /// Wraps a planner for a tick on a map of this size. Takes time in proportion to the map.
    pub fn track<'a>(
        &'a mut self,
        planner: &'a mut dyn AnyPlanner,
        size: (u16, u16),
    ) -> Tracked<'a> {
        if !self.is_current {
            self.before.clear();
            let values = cells(size).map(|cell| planner.values(cell));
            self.before.extend(values.map(|v| (v.g, v.is_closed)));
        }
        Tracked {
            tracker: self,
            planner,
            size,
        }
    }
}

/// A planner whose expansions are tracked.
pub struct Tracked<'a> {
    tracker: &'a mut ExpansionTracker,
    planner: &'a mut dyn AnyPlanner,
    size: (u16, u16),
}

impl Planner for Tracked<'_> {
    fn observe(&mut self, observation: Observation) -> Result<bool, ObserveError> {
        let is_changed = self.planner.observe(observation)?;
        if let (true, Observation::Cell(cell, _)) = (is_changed, observation) {
            let index = usize::from(cell.y) * usize::from(self.size.0) + usize::from(cell.x);
            if let Some(before) = self.tracker.before.get_mut(index) {
                let values = self.planner.values(cell);
                *before = (values.g, values.is_closed);
            }
        }
        Ok(is_changed)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let searches = self.stats().searches;
        let decision = self.planner.tick(at, budget);
        let begin = Instant::now();
        let stats = *self.stats();
        let tracker = &mut *self.tracker;
        tracker.expanded.clear();
        tracker.is_current = true;
        if stats.last_tick.expansions > 0 {
            let is_new = stats.searches > searches;
            let before = tracker.before.iter_mut().enumerate();
            for ((index, before), cell) in before.zip(cells(self.size)) {
                let now = self.planner.values(cell);
                if is_expanded(*before, now, is_new) {
                    tracker.expanded.push(index);
                }
                *before = (now.g, now.is_closed);
            }
        }
        tracker.tracking_ns = begin.elapsed().as_nanos() as u64;
        decision
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.planner.set_goals(goals)
    }

    fn stats(&self) -> &Stats {
        self.planner.stats()
    }
}

/// Returns whether a cell was expanded since. An incremental search expands by changing `g`; others say what they
/// have closed.
fn is_expanded((g, was_closed): (Option<usize>, bool), now: CellValues, is_new: bool) -> bool {
    let is_repaired = now.rhs.is_some() && g.is_some() && g != now.g;
    is_repaired || (now.is_closed && (is_new || !was_closed))
}

#[cfg(test)]
mod tests {
    use planner_core::map::Occupancy;
    use sim::{
        catalog::{Moves, Name, Task, build_planner},
        environment::{Sensor, SimulatedWorld},
        walk::Walker,
        world::{World, corridors, rng},
    };

    use super::*;

    /// In a maze in which every wall is a surprise.
    #[test]
    fn tracked_cells_are_as_many_as_expansions() {
        for name in [
            Name::DstarLite,
            Name::ForwardAstar,
            Name::LssLrtaReplan,
            Name::BackwardAstar,
        ] {
            let world = corridors::corridors(21, 21, 9, &mut rng::seeded(4)).unwrap();
            let sensor = Sensor::new(1, Moves::Four);
            let mut world = SimulatedWorld::new(World::Cells(world), Some(sensor), None);
            let (start, goal) = (Cell::new(0, 0), Cell::new(20, 20));
            let mut planner = build_planner(name, &Task::new((21, 21), start, &goal)).unwrap();
            let mut walker = Walker::new(start);
            let mut tracker = ExpansionTracker::default();
            let mut repeats = 0;
            for _ in 0..2000 {
                let tracked = &mut tracker.track(&mut *planner, (21, 21));
                let tick = walker.tick(tracked, &mut world, Budget::UNLIMITED);
                let expansions = planner.stats().last_tick.expansions as usize;
                let tracked = tracker.expanded().len();
                // D* Lite may expand a cell twice in a tick, or restore its value.
                match name {
                    Name::DstarLite => {
                        assert!(tracked <= expansions);
                        repeats += expansions - tracked;
                    }
                    // The end of A*'s path counts too.
                    _ => assert!((expansions..=expansions + 1).contains(&tracked), "{name}"),
                }
                if tick.unwrap().outcome.is_some() {
                    break;
                }
            }
            let total = planner.stats().total.expansions as usize;
            assert!(repeats * 2 < total, "{repeats} of {total}");
            assert_eq!(walker.at(), goal, "{name}");
        }
    }

    #[test]
    fn an_observed_obstacle_is_not_an_expansion() {
        let (at, goal) = (Cell::new(0, 0), Cell::new(8, 0));
        let mut planner = build_planner(Name::DstarLite, &Task::new((9, 9), at, &goal)).unwrap();
        let mut tracker = ExpansionTracker::default();
        let mut tick = |seen: &[Observation]| {
            let mut tracked = tracker.track(&mut *planner, (9, 9));
            for &observation in seen {
                tracked.observe(observation).unwrap();
            }
            tracked.tick(at, Budget::UNLIMITED).unwrap();
            tracker.expanded().to_vec()
        };
        assert!(!tick(&[]).is_empty());
        let far = Observation::Cell(Cell::new(4, 8), Occupancy::Blocked);
        assert!(tick(&[far]).is_empty());
    }
}
