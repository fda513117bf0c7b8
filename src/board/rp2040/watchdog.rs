//! Watchdog and reset cause.

use embassy_rp::{
    Peri,
    peripherals::WATCHDOG,
    watchdog::{self, ResetReason},
};
use embassy_time::Duration;
use tinystar::{config, drivers::reset, fault::Fault, robot::SystemMonitor};

use super::log::info;

/// Scratch register of [`reset`]'s word. The boot ROM uses 4 to 7.
pub const SCRATCH: usize = 0;

/// Running watchdog.
pub struct Watchdog {
    watchdog: watchdog::Watchdog,
    /// Fault that ended the last run.
    cause: Option<Fault>,
}

impl Watchdog {
    /// Reads the reset cause and starts the watchdog.
    pub fn start(watchdog: Peri<'static, WATCHDOG>) -> Self {
        let mut watchdog = watchdog::Watchdog::new(watchdog);
        let timed_out = watchdog.reset_reason() == Some(ResetReason::TimedOut);
        let cause = reset::cause(watchdog.get_scratch(SCRATCH), timed_out);
        info!("starting; reset cause: {}", cause);
        watchdog.set_scratch(SCRATCH, reset::RUNNING);
        // A chip halted by a debugger stays halted.
        watchdog.pause_on_debug(true);
        watchdog.start(config::WATCHDOG);
        Self { watchdog, cause }
    }
}

/// Of a board that cannot measure its battery.
impl SystemMonitor for Watchdog {
    async fn battery_mv(&mut self) -> Option<u32> {
        None
    }

    fn feed(&mut self, timeout: Duration) {
        self.watchdog.feed(timeout);
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        self.cause
    }
}
