//! Watchdog and battery.

use embassy_rp::{
    Peri,
    adc::{self, Adc, Blocking, Channel},
    gpio::Pull,
    peripherals::{ADC, PIN_26},
};
use tinystar::{drivers::battery_mv, fault::Fault, robot};

use crate::board::rp2040::Watchdog;

/// Watchdog, and the ADC channel of the battery.
pub struct System {
    watchdog: Watchdog,
    adc: Adc<'static, Blocking>,
    battery: Channel<'static>,
}

impl System {
    /// Sets up the ADC on the battery's pin.
    pub fn new(
        watchdog: Watchdog,
        adc: Peri<'static, ADC>,
        battery: Peri<'static, PIN_26>,
    ) -> Self {
        Self {
            watchdog,
            adc: Adc::new_blocking(adc, adc::Config::default()),
            battery: Channel::new_pin(battery, Pull::None),
        }
    }
}

impl robot::SystemMonitor for System {
    async fn battery_mv(&mut self) -> Option<u32> {
        // Takes 2 us.
        let raw = self.adc.blocking_read(&mut self.battery);
        raw.ok().map(battery_mv)
    }

    fn feed(&mut self) {
        self.watchdog.feed();
    }

    fn reset_cause(&mut self) -> Option<Fault> {
        self.watchdog.reset_cause()
    }
}
