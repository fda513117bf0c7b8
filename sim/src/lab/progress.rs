//! Progress of long commands, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for `length` pieces of work. It is hidden unless standard error is a terminal, and it is
/// drawn only when it moves, so it takes no time away from what is being timed.
pub fn bar(label: &str, length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length)
        .with_style(style)
        .with_prefix(label.to_owned())
}
