//! Battery and watchdog.

use std::{cell::Cell, rc::Rc};

use embassy_time::{Instant, Timer};
use tinystar::{config, fault::Fault, robot::SystemMonitor};

use super::SharedModel;

/// A watchdog that bites when it is not fed for [`config::WATCHDOG`]: see [`SimSystemMonitor::bite`].
#[derive(Clone, Debug)]
pub struct SimSystemMonitor {
    arena: SharedModel,
    fed: Rc<Cell<Instant>>,
    reset_cause: Option<Fault>,
}

impl SimSystemMonitor {
    /// Fed when the clock begins.
    #[must_use]
    pub fn new(arena: SharedModel, reset_cause: Option<Fault>) -> Self {
        Self {
            arena,
            fed: Rc::new(Cell::new(Instant::MIN)),
            reset_cause,
        }
    }

    /// Comes back when the watchdog has bitten; the motors are off.
    pub async fn bite(&self) {
        loop {
            let due = self.fed.get() + config::WATCHDOG;
            if Instant::now() >= due {
                break;
            }
            Timer::at(due).await;
        }
        self.arena.now().set_power([0, 0]);
    }
}

impl SystemMonitor for SimSystemMonitor {
    async fn battery_mv(&mut self) -> Option<u32> {
        // The cast keeps within its bounds.
        Some(self.arena.now().body().battery_mv() as u32)
    }

    fn feed(&mut self) {
        self.fed.set(Instant::now());
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        self.reset_cause.take()
    }
}
