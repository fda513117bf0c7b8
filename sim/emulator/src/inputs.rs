use serde_json::{Value, json};

/// Inputs of the devices at the chip's pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Wheel speeds, left and right, in encoder counts per second, positive forward.
    pub wheels: [i32; 2],
    /// Left, front and right receiver, each by the left and right LEDs: number of the six pulse widths with a
    /// reflection. More is nearer.
    pub proximity: [[u8; 2]; 3],
    /// Yaw rate, in thousandths of a degree per second, positive to the left.
    pub gyro: i32,
    /// Battery voltage, in millivolts.
    pub battery: u32,
    /// Buttons A, B and C.
    pub buttons: [bool; 3],
    /// State of the bus to the inertial sensors.
    pub i2c: I2cBus,
    /// Whether the robot has a magnetometer.
    pub magnetometer: bool,
    /// Whether a desktop is connected by USB.
    pub plugged: bool,
}

/// State of the bus to the inertial sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum I2cBus {
    /// Working.
    Works,
    /// No device responds.
    Silent,
    /// A transfer never ends.
    Stuck,
}

impl Default for Inputs {
    /// Standing robot without walls, with a full battery, connected by USB.
    fn default() -> Self {
        Self {
            wheels: [0; 2],
            proximity: [[0; 2]; 3],
            gyro: 0,
            battery: 5_000,
            buttons: [false; 3],
            i2c: I2cBus::Works,
            magnetometer: true,
            plugged: true,
        }
    }
}

impl Inputs {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "wheels": self.wheels,
            "proximity": self.proximity,
            "gyro": self.gyro,
            "battery": self.battery,
            "buttons": self.buttons,
            "i2c": match self.i2c {
                I2cBus::Works => "ok",
                I2cBus::Silent => "nack",
                I2cBus::Stuck => "stuck",
            },
            "magnetometer": self.magnetometer,
            "plugged": self.plugged,
        })
    }
}
