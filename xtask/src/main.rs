//! Set-up and checks of the workspace, so that a fresh machine needs no reading:
//!
//! ```text
//! cargo xtask setup      fetch what the checks need besides cargo
//! cargo xtask test       everything a change must pass
//! cargo xtask no-panic   only: planner-core has no reachable panic on the chip
//! cargo xtask web        the simulator's window as a page
//! cargo xtask pictures   the pictures of the README, again
//! ```

mod cargo;
mod checks;
mod no_panic;
mod pictures;
mod setup;
mod steps;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The target of the robot's chip, an RP2040.
const CHIP: &str = "thumbv6m-none-eabi";

/// Set-up and checks of the tinystar workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Fetch what the checks need besides cargo: the chip's target, rustfmt, clippy
    Setup,
    /// Run every check and every test, and stop at the first that fails
    Test,
    /// Check that no panic of planner-core is reachable in an image for the chip
    NoPanic,
    /// Build the simulator's window as a folder for a web server
    Web(web::Args),
    /// Make the pictures of the README again
    Pictures,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Setup => steps::run(checks::SETUP),
        Task::Test => steps::run(checks::ALL),
        Task::NoPanic => steps::run(checks::NO_PANIC),
        Task::Web(args) => web::run(&args),
        Task::Pictures => pictures::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
