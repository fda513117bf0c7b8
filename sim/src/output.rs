//! Output: text for people and one JSON object per line for scripts, on standard output and in files.

use std::{
    fmt::Display,
    fs,
    io::{self, Write},
    path::Path,
};

use indicatif::HumanCount;
use serde::Serialize;

use crate::error::BadInput;

/// Writes a file that the user named.
///
/// # Errors
/// It cannot be written.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<(), BadInput> {
    fs::write(path, content).map_err(|error| unwritable(path, &error))
}

/// Creates a folder that the user named, with those that it is in.
///
/// # Errors
/// It cannot be created.
pub fn create_folder(path: &Path) -> Result<(), BadInput> {
    fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// The error of a file that the user named and that cannot be written.
pub fn unwritable(path: &Path, error: &dyn Display) -> BadInput {
    BadInput(format!("cannot write {}: {error}", path.display()))
}

/// Writes one JSON object as a line.
pub fn json_line(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    io::stdout().lock().write_all(&line)
}

/// A number with its thousands apart: `1,234,567`.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A duration in the unit that it reads best in: `431 ns`, `2.1 us`, `35 ms`, `1.2 s`.
pub fn duration(nanoseconds: u64) -> String {
    let ns = nanoseconds as f64;
    let (value, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (ns / 1e3, "us"),
        1_000_000..1_000_000_000 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    let digits = usize::from(value < 9.95);
    format!("{value:.digits$} {unit}")
}

/// A count and its noun: `1 move`, `2 moves`, `1,000 searches`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_duration_has_two_digits_or_more() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (2_149, "2.1 us"),
            (9_960, "10 us"),
            (35_400_000, "35 ms"),
            (1_240_000_000, "1.2 s"),
            (75_000_000_000, "75 s"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn a_noun_agrees_with_its_number() {
        assert_eq!(count(1, "search", "searches"), "1 search");
        assert_eq!(count(0, "search", "searches"), "0 searches");
        assert_eq!(count(1_000, "search", "searches"), "1,000 searches");
    }
}
