//! What happens when the program cannot go on: motors off, a note for the next run, restart.

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use embassy_rp::pac::{IO_BANK0, PSM, WATCHDOG, io::vals::Outover, psm::regs::Wdsel};
use tinystar::{fault::Fault, parts::restart};

use super::log::info;

#[panic_handler]
fn panic(message: &PanicInfo) -> ! {
    silence();
    #[cfg(feature = "defmt")]
    let message = defmt::Display2Format(message);
    info!("{}", message);
    restart(Fault::Panic)
}

#[exception]
#[allow(unsafe_code)] // the handler of a hard fault is unsafe to call; nobody does
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    silence();
    info!("hard fault");
    restart(Fault::HardFault)
}

/// Nothing moves, shines or sounds from here on: no interrupt comes, and every pin with a PWM signal is
/// low, whoever owns it.
fn silence() {
    /// The number of the PWM among a pin's functions.
    const PWM: u8 = 4;
    cortex_m::interrupt::disable();
    for pin in 0..30 {
        let control = IO_BANK0.gpio(pin).ctrl();
        if control.read().funcsel() == PWM {
            control.modify(|pin| pin.set_outover(Outover::LOW));
        }
    }
}

/// Restarts everything but the oscillators, with a note of why.
fn restart(fault: Fault) -> ! {
    const OSCILLATORS: u32 = 0b11;
    WATCHDOG.scratch0().write_value(restart::note(fault));
    PSM.wdsel().write_value(Wdsel(0x1_FFFF & !OSCILLATORS));
    WATCHDOG.ctrl().modify(|control| control.set_trigger(true));
    loop {
        cortex_m::asm::nop();
    }
}
