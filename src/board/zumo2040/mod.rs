//! The Pololu Zumo 2040.
//!
//! | device | pins | peripheral |
//! |---|---|---|
//! | motors | PWM 14 right, 15 left; direction 10 right, 11 left | PWM slice 7 |
//! | encoders | 12, 13 left; 8, 9 right | PIO 0 |
//! | proximity | LEDs 17 left, 16 right; receivers 23 left, 27 front, 24 right | PWM slice 0 |
//! | gyro | 4 data, 5 clock | I2C 0 |
//! | display | 0 data or command, 1 reset, 2 clock, 3 data | SPI 0, DMA 0 |
//! | button A and LED | 25 | |
//! | button B | BOOTSEL | |
//! | button C | 0, shared with the display | |
//! | buzzer | 7 | PWM slice 3 |
//! | battery | 26 | ADC 0 |
//!
//! Pins 6 and 18 to 22 (RGB LEDs, line sensors) are not used.

mod display;
mod imu;
mod motors;
mod odometry;
mod panel;
mod proximity;
mod system;

use embassy_rp::{
    Peri, Peripherals,
    adc::{self, Adc, Channel},
    bind_interrupts, dma,
    gpio::{Flex, Input, Level, Output, Pull},
    i2c,
    peripherals::{DMA_CH0, FLASH, I2C0, PIO0, USB},
    pio,
    pwm::{self, Pwm},
    spi::{self, Spi},
    usb,
};
use tinystar::{boards::ZUMO2040, drivers::proximity::PulsedProximity};

use self::{
    display::Display,
    imu::imu,
    motors::Motors,
    odometry::Odometry,
    panel::Panel,
    proximity::{Infrared, Proximity},
    system::System,
};
use super::rp2040::{Encoders, Watchdog, tasks::board_tasks};

bind_interrupts! {
    /// Interrupts of the drivers.
    pub struct Interrupts {
        DMA_IRQ_0 => dma::InterruptHandler<DMA_CH0>;
        I2C0_IRQ => i2c::InterruptHandler<I2C0>;
        PIO0_IRQ_0 => pio::InterruptHandler<PIO0>;
        USBCTRL_IRQ => usb::InterruptHandler<USB>;
    }
}

/// Devices of the robot.
pub struct Zumo {
    pub proximity: Proximity,
    pub odometry: Odometry,
    pub motors: Motors,
    pub panel: Panel,
    pub system: System,
    pub flash: Peri<'static, FLASH>,
    pub usb: Peri<'static, USB>,
}

impl Zumo {
    /// Sets up the devices, with the motors off.
    pub fn new(p: Peripherals) -> Self {
        let off = pwm::Config::default();
        let spi = spi::Config::default();
        let spi = Spi::new_txonly(p.SPI0, p.PIN_2, p.PIN_3, p.DMA_CH0, Interrupts, spi);
        Self {
            motors: Motors::new(
                Pwm::new_output_ab(p.PWM_SLICE7, p.PIN_14, p.PIN_15, off.clone()),
                [
                    Output::new(p.PIN_11, Level::Low),
                    Output::new(p.PIN_10, Level::Low),
                ],
            ),
            system: System {
                watchdog: Watchdog::start(p.WATCHDOG),
                adc: Adc::new_blocking(p.ADC, adc::Config::default()),
                battery: Channel::new_pin(p.PIN_26, Pull::None),
            },
            proximity: PulsedProximity::new(
                Infrared::new(
                    Pwm::new_output_ab(p.PWM_SLICE0, p.PIN_16, p.PIN_17, off.clone()),
                    [
                        Input::new(p.PIN_23, Pull::Up),
                        Input::new(p.PIN_27, Pull::Up),
                        Input::new(p.PIN_24, Pull::Up),
                    ],
                ),
                &ZUMO2040.calibration,
            ),
            odometry: Odometry {
                encoders: Encoders::new(
                    p.PIO0,
                    Interrupts,
                    (p.PIN_12, p.PIN_13),
                    (p.PIN_8, p.PIN_9),
                ),
                imu: imu(p.I2C0, p.PIN_5, p.PIN_4, Interrupts),
            },
            panel: Panel::new(
                Display::new(spi, Flex::new(p.PIN_0), Output::new(p.PIN_1, Level::Low)),
                Flex::new(p.PIN_25),
                p.BOOTSEL,
                Pwm::new_output_b(p.PWM_SLICE3, p.PIN_7, off),
            ),
            flash: p.FLASH,
            usb: p.USB,
        }
    }
}

board_tasks!(Zumo is "Zumo 2040", ZUMO2040: sense(Proximity), drive(Odometry, Motors), panel(Panel), supervise(System));
