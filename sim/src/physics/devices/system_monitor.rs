//! Simulated battery and watchdog.

use std::{cell::Cell, rc::Rc};

use embassy_time::{Duration, Instant, Timer};
use tinystar::{fault::Fault, robot::SystemMonitor};

use super::SharedModel;

/// Battery of the physics model, and a watchdog with the timeout that the firmware sets.
#[derive(Clone, Debug)]
pub struct SimSystemMonitor {
    model: SharedModel,
    /// When the watchdog times out.
    due: Rc<Cell<Instant>>,
    reset_cause: Option<Fault>,
}

impl SimSystemMonitor {
    /// Watchdog fed for a timeout at the start of the clock.
    pub fn new(model: SharedModel, timeout: Duration, reset_cause: Option<Fault>) -> Self {
        Self {
            model,
            due: Rc::new(Cell::new(Instant::MIN + timeout)),
            reset_cause,
        }
    }

    /// Completes when the watchdog times out; the motors are off then.
    pub async fn timeout(&self) {
        loop {
            let due = self.due.get();
            if Instant::now() >= due {
                break;
            }
            Timer::at(due).await;
        }
        self.model.now().set_duty([0, 0]);
    }
}

impl SystemMonitor for SimSystemMonitor {
    async fn battery_mv(&mut self) -> Option<u32> {
        // Casts saturate.
        Some(self.model.now().drivetrain().battery_mv() as u32)
    }

    fn feed(&mut self, timeout: Duration) {
        self.due.set(Instant::now() + timeout);
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        self.reset_cause.take()
    }
}
