//! Real-Time D* against the searches it is made of, under a limit on the expansions per tick
//! (Bond et al. 2010, Figures 3 and 4).

mod contender;
pub mod dynamic_world;
mod measured;
mod trial;
pub mod unknown_world;

pub use contender::{Contender, LIMITS};
pub use measured::Measured;
pub use trial::{Trial, TrialResult};
