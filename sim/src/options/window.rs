//! Options of every window.

use std::path::PathBuf;

/// Theme of a window, and what to do with it instead of waiting for the user.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Pictures and measurements")]
pub struct WindowOptions {
    /// Save a picture of the window (PNG) and close it
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,

    /// Play for this long, print the frame rate, and close
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    pub measure: Option<u32>,

    /// Pixels per cell, around the robot [default: as many as fit]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub zoom: Option<u16>,

    /// Theme [default: the system's, or the last one used]
    #[arg(long, value_name = "dark|light", value_parser = ["dark", "light"])]
    pub theme: Option<String>,
}
