//! Emulator of the RP2040 on a Zumo 2040 or on a Pico robot: runs the image that a user flashes, unchanged.
//!
//! ```text
//!  ELF file --> Image --+                       +--> duty, USB bytes, logs, flash operations, resets
//!                       +--> Emulator::run -----+
//!  Inputs --------------+    a slice of time    +--> cycles, display, profile, stack
//!  wheels, walls, buttons         |
//!                                 v
//!                     rig: Node and rp2040js in a child process (rig/)
//! ```
//!
//! The chip and the devices at its pins run in the child process; the world and the robot's physics stay here.
//! Time is virtual and passes only in [`Emulator::run`], so runs are reproducible and waits are bounded. A
//! world is connected by [`Surroundings`]:
//!
//! ```no_run
//! use std::time::Duration;
//! use emulator::{Emulator, Image, Inputs, Outputs, Surroundings};
//!
//! struct Bench; // Wheels in the air turn as fast as they are driven.
//! impl Surroundings for Bench {
//!     fn after(&mut self, outputs: &Outputs, _slice: Duration) -> Inputs {
//!         let wheels = outputs.duty.map(|duty| duty * 6_800 / 10_000);
//!         Inputs { wheels, ..Inputs::default() }
//!     }
//! }
//!
//! let mut emulator = Emulator::start(Image::read("target/thumbv6m-none-eabi/release/tinystar")?)?;
//! emulator.power_on()?;
//! let slice = Duration::from_millis(1);
//! loop {
//!     let outputs = emulator.run(slice)?;
//!     *emulator.inputs_mut() = Bench.after(&outputs, slice);
//!     if !outputs.faults().is_empty() {
//!         break;
//!     }
//! }
//! # Ok::<(), emulator::Error>(())
//! ```

mod counters;
mod error;
mod image;
mod inputs;
mod logs;
mod outputs;
mod picture;
mod profile;
mod rig;

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

pub use counters::{Add, Counter, Largest};
pub use error::Error;
pub use image::{Image, Section};
pub use inputs::{I2cBus, Inputs};
pub use logs::Log;
pub use outputs::{Event, FlashOperation, FlashOperationKind, Outputs, Reset};
pub use picture::Picture;
pub use profile::{FunctionCycles, Profile};
pub use rig::{Board, Setup};

use logs::Logs;
use rig::Rig;

/// Cycles at 125 MHz that the core waits for a line of flash, 8 bytes, that is not in the cache: 28 periods of a quad
/// interface at half the system clock, 8 for the address, 4 dummy ones and 16 for the data. A real part takes some more.
pub const FLASH_MISS_CYCLES: u32 = 56;

/// Calls of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Calls {
    /// Address of the function.
    pub function: u32,
    /// Calls that ended.
    pub calls: u64,
    /// Cycles of the longest of them: all that it called included, all that interrupted it left out.
    pub longest: u64,
}

/// Environment of the robot: a simulated world or a test bench.
pub trait Surroundings {
    /// Inputs of the chip after a `slice` with these `outputs`.
    fn after(&mut self, outputs: &Outputs, slice: Duration) -> Inputs;
}

/// Robot with an emulated chip and an image in flash; off at first.
pub struct Emulator {
    rig: Rig,
    image: Image,
    logs: Logs,
    inputs: Inputs,
    /// Bytes for the USB port in the next slice.
    to_send: Vec<u8>,
}

impl Emulator {
    /// Starts the rig of this repository with `image` in flash.
    pub fn start(image: Image) -> Result<Self, Error> {
        Self::start_with(&Setup::default(), image)
    }

    /// Starts the rig that `setup` names with `image` in flash.
    pub fn start_with(setup: &Setup, image: Image) -> Result<Self, Error> {
        let mut rig = Rig::start(setup)?;
        let segments = image.segments().iter();
        let segments =
            segments.map(|(at, data)| json!({ "at": at, "data": BASE64_STANDARD.encode(data) }));
        rig.tell(json!({
            "do": "load",
            "segments": segments.collect::<Vec<_>>(),
            "rtt": image.symbol(image::LOG_CHANNEL),
            "stack": image.stack().map(|stack| [stack.start, stack.end]),
        }))?;
        Ok(Self {
            rig,
            logs: Logs::default(),
            inputs: Inputs::default(),
            to_send: Vec::new(),
            image,
        })
    }

