//! Executor in an interrupt, for tasks that preempt the planner.

use embassy_executor::{InterruptExecutor, SendSpawner};
use embassy_rp::{
    interrupt,
    interrupt::{InterruptExt, Priority},
};

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

/// Starts the executor, once, below the priority of the drivers' interrupts.
pub fn start() -> SendSpawner {
    interrupt::SWI_IRQ_0.set_priority(Priority::P2);
    EXECUTOR.start(interrupt::SWI_IRQ_0)
}

#[interrupt]
#[allow(unsafe_code)] // polled by its own interrupt only
unsafe fn SWI_IRQ_0() {
    unsafe { EXECUTOR.on_interrupt() }
}
