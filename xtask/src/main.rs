//! Setup and checks of the workspace:
//!
//! ```text
//! cargo xtask setup       fetches what the checks need besides cargo
//! cargo xtask test        runs every check and every test
//! cargo xtask chip        runs the checks of what runs on the chip, which are part of them
//! cargo xtask no-panic    checks that planner-core has no reachable panic on the chip
//! cargo xtask uf2         writes the firmware images as UF2 files
//! cargo xtask fuzz        fuzzes the decoder of the robot's commands
//! cargo xtask bench-chip  measures planners on the emulated chip, in cycles
//! cargo xtask size        prints flash and RAM of images and planners
//! cargo xtask wcet        bounds the time and the stack of a planner tick and a control step
//! cargo xtask c-lib       builds the static libraries for C and the Arduino library
//! cargo xtask web         builds the simulator's window as a web page
//! cargo xtask pictures    renders the pictures of the README
//! cargo xtask worlds      generates the maps in sim/worlds
//! ```

mod bench_chip;
mod beside;
mod c_lib;
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
mod wcet;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The target of the robot's chip, an RP2040.
const CHIP: &str = "thumbv6m-none-eabi";

/// Setup and checks of the tinystar workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Fetch what the checks need besides cargo: targets, rustfmt, clippy, the emulated chip, C compilers, QEMU
    Setup,
    /// Run every check and every test; stop at the first failure
    Test,
    /// Run the half of `test` that runs beside the tests
    #[command(hide = true)]
    TestBeside,
    /// Run the checks of what runs on the chip
    Chip,
    /// Check that no panic of planner-core is reachable in an image for the chip
    NoPanic,
    /// Build the firmware of all boards and write it as UF2 files
    Uf2,
    /// Fuzz the decoder of the robot's commands
    Fuzz,
    /// Measure planners on the emulated chip, in cycles
    BenchChip(bench_chip::Options),
    /// Print flash and RAM of images and planners
    Size(size::Options),
    /// Bound the time and the stack of a planner tick and a control step, from the linked image
    Wcet(wcet::Options),
    /// Build the static libraries for C and the Arduino library
    CLib(c_lib::Options),
    /// Build the simulator's window as a web page
    Web(web::Args),
    /// Render the pictures of the README
    Pictures,
    /// Generate the maps in sim/worlds
    Worlds,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Setup => steps::run(checks::SETUP),
        Task::Test => checks::test(),
        Task::TestBeside => checks::test_beside(),
        Task::Chip => steps::run(checks::CHIP_CHECKS),
        Task::NoPanic => steps::run(checks::NO_PANIC),
        Task::Uf2 => steps::run(checks::UF2),
        Task::Fuzz => steps::run(checks::FUZZ),
        Task::BenchChip(options) => bench_chip::run(&options),
        Task::Size(options) => size::run(&options),
        Task::Wcet(options) => wcet::run(&options),
        Task::CLib(options) => c_lib::run(&options),
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
    use clap::{CommandFactory, Parser};

    #[test]
    fn command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn every_documented_task_exists() {
        let documents = [
            include_str!("../../README.md"),
            include_str!("../../BENCHMARKS.md"),
            include_str!("../../ROBOT.md"),
            include_str!("../../planner-core/c/README.md"),
        ];
        let mut tasks = 0;
        for line in documents.into_iter().flat_map(str::lines) {
            for (_, after) in line
                .match_indices("cargo xtask ")
                .map(|(at, _)| line.split_at(at))
            {
                let command = after.split(['`', '#']).next().unwrap_or_default();
                let words = ["xtask"]
                    .into_iter()
                    .chain(command.split_whitespace().skip(2));
                if let Err(error) = super::Cli::try_parse_from(words) {
                    panic!("{command}: {error}");
                }
                tasks += 1;
            }
        }
        assert!(tasks >= 10, "{tasks}");
    }
}
