//! Parts shared by boards with an RP2040: drivers of the chip, and the tasks that need no others.

mod encoders;
mod flash;
mod interrupt_executor;
mod log;
mod panic;
pub mod tasks;
mod usb;
mod watchdog;

pub use self::{
    encoders::Encoders, flash::Flash, interrupt_executor::start as interrupt_executor, usb::serial,
    watchdog::Watchdog,
};

use embassy_rp::Peripherals;

use self::log::info;

/// Starts the clocks and the stack guard; called once.
///
/// The stack grows towards the static variables. A protected region between them turns an overflow into a
/// hard fault, or into a halt that the watchdog ends. It does what flip-link does without another linker.
pub fn init() -> Peripherals {
    if embassy_rp::install_core0_stack_guard().is_err() {
        info!("no stack guard: memory protection is already in use");
    }
    embassy_rp::init(embassy_rp::config::Config::default())
}
