//! Encoding of messages on the serial line, for robot and desktop.
//!
//! ```text
//! 00 | COBS of: number (2 bytes, little-endian) | body (postcard) | CRC-32 of both (little-endian) | 00
//! ```
//!
//! The leading zero separates a message from noise before it.
//!
//! ```
//! use tinystar::{planner::Cell, telemetry::{Command, codec::{COMMAND, CommandDecoder, Message, encode}}};
//!
//! let mut buffer = [0; COMMAND];
//! let go = Command::SetGoal(Cell::new(3, 4));
//! let bytes = encode(7, &go, &mut buffer)?;
//!
//! let mut decoder = CommandDecoder::new();
//! let messages: Vec<_> = bytes.iter().filter_map(|&byte| decoder.feed(byte)).collect();
//! assert_eq!(messages, [Ok(Message { number: 7, body: go })]);
//! # Ok::<(), tinystar::telemetry::codec::BufferTooSmall>(())
//! ```

use core::{fmt, marker::PhantomData};

use cobs::{DecodeResult, DecoderState};
use crc::{CRC_32_ISO_HDLC, Crc};
use postcard::ser_flavors::{Cobs, Slice, crc::CrcModifier};
use serde::{Serialize, de::DeserializeOwned};

use super::{Command, Frame, MAP_BYTES};
use crate::mission::STOPS;

/// Checksum of messages and of the store.
pub(crate) const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Bytes of a message number.
const NUMBER: usize = 2;
/// Bytes of the checksum.
const CHECKSUM: usize = 4;

/// Largest size of a cell in postcard: two 16-bit numbers.
const CELL: usize = 2 * 3;
/// Largest size of a calibration in postcard.
const CALIBRATION: usize = 3 * 5 + 8 * 3 + (2 + 16) * 3 + 1;
/// Longest command: a mission of [`STOPS`] cells, or a calibration.
const COMMAND_BODY: usize = max(3 + STOPS * CELL, 1 + CALIBRATION);
/// Longest frame: a piece of the map, the list of goals, a calibration or the sensors.
const FRAME_BODY: usize = {
    let map = 1 + 3 + 1 + MAP_BYTES + 3;
    let goals = 2 + STOPS * CELL;
    let sensors = 1 + 5 + 3 * 3 + 3 * 11 + 2 * 5 + 5 + 6 + 2 * 3 + 4;
    max(max(map, goals), max(sensors, 1 + CALIBRATION + 2))
};

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Bytes of the longest command before COBS.
pub const PLAIN_COMMAND: usize = NUMBER + COMMAND_BODY + CHECKSUM;
/// Bytes of the longest frame before COBS.
pub const PLAIN_FRAME: usize = NUMBER + FRAME_BODY + CHECKSUM;
/// Bytes of the longest command on the line.
pub const COMMAND: usize = on_the_line(PLAIN_COMMAND);
/// Bytes of the longest frame on the line.
pub const FRAME: usize = on_the_line(PLAIN_FRAME);

/// Size on the line: COBS adds a byte plus one per 254; two zeros delimit.
const fn on_the_line(plain: usize) -> usize {
    1 + plain + 1 + plain / 254 + 1
}

/// Decoder of the robot.
pub type CommandDecoder = Decoder<Command, PLAIN_COMMAND>;
/// Decoder of the desktop.
pub type FrameDecoder = Decoder<Frame, PLAIN_FRAME>;

/// Numbered message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<T> {
    /// Sequence number, see [`telemetry`](super).
    pub number: u16,
    /// Content.
    pub body: T,
}

/// Reason for which bytes between two zeros are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum DecodeError {
    /// The checksum is wrong, or the message is truncated.
    Damaged,
    /// It is longer than any message.
    TooLong,
    /// The message with this number is intact, but its body is unknown.
    Unknown(u16),
}

/// The buffer is smaller than [`COMMAND`] or [`FRAME`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTooSmall;

