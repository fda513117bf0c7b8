//! Input that cannot be used: the person's to mend, not the simulator's.

use std::fmt::Display;

use thiserror::Error;

/// A command line or a file that cannot be used, with what is wrong with it.
///
/// Commands return it as an [`anyhow::Error`]; every other error is one of the simulator or of its
/// output.
///
/// ```
/// use sim::command::{BadInput, OrBadInput};
///
/// fn half(number: &str) -> anyhow::Result<f64> {
///     Ok(number.parse::<f64>().or_bad_input()? / 2.0)
/// }
/// assert!(half("many").unwrap_err().is::<BadInput>());
/// ```
#[derive(Debug, Error)]
#[error("{0}")]
pub struct BadInput(pub String);

impl BadInput {
    /// What the shell is told, as for mistakes in options.
    pub const EXIT_CODE: u8 = 2;
}

/// Says of an error that bad input is its cause.
pub trait OrBadInput<T> {
    /// The value, or the error as [`BadInput`].
    ///
    /// # Errors
    /// The one there is.
    fn or_bad_input(self) -> Result<T, BadInput>;
}

impl<T, E: Display> OrBadInput<T> for Result<T, E> {
    fn or_bad_input(self) -> Result<T, BadInput> {
        self.map_err(|error| BadInput(error.to_string()))
    }
}
