use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, de::Error};

use crate::Log;

/// Outputs of the chip in a slice of time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Outputs {
    /// Virtual time at the end, since the rig was started.
    #[serde(deserialize_with = "nanos")]
    pub now: Duration,
    /// True if the chip has power at the end.
    pub powered: bool,
    /// Mean duty of the left and right motor in the slice, in ten thousandths, positive forward.
    pub duty: [i32; 2],
    /// Cycles in which the processor was active.
    pub cycles: u64,
    /// Bytes from the serial port.
    #[serde(deserialize_with = "base64")]
    pub usb: Vec<u8>,
    #[serde(skip)]
    pub logs: Vec<Log>,
    pub flash: Vec<FlashOperation>,
    /// Events with their virtual time.
    #[serde(deserialize_with = "timed")]
    pub events: Vec<(Duration, Event)>,
    /// Durations for which the watched pin was high, in cycles.
    pub laps: Vec<u64>,
}

/// Event of the chip.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The program started.
    #[serde(deserialize_with = "because")]
    Boot(Reset),
    /// The watchdog reset the chip; a boot follows.
    #[serde(rename = "reset", deserialize_with = "because")]
    WatchdogReset(Reset),
    /// Hard fault at an address for [`Image::function_at`](crate::Image::function_at); its handler runs next.
    Fault {
        #[serde(default)]
        text: String,
        #[serde(default)]
        pc: u32,
    },
    /// The chip halted; only a watchdog may reset it.
    #[serde(deserialize_with = "because")]
    Halted(String),
    /// Power was cut by [`cut_power_in_flash_operation`](crate::Emulator::cut_power_in_flash_operation).
    PowerLost,
    /// The firmware used something that is not emulated.
    #[serde(rename = "warning")]
    Unknown { text: String, times: u64 },
}

/// Cause of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reset {
    PowerOn,
    #[serde(rename = "reset-pin")]
    Pin,
    /// The watchdog was not fed.
    WatchdogTimer,
    /// The firmware requested a reset by the watchdog.
    WatchdogForced,
}

/// Operation of the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct FlashOperation {
    #[serde(flatten)]
    pub kind: FlashOperationKind,
    pub length: u32,
    /// True if power was lost in the middle.
    pub cut: bool,
}

/// Kind of an operation, with its offset in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlashOperationKind {
    /// Erase of a sector.
    Erase(u32),
    /// Program of a page.
    Program(u32),
}

fn nanos<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_nanos)
}

fn base64<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    BASE64_STANDARD.decode(text).map_err(D::Error::custom)
}

fn timed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(Duration, Event)>, D::Error> {
    #[derive(Deserialize)]
    struct Timed {
        #[serde(deserialize_with = "nanos")]
        at: Duration,
        #[serde(flatten)]
        event: Event,
    }
    let events = Vec::<Timed>::deserialize(from)?.into_iter();
    Ok(events.map(|timed| (timed.at, timed.event)).collect())
}

fn because<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    #[derive(Deserialize)]
    struct Because<T> {
        #[serde(alias = "why")]
        reason: T,
    }
    Because::deserialize(from).map(|because| because.reason)
}

impl Outputs {
    /// Appends later outputs.
    pub(crate) fn append(&mut self, later: Self) {
        self.now = later.now;
        self.powered = later.powered;
        self.duty = later.duty;
        self.cycles += later.cycles;
        self.usb.extend(later.usb);
        self.logs.extend(later.logs);
        self.flash.extend(later.flash);
        self.events.extend(later.events);
        self.laps.extend(later.laps);
    }

    /// Texts of all logs.
    pub fn texts(&self) -> Vec<&str> {
        self.logs.iter().map(|log| log.text.as_str()).collect()
    }

    /// Faults and halts.
    pub fn faults(&self) -> Vec<&Event> {
        let bad = |event: &&Event| matches!(event, Event::Fault { .. } | Event::Halted(_));
        let events = self.events.iter().map(|(_, event)| event);
        events.filter(bad).collect()
    }
}
