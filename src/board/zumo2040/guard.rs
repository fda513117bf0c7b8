//! The watchdog and the battery.

use embassy_rp::{
    Peri,
    adc::{self, Adc, Blocking, Channel},
    gpio::Pull,
    peripherals::{ADC, PIN_26},
};
use tinystar::{fault::Fault, parts::battery_mv, robot};

use crate::board::rp2040::Watchdog;

/// The watchdog, and a converter that sees the battery.
pub struct Guard {
    watchdog: Watchdog,
    converter: Adc<'static, Blocking>,
    battery: Channel<'static>,
}

impl Guard {
    /// With the pin that sees the battery.
    pub fn new(
        watchdog: Watchdog,
        converter: Peri<'static, ADC>,
        battery: Peri<'static, PIN_26>,
    ) -> Self {
        Self {
            watchdog,
            converter: Adc::new_blocking(converter, adc::Config::default()),
            battery: Channel::new_pin(battery, Pull::None),
        }
    }
}

impl robot::Guard for Guard {
    async fn battery_mv(&mut self) -> Option<u32> {
        // Takes 2 us. A conversion that failed tells nothing.
        let raw = self.converter.blocking_read(&mut self.battery);
        raw.ok().map(battery_mv)
    }

    fn feed(&mut self) {
        self.watchdog.feed();
    }

    fn restarted_by(&mut self) -> Option<Fault> {
        self.watchdog.restarted_by()
    }
}
