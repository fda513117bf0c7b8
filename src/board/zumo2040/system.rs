//! Watchdog and battery.

use embassy_rp::adc::{Adc, Blocking, Channel};
use embassy_time::Duration;
use tinystar::{boards::ZUMO2040, drivers::battery_mv, fault::Fault, robot::SystemMonitor};

use crate::board::rp2040::Watchdog;

/// Watchdog, and the ADC channel of the battery.
pub struct System {
    pub watchdog: Watchdog,
    pub adc: Adc<'static, Blocking>,
    pub battery: Channel<'static>,
}

impl SystemMonitor for System {
    async fn battery_mv(&mut self) -> Option<u32> {
        // Takes 2 us.
        let raw = self.adc.blocking_read(&mut self.battery);
        raw.ok()
            .map(|raw| battery_mv(raw, ZUMO2040.battery_divider))
    }

    fn feed(&mut self, timeout: Duration) {
        self.watchdog.feed(timeout);
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        self.watchdog.reset_cause()
    }
}
