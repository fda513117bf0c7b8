//! Uses a known amount of stack, waits for SysTick, panics.

use core::hint::black_box;

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;

/// Bytes of stack that `deep` uses at least.
const DEPTH: usize = 5000;

#[inline(never)]
fn deep() -> u8 {
    let mut bytes = [0u8; DEPTH];
    for (i, byte) in black_box(&mut bytes).iter_mut().enumerate() {
        *byte = i as u8;
    }
    black_box(&bytes)[DEPTH - 1]
}

#[exception]
fn SysTick() {
    defmt::println!("tick");
}

pub fn run() {
    defmt::println!("deep: {=u8}", deep());
    let mut core = defmt::unwrap!(cortex_m::Peripherals::take());
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(1_250_000);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
    cortex_m::asm::wfi();
    core.SYST.disable_interrupt();
    panic!("as it should");
}
