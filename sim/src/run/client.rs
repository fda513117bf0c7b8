//! Desktop connected to a simulated robot.

use tinystar::telemetry::{
    Command, Frame,
    codec::{self, FrameDecoder},
};

use crate::physics::devices::SerialCable;

/// Sends commands and receives frames over a simulated cable.
#[derive(Debug)]
pub(super) struct TelemetryClient {
    cable: SerialCable,
    decoder: FrameDecoder,
    /// Number of the next command.
    number: u16,
    /// Messages that could not be decoded.
    garbage: u64,
    /// Everything received, if it is recorded.
    recording: Option<Vec<u8>>,
}

impl TelemetryClient {
    /// Client at the desktop end of a cable.
    pub(super) fn new(cable: SerialCable, records: bool) -> Self {
        Self {
            cable,
            decoder: FrameDecoder::new(),
            number: 0,
            garbage: 0,
            recording: records.then(Vec::new),
        }
    }

    pub(super) fn send(&mut self, command: &Command) {
        let mut buffer = [0; codec::COMMAND];
        // Never fails: the buffer holds the longest command.
        if let Ok(bytes) = codec::encode(self.number, command, &mut buffer) {
            self.cable.send(bytes);
        }
        self.number = self.number.wrapping_add(1);
    }

    /// Frames received since the last call.
    pub(super) fn frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        for (_, bytes) in self.cable.take() {
            if let Some(recording) = &mut self.recording {
                recording.extend(&bytes);
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

    /// Number of messages that could not be decoded.
    pub(super) fn garbage(&self) -> u64 {
        self.garbage
    }

    /// Recorded bytes.
    pub(super) fn into_recording(self) -> Vec<u8> {
        self.recording.unwrap_or_default()
    }
}
