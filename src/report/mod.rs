//! What a robot tells a desktop over its serial port, and what it is told.
//!
//! Both ways a message is a number and a body in postcard, then a checksum, in COBS, so that zero
//! bytes stand around every message and nowhere else: [`codec`]. The numbers of [`Frame`]s count what
//! was sent: a gap is a loss. The numbers of [`Command`]s must follow one another; `0` begins anew:
//! [`Sequence`].

pub mod codec;
mod command;
mod frame;
mod inbox;
mod sequence;

pub use command::{Command, Refusal};
pub use frame::{Frame, Load, MAP_BYTES, State, Stored};
pub use inbox::{Inbox, Refused};
pub use sequence::Sequence;

/// The version of what is said; the robot tells it in [`Frame::Hello`].
pub const PROTOCOL: u8 = 1;
