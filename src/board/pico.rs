//! A bare Raspberry Pi Pico on wheels: two H-bridges, two encoders, three distance sensors, a button.
//!
//! | part | pins | of the chip |
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
//! A wheel goes forward when input 1 of its bridge is high, and its A then comes before its B. If one
//! goes the wrong way, swap the motor's wires; if it counts the wrong way, swap A and B.

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
    fault::Fault,
    parts::{bridge::Bridge, sharp, wheels},
    robot::{self, Buttons, Duty, NoReading, Reading, Screen, Tone},
};

use super::rp2040::{
    Encoders, Watchdog,
    tasks::{SIGNALS, board_tasks},
};

bind_interrupts! {
    /// Interrupts of the drivers.
    pub struct Interrupts {
        PIO0_IRQ_0 => pio::InterruptHandler<PIO0>;
        USBCTRL_IRQ => usb::InterruptHandler<USB>;
    }
}

/// Steps of power: at 125 MHz they make 20.8 kHz, which nobody hears.
const STEPS: u16 = 6000;

/// The robot's parts.
pub struct Pico {
    pub proximity: Proximity,
    pub odometry: Odometry,
    pub motors: Motors,
    pub panel: Panel,
    pub guard: Guard,
    pub flash: Peri<'static, FLASH>,
    pub usb: Peri<'static, USB>,
}

impl Pico {
    /// Takes the chip's pins apart; motors are off.
    pub fn new(p: Peripherals) -> Self {
        let mut power = Config::default();
        power.top = STEPS - 1;
        let left = Pwm::new_output_ab(p.PWM_SLICE5, p.PIN_10, p.PIN_11, power.clone());
        let right = Pwm::new_output_ab(p.PWM_SLICE6, p.PIN_12, p.PIN_13, power);
        Self {
            motors: Motors([left, right].map(bridge)),
            guard: Guard(Watchdog::start(p.WATCHDOG)),
            proximity: Proximity {
                converter: Adc::new_blocking(p.ADC, adc::Config::default()),
                left: Channel::new_pin(p.PIN_26, Pull::None),
                front: Channel::new_pin(p.PIN_27, Pull::None),
                right: Channel::new_pin(p.PIN_28, Pull::None),
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

board_tasks!(Pico is "Pico robot": sense(Proximity), drive(Odometry, Motors), panel(Panel), supervise(Guard));

/// Both motors, the left one first.
pub struct Motors([Bridge<PwmOutput<'static>>; 2]);

/// The bridge whose inputs are the two outputs of a slice.
fn bridge(pwm: Pwm<'static>) -> Bridge<PwmOutput<'static>> {
    // Both were made with the slice.
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

/// Three distance sensors.
pub struct Proximity {
    converter: Adc<'static, Blocking>,
    left: Channel<'static>,
    front: Channel<'static>,
    right: Channel<'static>,
}

impl robot::Proximity for Proximity {
    async fn read(&mut self) -> Result<Reading, NoReading> {
        let taken = Instant::now();
        let mut look = |sensor| {
            let raw = self.converter.blocking_read(sensor);
            raw.map(sharp::distance_mm).map_err(|_| NoReading)
        };
        let (left, front, right) = (
            look(&mut self.left)?,
            look(&mut self.front)?,
            look(&mut self.right)?,
        );
        Ok(Reading {
            levels: sharp::levels(left, front, right),
            taken,
        })
    }
}

/// Encoders, and no gyro: how the robot turns is what its wheels say.
pub struct Odometry {
    encoders: Encoders,
    /// What the wheels said when the turn was asked for last, and when that was.
    last: Option<([i32; 2], Instant)>,
}

impl robot::Odometry for Odometry {
    async fn counts(&mut self) -> Result<[i32; 2], NoReading> {
        self.encoders.counts()
    }

    async fn yaw_rate(&mut self) -> Result<i32, NoReading> {
        let counts @ [left, right] = self.encoders.counts()?;
        let now = Instant::now();
        let Some(([left_before, right_before], then)) = self.last.replace((counts, now)) else {
            return Ok(0);
        };
        let gone = |now: i32, then| now.wrapping_sub(then);
        let more = gone(left, left_before).wrapping_sub(gone(right, right_before));
        let micros = now.saturating_duration_since(then).as_micros();
        Ok(wheels::clockwise(more, micros, &SIGNALS.calibration()))
    }
}

/// Two buttons and a lamp.
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

    async fn play(&mut self, _: Tone) {}
}

/// The watchdog; what powers the robot is not known.
pub struct Guard(Watchdog);

impl robot::Guard for Guard {
    async fn battery_mv(&mut self) -> Option<u32> {
        None
    }

    fn feed(&mut self) {
        self.0.feed();
    }

    fn restarted_by(&mut self) -> Option<Fault> {
        self.0.restarted_by()
    }
}
