//! To come.

/// Options.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Runs the command.
///
/// # Errors
/// None yet.
pub fn run(_args: &Args) -> anyhow::Result<()> {
    Ok(())
}