impl fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the buffer is too small for the message")
    }
}

impl core::error::Error for BufferTooSmall {}

/// Encodes a message and returns the used part of the buffer.
///
/// # Errors
/// The buffer is too small.
pub fn encode<'b, T: Serialize>(
    number: u16,
    body: &T,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], BufferTooSmall> {
    let (first, rest) = buffer.split_first_mut().ok_or(BufferTooSmall)?;
    *first = 0;
    let line = Cobs::try_new(Slice::new(rest)).map_err(|_| BufferTooSmall)?;
    let message = (number.to_le_bytes(), body);
    let sent = CrcModifier::new(line, CRC.digest());
    let len = postcard::serialize_with_flavor(&message, sent)
        .map_err(|_| BufferTooSmall)?
        .len();
    buffer.get(..1 + len).ok_or(BufferTooSmall)
}

/// Decodes messages of up to `N` bytes (before COBS) from a byte stream, resynchronising after errors.
#[derive(Debug)]
pub struct Decoder<T, const N: usize> {
    /// Bytes since the last zero, without COBS.
    plain: [u8; N],
    /// Number of these bytes; `N + 1` if they do not fit.
    len: usize,
    state: DecoderState,
    body: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned, const N: usize> Decoder<T, N> {
    /// Decoder at the start of a stream.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            plain: [0; N],
            len: 0,
            state: DecoderState::Idle,
            body: PhantomData,
        }
    }

    /// Takes a byte; returns the message or error that it completes.
    pub fn feed(&mut self, byte: u8) -> Option<Result<Message<T>, DecodeError>> {
        match self.state.feed(byte) {
            Ok(DecodeResult::NoData) => None,
            Ok(DecodeResult::DataContinue(byte)) => {
                if let Some(slot) = self.plain.get_mut(self.len) {
                    *slot = byte;
                }
                self.len = (self.len + 1).min(N + 1);
                None
            }
            Ok(DecodeResult::DataComplete) => Some(self.message(true)),
            Err(_) => Some(self.message(false)),
        }
    }

    /// Takes bytes up to the end of the next message and leaves the rest in `bytes`.
    ///
    /// ```
    /// use tinystar::telemetry::codec::{DecodeError, CommandDecoder};
    ///
    /// let mut decoder = CommandDecoder::new();
    /// let mut bytes: &[u8] = b"hello\0 and";
    /// assert_eq!(decoder.take(&mut bytes), Some(Err(DecodeError::Damaged)));
    /// assert_eq!(decoder.take(&mut bytes), None); // incomplete
    /// ```
    pub fn take(&mut self, bytes: &mut &[u8]) -> Option<Result<Message<T>, DecodeError>> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            let message = self.feed(byte);
            if message.is_some() {
                return message;
            }
        }
        None
    }

    /// Parses the bytes between two zeros.
    fn message(&mut self, is_whole: bool) -> Result<Message<T>, DecodeError> {
        let len = core::mem::take(&mut self.len);
        let plain = self.plain.get(..len).ok_or(DecodeError::TooLong)?;
        if !is_whole {
            return Err(DecodeError::Damaged);
        }
        let (signed, checksum) = plain
            .split_last_chunk::<CHECKSUM>()
            .ok_or(DecodeError::Damaged)?;
        if CRC.checksum(signed) != u32::from_le_bytes(*checksum) {
            return Err(DecodeError::Damaged);
        }
        let (number, body) = signed
            .split_first_chunk::<NUMBER>()
            .ok_or(DecodeError::Damaged)?;
        let number = u16::from_le_bytes(*number);
        match postcard::take_from_bytes(body) {
            Ok((body, [])) => Ok(Message { number, body }),
            _ => Err(DecodeError::Unknown(number)),
        }
    }
}

impl<T: DeserializeOwned, const N: usize> Default for Decoder<T, N> {
    fn default() -> Self {
        Self::new()
    }
}
