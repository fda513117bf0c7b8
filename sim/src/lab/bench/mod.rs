//! Planners side by side: time until the goal and time of the slowest step.
//!
//! All contenders run on the same maps, one after the other on one thread, several times. A run is the same
//! each time, so the least time of each step counts: disturbances by the machine drop out. The time of a step
//! holds its observations and its planning, less the time to read the clock. Building a planner is not timed.

pub mod bench_map;
pub mod clock;
pub mod contender;
pub mod flood;
pub mod flood_fill;
pub mod peer;
pub mod runner;

use planner_core::{Stats, Work};

/// Records a tick of a bench planner; `searched` is the number of expansions, if it searched.
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
