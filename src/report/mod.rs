//! What a robot tells a desktop over its serial port, and what it is told.
//!
//! Both ways a message is a number and a body in postcard, then a checksum, in COBS, so that a zero
//! byte ends every frame and stands nowhere else. The numbers of [`Frame`]s count what was sent: a
//! gap is a loss. The numbers of [`Command`]s must follow one another; `0` begins anew.

mod command;
mod frame;

pub use command::{Command, Refusal};
pub use frame::{Frame, Load, MAP_BYTES, State, Stored};

/// The version of what is said; the robot tells it in [`Frame::Hello`].
pub const PROTOCOL: u8 = 1;
