//! Simulated devices: the traits of [`tinystar::robot`] on the physics model. Of the proximity sensors only
//! the LEDs and receivers are simulated: the firmware's own driver reads them.

mod drive;
mod flash;
mod infrared;
mod panel;
mod serial;
mod system_monitor;

pub use drive::{SimMotors, SimOdometry};
pub use flash::{Cut, FlashError, FlashMemory, PAGE, PAGES, SimFlash, Tear};
pub use infrared::SimInfrared;
pub use panel::{ButtonPress, SimPanel};
pub use serial::{Rx, SerialCable, Tx};
pub use system_monitor::SimSystemMonitor;

use std::{
    cell::{Ref, RefCell, RefMut},
    rc::Rc,
};

use embassy_time::Instant;

use super::model::PhysicsModel;

/// Physics model shared by the devices of a robot and advanced by the virtual clock, which starts with it.
#[derive(Clone, Debug)]
pub struct SharedModel(Rc<RefCell<PhysicsModel>>);

impl SharedModel {
    /// Shares a model.
    pub fn new(model: PhysicsModel) -> Self {
        Self(Rc::new(RefCell::new(model)))
    }

    /// Model advanced to the current time; must be released before the next call.
    pub fn now(&self) -> RefMut<'_, PhysicsModel> {
        let mut model = self.0.borrow_mut();
        model.advance(Instant::now().as_micros());
        model
    }

    /// Model as of the last call of [`now`](Self::now).
    pub fn last(&self) -> Ref<'_, PhysicsModel> {
        self.0.borrow()
    }
}
