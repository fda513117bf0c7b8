//! Set-up and checks of the workspace, so that a fresh machine needs no reading:
//!
//! ```text
//! cargo xtask setup      fetch what the checks need besides cargo
//! cargo xtask test       everything a change must pass
//! cargo xtask no-panic   only: planner-core has no reachable panic on the chip
//! cargo xtask uf2        write the images as files to copy to a robot
//! cargo xtask fuzz       only: no bytes upset the robot's commands
//! cargo xtask bench-chip what planners cost on the emulated chip, in cycles
//! cargo xtask size       what images and planners take of the chip's memory
//! cargo xtask web        the simulator's window as a page
//! cargo xtask pictures   the pictures of the README, again
//! cargo xtask worlds     the maps in sim/worlds, again
//! ```

mod bench_chip;
mod cargo;
mod checks;
mod chip;
mod fuzz;
mod no_panic;
mod node;
mod pictures;
mod setup;
mod size;
mod steps;
mod uf2;
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
    /// Fetch what the checks need besides cargo: the chip's target, rustfmt, clippy, the emulated chip
    Setup,
    /// Run every check and every test, and stop at the first that fails
    Test,
    /// Check that no panic of planner-core is reachable in an image for the chip
    NoPanic,
    /// Build the images of all boards and write them as files to copy to a robot's drive
    Uf2,
    /// Give the robot's commands bytes that nobody would send
    Fuzz,
    /// Run planners on the emulated chip and count cycles
    BenchChip(bench_chip::Options),
    /// Show what images and planners take of the chip's memory
    Size(size::Options),
    /// Build the simulator's window as a folder for a web server
    Web(web::Args),
    /// Make the pictures of the README again
    Pictures,
    /// Generate the maps in sim/worlds again
    Worlds,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Setup => steps::run(checks::SETUP),
        Task::Test => steps::run(checks::ALL),
        Task::NoPanic => steps::run(checks::NO_PANIC),
        Task::Uf2 => steps::run(checks::UF2),
        Task::Fuzz => steps::run(checks::FUZZ),
        Task::BenchChip(options) => bench_chip::run(&options),
        Task::Size(options) => size::run(&options),
        Task::Web(args) => web::run(&args),
        Task::Pictures => pictures::run(),
        Task::Worlds => cargo::cargo("test -p sim --test it own_worlds")
            .env("WRITE_WORLDS", "1")
            .run(),
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
