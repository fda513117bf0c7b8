//! Raw values of every sensor, and each motor each way: to check a robot that was just built.

use super::{Lines, line};
use crate::{
    robot::{Buttons, Distances, Interval},
    signals::Signals,
    telemetry::{Command, Direction, Motor},
};

/// Device of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BringUp {
    /// Proximity readings.
    Sensors,
    /// Encoders and gyro.
    Odometry,
    /// Buttons.
    Buttons,
    /// A motor in one direction.
    Motor(Motor, Direction),
}

impl BringUp {
    /// Each motor each way.
    pub const MOTORS: [Self; 4] = [
        Self::Motor(Motor::Left, Direction::Forward),
        Self::Motor(Motor::Left, Direction::Backward),
        Self::Motor(Motor::Right, Direction::Forward),
        Self::Motor(Motor::Right, Direction::Backward),
    ];

    /// Command of button A.
    pub fn command(self) -> Option<Command> {
        match self {
            Self::Motor(motor, direction) => Some(Command::Spin(motor, direction)),
            Self::Sensors | Self::Odometry | Self::Buttons => None,
        }
    }

    /// Shows the page.
    pub fn show(
        self,
        signals: &Signals,
        buttons: Buttons,
        [title, first, second, third]: &mut Lines,
    ) {
        let sample = signals.drive_sample();
        let [left, right] = sample.counts;
        match self {
            Self::Sensors => {
                line!(title, "sensors");
                let Some(reading) = signals.wall_reading.try_get() else {
                    line!(first, "no reading");
                    return;
                };
                let Distances { left, front, right } = reading.distances;
                for (text, name, distance) in [
                    (first, "left", left),
                    (second, "front", front),
                    (third, "right", right),
                ] {
                    match distance {
                        Some(Interval { near, far }) if far < Interval::FAR => {
                            line!(text, "{name:5} {}-{} mm", near / 1000, far / 1000);
                        }
                        Some(Interval { near, .. }) => {
                            line!(text, "{name:5} > {} mm", near / 1000);
                        }
                        None => line!(text, "{name:5} unclear"),
                    }
                }
            }
            Self::Odometry => {
                line!(title, "encoders, gyro");
                line!(first, "L {left}");
                line!(second, "R {right}");
                line!(third, "{} mdeg/s", sample.yaw_rate);
            }
            Self::Buttons => {
                line!(title, "buttons");
                let mark = |is_down| if is_down { '#' } else { '-' };
                let Buttons { a, b, c } = buttons;
                line!(first, "A {} B {} C {}", mark(a), mark(b), mark(c));
            }
            Self::Motor(motor, direction) => {
                line!(title, "{motor:?} motor");
                line!(first, "{direction:?}");
                line!(second, "L {left} R {right}");
                line!(third, "A turn    C next");
            }
        }
    }
}
