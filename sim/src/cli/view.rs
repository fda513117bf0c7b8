//! `sim view`: a run in a window.

use std::env;

use super::window;
use crate::options::view::ViewOptions;

/// Opens the window, and waits until it is closed.
pub fn run(options: &ViewOptions) -> anyhow::Result<()> {
    // Bad input is reported before the window is built.
    options.scenario()?;
    window::open(env::args_os().skip(2))
}
