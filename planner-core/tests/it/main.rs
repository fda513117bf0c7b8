//! Integration tests of planner-core, in one binary.
//!
//! - [`world`]: the tests' own model of a world, with shortest paths by plain Dijkstra.
//! - [`build`]: construction of maps and planners.
//! - [`robot`]: a robot that checks every decision of its planners.
//! - [`script`], [`simulation`]: random scripts in small worlds and long simulations of large ones.

#[macro_use]
mod terrains;
mod build;
mod robot;
mod script;
mod simulation;
mod subgoal_walks;
mod tiny;
mod world;

mod anytime;
mod astar_claims;
mod construction;
mod explore;
mod heading;
mod late_changes;
mod local_search;
mod memory;
mod packed_subgoals;
mod queue_model;
mod real_time;
#[cfg(debug_assertions)]
mod revision;
mod run;
mod shortest_paths;
mod snapshot;
mod subgoals;
mod timed_explore;
mod unit_steps;

use planner_core::{Budget, Work};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The price of an expansion, in trace steps.
const EXPANSION: u64 = 16;

/// Work at its price, in trace steps: the table of `Budget`, written down again.
fn price(work: Work) -> u64 {
    let whole = u64::from(work.expansions) + u64::from(work.changes);
    let quarters = u64::from(work.requeues) + u64::from(work.visits);
    EXPANSION * whole + 4 * quarters + u64::from(work.trace_steps)
}

/// Returns whether a budget was kept.
fn is_within(work: Work, budget: Budget) -> bool {
    price(work) <= EXPANSION * u64::from(budget.expansions)
}

/// Returns whether too little is left of a budget for another expansion.
fn is_used_up(work: Work, budget: Budget) -> bool {
    price(work) + EXPANSION > EXPANSION * u64::from(budget.expansions)
}

/// Checks a claim with the seeds `0..seeds`; a failure names its seed.
fn for_seeds(seeds: u64, mut claim: impl FnMut(&mut ChaCha8Rng)) {
    struct Seed(u64);

    impl Drop for Seed {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("with seed {}", self.0);
            }
        }
    }

    for seed in (0..seeds).map(Seed) {
        claim(&mut ChaCha8Rng::seed_from_u64(seed.0));
    }
}

/// A runner of `cases` cases that are the same in every run; `PROPTEST_RNG_SEED` selects others.
fn runner(cases: u32) -> TestRunner {
    let given = Config::default();
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        max_shrink_time: 20_000, // milliseconds, of a test that has failed anyway
        rng_seed: match given.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0x715_57A2),
            fixed => fixed,
        },
        ..given
    })
}
