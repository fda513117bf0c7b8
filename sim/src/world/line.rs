//! Positions in a file, and excerpts of it, for error messages.

use thiserror::Error;

/// A problem and the line, counted from 1, that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct AtLine<P> {
    /// Counted from 1.
    pub line: usize,
    /// The defect there.
    pub problem: P,
}

impl<P> AtLine<P> {
    pub(super) fn new(line: usize, problem: P) -> Self {
        Self { line, problem }
    }
}

/// The beginning of `text`, short enough for an error message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_starts_with_the_line() {
        assert_eq!(AtLine::new(3, "too short").to_string(), "line 3: too short");
    }

    #[test]
    fn only_long_text_is_cut_and_never_inside_a_character() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), format!("{}...", "é".repeat(40)));
    }
}
