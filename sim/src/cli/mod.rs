//! The commands of the simulator, and their exit codes.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done; an unreachable goal is a result too |
//! | 1 | a check failed, or standard output could not be written |
//! | 2 | [bad input](BadInput), or a file that cannot be written, explained in one line on standard error |

mod bench;
mod calibrate;
mod convert;
mod emulate;
mod experiment;
mod live;
mod mazes;
mod mission;
mod mms;
mod mouse;
mod planners;
mod port;
mod robot;
mod run;
mod scen;
mod send;
mod subgoals;
mod view;
mod watch;

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use crate::{
    error::{BadInput, print_error, report_usage},
    options::{view::ViewOptions, watch::WatchOptions},
};

const EXAMPLES: &str = "\
Examples:
  sim                                     a robot finds its path through a maze
  sim run --rooms 70x36 --moves 8 --svg rooms.svg
  sim view                                the same in a window
  sim run --maze 201x201 --open 750 --json
  sim planners                            all planners

`sim <COMMAND> --help` describes each command.";

/// Runs path planners of small robots, shows them and measures them.
///
/// The planners are those of the robot, from the same source. Without a command, `sim run` is executed: a
/// robot in an unknown maze.
#[derive(Parser, Debug)]
#[command(name = "sim", version, after_help = EXAMPLES, max_term_width = 80)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a planner in a world and show the run
    Run(run::Args),
    /// Run planners in a window
    View(ViewOptions),
    /// Check path lengths against a MovingAI scenario
    Scen(scen::Args),
    /// Run a micromouse: search, explore, return, run
    Mouse(mouse::Args),
    /// Convert a micromouse maze to another format
    Convert(convert::Args),
    /// Drive a mouse in mms, the micromouse simulator
    Mms(mms::Args),
    /// Run the firmware's tasks on a physics model, in virtual time
    Robot(robot::Args),
    /// Run the firmware image on an emulated chip, on the same physics model
    Emulate(emulate::Args),
    /// Watch a robot over USB, or a recording of one
    Watch(WatchOptions),
    /// Send one command to a robot over USB
    Send(send::Args),
    /// Calibrate a robot over USB, or a simulated one
    Calibrate(calibrate::Args),
    /// List the planners, with papers and memory
    Planners(planners::Args),
    /// Build the subgoal trees of a map
    Subgoals(subgoals::Args),
    /// Reproduce the papers' experiments
    Experiment(experiment::Args),
    /// Benchmark the planners
    Bench(bench::Args),
}

impl Command {
    fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Run(args) => run::run(args),
            Self::View(args) => view::run(args),
            Self::Scen(args) => scen::run(args),
            Self::Convert(args) => convert::run(args),
            Self::Mms(args) => mms::run(args),
            Self::Mouse(args) => mouse::run(args),
            Self::Robot(args) => robot::run(args),
            Self::Emulate(args) => emulate::run(args),
            Self::Watch(args) => watch::run(args),
            Self::Send(args) => send::run(args),
            Self::Calibrate(args) => calibrate::run(args),
            Self::Planners(args) => planners::run(args),
            Self::Subgoals(args) => subgoals::run(args),
            Self::Experiment(args) => experiment::run(args),
            Self::Bench(args) => bench::run(args),
        }
    }
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Ok(Cli {
            command: Some(command),
        }) => command.run(),
        Ok(Cli { command: None }) => {
            run::run(&run::Args::parse_from(["sim"])).and_then(|()| Ok(suggest()?))
        }
        Err(error) => return report_usage(&error),
    };
    match result.and_then(|()| Ok(io::stdout().flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<BadInput>() => {
            print_error(&format!("error: {error:#}"));
            ExitCode::from(BadInput::EXIT_CODE)
        }
        // The reader closed the pipe, as `head` does, or the user has ended a live view.
        Err(error) if is_ended_by_user(&error) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints what to try after the first run.
fn suggest() -> io::Result<()> {
    // Set where cargo has started this program.
    let sim = match env::var_os("CARGO") {
        Some(_) => "cargo sim",
        None => "sim",
    };
    writeln!(
        io::stdout().lock(),
        "\nNext:\n  {sim} mouse                       a micromouse in four mazes\n  \
         {sim} robot --calibrate --watch   the robot's own tasks on a physics model"
    )
}

fn is_ended_by_user(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe || live::is_quit(cause))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_run_that_the_user_ends_is_no_error() {
        let is_ended =
            |error| is_ended_by_user(&mission::explained(crate::run::RunError::Observer(error)));
        assert!(is_ended(live::quit()));
        assert!(is_ended(io::ErrorKind::BrokenPipe.into()));
        assert!(!is_ended(io::ErrorKind::Interrupted.into()));
        assert!(!is_ended(io::ErrorKind::StorageFull.into()));
    }

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
    }
}
