//! Sees that all tasks live and that there is power, and clears faults when a person says so.

use embassy_futures::select::{Either, select};
use embassy_time::Ticker;

use crate::{
    config::{BATTERY_ABSENT_MV, BATTERY_LOW_MV, BATTERY_LOW_READINGS, SUPERVISE_PERIOD},
    fault::Fault,
    report::Frame,
    robot::Guard,
    signals::Signals,
};

/// Watches over the others for ever. The watchdog is fed only when every task has checked in.
pub async fn supervise(signals: &Signals, guard: &mut impl Guard) -> ! {
    if let Some(fault) = guard.restarted_by() {
        signals.raise(fault);
    }
    let mut ticker = Ticker::every(SUPERVISE_PERIOD);
    let mut low = 0;
    loop {
        match select(ticker.next(), signals.clear.wait()).await {
            Either::First(()) => {
                if signals.all_alive() {
                    guard.feed();
                }
                let battery = guard
                    .battery_mv()
                    .await
                    .filter(|&mv| mv >= BATTERY_ABSENT_MV);
                signals.set_battery_mv(battery);
                low = match battery {
                    Some(mv) if mv < BATTERY_LOW_MV => low + 1,
                    _ => 0,
                };
                if low >= BATTERY_LOW_READINGS {
                    low = 0;
                    signals.raise(Fault::Battery);
                }
            }
            Either::Second(()) => {
                if signals.fault().is_some() {
                    signals.forget_fault();
                    signals.tell(Frame::Cleared);
                    signals.cleared.signal(());
                }
            }
        }
    }
}
