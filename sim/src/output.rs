//! What goes to standard output: plain lines for people, one JSON object per line for scripts.

use std::io::{self, Write};

use serde::Serialize;

/// Writes one JSON object as a line.
///
/// # Errors
/// Standard output is closed or full.
pub fn json_line(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    io::stdout().lock().write_all(&line)
}
