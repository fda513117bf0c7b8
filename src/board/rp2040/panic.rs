//! Panic and hard fault: switches the motors off, stores the cause, restarts the chip.

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use embassy_rp::pac::{IO_BANK0, PSM, WATCHDOG, io::vals::Outover, psm::regs::Wdsel};
use tinystar::{drivers::reset, fault::Fault};

use super::log::info;

#[panic_handler]
fn panic(message: &PanicInfo) -> ! {
    outputs_off();
    #[cfg(feature = "defmt")]
    let message = defmt::Display2Format(message);
    info!("{}", message);
    restart(Fault::Panic)
}

#[exception]
#[allow(unsafe_code)] // the exception macro requires an unsafe handler; only the hardware calls it
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    outputs_off();
    info!("hard fault");
    restart(Fault::HardFault)
}

/// Disables interrupts and drives every PWM pin low, whoever owns it: motors, LEDs and buzzer.
fn outputs_off() {
    /// Pin function number of PWM.
    const PWM: u8 = 4;
    cortex_m::interrupt::disable();
    for pin in 0..30 {
        let control = IO_BANK0.gpio(pin).ctrl();
        if control.read().funcsel() == PWM {
            control.modify(|pin| pin.set_outover(Outover::LOW));
        }
    }
}

/// Restarts everything but the oscillators, with the cause in a scratch register.
fn restart(fault: Fault) -> ! {
    const OSCILLATORS: u32 = 0b11;
    WATCHDOG.scratch0().write_value(reset::word(fault));
    PSM.wdsel().write_value(Wdsel(0x1_FFFF & !OSCILLATORS));
    WATCHDOG.ctrl().modify(|control| control.set_trigger(true));
    loop {
        cortex_m::asm::nop();
    }
}
