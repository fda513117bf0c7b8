//! What boards with an RP2040 share: the chip's own parts, and the tasks that need no other.

mod encoders;
mod flash;
mod guard;
mod log;
mod rescue;
pub mod tasks;
mod urgent;
mod usb;

pub use self::{encoders::Encoders, guard::Watchdog, urgent::start as urgent, usb::serial};

use embassy_rp::Peripherals;

use self::log::info;

/// Starts the clocks and guards the stack; called once.
///
/// Below the stack are variables, and a stack that grows into them would change them unseen. So the last
/// bytes above them are closed: touched, they are a hard fault, or a halt that the watchdog ends if there
/// is no room left for the fault itself. This is what flip-link is for, without another linker to install.
pub fn init() -> Peripherals {
    if embassy_rp::install_core0_stack_guard().is_err() {
        info!("the stack is not guarded: somebody else has set up memory protection");
    }
    embassy_rp::init(embassy_rp::config::Config::default())
}
