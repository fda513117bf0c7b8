//! The desktop that a robot reports to.

use tinystar::telemetry::{
    Command, Frame,
    codec::{self, FrameDecoder},
};

use crate::physics::devices::Cable;

/// Sends commands and takes in what the robot tells.
#[derive(Debug)]
pub struct TelemetryClient {
    cable: Cable,
    decoder: FrameDecoder,
    /// Of the next command.
    number: u16,
    /// Bytes that were no frames.
    garbage: u64,
    /// All that came, if it is to be kept.
    record: Option<Vec<u8>>,
}

impl TelemetryClient {
    /// A desktop at the other end of a cable.
    #[must_use]
    pub fn new(cable: Cable, records: bool) -> Self {
        Self {
            cable,
            decoder: FrameDecoder::new(),
            number: 0,
            garbage: 0,
            record: records.then(Vec::new),
        }
    }

    /// Sends a command.
    pub fn command(&mut self, command: &Command) {
        let mut buffer = [0; codec::COMMAND];
        // The buffer is as long as the longest command.
        if let Ok(bytes) = codec::encode(self.number, command, &mut buffer) {
            self.cable.send(bytes);
        }
        self.number = self.number.wrapping_add(1);
    }

    /// The frames that have come since this was asked last.
    pub fn frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        for (_, bytes) in self.cable.take() {
            if let Some(record) = &mut self.record {
                record.extend(&bytes);
            }
            for byte in bytes {
                match self.decoder.feed(byte) {
                    Some(Ok(message)) => frames.push(message.body),
                    Some(Err(_)) => self.garbage += 1,
                    None => {}
                }
            }
        }
        frames
    }

    /// Messages that could not be understood.
    #[must_use]
    pub fn garbage(&self) -> u64 {
        self.garbage
    }

    /// All that came.
    #[must_use]
    pub fn into_record(self) -> Vec<u8> {
        self.record.unwrap_or_default()
    }
}
