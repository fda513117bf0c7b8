use serde_json::{Value, json};

/// What the robot's parts feel: the world, as far as a pin of the chip can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How fast the wheels turn, left and right, in encoder counts per second, positive forward.
    pub wheels: [i32; 2],
    /// For the left, front and right receiver, and for each the left and right LEDs: at how many of the six
    /// pulse widths it sees a reflection. 0: nothing there; 6: so near that the dimmest will do.
    pub proximity: [[u8; 2]; 3],
    /// How fast the robot turns, in thousandths of a degree per second, positive to the left.
    pub gyro: i32,
    /// In millivolts.
    pub battery: u32,
    /// A, B and C pressed.
    pub buttons: [bool; 3],
    /// The state of the bus to the inertial sensors.
    pub i2c: I2cBus,
    /// Whether the magnetometer is there: not every robot has one.
    pub magnetometer: bool,
    /// Whether a desktop is at the other end of the USB cable.
    pub plugged: bool,
}

/// What may be wrong with the bus to the inertial sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum I2cBus {
    /// Nothing.
    Works,
    /// Nobody answers.
    Silent,
    /// A transfer never ends.
    Stuck,
}

impl Default for Inputs {
    /// A robot that stands in an empty place with full batteries, plugged in.
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
