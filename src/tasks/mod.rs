//! One `async fn` for each of the robot's tasks.

mod report;
mod store;

use embassy_sync::mutex::Mutex;

use crate::{atlas::Atlas, signals::Raw};

pub use report::report;
pub use store::store;

/// The learned map: plan writes it, report and store read it.
pub type SharedAtlas<'m> = Mutex<Raw, Atlas<'m>>;
