//! What the tests share: a world of their own with its shortest paths, planners to hold side by
//! side, a robot that holds them, and random scripts and mazes to put it through.

pub mod fleet;
pub mod kind;
pub mod maze;
pub mod robot;
pub mod script;
pub mod subgoal;
pub mod world;

use planner_core::{Budget, Work};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Work in quarters of an expansion, of which a re-queue takes one.
fn quarters(work: Work) -> u64 {
    4 * u64::from(work.expansions) + u64::from(work.requeues)
}

/// Whether a budget was kept.
pub fn is_within(work: Work, budget: Budget) -> bool {
    quarters(work) <= 4 * u64::from(budget.expansions)
}

/// Whether too little is left of a budget for another expansion.
pub fn is_used_up(work: Work, budget: Budget) -> bool {
    quarters(work) + 4 > 4 * u64::from(budget.expansions)
}

/// A runner of `cases` cases that are the same in every run; `PROPTEST_RNG_SEED` makes them others.
pub fn runner(cases: u32) -> TestRunner {
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
