//! The very image a user flashes, run on an emulated RP2040 in the body of a Zumo 2040.
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
//! The chip and the parts at its pins live in the child; the world and the robot's physics stay here. Time is
//! virtual: it passes only in [`Emulator::run`], by as much as is asked for, so a run is the same every time
//! and no wait is longer than its bound. A world is coupled by [`Surroundings`]:
//!
//! ```no_run
//! use std::time::Duration;
//! use emulator::{Emulator, Image, Inputs, Outputs, Surroundings};
//!
//! struct Bench; // Wheels in the air: they turn as fast as they are driven.
//! impl Surroundings for Bench {
//!     fn after(&mut self, outputs: &Outputs, _slice: Duration) -> Inputs {
//!         let wheels = outputs.duty.map(|duty| duty * 6_800 / 10_000);
//!         Inputs { wheels, ..Inputs::default() }
//!     }
//! }
//!
//! let mut emulator = Emulator::start(Image::read("target/thumbv6m-none-eabi/release/tinystar")?)?;
//! emulator.power_on()?;
//! let (slice, limit) = (Duration::from_millis(1), Duration::from_secs(60));
//! emulator.run_in(&mut Bench, slice, limit, "a fault", |outputs| !outputs.faults().is_empty())?;
//! # Ok::<(), emulator::Error>(())
//! ```

mod error;
mod image;
mod inputs;
mod logs;
mod outputs;
mod picture;
mod profile;
mod rig;

