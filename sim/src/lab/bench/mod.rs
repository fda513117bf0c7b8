//! Planners side by side: time until the goal and time of the slowest step.
//!
//! All contenders walk in the same maps, one after the other on one thread, and again, as often as
//! asked. A walk is the same each time, so of each step the least time counts: what the machine
//! did beside it drops out. A step's time holds its observations and its planning; what one
//! reading of the clock takes is measured first and taken off. Building a planner is not timed, for
//! nobody.

pub mod bordered_grid;
pub mod clock;
pub mod contender;
pub mod flood;
pub mod flood_fill;
pub mod maze_flood;
pub mod peer;
pub mod runner;

use planner_core::{Stats, Work};

/// Books a tick in which a bench planner searched, and expanded so many cells, or did not.
fn record_tick(stats: &mut Stats, searched: Option<u32>) {
    let tick = Work {
        expansions: searched.unwrap_or(0),
        ..Work::default()
    };
    stats.last_tick = tick;
    stats.searches += u32::from(searched.is_some());
    stats.total.expansions += u64::from(tick.expansions);
    stats.max_per_tick.expansions = stats.max_per_tick.expansions.max(tick.expansions);
}
