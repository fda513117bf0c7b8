//! Errors that the user can fix.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

use clap::error::ErrorKind;
use thiserror::Error;

/// A command line or a file that cannot be used, with the reason.
///
/// Commands return it as an [`anyhow::Error`]; `sim` then exits with code 2. Every other error is one
/// of the simulator or of its output.
///
/// ```
/// use sim::error::{BadInput, OrBadInput};
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
    /// Exit code, the same as for unknown options.
    pub const EXIT_CODE: u8 = 2;
}

/// Conversion of any error to [`BadInput`].
pub trait OrBadInput<T> {
    /// Returns the value, or the error as [`BadInput`].
    fn or_bad_input(self) -> Result<T, BadInput>;
}

impl<T, E: Display> OrBadInput<T> for Result<T, E> {
    fn or_bad_input(self) -> Result<T, BadInput> {
        self.map_err(|error| BadInput(error.to_string()))
    }
}

/// Reports a command line that clap refused, or prints the help that it asks for.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        print_error(&summary(error));
        return ExitCode::from(BadInput::EXIT_CODE);
    }
    // A closed standard output cannot be reported.
    let _ = error.print();
    ExitCode::SUCCESS
}

/// Clap's message in one line.
fn summary(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "error: the command is incomplete (see --help)".to_owned();
    }
    let message = error.to_string();
    let what: Vec<&str> = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    format!("{} (see --help)", what.join(" "))
}

/// Prints one line on standard error, without control characters.
pub fn print_error(message: &str) {
    let line = message.replace(char::is_control, " ");
    // A closed standard error cannot be reported.
    let _ = writeln!(io::stderr(), "{line}");
}