use std::{path::Path, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

pub use error::Error;
pub use image::{Image, Section};
pub use inputs::{I2cBus, Inputs};
pub use logs::Log;
pub use outputs::{Event, FlashOperation, Outputs, Reset};
pub use picture::Picture;
pub use profile::{FunctionCycles, Profile};
pub use rig::Setup;

use logs::Logs;
use rig::Rig;

/// What is around the robot: a simulated world, a test bench.
pub trait Surroundings {
    /// What the robot's parts feel after `slice`, in which the chip did what `outputs` says.
    fn after(&mut self, outputs: &Outputs, slice: Duration) -> Inputs;
}

/// A robot with an emulated chip, off at first, its flash holding one image.
pub struct Emulator {
    rig: Rig,
    image: Image,
    logs: Logs,
    inputs: Inputs,
    /// For the USB port, with the next slice.
    to_send: Vec<u8>,
}

impl Emulator {
    /// Starts the rig of this repository with `image` in flash.
    pub fn start(image: Image) -> Result<Self, Error> {
        Self::start_with(&Setup::default(), image)
    }

    /// Starts the rig that `setup` names with `image` in flash.
    pub fn start_with(setup: &Setup, image: Image) -> Result<Self, Error> {
        let mut emulator = Self {
            rig: Rig::start(setup)?,
            logs: Logs::default(),
            inputs: Inputs::default(),
            to_send: Vec::new(),
            image,
        };
        emulator.load()?;
        Ok(emulator)
    }

    /// Replaces the program in flash, as flashing does: what else is in flash stays. The chip must be off.
    pub fn flash(&mut self, image: Image) -> Result<(), Error> {
        self.image = image;
        self.load()
    }

    fn load(&mut self) -> Result<(), Error> {
        let segments: Vec<_> = self
            .image
            .segments()
            .iter()
            .map(|(at, data)| json!({ "at": at, "data": BASE64_STANDARD.encode(data) }))
            .collect();
        let stack = self.image.stack();
        self.rig.ask(json!({
            "do": "load",
            "segments": segments,
            "rtt": self.image.symbol(image::LOG_CHANNEL),
            "stack": stack.map(|stack| [stack.start, stack.end]),
        }))?;
        Ok(())
    }

    /// The image in flash.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Power comes: the chip boots with the next [`run`](Self::run). RAM is zero but for a painted stack.
    pub fn power_on(&mut self) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "power", "on": true }))?;
        Ok(())
    }

    /// Power goes, in whatever the chip is doing. Flash keeps its content.
    pub fn power_off(&mut self) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "power", "on": false }))?;
        Ok(())
    }

    /// The reset button: the chip boots again, RAM stays.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "reset" }))?;
        Ok(())
    }

    /// Lets power fail in the middle of the `operations`th flash operation from now, an erase of a sector
    /// or a program of a page, which is then half done. [`Event::PowerLost`] tells when.
    pub fn cut_power_in_flash_operation(&mut self, operations: u32) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "cut", "after": operations }))?;
        Ok(())
    }

    /// What the robot's parts feel from the next slice on.
    pub fn set(&mut self, inputs: Inputs) {
        self.inputs = inputs;
    }

    /// What the robot's parts feel.
    pub fn inputs_mut(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// Sends `bytes` to the robot's serial port as soon as it is open.
    pub fn send(&mut self, bytes: &[u8]) {
        self.to_send.extend(bytes);
    }

    /// Lets `slice` of virtual time pass.
    pub fn run(&mut self, slice: Duration) -> Result<Outputs, Error> {
        let mut inputs = self.inputs.to_json();
        if !self.to_send.is_empty() {
            inputs["usb"] = BASE64_STANDARD.encode(&self.to_send).into();
            self.to_send.clear();
        }
        let nanos = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
        let answer = self
            .rig
            .ask(json!({ "do": "run", "nanos": nanos, "inputs": inputs }))?;
        let image = &self.image;
        let logs = &mut self.logs;
        Outputs::read(answer, |rtt| logs.decode(image, rtt))
    }

    /// Runs in slices until `done` says so, and returns all that came out. `what` is what is being waited
    /// for, for the error when it has not come within `limit` of virtual time.
    pub fn run_until(
        &mut self,
        slice: Duration,
        limit: Duration,
        what: &str,
        done: impl FnMut(&Outputs) -> bool,
    ) -> Result<Outputs, Error> {
        self.run_in(&mut Still(self.inputs.clone()), slice, limit, what, done)
    }

    /// Runs in slices in `world` until `done` says so of the last slice, and returns all that came out.
    pub fn run_in(
        &mut self,
        world: &mut impl Surroundings,
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
            self.inputs = world.after(&outputs, slice);
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

    /// What the display shows.
    pub fn picture(&mut self) -> Result<Picture, Error> {
        let answer = self.rig.ask(json!({ "do": "display" }))?;
        Picture::new(bytes(&answer, "picture")?)
    }

    /// `length` bytes of flash, or of RAM while the chip is on.
    pub fn read(&mut self, at: u32, length: usize) -> Result<Vec<u8>, Error> {
        let answer = self
            .rig
            .ask(json!({ "do": "read", "at": at, "length": length }))?;
        bytes(&answer, "data")
    }

    /// Puts bytes into flash, or into RAM while the chip is on, behind the back of the firmware.
    pub fn write(&mut self, at: u32, data: &[u8]) -> Result<(), Error> {
        let data = BASE64_STANDARD.encode(data);
        self.rig
            .ask(json!({ "do": "write", "at": at, "data": data }))?;
        Ok(())
    }

    /// From now on, measures in cycles how long `pin` stays high each time: [`Outputs::laps`].
    pub fn watch(&mut self, pin: u8) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "watch", "pin": pin }))?;
        Ok(())
    }

    /// Starts to count cycles by function.
    pub fn start_profile(&mut self) -> Result<(), Error> {
        self.rig.ask(json!({ "do": "profile", "on": true }))?;
        Ok(())
    }

    /// The cycles of each function since [`start_profile`](Self::start_profile), and no more counting.
    pub fn take_profile(&mut self) -> Result<Profile, Error> {
        let answer = self.rig.ask(json!({ "do": "profile", "on": false }))?;
        let counts: Vec<(u32, f64)> = serde_json::from_value(answer["counts"].clone())
            .map_err(|error| Error::Answer(error.to_string()))?;
        Ok(Profile::new(&self.image, &counts))
    }

    /// Bytes of stack used at most since power-on, and bytes that there are.
    pub fn stack(&mut self) -> Result<Option<(u32, u32)>, Error> {
        let answer = self.rig.ask(json!({ "do": "stack" }))?;
        let untouched = answer["untouched"].as_u64();
        Ok(self.image.stack().zip(untouched).map(|(stack, untouched)| {
            let size = stack.end - stack.start;
            (
                size.saturating_sub(u32::try_from(untouched).unwrap_or(size)),
                size,
            )
        }))
    }

    /// The process that the chip runs in.
    pub fn process_id(&self) -> u32 {
        self.rig.process_id()
    }
}

/// Builds an [`Emulator`] for the image in a file.
pub fn start(elf: impl AsRef<Path>) -> Result<Emulator, Error> {
    Emulator::start(Image::read(elf)?)
}

/// Nothing around the robot changes.
struct Still(Inputs);

impl Surroundings for Still {
    fn after(&mut self, _outputs: &Outputs, _slice: Duration) -> Inputs {
        self.0.clone()
    }
}

fn bytes(answer: &Value, field: &str) -> Result<Vec<u8>, Error> {
    answer[field]
        .as_str()
        .and_then(|text| BASE64_STANDARD.decode(text).ok())
        .ok_or_else(|| Error::Answer(format!("no bytes in \"{field}\"")))
}
