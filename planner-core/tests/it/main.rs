//! Integration tests of planner-core, in one binary.

#[allow(dead_code, reason = "the other tests move here next")]
mod build;
mod common;
#[allow(dead_code, reason = "the other tests move here next")]
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
