//! `cargo xtask`: builds `xtask` and runs a task.
//!
//! Cargo chooses the features of dependencies by the packages of a build. For `cargo xtask test` these are the packages
//! that are tested, with their examples and thus their development dependencies: what `xtask` needs is then built once,
//! and not a second time with other features for the tests.

use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

/// Packages and targets of the build before a test; those of xtask/src/checks.rs.
const TESTED: &str = "--workspace --exclude web-bindings --exclude fuzz --examples";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let task = env::args_os().nth(1);
    let packages = match task.is_some_and(|task| task == "test") {
        true => TESTED,
        false => "--package xtask",
    };
    // Cargo tells its children which cargo it is.
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--bin", "xtask"]);
    if !build.args(packages.split(' ')).status()?.success() {
        return Ok(ExitCode::FAILURE);
    }
    let xtask = env::current_exe()?.with_file_name(format!("xtask{}", env::consts::EXE_SUFFIX));
    let status = Command::new(xtask).args(env::args_os().skip(1)).status()?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(
            status
                .code()
                .and_then(|code| code.try_into().ok())
                .unwrap_or(1),
        ),
    })
}
