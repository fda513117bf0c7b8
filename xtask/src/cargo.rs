//! Commands, printed as a person would type them.

use std::{
    env,
    fmt::{self, Display},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

/// A command, run in the root of the workspace.
pub struct Tool {
    program: String,
    args: String,
    env: Vec<(&'static str, String)>,
}

/// Returns the command `program` with `args`, separated by white space.
pub fn tool(program: impl Into<String>, args: impl Into<String>) -> Tool {
    Tool {
        program: program.into(),
        args: args.into(),
        env: Vec::new(),
    }
}

/// Returns the command `cargo` with `args`, separated by white space.
pub fn cargo(args: impl Into<String>) -> Tool {
    tool("cargo", args)
}

impl Tool {
    /// Sets an environment variable.
    pub fn env(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.env.push((key, value.into()));
        self
    }

    /// Prints the command and runs it; fails unless it succeeds.
    pub fn run(&self) -> Result<()> {
        println!("$ {self}");
        self.run_quietly()
    }

    /// Runs the command without printing it: its caller prints a table or JSON.
    pub fn run_quietly(&self) -> Result<()> {
        let status = self.command().status();
        let status = status.with_context(|| format!("cannot start {}", self.program))?;
        ensure!(status.success(), "{self}");
        Ok(())
    }

    /// Prints the command and runs it; the inner `Err` is its standard error if it failed.
    pub fn try_run(&self) -> Result<Result<(), String>> {
        println!("$ {self}");
        let mut command = self.command();
        command.env("CARGO_TERM_COLOR", "never");
        let output = command.stderr(Stdio::piped()).output();
        let output = output.with_context(|| format!("cannot start {}", self.program))?;
        Ok(match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        })
    }

    /// Runs the command without output; returns whether it succeeds.
    pub fn succeeds(&self) -> bool {
        self.output().is_some()
    }

    /// Runs the command; returns its output if it succeeds.
    pub fn output(&self) -> Option<String> {
        let output = self.command().output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.success().then(|| text.trim().to_owned())
    }

    fn command(&self) -> Command {
        // Cargo tells its children which cargo it is.
        let program = match &*self.program {
            "cargo" => env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            program => program.into(),
        };
        let mut command = Command::new(program);
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

impl Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.env {
            if value.contains(char::is_whitespace) {
                write!(f, "{key}=\"{value}\" ")?;
            } else {
                write!(f, "{key}={value} ")?;
            }
        }
        f.write_str(format!("{} {}", self.program, self.args).trim_end())
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
