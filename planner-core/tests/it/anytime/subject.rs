//! Anytime D* as the tests hold it: of whatever width, on whatever terrain.

use planner_core::{
    Budget, BuildError, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap,
    Planner, Stats,
    queue::{Entry, Holds},
    search::{AnytimeDStar, Epsilon},
    terrain::Terrain,
    width::{Bits16, Bits32, Width},
};

use crate::common::{
    fleet::{Fleet, Member, Setup, Subject},
    kind::Kind,
};

/// An Anytime D* of whatever type, and what it tells of itself.
pub trait Anytime: Subject + Inspect {
    fn epsilon(&self) -> Option<u32>;
    fn target(&self) -> u32;
    fn path(&self) -> Vec<Cell>;
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Anytime for AnytimeDStar<'_, W, T, E> {
    fn epsilon(&self) -> Option<u32> {
        AnytimeDStar::epsilon(self)
    }

    fn target(&self) -> u32 {
        AnytimeDStar::target(self)
    }

    fn path(&self) -> Vec<Cell> {
        AnytimeDStar::path(self).collect()
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Subject for AnytimeDStar<'_, W, T, E> {
    fn audit(&self) -> Result<(), String> {
        AnytimeDStar::audit(self).map_err(|broken| format!("{broken:?}"))
    }

    fn found(&self) -> Option<Option<usize>> {
        Some(self.distance())
    }
}

/// Builds a planner on a kind of terrain and runs something with it; `false` if the map is too large
/// or too costly for it.
pub fn with<K: Kind, W: Width, E: Entry + Holds<W>>(
    setup: &Setup,
    schedule: Epsilon,
    run: &mut dyn FnMut(&mut dyn Anytime),
) -> bool {
    let (width, height) = (setup.known.width, setup.known.height);
    let vertices = K::vertices(width, height);
    let mut words = vec![0; K::words(width, height)];
    let mut weights = vec![0; vertices];
    let mut entries = vec![E::default(); vertices];
    let mut nodes = vec![Default::default(); vertices];
    let (unknown, heaviest) = (setup.unknown, setup.heaviest);
    let terrain = K::knowing(setup.known, &mut words, &mut weights, unknown, heaviest);
    let (start, goal) = (setup.start, setup.goal);
    let planner =
        AnytimeDStar::<W, _, E>::new(terrain, &mut entries, &mut nodes, start, goal, schedule);
    match planner {
        Ok(mut planner) => run(&mut planner),
        Err(BuildError::TooCostly { .. } | BuildError::TooManyCells { .. }) => return false,
        Err(other) => panic!("{other}"),
    }
    true
}

/// From far above, in long strides.
pub const STEEP: Epsilon = Epsilon {
    start: 255,
    step_down: 61,
    step_up: 7,
    maximum: 255,
};

/// A robot's view of a planner that waits for a shortest path: a path not proven to be one is none.
pub struct Patient<'p>(&'p mut dyn Anytime);

impl Planner for Patient<'_> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        self.0.observe(seen)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        Ok(match self.0.tick(at, budget)? {
            Decision::Step(_) if self.0.epsilon() != Some(10) => Decision::Wait,
            decision => decision,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.0.set_goals(goals)
    }

    fn stats(&self) -> &Stats {
        self.0.stats()
    }
}

impl Subject for Patient<'_> {
    fn audit(&self) -> Result<(), String> {
        self.0.audit()
    }

    fn found(&self) -> Option<Option<usize>> {
        self.0.found()
    }
}

/// A planner of 16 bits with the default schedule.
pub struct Narrow;

/// A planner of 32 bits with a steep schedule.
pub struct Wide;

/// A planner that never inflates, and so is D* Lite.
pub struct Exact;

impl Fleet for Narrow {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        alone::<K, Bits16, u64>(setup, Epsilon::DEFAULT, run);
    }
}

impl Fleet for Wide {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        alone::<K, Bits32, u128>(setup, STEEP, run);
    }
}

impl Fleet for Exact {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        let exact = Epsilon {
            maximum: 10,
            ..Epsilon::DEFAULT
        };
        with::<K, Bits32, u128>(setup, exact, &mut |planner| {
            let name = "Anytime D* at 1.0";
            run(&mut [Member { name, planner }]);
        });
    }
}

fn alone<K: Kind, W: Width, E: Entry + Holds<W>>(
    setup: &Setup,
    schedule: Epsilon,
    run: &mut dyn FnMut(&mut [Member]),
) {
    with::<K, W, E>(setup, schedule, &mut |planner| {
        let (name, planner) = ("Anytime D*", &mut Patient(planner));
        run(&mut [Member { name, planner }]);
    });
}
