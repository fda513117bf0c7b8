use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Log, bytes};

/// Outputs of the chip in a slice of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Virtual time at the end, since the rig was started.
    pub now: Duration,
    /// Whether the chip has power at the end.
    pub powered: bool,
    /// Mean duty of the left and right motor in the slice, in ten thousandths, positive forward.
    pub duty: [i32; 2],
    /// Cycles in which the processor was active.
    pub cycles: u64,
    /// Bytes from the serial port.
    pub usb: Vec<u8>,
    pub logs: Vec<Log>,
    pub flash: Vec<FlashOperation>,
    /// Events with their virtual time.
    pub events: Vec<(Duration, Event)>,
    /// Durations for which the watched pin was high, in cycles.
    pub laps: Vec<u64>,
}

/// Event of the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The program started.
    Boot(Reset),
    /// The watchdog reset the chip; a boot follows.
    WatchdogReset(Reset),
    /// Hard fault at an address for [`Image::function_at`](crate::Image::function_at); its handler runs next.
    Fault { text: String, pc: u32 },
    /// The chip halted; only a watchdog may reset it.
    Halted(String),
    /// Power was cut by [`cut_power_in_flash_operation`](crate::Emulator::cut_power_in_flash_operation).
    PowerLost,
    /// The firmware used something that is not emulated.
    Unknown { text: String, times: u64 },
}

/// Cause of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    PowerOn,
    Pin,
    /// The watchdog was not fed.
    WatchdogTimer,
    /// The firmware requested a reset by the watchdog.
    WatchdogForced,
}

/// Sector erase or page program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashOperation {
    pub erase: bool,
    /// Offset in flash.
    pub at: u32,
    pub length: u32,
    /// Whether power was lost in the middle.
    pub cut: bool,
}

#[derive(Deserialize)]
struct RawEvent {
    at: u64,
    event: String,
    reason: Option<String>,
    text: Option<String>,
    why: Option<String>,
    times: Option<u64>,
    pc: Option<u32>,
}

#[derive(Deserialize)]
struct RawFlash {
    erase: Option<u32>,
    program: Option<u32>,
    length: u32,
    cut: bool,
}

impl Outputs {
    /// Parses the rig's answer; `decode` decodes the log channel.
    pub(crate) fn read(
        mut answer: Value,
        decode: impl FnOnce(&[u8]) -> Vec<Log>,
    ) -> Result<Self, Error> {
        let misread = |error: serde_json::Error| Error::Answer(error.to_string());
        let now: u64 = serde_json::from_value(answer["now"].take()).map_err(misread)?;
        let events: Vec<RawEvent> =
            serde_json::from_value(answer["events"].take()).map_err(misread)?;
        let flash: Vec<RawFlash> =
            serde_json::from_value(answer["flash"].take()).map_err(misread)?;
        Ok(Self {
            now: Duration::from_nanos(now),
            powered: serde_json::from_value(answer["powered"].take()).map_err(misread)?,
            duty: serde_json::from_value(answer["duty"].take()).map_err(misread)?,
            cycles: serde_json::from_value(answer["cycles"].take()).map_err(misread)?,
            usb: bytes(&answer, "usb")?,
            logs: decode(&bytes(&answer, "rtt")?),
            flash: flash
                .into_iter()
                .map(|raw| FlashOperation {
                    erase: raw.erase.is_some(),
                    at: raw.erase.or(raw.program).unwrap_or_default(),
                    length: raw.length,
                    cut: raw.cut,
                })
                .collect(),
            events: events
                .into_iter()
                .map(|raw| Ok((Duration::from_nanos(raw.at), raw.event()?)))
                .collect::<Result<_, _>>()?,
            laps: serde_json::from_value(answer["laps"].take()).map_err(misread)?,
        })
    }

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
        self.events
            .iter()
            .map(|(_, event)| event)
            .filter(bad)
            .collect()
    }
}

impl RawEvent {
    fn event(self) -> Result<Event, Error> {
        let reset = |reason: Option<String>| match reason.as_deref() {
            Some("power-on") => Ok(Reset::PowerOn),
            Some("reset-pin") => Ok(Reset::Pin),
            Some("watchdog-timer") => Ok(Reset::WatchdogTimer),
            Some("watchdog-forced") => Ok(Reset::WatchdogForced),
            other => Err(Error::Answer(format!("a reset for reason {other:?}"))),
        };
        Ok(match self.event.as_str() {
            "boot" => Event::Boot(reset(self.reason)?),
            "reset" => Event::WatchdogReset(reset(self.reason)?),
            "fault" => Event::Fault {
                text: self.text.unwrap_or_default(),
                pc: self.pc.unwrap_or_default(),
            },
            "halted" => Event::Halted(self.why.unwrap_or_default()),
            "power-lost" => Event::PowerLost,
            "warning" => Event::Unknown {
                text: self.text.unwrap_or_default(),
                times: self.times.unwrap_or_default(),
            },
            other => return Err(Error::Answer(format!("an event called \"{other}\""))),
        })
    }
}
