//! Tasks of the firmware: one `async fn` each over the traits of [`robot`](crate::robot), never ending. A
//! board spawns them; the simulator joins them.
//!
//! | task | reads | does | sends to |
//! |---|---|---|---|
//! | [`sense`] | proximity | detects walls | plan, drive |
//! | [`plan`] | wall readings, commands | plans and executes the mission | drive, store |
//! | [`drive`] | encoders, gyro, wall readings | executes motion commands | plan |
//! | [`report`] | serial port | receives commands, sends telemetry | plan |
//! | [`store`] | flash | saves the map and the calibration | plan |
//! | [`panel`] | buttons | shows the state | plan, supervise |
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
use embassy_time::Timer;

use crate::{
    config::SUPERVISE_PERIOD,
    navigator::Navigator,
    signals::{Raw, Signals, Task},
};

/// Navigator with the wall map: ticked by plan; its map is saved by store and sent by report.
pub type SharedNavigator<'n> = Mutex<Raw, &'n mut Navigator>;

/// Checks in for a task that may wait for a device, as often as the supervisor requires.
async fn stay_alive(signals: &Signals, task: Task) -> ! {
    loop {
        signals.check_in(task);
        Timer::after(SUPERVISE_PERIOD / 4).await;
    }
}
