//! Raspberry Pi Pico robot: two H-bridges, two encoders, three distance sensors, a button.
//!
//! | device | pins | peripheral |
//! |---|---|---|
//! | left motor, H-bridge inputs 1 and 2 | 10, 11 | PWM slice 5 |
//! | right motor, H-bridge inputs 1 and 2 | 12, 13 | PWM slice 6 |
//! | left encoder A, B | 2, 3 | PIO 0 |
//! | right encoder A, B | 4, 5 | PIO 0 |
//! | left, front, right distance (Sharp, analog) | 26, 27, 28 | ADC 0, 1, 2 |
//! | start button, to ground | 14 | |
//! | stop button | BOOTSEL | |
//! | LED | 25 | |
//!
//! A wheel turns forward when input 1 of its bridge is high; A then leads B. If a wheel turns the wrong
//! way, swap the motor's wires; if it counts the wrong way, swap A and B.

use embassy_rp::{
    Peri, Peripherals,
    adc::{self, Adc, Blocking, Channel},
    bind_interrupts,
    bootsel::is_bootsel_pressed,
    gpio::{Input, Level, Output, Pull},
    peripherals::{BOOTSEL, FLASH, PIO0, USB},
    pio,
    pwm::{Config, Pwm, PwmOutput},
    usb,
};
use embassy_time::Instant;
use tinystar::{
    boards::PICO,
    drivers::{h_bridge::Bridge, sharp_ir, wheel_odometry},
    robot::{self, Buttons, Distances, Duty, Reading, Screen, SensorError},
};

use super::rp2040::{Encoders, Watchdog, tasks::board_tasks};

bind_interrupts! {
    /// Interrupts of the drivers.
    pub struct Interrupts {
        PIO0_IRQ_0 => pio::InterruptHandler<PIO0>;
        USBCTRL_IRQ => usb::InterruptHandler<USB>;
    }
}

/// PWM steps: 20.8 kHz at 125 MHz, above hearing.
const STEPS: u16 = 6000;

/// Devices of the robot.
pub struct Pico {
    pub proximity: Proximity,
    pub odometry: Odometry,
    pub motors: Motors,
    pub panel: Panel,
    pub system: Watchdog,
    pub flash: Peri<'static, FLASH>,
    pub usb: Peri<'static, USB>,
}

impl Pico {
    /// Sets up the devices, with the motors off.
    pub fn new(p: Peripherals) -> Self {
        let mut power = Config::default();
        power.top = STEPS - 1;
        let left = Pwm::new_output_ab(p.PWM_SLICE5, p.PIN_10, p.PIN_11, power.clone());
        let right = Pwm::new_output_ab(p.PWM_SLICE6, p.PIN_12, p.PIN_13, power);
        Self {
            motors: Motors([left, right].map(bridge)),
            system: Watchdog::start(p.WATCHDOG),
            proximity: Proximity {
                adc: Adc::new_blocking(p.ADC, adc::Config::default()),
                sensors: [
                    Channel::new_pin(p.PIN_26, Pull::None),
                    Channel::new_pin(p.PIN_27, Pull::None),
                    Channel::new_pin(p.PIN_28, Pull::None),
                ],
            },
            odometry: Odometry {
                encoders: Encoders::new(p.PIO0, Interrupts, (p.PIN_2, p.PIN_3), (p.PIN_4, p.PIN_5)),
                last: None,
            },
            panel: Panel {
                start: Input::new(p.PIN_14, Pull::Up),
                stop: p.BOOTSEL,
                led: Output::new(p.PIN_25, Level::Low),
            },
            flash: p.FLASH,
            usb: p.USB,
        }
    }
}

board_tasks!(Pico is "Pico robot", PICO: sense(Proximity), drive(Odometry, Motors), panel(Panel), supervise(Watchdog));

/// Left and right motor.
pub struct Motors([Bridge<PwmOutput<'static>>; 2]);

/// Bridge on the two outputs of a PWM slice.
fn bridge(pwm: Pwm<'static>) -> Bridge<PwmOutput<'static>> {
    // The slice was created with both outputs.
    let (Some(forward), Some(backward)) = pwm.split() else {
        unreachable!()
    };
    Bridge::new(forward, backward)
}

impl robot::Drive for Motors {
    fn set(&mut self, left: Duty, right: Duty) {
        for (motor, duty) in self.0.iter_mut().zip([left, right]) {
            motor.set(duty);
        }
    }

    fn off(&mut self) {
        self.0.iter_mut().for_each(Bridge::off);
    }
}

/// Distance sensors.
pub struct Proximity {
    adc: Adc<'static, Blocking>,
    /// Left, front, right.
    sensors: [Channel<'static>; 3],
}

impl robot::Proximity for Proximity {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let taken = Instant::now();
        let mut raw = [0; 3];
        for (raw, sensor) in raw.iter_mut().zip(&mut self.sensors) {
            *raw = self.adc.blocking_read(sensor).map_err(|_| SensorError)?;
        }
        let [left, front, right] = raw.map(|raw| Some(sharp_ir::distance(raw)));
        Ok(Reading {
            distances: Distances { left, front, right },
            raw,
            taken,
        })
    }
}

/// Encoders; without a gyro, the yaw rate comes from the wheels.
pub struct Odometry {
    encoders: Encoders,
    /// Counts and time of the last yaw rate.
    last: Option<([i32; 2], Instant)>,
}

impl robot::Odometry for Odometry {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        self.encoders.counts()
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        let counts @ [left, right] = self.encoders.counts()?;
        let now = Instant::now();
        let Some(([left_before, right_before], then)) = self.last.replace((counts, now)) else {
            return Ok(0);
        };
        let difference = left
            .wrapping_sub(left_before)
            .wrapping_sub(right.wrapping_sub(right_before));
        let micros = now.saturating_duration_since(then).as_micros();
        let calibration = SIGNALS.calibration();
        Ok(wheel_odometry::yaw_rate(difference, micros, &calibration))
    }
}

/// Two buttons and an LED.
pub struct Panel {
    start: Input<'static>,
    stop: Peri<'static, BOOTSEL>,
    led: Output<'static>,
}

impl robot::Panel for Panel {
    async fn buttons(&mut self) -> Buttons {
        Buttons {
            a: self.start.is_low(),
            b: is_bootsel_pressed(self.stop.reborrow()),
            c: false,
        }
    }

    async fn show(&mut self, _: &Screen) {}

    fn led(&mut self, on: bool) {
        self.led.set_level(on.into());
    }

    fn tone(&mut self, _: u32) {}
}
