//! Real-Time D* against the searches it is made of, under a limit on the expansions per tick
//! (Bond et al. 2010, Figures 3 and 4).

mod contender;
pub mod curves;
pub mod door_rates;
pub mod dynamic_world;
mod measured;
mod trial;
mod unit;
pub mod unknown_world;

pub use contender::Contender;
pub use measured::Measured;
pub use trial::{Trial, TrialResult};
pub use unit::Unit;

use super::sweep::Sweep;

/// The first seed that was not used while the planner's rules were chosen.
pub const HELD_OUT: u64 = 9_000;

/// Names the worlds of a sweep.
fn worlds_of(sweep: Sweep) -> String {
    let kind = match sweep.seed < HELD_OUT {
        true => "among those that the rules were chosen on",
        false => "held out: the rules were chosen on smaller seeds",
    };
    format!(
        "Worlds: seed {}, runs 0 to {}; {kind}.",
        sweep.seed,
        sweep.runs.saturating_sub(1)
    )
}
