use serde::Serialize;

/// Inputs of the devices at the chip's pins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inputs {
    /// Wheel speeds, left and right, in encoder counts per second, positive forward.
    pub wheels: [i32; 2],
    /// Left, front and right receiver, each by the left and right LEDs: narrowest pulse with a reflection, in
    /// nanoseconds, or [`DARK`](Self::DARK).
    pub proximity: [[u32; 2]; 3],
    /// Left, front and right analogue distance sensor of a Pico robot, in millivolts.
    pub distances: [u32; 3],
    /// Yaw rate, in thousandths of a degree per second, positive to the left.
    pub gyro: i32,
    /// Battery voltage, in millivolts.
    pub battery: u32,
    /// Buttons A, B and C.
    pub buttons: [bool; 3],
    /// State of the bus to the inertial sensors.
    pub i2c: I2cBus,
    /// True if the robot has a magnetometer.
    pub magnetometer: bool,
    /// True if a desktop is connected by USB.
    pub plugged: bool,
}

/// State of the bus to the inertial sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum I2cBus {
    /// Working.
    #[serde(rename = "ok")]
    Works,
    /// No device responds.
    #[serde(rename = "nack")]
    Silent,
    /// A transfer never ends.
    #[serde(rename = "stuck")]
    Stuck,
}

impl Inputs {
    /// Nothing reflects, however wide the pulses are.
    pub const DARK: u32 = u32::MAX;
}

impl Default for Inputs {
    /// Standing robot without walls, with a full battery, connected by USB.
    fn default() -> Self {
        Self {
            wheels: [0; 2],
            proximity: [[Self::DARK; 2]; 3],
            distances: [0; 3],
            gyro: 0,
            battery: 5_000,
            buttons: [false; 3],
            i2c: I2cBus::Works,
            magnetometer: true,
            plugged: true,
        }
    }
}
