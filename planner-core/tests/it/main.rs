//! Integration tests of planner-core, in one binary.

mod common;

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
mod subgoals;
