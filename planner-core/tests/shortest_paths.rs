//! Every step that a planner advises lies on a shortest path, as far as the robot knows.
//!
//! Each test plays random scripts in small worlds, or tours of larger mazes, and compares every
//! answer of every planner with a plain Dijkstra on a model of its own.

mod common;

use common::{
    fleet::{DStarLites, Fleet, RepeatedAStars, SomeDStarLites, SomeRepeatedAStars},
    kind::{Kind, Plain, Walled, Weighted},
    maze::Tour,
    runner,
    script::scripts,
};
use planner_core::terrain::{
    Coarse, CutCorners, Eight, Fine, Four, Manhattan, MaxNorm, NeverCut, Octile, OneOpen, Zero,
};
use proptest::test_runner::TestCaseError;

/// Plays `cases` random scripts on a kind of terrain with all planners of a fleet.
fn play<F: Fleet, K: Kind>(cases: u32, interrupted: bool) {
    let scripts = scripts::<K>(60, interrupted);
    let outcome = runner(cases).run(&scripts, |script| {
        script.play::<F, K>().map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{}: {failure}", std::any::type_name::<K>());
    }
}

/// Makes the tours of `seeds` on a kind of terrain with all planners of a fleet.
fn tour<F: Fleet, K: Kind>(seeds: u64, tour: Tour) {
    for seed in 0..seeds {
        if let Err(failure) = tour.make::<F, K>(seed) {
            panic!("{}: {failure}", std::any::type_name::<K>());
        }
    }
}

/// Calls a function for the three terrains, with all planners of a kind.
macro_rules! on_main_terrains {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Four<Manhattan>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<NeverCut, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Walled<Manhattan>>($($argument),*);
    };
}

/// Calls a function for the other corner rules, scales, heuristics and costs.
macro_rules! on_other_terrains {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Four<Zero>>>($($argument),*);
        $call::<$fleet, Weighted<Four<MaxNorm>>>($($argument),*);
        $call::<$fleet, Weighted<Four<Octile>>>($($argument),*);
        $call::<$fleet, Plain<Eight<NeverCut, Fine, Octile>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<OneOpen, Fine, MaxNorm>>>($($argument),*);
        $call::<$fleet, Plain<Eight<OneOpen, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Plain<Eight<CutCorners, Coarse, Zero>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<CutCorners, Fine, Octile>>>($($argument),*);
        $call::<$fleet, Walled<MaxNorm>>($($argument),*);
        $call::<$fleet, Walled<Zero>>($($argument),*);
    };
}

#[test]
fn dstar_lite_advises_shortest_paths() {
    on_main_terrains!(play::<DStarLites>(2000, false));
}

#[test]
fn dstar_lite_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeDStarLites>(1000, false));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths() {
    on_main_terrains!(play::<DStarLites>(2000, true));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeDStarLites>(1000, true));
}

#[test]
fn repeated_astar_advises_shortest_paths() {
    on_main_terrains!(play::<RepeatedAStars>(1000, false));
}

#[test]
fn repeated_astar_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeRepeatedAStars>(500, false));
}

#[test]
fn interrupted_repeated_astar_advises_shortest_paths() {
    on_main_terrains!(play::<RepeatedAStars>(500, true));
    on_other_terrains!(play::<SomeRepeatedAStars>(250, true));
}

const LONG: Tour = Tour {
    size: 40,
    rounds: 400,
    limit: None,
};

const HURRIED: Tour = Tour {
    limit: Some(40),
    ..LONG
};

#[test]
fn dstar_lite_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(tour::<DStarLites>(4, LONG));
    on_other_terrains!(tour::<SomeDStarLites>(2, LONG));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(tour::<DStarLites>(4, HURRIED));
    on_other_terrains!(tour::<SomeDStarLites>(2, HURRIED));
}

#[test]
fn repeated_astar_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(tour::<RepeatedAStars>(2, LONG));
    on_other_terrains!(tour::<SomeRepeatedAStars>(1, LONG));
}
