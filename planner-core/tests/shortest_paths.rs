//! Every step that a planner advises lies on a shortest path, as far as the robot knows.
//!
//! Each test plays random scripts in small worlds, or tours of larger mazes, and compares every
//! answer of every planner with a plain Dijkstra on a model of its own.

mod common;

use common::{
    fleet::{DStarLites, Fleet, RepeatedAStars},
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

/// Calls a function for each kind of terrain: all moves, corner rules, scales and heuristics.
macro_rules! on_cells_with_four_moves {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Four<Manhattan>>>($($argument),*);
        $call::<$fleet, Plain<Four<Zero>>>($($argument),*);
        $call::<$fleet, Weighted<Four<MaxNorm>>>($($argument),*);
        $call::<$fleet, Weighted<Four<Octile>>>($($argument),*);
    };
}

macro_rules! on_cells_with_eight_moves {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Eight<NeverCut, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<NeverCut, Fine, MaxNorm>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<OneOpen, Coarse, MaxNorm>>>($($argument),*);
        $call::<$fleet, Plain<Eight<OneOpen, Fine, Octile>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<CutCorners, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Plain<Eight<CutCorners, Fine, Zero>>>($($argument),*);
    };
}

macro_rules! between_walls {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Walled<Manhattan>>($($argument),*);
        $call::<$fleet, Walled<MaxNorm>>($($argument),*);
        $call::<$fleet, Walled<Zero>>($($argument),*);
    };
}

const CASES: u32 = 400;

#[test]
fn dstar_lite_advises_shortest_paths_with_four_moves() {
    on_cells_with_four_moves!(play::<DStarLites>(CASES, false));
}

#[test]
fn dstar_lite_advises_shortest_paths_with_eight_moves() {
    on_cells_with_eight_moves!(play::<DStarLites>(CASES, false));
}

#[test]
fn dstar_lite_advises_shortest_paths_between_walls() {
    between_walls!(play::<DStarLites>(CASES, false));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_with_four_moves() {
    on_cells_with_four_moves!(play::<DStarLites>(CASES, true));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_with_eight_moves() {
    on_cells_with_eight_moves!(play::<DStarLites>(CASES, true));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_between_walls() {
    between_walls!(play::<DStarLites>(CASES, true));
}

#[test]
fn repeated_astar_advises_shortest_paths_with_four_moves() {
    on_cells_with_four_moves!(play::<RepeatedAStars>(CASES, false));
}

#[test]
fn repeated_astar_advises_shortest_paths_with_eight_moves() {
    on_cells_with_eight_moves!(play::<RepeatedAStars>(CASES, false));
}

#[test]
fn repeated_astar_advises_shortest_paths_between_walls() {
    between_walls!(play::<RepeatedAStars>(CASES, false));
}

#[test]
fn interrupted_repeated_astar_advises_shortest_paths() {
    on_cells_with_four_moves!(play::<RepeatedAStars>(CASES / 4, true));
    on_cells_with_eight_moves!(play::<RepeatedAStars>(CASES / 4, true));
    between_walls!(play::<RepeatedAStars>(CASES / 4, true));
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
fn dstar_lite_stays_on_shortest_paths_on_long_tours_of_mazes() {
    on_cells_with_four_moves!(tour::<DStarLites>(4, LONG));
    on_cells_with_eight_moves!(tour::<DStarLites>(4, LONG));
    between_walls!(tour::<DStarLites>(4, LONG));
}

#[test]
fn interrupted_dstar_lite_stays_on_shortest_paths_on_long_tours_of_mazes() {
    on_cells_with_four_moves!(tour::<DStarLites>(4, HURRIED));
    on_cells_with_eight_moves!(tour::<DStarLites>(4, HURRIED));
    between_walls!(tour::<DStarLites>(4, HURRIED));
}

#[test]
fn repeated_astar_stays_on_shortest_paths_on_long_tours_of_mazes() {
    on_cells_with_four_moves!(tour::<RepeatedAStars>(2, LONG));
    on_cells_with_eight_moves!(tour::<RepeatedAStars>(2, LONG));
    between_walls!(tour::<RepeatedAStars>(2, LONG));
}
