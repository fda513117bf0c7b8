//! Feeds the watchdog five times, then no more.

use embassy_rp::{
    Peripherals,
    watchdog::{ResetReason, Watchdog},
};
use embassy_time::{Duration, Timer};

pub async fn run(p: Peripherals) {
    let mut watchdog = Watchdog::new(p.WATCHDOG);
    defmt::println!(
        "{=str}, boot {=u32}",
        match watchdog.reset_reason() {
            None => "power",
            Some(ResetReason::TimedOut) => "time-out",
            Some(ResetReason::Forced) => "forced",
        },
        watchdog.get_scratch(0)
    );
    let boot = watchdog.get_scratch(0) + 1;
    watchdog.set_scratch(0, boot);
    if boot == 2 {
        watchdog.trigger_reset();
    }
    let time = Duration::from_millis(100);
    watchdog.start(time);
    for _ in 0..5 {
        Timer::after_millis(60).await;
        watchdog.feed(time);
    }
    defmt::println!("hungry");
    core::future::pending().await
}
