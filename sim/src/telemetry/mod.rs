//! Desktop end of the robot's serial protocol: live, or from a recording.
//!
//! ```text
//!  port ---> Link (a thread) --+
//!  stdin --> Link (a thread) --+--> Event --> Monitor --> text, JSON, the window
//!  file ---> Playback ---------+
//! ```
//!
//! A [`FrameReceiver`] decodes frames. A [`Monitor`] holds everything known about a robot ([`RobotState`]) and
//! the link to it. A [`Link`] reconnects by itself; a [`Playback`] seeks in a recording.

mod json;
mod link;
mod monitor;
mod receiver;
mod recording;
mod robot_state;
mod route;
mod source;
mod terminal;
pub mod text;

pub use json::{Object, object};
pub use link::{Closed, Event, Link, Transport};
pub use monitor::{Answer, Connection, LinkStats, Monitor};
pub use receiver::{FrameReceiver, Received};
pub use recording::{NotARecording, Playback};
pub use robot_state::{RobotState, TRAIL};
pub use route::PlannedRoute;
pub use source::{Feed, Source, SourceError};
pub use terminal::{draw, draw_walls, summary};
