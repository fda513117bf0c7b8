//! Drives both motors forward, then one backward, then stops them.

use embassy_rp::{
    Peripherals,
    gpio::{Level, Output},
    pwm::{Config, Pwm},
};
use embassy_time::Timer;

pub async fn run(p: Peripherals) {
    let mut right_backward = Output::new(p.PIN_10, Level::Low);
    let _left_backward = Output::new(p.PIN_11, Level::Low);
    let mut config = Config::default();
    config.top = 5999;
    let mut motors = Pwm::new_output_ab(p.PWM_SLICE7, p.PIN_14, p.PIN_15, config.clone());
    loop {
        for (right, left, backward) in [
            (1500, 6000, Level::Low),
            (3000, 600, Level::High),
            (0, 0, Level::Low),
        ] {
            right_backward.set_level(backward);
            (config.compare_a, config.compare_b) = (right, left);
            motors.set_config(&config);
            Timer::after_millis(20).await;
        }
    }
}
