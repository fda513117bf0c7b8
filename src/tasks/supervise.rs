//! Feeds the watchdog and checks the battery.

use embassy_time::Ticker;

use crate::{
    boards::BoardConfig,
    config::{BATTERY_LOW_READINGS, SUPERVISE_PERIOD, WATCHDOG, WATCHDOG_MOVING},
    fault::Fault,
    robot::SystemMonitor,
    signals::Signals,
};

/// Supervises the other tasks. The watchdog is fed only if every task has checked in, and for a shorter time
/// while the robot moves.
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
        ticker.next().await;
        if signals.all_alive() {
            let is_moving = signals.is_moving();
            system.feed(if is_moving { WATCHDOG_MOVING } else { WATCHDOG });
        }
        let battery = system.battery_mv().await;
        let battery = battery.filter(|&mv| mv >= board.battery_absent_mv);
        signals.set_battery_mv(battery);
        low = match battery {
            // The voltage sags under the load of the motors.
            _ if signals.is_moving() => low,
            Some(mv) if mv < board.battery_low_mv => low + 1,
            _ => 0,
        };
        if low >= BATTERY_LOW_READINGS {
            low = 0;
            signals.raise(Fault::Battery);
        }
    }
}
