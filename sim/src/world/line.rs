//! Positions in a file, and excerpts of it, for error messages.

use thiserror::Error;

/// A problem and the line that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct AtLine {
    /// Counted from 1.
    pub line: usize,
    /// The defect there.
    pub problem: String,
}

impl AtLine {
    pub(super) fn new(line: usize, problem: impl ToString) -> Self {
        let problem = problem.to_string();
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
    fn only_long_text_is_cut_and_never_inside_a_character() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), format!("{}...", "é".repeat(40)));
    }
}
