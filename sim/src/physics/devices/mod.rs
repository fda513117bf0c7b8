//! What the robot's tasks are given instead of a board.

mod drive;
mod flash;
mod panel;
mod proximity;
mod serial;
mod system_monitor;

pub use drive::{SimMotors, SimOdometry};
pub use flash::{FlashMemory, OutOfRange, SimFlash};
pub use panel::{ButtonPress, PanelState, SimPanel};
pub use proximity::SimProximity;
pub use serial::{Cable, Rx, Tx};
pub use system_monitor::SimSystemMonitor;

use std::{
    cell::{Ref, RefCell, RefMut},
    rc::Rc,
};

use embassy_time::Instant;

use super::model::PhysicsModel;

/// The arena that all parts of a robot share, as late as the clock says.
///
/// The clock of a run begins when the arena does.
#[derive(Clone, Debug)]
pub struct SharedModel(Rc<RefCell<PhysicsModel>>);

impl SharedModel {
    /// Shares an arena.
    #[must_use]
    pub fn new(arena: PhysicsModel) -> Self {
        Self(Rc::new(RefCell::new(arena)))
    }

    /// The arena as it is now. It must be let go before anybody else asks.
    pub fn now(&self) -> RefMut<'_, PhysicsModel> {
        let mut arena = self.0.borrow_mut();
        arena.advance(Instant::now().as_micros());
        arena
    }

    /// The arena as it was when somebody last asked.
    #[must_use]
    pub fn as_it_was(&self) -> Ref<'_, PhysicsModel> {
        self.0.borrow()
    }
}
