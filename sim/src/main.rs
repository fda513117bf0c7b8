//! `sim`: the simulator on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    sim::cli::main()
}
