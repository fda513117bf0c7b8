//! The window of the simulator, and where it is.
//!
//! The window is a program of its own, `sim-view`, because its libraries take longer to build than all
//! the rest. Commands that open it find it here, or have cargo build it.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{self, Command},
};

use anyhow::bail;

/// What the window is opened for when nobody is to sit at it, and how it then looks.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Pictures and measurements")]
pub struct Look {
    /// Save a picture of the window (PNG) and close it
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,

    /// Play for so many seconds, print how many pictures a second were shown, and close
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    pub measure: Option<u32>,

    /// Dark or light [default: that of the system, or of the last time]
    #[arg(long, value_name = "dark|light", value_parser = ["dark", "light"])]
    pub theme: Option<String>,
}

/// Opens the window, and waits until it is closed.
pub fn open(options: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let beside = env::current_exe()
        .ok()
        .map(|path| path.with_file_name(format!("sim-view{}", env::consts::EXE_SUFFIX)))
        .filter(|path| path.is_file());
    let Some(mut command) = command(beside.as_deref(), env::var_os("CARGO")) else {
        bail!(
            "the window is not built; in the repository, type: \
             cargo view [OPTIONS]"
        );
    };
    let name = command.get_program().to_string_lossy().into_owned();
    match command.args(options).status() {
        Ok(status) if status.success() => Ok(()),
        // It has said what is wrong.
        Ok(status) => process::exit(status.code().unwrap_or(1)),
        Err(error) => bail!("cannot start {name}: {error}"),
    }
}

/// What opens the window: the program beside this one, or the cargo that runs this one.
fn command(beside: Option<&Path>, cargo: Option<OsString>) -> Option<Command> {
    if let Some(window) = beside {
        return Some(Command::new(window));
    }
    let mut command = Command::new(cargo?);
    let build = "run --profile window -p sim-window --features desktop --bin sim-view --";
    command.args(build.split(' '));
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_beside_is_taken_before_cargo_is_asked() {
        let words = |command: Command| -> Vec<String> {
            [command.get_program()]
                .into_iter()
                .chain(command.get_args())
                .map(|word| word.to_string_lossy().into_owned())
                .collect()
        };
        let beside = Path::new("bin/sim-view");
        let found = command(Some(beside), Some("cargo".into())).unwrap();
        assert_eq!(words(found), ["bin/sim-view"]);
        let built = words(command(None, Some("my-cargo".into())).unwrap());
        assert_eq!(built[..4], ["my-cargo", "run", "--profile", "window"]);
        assert_eq!(built.last().unwrap(), "--");
        assert!(command(None, None).is_none());
    }
}
