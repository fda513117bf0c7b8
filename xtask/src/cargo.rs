//! Cargo commands, printed as a person would type them.

use std::{
    env,
    fmt::{self, Display},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// A cargo command, run in the root of the workspace.
pub struct Cargo {
    args: String,
    env: Vec<(&'static str, String)>,
}

/// Returns the command `cargo` with `args`, separated by white space.
pub fn cargo(args: impl Into<String>) -> Cargo {
    Cargo {
        args: args.into(),
        env: Vec::new(),
    }
}

impl Cargo {
    /// Sets an environment variable.
    pub fn env(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.env.push((key, value.into()));
        self
    }

    /// Prints the command and runs it; fails unless it succeeds.
    pub fn run(&self) -> Result<()> {
        println!("$ {self}");
        let status = self.command().status().context("cannot start cargo")?;
        if !status.success() {
            bail!("{self}");
        }
        Ok(())
    }

    /// Runs the command without printing it: its caller prints a table or JSON.
    pub fn run_quietly(&self) -> Result<()> {
        let status = self.command().status().context("cannot start cargo")?;
        if !status.success() {
            bail!("{self}");
        }
        Ok(())
    }

    /// Prints the command and runs it; the inner `Err` is its standard error if it failed.
    pub fn try_run(&self) -> Result<Result<(), String>> {
        println!("$ {self}");
        let output = self
            .command()
            .env("CARGO_TERM_COLOR", "never")
            .stderr(Stdio::piped())
            .output()
            .context("cannot start cargo")?;
        Ok(if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        })
    }

    /// Runs the command without output; returns whether it succeeds.
    pub fn succeeds(&self) -> bool {
        self.command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn command(&self) -> Command {
        // Cargo tells its children which cargo it is.
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(self.args.split_whitespace())
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .current_dir(root());
        command
    }
}

/// The root of the workspace.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Folder that cargo builds into: two above this program.
pub fn target_dir() -> Result<PathBuf> {
    let program = env::current_exe().context("this program has no path")?;
    let target = program.parent().and_then(Path::parent);
    let target = target.context("this program is not in a target folder")?;
    Ok(target.to_owned())
}

impl Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.env {
            if value.contains(char::is_whitespace) {
                write!(f, "{key}=\"{value}\" ")?;
            } else {
                write!(f, "{key}={value} ")?;
            }
        }
        write!(f, "cargo {}", self.args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_printed_ready_to_paste() {
        let doc = cargo("doc --no-deps")
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("LEVEL", "s");
        assert_eq!(
            doc.to_string(),
            "RUSTDOCFLAGS=\"-D warnings\" LEVEL=s cargo doc --no-deps"
        );
    }

    #[test]
    fn failures_carry_standard_error() {
        let stderr = cargo("no-such-command").try_run().unwrap().unwrap_err();
        assert!(stderr.contains("no-such-command"), "{stderr}");
    }

    #[test]
    fn success_is_detected() {
        assert!(cargo("--version").succeeds());
        assert!(!cargo("no-such-command").succeeds());
    }
}
