//! Reads the proximity sensors, pulse width by pulse width, and logs the six counts.

use embassy_rp::{
    Peripherals,
    gpio::{Input, Pull},
    pwm::{Config, Pwm},
};
use embassy_time::Timer;

/// 56 kHz at 125 MHz.
const TOP: u16 = 2231;
const PULSES: [u16; 6] = [39, 125, 258, 438, 672, 945];

pub async fn run(p: Peripherals) {
    let receivers = [
        Input::new(p.PIN_23, Pull::Up),
        Input::new(p.PIN_27, Pull::Up),
        Input::new(p.PIN_24, Pull::Up),
    ];
    let mut config = Config::default();
    config.top = TOP;
    let mut leds = Pwm::new_output_ab(p.PWM_SLICE0, p.PIN_16, p.PIN_17, config.clone());
    loop {
        let mut seen = [[0u8; 2]; 3];
        for pulse in PULSES {
            for side in 0..2 {
                (config.compare_b, config.compare_a) =
                    if side == 0 { (pulse, 0) } else { (0, pulse) };
                leds.set_config(&config);
                Timer::after_micros(250).await;
                for (receiver, seen) in receivers.iter().zip(&mut seen) {
                    seen[side] += u8::from(receiver.is_low());
                }
                (config.compare_a, config.compare_b) = (0, 0);
                leds.set_config(&config);
                Timer::after_micros(321).await;
                if receivers.iter().any(Input::is_low) {
                    defmt::println!("a receiver sees in the dark");
                }
            }
        }
        let [left, front, right] = seen;
        defmt::println!("{=[u8]} {=[u8]} {=[u8]}", left, front, right);
    }
}
