//! Desktop end of the robot's serial protocol.

mod client;
mod json;
mod link;
mod monitor;
mod receiver;
mod recording;
mod robot_state;
mod source;
mod terminal;
pub mod text;

pub use client::TelemetryClient;
pub use json::{Object, object};
pub use link::{Closed, Event, Link, Transport};
pub use monitor::{Answer, Contact, LinkStats, Monitor};
pub use receiver::{FrameReceiver, Received};
pub use recording::{NotARecording, Playback};
pub use robot_state::{RobotState, TRAIL};
pub use source::{Feed, Source, SourceError};
pub use terminal::{draw, report};
