//! The executor of tasks that cannot wait for the planner: it runs in an interrupt of its own.

use embassy_executor::{InterruptExecutor, SendSpawner};
use embassy_rp::{
    interrupt,
    interrupt::{InterruptExt, Priority},
};

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

/// Starts it, once. Drivers' interrupts come before it.
pub fn start() -> SendSpawner {
    interrupt::SWI_IRQ_0.set_priority(Priority::P2);
    EXECUTOR.start(interrupt::SWI_IRQ_0)
}

#[interrupt]
#[allow(unsafe_code)] // the executor must be polled by its own interrupt, as it is here, and by nothing else
unsafe fn SWI_IRQ_0() {
    unsafe { EXECUTOR.on_interrupt() }
}
