//! `sim view`: starts the window, `sim-view`, a separate program, because its libraries take longest to build.

use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{self, Command},
};

use anyhow::bail;

use crate::options::view::ViewOptions;

/// Opens the window for a run of planners.
pub fn run(options: &ViewOptions) -> anyhow::Result<()> {
    // Bad input is reported before the window is built.
    options.scenario()?;
    open(env::args_os().skip(2))
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

/// The command that opens the window: the program beside this one, else cargo.
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
    fn an_adjacent_window_program_is_preferred_to_cargo() {
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
