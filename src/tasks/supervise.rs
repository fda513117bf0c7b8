//! Feeds the watchdog, checks the battery, and clears faults.

use embassy_futures::select::{Either, select};
use embassy_time::Ticker;

use crate::{
    boards::BoardConfig,
    config::{BATTERY_LOW_READINGS, SUPERVISE_PERIOD},
    fault::Fault,
    robot::SystemMonitor,
    signals::Signals,
    telemetry::Frame,
};

/// Supervises the other tasks. The watchdog is fed only if every task has checked in.
pub async fn supervise(
    signals: &Signals,
    board: &BoardConfig,
    system: &mut impl SystemMonitor,
) -> ! {
    if let Some(fault) = system.reset_cause() {
        signals.raise(fault);
    }
    let mut ticker = Ticker::every(SUPERVISE_PERIOD);
    let mut low = 0;
    loop {
        match select(ticker.next(), signals.clear_fault.wait()).await {
            Either::First(()) => {
                if signals.all_alive() {
                    system.feed();
                }
                let battery = system.battery_mv().await;
                let battery = battery.filter(|&mv| mv >= board.battery_absent_mv);
                signals.set_battery_mv(battery);
                low = match battery {
                    Some(mv) if mv < board.battery_low_mv => low + 1,
                    _ => 0,
                };
                if low >= BATTERY_LOW_READINGS {
                    low = 0;
                    signals.raise(Fault::Battery);
                }
            }
            Either::Second(()) => {
                if signals.fault().is_some() {
                    signals.reset_fault();
                    signals.send(Frame::Cleared);
                    signals.fault_cleared.signal(());
                }
            }
        }
    }
}
