//! Integration tests of planner-core, in one binary.
//!
//! - [`world`]: the tests' own model of a world, with shortest paths by plain Dijkstra.
//! - [`build`]: construction of maps and planners.
//! - [`robot`]: a robot that checks every decision of its planners.
//! - [`script`], [`tour`]: random scripts in small worlds and long tours of large ones.

#[macro_use]
mod terrains;
mod build;
mod robot;
mod script;
mod subgoal_walks;
mod tiny;
mod tour;
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
mod shortest_paths;
mod snapshot;
mod subgoals;
mod unit_steps;

use planner_core::{Budget, Work};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Work in quarters of an expansion, of which a re-queue takes one.
fn quarters(work: Work) -> u64 {
    4 * u64::from(work.expansions) + u64::from(work.requeues)
}

/// Whether a budget was kept.
fn is_within(work: Work, budget: Budget) -> bool {
    quarters(work) <= 4 * u64::from(budget.expansions)
}

/// Whether too little is left of a budget for another expansion.
fn is_used_up(work: Work, budget: Budget) -> bool {
    quarters(work) + 4 > 4 * u64::from(budget.expansions)
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
