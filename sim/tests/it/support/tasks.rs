//! Firmware tasks on the virtual clock.

use std::{cell::Cell, ops::ControlFlow};

use embassy_time::{Duration, Instant};
use planner_core::{Cell as MapCell, Side};
use sim::physics::clock::{Ended, run};
use tinystar::{
    fault::Fault,
    mission::Field,
    navigator::{self, Navigator},
    robot::SystemMonitor,
};

/// Classic maze size: a page of flash holds many of its maps.
pub const MAZE: Field = Field {
    width: 16,
    height: 16,
    home: MapCell::new(0, 15),
    heading: Side::North,
};

/// Navigator on a field.
pub fn navigator(field: Field) -> Box<Navigator> {
    let mut navigator = Box::new(Navigator::new());
    navigator::begin(&mut navigator, field).unwrap();
    navigator
}

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

    fn feed(&mut self, _: Duration) {
        self.0.set(self.0.get() + 1);
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        None
    }
}
