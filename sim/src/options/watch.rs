//! Options of `sim watch`.

use clap::Parser;

use super::{value, window::WindowOptions};
use crate::{
    error::{BadInput, OrBadInput},
    telemetry::{Feed, Source},
};

const EXAMPLES: &str = "\
SOURCE is a serial port, a recording made by `sim robot --frames FILE`, or - for
standard input. The window draws what the robot knows; on a port it also sends
commands. A port that goes away is tried again.

Examples:
  sim watch /dev/ttyACM0                  a robot on USB
  sim robot --frames run.frames && sim watch run.frames
  sim watch run.frames --text             the same in the terminal
  sim watch run.frames --json             one object per frame";

/// Options of `watch`.
#[derive(Parser, Debug)]
#[command(name = "sim watch", version, after_help = EXAMPLES)]
pub struct WatchOptions {
    /// A serial port, a recording, or - for standard input
    #[arg(value_name = "SOURCE")]
    pub source: String,

    /// Draw in the terminal, without a window; when piped, the last picture only
    #[arg(long, conflicts_with = "json")]
    pub text: bool,

    /// Print one JSON object per frame
    #[arg(long)]
    pub json: bool,

    /// Playback speed of a recording, as a factor
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = value::factor)]
    pub speed: f64,

    /// With --text or --json, stop listening to a port after this long
    #[arg(long = "for", value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub time: Option<u32>,

    /// Go to this second of a recording first, and pause there
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Pictures and measurements"
    )]
    pub at: Option<u32>,

    #[command(flatten)]
    pub window: WindowOptions,
}

impl WatchOptions {
    /// Opens the source.
    pub fn feed(&self) -> Result<Feed, BadInput> {
        Source::find(&self.source)
            .and_then(|source| source.open())
            .or_bad_input()
    }
}
