//! Firmware tasks on the virtual clock.

use std::{cell::Cell, ops::ControlFlow};

use embassy_time::{Duration, Instant};
use sim::physics::clock::{Ended, run};
use tinystar::{fault::Fault, robot::SystemMonitor};

/// Runs tasks, which never end, for a time.
pub fn run_for(time: Duration, future: impl Future) {
    let end = Instant::MIN + time;
    let ended = run(Instant::MIN, end, future, |_| {
        ControlFlow::<()>::Continue(())
    });
    assert!(matches!(ended, Ended::TimeUp), "tasks never end");
}

/// Counts the feeds of the watchdog.
pub struct FeedCounter<'a>(pub &'a Cell<u32>);

impl SystemMonitor for FeedCounter<'_> {
    async fn battery_mv(&mut self) -> Option<u32> {
        None
    }

    fn feed(&mut self) {
        self.0.set(self.0.get() + 1);
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        None
    }
}
