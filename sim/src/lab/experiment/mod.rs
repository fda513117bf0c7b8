//! The papers' experiments, each in a file or a folder of its own.
//!
//! An experiment makes worlds from a seed, lets contenders walk in all of them and sets what it
//! measures beside what the paper says:
//!
//! ```text
//!  Sweep --(run number, rng)--> Problem -> contenders -> Measured --(stats)--> Row -> Report
//!  runs, seed                   world, start, goal                             + Paper
//! ```
//!
//! To add one, write a file with `pub fn measure(sweep: Sweep) -> anyhow::Result<Report>` and name
//! it in `Experiment`. Everything but times is the same for the same seed, on any machine.

pub mod buckets;
pub mod chart;
pub mod claim;
pub mod html;
pub mod real_time;
pub mod replanning;
pub mod report;
pub mod row;
pub mod situated_agents;
pub mod subgoals;
pub mod sweep;
