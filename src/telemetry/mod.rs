//! Serial protocol between robot and desktop: telemetry [`Frame`]s one way, [`Command`]s the other.
//!
//! A message is a number and a body in postcard, followed by a checksum, in COBS, so that zero bytes
//! delimit messages: [`codec`]. Frames are numbered in sequence; a gap is a loss. Commands must arrive
//! in sequence; number `0` starts a new one: [`Sequence`].

pub mod codec;
mod command;
mod frame;
mod receiver;
mod sequence;

pub use command::{Command, Direction, Motor, Refusal};
pub use frame::{Frame, Load, MAP_BYTES, Sensors, State, Stored};
pub use receiver::{CommandReceiver, Refused};
pub use sequence::Sequence;

/// Protocol version, sent in [`Frame::Hello`].
pub const PROTOCOL: u8 = 4;
