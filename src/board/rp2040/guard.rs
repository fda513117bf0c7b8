//! The watchdog, and why the chip was restarted.

use embassy_rp::{
    Peri,
    peripherals::WATCHDOG,
    watchdog::{self, ResetReason},
};
use tinystar::{config, fault::Fault, parts::restart};

/// The scratch register with [`restart`]'s word. The boot ROM uses 4 to 7.
pub const SCRATCH: usize = 0;

/// The watchdog, which has been started.
pub struct Watchdog {
    watchdog: watchdog::Watchdog,
    /// The fault that ended the last run.
    cause: Option<Fault>,
}

impl Watchdog {
    /// Notes why the chip was restarted, and starts the watchdog.
    pub fn start(watchdog: Peri<'static, WATCHDOG>) -> Self {
        let mut watchdog = watchdog::Watchdog::new(watchdog);
        let timed_out = watchdog.reset_reason() == Some(ResetReason::TimedOut);
        let cause = restart::cause(watchdog.get_scratch(SCRATCH), timed_out);
        watchdog.set_scratch(SCRATCH, restart::RUNNING);
        // A person who halts the chip with a debugger wants it to stay halted.
        watchdog.pause_on_debug(true);
        watchdog.start(config::WATCHDOG);
        Self { watchdog, cause }
    }

    /// Not hungry for [`config::WATCHDOG`].
    pub fn feed(&mut self) {
        self.watchdog.feed(config::WATCHDOG);
    }

    /// The fault that ended the last run, if one did.
    pub fn restarted_by(&self) -> Option<Fault> {
        self.cause
    }
}