    /// The image in flash.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Switches power on: the chip boots with the next [`run`](Self::run). RAM is zero except a painted stack.
    pub fn power_on(&mut self) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "power", "on": true }))
    }

    /// Switches power off at once. Flash keeps its content.
    pub fn power_off(&mut self) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "power", "on": false }))
    }

    /// Presses reset: the chip boots again with its RAM preserved.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "reset" }))
    }

    /// Cuts power in the middle of the `operations`th flash operation from now (sector erase or page program),
    /// which is then half done. Reported as [`Event::PowerLost`].
    pub fn cut_power_in_flash_operation(&mut self, operations: u32) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "cut", "after": operations }))
    }

    /// Makes the core wait for flash: `miss_cycles` for each line that is not in the cache, such as
    /// [`FLASH_MISS_CYCLES`]. From the next boot on; at first it never waits.
    pub fn set_flash_waits(&mut self, miss_cycles: u32) -> Result<(), Error> {
        self.rig
            .tell(json!({ "do": "flash", "missCycles": miss_cycles }))
    }

    /// Inputs of the next slice.
    pub fn inputs_mut(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// Sends `bytes` to the serial port as soon as it is open.
    pub fn send(&mut self, bytes: &[u8]) {
        self.to_send.extend(bytes);
    }

    /// Runs for a `slice` of virtual time.
    pub fn run(&mut self, slice: Duration) -> Result<Outputs, Error> {
        let mut inputs = json!(self.inputs);
        if !self.to_send.is_empty() {
            inputs["usb"] = BASE64_STANDARD.encode(&self.to_send).into();
            self.to_send.clear();
        }
        let nanos = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
        let run = json!({ "do": "run", "nanos": nanos, "inputs": inputs });
        let answer = self.rig.ask(run)?;
        let logs = self.logs.decode(&self.image, &bytes(&answer, "rtt")?);
        let outputs = read(answer)?;
        Ok(Outputs { logs, ..outputs })
    }

    /// Runs in slices until `done`, and returns all outputs. `what` names the awaited event in the error after
    /// `limit` of virtual time.
    pub fn run_until(
        &mut self,
        slice: Duration,
        limit: Duration,
        what: &str,
        mut done: impl FnMut(&Outputs) -> bool,
    ) -> Result<Outputs, Error> {
        let mut all = Outputs::default();
        let mut passed = Duration::ZERO;
        while passed < limit {
            let outputs = self.run(slice)?;
            passed += slice;
            let end = done(&outputs);
            all.append(outputs);
            if end {
                return Ok(all);
            }
        }
        Err(Error::TooLate {
            what: what.to_owned(),
            limit,
        })
    }

    /// Picture on the display.
    pub fn picture(&mut self) -> Result<Picture, Error> {
        let answer = self.rig.ask(json!({ "do": "display" }))?;
        Picture::new(bytes(&answer, "picture")?)
    }

    /// Reads flash, or RAM while the chip is on.
    pub fn read(&mut self, at: u32, length: usize) -> Result<Vec<u8>, Error> {
        let answer = self
            .rig
            .ask(json!({ "do": "read", "at": at, "length": length }))?;
        bytes(&answer, "data")
    }

    /// Writes flash, or RAM while the chip is on, without the firmware.
    pub fn write(&mut self, at: u32, data: &[u8]) -> Result<(), Error> {
        let data = BASE64_STANDARD.encode(data);
        self.rig
            .tell(json!({ "do": "write", "at": at, "data": data }))
    }

    /// Measures from now on how long `pin` is high each time, in cycles: [`Outputs::laps`].
    pub fn watch(&mut self, pin: u8) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "watch", "pin": pin }))
    }

    /// Starts counting cycles per function.
    pub fn start_profile(&mut self) -> Result<(), Error> {
        self.rig.tell(json!({ "do": "profile", "on": true }))
    }

    /// Stops counting and returns the cycles per function since [`start_profile`](Self::start_profile).
    pub fn take_profile(&mut self) -> Result<Profile, Error> {
        let mut answer = self.rig.ask(json!({ "do": "profile", "on": false }))?;
        let counts: Vec<(u32, f64)> = read(answer["counts"].take())?;
        Ok(Profile::new(&self.image, &counts))
    }

    /// Measures calls of the functions at these addresses from now on.
    pub fn start_probes(&mut self, functions: &[u32]) -> Result<(), Error> {
        self.rig
            .tell(json!({ "do": "probe", "functions": functions }))
    }

    /// Stops measuring calls and returns what was measured since [`start_probes`](Self::start_probes).
    pub fn take_probes(&mut self) -> Result<Vec<Calls>, Error> {
        let mut answer = self.rig.ask(json!({ "do": "probe", "functions": [] }))?;
        read(answer["calls"].take())
    }

    /// Counts from now on in calls of the functions at `roots`.
    pub fn start_counters(&mut self, roots: &[u32], counters: &[Counter]) -> Result<(), Error> {
        let plan = json!({ "roots": roots, "counters": counters });
        self.rig.ask(json!({ "do": "count", "plan": plan }))?;
        Ok(())
    }

    /// Stops counting and returns the largest values since [`start_counters`](Self::start_counters), by counter.
    pub fn take_counters(&mut self) -> Result<Vec<Largest>, Error> {
        let mut answer = self.rig.ask(json!({ "do": "count", "plan": null }))?;
        read(answer["counts"].take())
    }

    /// Largest stack use since power-on, and the size of the stack, in bytes.
    pub fn stack(&mut self) -> Result<Option<(u32, u32)>, Error> {
        let answer = self.rig.ask(json!({ "do": "stack" }))?;
        let untouched = answer["untouched"].as_u64();
        Ok(self.image.stack().zip(untouched).map(|(stack, untouched)| {
            let size = stack.end - stack.start;
            let untouched = u32::try_from(untouched).unwrap_or(size);
            (size.saturating_sub(untouched), size)
        }))
    }

    /// Id of the child process.
    pub fn process_id(&self) -> u32 {
        self.rig.process_id()
    }
}

fn read<T: DeserializeOwned>(answer: Value) -> Result<T, Error> {
    serde_json::from_value(answer).map_err(|error| Error::Answer(error.to_string()))
}

fn bytes(answer: &Value, field: &str) -> Result<Vec<u8>, Error> {
    answer[field]
        .as_str()
        .and_then(|text| BASE64_STANDARD.decode(text).ok())
        .ok_or_else(|| Error::Answer(format!("no bytes in \"{field}\"")))
}
