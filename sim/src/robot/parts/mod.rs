//! What the robot's tasks are given instead of a board.

mod flash;
mod guard;
mod motion;
mod panel;
mod port;
mod sight;

pub use flash::{Chip, Flash, OutOfRange};
pub use guard::Watchdog;
pub use motion::{Motors, Wheels};
pub use panel::{Front, Press, Shown};
pub use port::{Cable, Rx, Tx};
pub use sight::Eyes;

use std::{
    cell::{Ref, RefCell, RefMut},
    rc::Rc,
};

use embassy_time::Instant;

use super::arena::Arena;

/// The arena that all parts of a robot share, as late as the clock says.
///
/// The clock of a run begins when the arena does.
#[derive(Clone, Debug)]
pub struct Shared(Rc<RefCell<Arena>>);

impl Shared {
    /// Shares an arena.
    #[must_use]
    pub fn new(arena: Arena) -> Self {
        Self(Rc::new(RefCell::new(arena)))
    }

    /// The arena as it is now. It must be let go before anybody else asks.
    pub fn now(&self) -> RefMut<'_, Arena> {
        let mut arena = self.0.borrow_mut();
        arena.advance(Instant::now().as_micros());
        arena
    }

    /// The arena as it was when somebody last asked.
    #[must_use]
    pub fn as_it_was(&self) -> Ref<'_, Arena> {
        self.0.borrow()
    }
}
