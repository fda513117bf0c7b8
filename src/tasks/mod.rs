//! One `async fn` each, over the traits of [`robot`](crate::robot). A board spawns them; the simulator
//! joins them. They never end.
//!
//! | task | reads | does | tells |
//! |---|---|---|---|
//! | [`sense`] | proximity | votes on what is in the way | plan, drive |
//! | [`plan`] | sight, commands | decides what to do next | drive, store |
//! | [`drive`] | encoders, gyro, sight | turns and goes ahead | plan |
//! | [`report`] | the serial port | passes on commands, tells what happens | plan |
//! | [`store`] | flash | keeps the map and the calibration | plan |
//! | [`panel`] | buttons | shows what happens | plan, supervise |
//! | [`supervise`] | battery | feeds the watchdog, clears faults | plan |

mod drive;
mod panel;
mod plan;
mod report;
mod sense;
mod store;
mod supervise;

pub use drive::drive;
pub use panel::panel;
pub use plan::plan;
pub use report::report;
pub use sense::sense;
pub use store::store;
pub use supervise::supervise;

use embassy_sync::mutex::Mutex;

use crate::{atlas::Atlas, signals::Raw};

/// The learned map: plan writes it, store keeps it, report tells it.
pub type SharedAtlas<'m> = Mutex<Raw, Atlas<'m>>;
