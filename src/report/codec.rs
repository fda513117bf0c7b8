//! Messages as bytes on a serial line, both ways, on the robot and on the desktop.
//!
//! ```text
//! 00 | COBS of: number (2 bytes, little-endian) | body (postcard) | CRC-32 of both (little-endian) | 00
//! ```
//!
//! The zero before a message ends whatever noise came before it, so that noise costs no message but
//! those it hits.
//!
//! ```
//! use tinystar::{planner::Cell, report::{Command, codec::{COMMAND, CommandDecoder, Message, encode}}};
//!
//! let mut buffer = [0; COMMAND];
//! let go = Command::SetGoal(Cell::new(3, 4));
//! let bytes = encode(7, &go, &mut buffer)?;
//!
//! let mut decoder = CommandDecoder::new();
//! let messages: Vec<_> = bytes.iter().filter_map(|&byte| decoder.feed(byte)).collect();
//! assert_eq!(messages, [Ok(Message { number: 7, body: go })]);
//! # Ok::<(), tinystar::report::codec::DoesNotFit>(())
//! ```

use core::{fmt, marker::PhantomData};

use cobs::{DecodeResult, DecoderState};
use crc::{CRC_32_ISO_HDLC, Crc};
use postcard::ser_flavors::{Cobs, Slice, crc::CrcModifier};
use serde::{Serialize, de::DeserializeOwned};

use super::{Command, Frame, MAP_BYTES};
use crate::mission::STOPS;

/// The checksum of messages, and of what is kept in flash.
pub(crate) const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Bytes of a number.
const NUMBER: usize = 2;
/// Bytes of a checksum.
const CHECKSUM: usize = 4;

/// The most bytes of a cell in postcard: two numbers of 16 bits.
const CELL: usize = 2 * 3;
/// The longest command is a mission of [`STOPS`] cells.
const COMMAND_BODY: usize = 3 + STOPS * CELL;
/// The longest frame is a piece of the map, unless the list of goals is.
const FRAME_BODY: usize = {
    let map = 1 + 3 + 1 + MAP_BYTES + 3;
    let goals = 2 + STOPS * CELL;
    if map > goals { map } else { goals }
};

/// Bytes of the longest command before COBS.
pub const PLAIN_COMMAND: usize = NUMBER + COMMAND_BODY + CHECKSUM;
/// Bytes of the longest frame before COBS.
pub const PLAIN_FRAME: usize = NUMBER + FRAME_BODY + CHECKSUM;
/// Bytes of the longest command on the line.
pub const COMMAND: usize = on_the_line(PLAIN_COMMAND);
/// Bytes of the longest frame on the line.
pub const FRAME: usize = on_the_line(PLAIN_FRAME);

/// COBS adds a byte, and another after every 254; the zeros are two.
const fn on_the_line(plain: usize) -> usize {
    1 + plain + 1 + plain / 254 + 1
}

/// What a robot decodes.
pub type CommandDecoder = Decoder<Command, PLAIN_COMMAND>;
/// What a desktop decodes.
pub type FrameDecoder = Decoder<Frame, PLAIN_FRAME>;

/// A body and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<T> {
    /// See [`report`](super).
    pub number: u16,
    /// What is said.
    pub body: T,
}

/// Why bytes between two zeros are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Bad {
    /// The checksum is wrong, or it is cut.
    Damaged,
    /// It is longer than any message.
    TooLong,
    /// It has arrived whole, but its body means nothing here; this is its number.
    Unknown(u16),
}

/// The buffer is too small: see [`COMMAND`] and [`FRAME`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotFit;

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message does not fit the buffer")
    }
}

impl core::error::Error for DoesNotFit {}

/// Writes a message to the start of a buffer, and returns that part.
///
/// # Errors
/// The buffer is too small.
pub fn encode<'b, T: Serialize>(
    number: u16,
    body: &T,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], DoesNotFit> {
    let (first, rest) = buffer.split_first_mut().ok_or(DoesNotFit)?;
    *first = 0;
    let line = Cobs::try_new(Slice::new(rest)).map_err(|_| DoesNotFit)?;
    let message = (number.to_le_bytes(), body);
    let sent = CrcModifier::new(line, CRC.digest());
    let len = postcard::serialize_with_flavor(&message, sent)
        .map_err(|_| DoesNotFit)?
        .len();
    buffer.get(..1 + len).ok_or(DoesNotFit)
}

/// Finds messages of up to `N` bytes before COBS in a stream of bytes; whatever else comes, it finds
/// the next message that is whole.
#[derive(Debug)]
pub struct Decoder<T, const N: usize> {
    /// What came since the last zero, without COBS.
    plain: [u8; N],
    /// How much of it; more than `N` if it did not fit.
    len: usize,
    state: DecoderState,
    body: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned, const N: usize> Decoder<T, N> {
    /// Nothing has come yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            plain: [0; N],
            len: 0,
            state: DecoderState::Idle,
            body: PhantomData,
        }
    }

    /// Takes a byte; the message that it ends, or why that is none.
    pub fn feed(&mut self, byte: u8) -> Option<Result<Message<T>, Bad>> {
        match self.state.feed(byte) {
            Ok(DecodeResult::NoData) => None,
            Ok(DecodeResult::DataContinue(byte)) => {
                if let Some(place) = self.plain.get_mut(self.len) {
                    *place = byte;
                }
                self.len = (self.len + 1).min(N + 1);
                None
            }
            Ok(DecodeResult::DataComplete) => Some(self.message(true)),
            Err(_) => Some(self.message(false)),
        }
    }

    /// Takes bytes up to the end of the next message, and leaves the rest in `bytes`.
    ///
    /// ```
    /// use tinystar::report::codec::{Bad, CommandDecoder};
    ///
    /// let mut decoder = CommandDecoder::new();
    /// let mut bytes: &[u8] = b"hello\0 and";
    /// assert_eq!(decoder.take(&mut bytes), Some(Err(Bad::Damaged)));
    /// assert_eq!(decoder.take(&mut bytes), None); // more is to come
    /// ```
    pub fn take(&mut self, bytes: &mut &[u8]) -> Option<Result<Message<T>, Bad>> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            let message = self.feed(byte);
            if message.is_some() {
                return message;
            }
        }
        None
    }

    /// What has come between two zeros, and is then forgotten.
    fn message(&mut self, is_whole: bool) -> Result<Message<T>, Bad> {
        let len = core::mem::take(&mut self.len);
        let plain = self.plain.get(..len).ok_or(Bad::TooLong)?;
        if !is_whole {
            return Err(Bad::Damaged);
        }
        let (signed, checksum) = plain.split_last_chunk::<CHECKSUM>().ok_or(Bad::Damaged)?;
        if CRC.checksum(signed) != u32::from_le_bytes(*checksum) {
            return Err(Bad::Damaged);
        }
        let (number, body) = signed.split_first_chunk::<NUMBER>().ok_or(Bad::Damaged)?;
        let number = u16::from_le_bytes(*number);
        match postcard::take_from_bytes(body) {
            Ok((body, [])) => Ok(Message { number, body }),
            _ => Err(Bad::Unknown(number)),
        }
    }
}

impl<T: DeserializeOwned, const N: usize> Default for Decoder<T, N> {
    fn default() -> Self {
        Self::new()
    }
}
