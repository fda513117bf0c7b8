//! Buttons, display, LED and buzzer.

use embassy_rp::{
    Peri,
    bootsel::is_bootsel_pressed,
    clocks::clk_sys_freq,
    gpio::{Flex, Pull},
    peripherals::BOOTSEL,
    pwm::{Config, Pwm},
};
use embassy_time::{Duration, block_for};
use tinystar::robot::{self, Buttons, Screen};

use super::display::Display;

/// Clock divider of the buzzer.
const DIVIDER: u8 = 64;

/// Buttons, display, LED and buzzer.
pub struct Panel {
    display: Display,
    /// LED, on when low; button A pulls the floating pin low.
    led: Flex<'static>,
    bootsel: Peri<'static, BOOTSEL>,
    buzzer: Pwm<'static>,
}

impl Panel {
    /// Panel with LED and buzzer off.
    pub fn new(
        display: Display,
        mut led: Flex<'static>,
        bootsel: Peri<'static, BOOTSEL>,
        buzzer: Pwm<'static>,
    ) -> Self {
        led.set_pull(Pull::Up);
        led.set_high();
        led.set_as_output();
        Self {
            display,
            led,
            bootsel,
            buzzer,
        }
    }

    fn is_a_down(&mut self) -> bool {
        self.led.set_as_input();
        block_for(Duration::from_micros(2));
        let is_down = self.led.is_low();
        self.led.set_as_output();
        is_down
    }
}

impl robot::Panel for Panel {
    async fn buttons(&mut self) -> Buttons {
        Buttons {
            a: self.is_a_down(),
            b: is_bootsel_pressed(self.bootsel.reborrow()),
            c: self.display.button(),
        }
    }

    async fn show(&mut self, screen: &Screen) {
        self.display.show(screen).await;
    }

    fn led(&mut self, on: bool) {
        self.led.set_level((!on).into());
    }

    fn tone(&mut self, hertz: u32) {
        self.buzzer.set_config(&note(hertz));
    }
}

/// PWM of a square wave in hertz; zero is silence.
fn note(hertz: u32) -> Config {
    let mut config = Config::default();
    config.divider = DIVIDER.into();
    if let Some(steps) = (clk_sys_freq() / u32::from(DIVIDER)).checked_div(hertz) {
        config.top = u16::try_from(steps).unwrap_or(u16::MAX);
        config.compare_b = config.top / 2;
    }
    config
}
