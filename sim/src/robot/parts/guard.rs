//! Battery and watchdog.

use std::{cell::Cell, rc::Rc};

use embassy_time::{Instant, Timer};
use tinystar::{config, fault::Fault, robot::Guard};

use super::Shared;

/// A watchdog that bites when it is not fed for [`config::WATCHDOG`]: see [`Watchdog::bite`].
#[derive(Clone, Debug)]
pub struct Watchdog {
    arena: Shared,
    fed: Rc<Cell<Instant>>,
    restarted_by: Option<Fault>,
}

impl Watchdog {
    /// Fed when the clock begins.
    #[must_use]
    pub fn new(arena: Shared, restarted_by: Option<Fault>) -> Self {
        Self {
            arena,
            fed: Rc::new(Cell::new(Instant::MIN)),
            restarted_by,
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

impl Guard for Watchdog {
    async fn battery_mv(&mut self) -> Option<u32> {
        // The cast keeps within its bounds.
        Some(self.arena.now().body().battery_mv() as u32)
    }

    fn feed(&mut self) {
        self.fed.set(Instant::now());
    }

    fn restarted_by(&mut self) -> Option<Fault> {
        self.restarted_by.take()
    }
}
