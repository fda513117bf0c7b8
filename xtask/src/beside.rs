//! A task of `cargo xtask` that runs beside this one, with its output kept until it ends.

use std::{
    env,
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::cargo::target_dir;

/// A task in a process of its own.
pub struct Beside {
    task: &'static str,
    log: PathBuf,
    process: Child,
}

impl Beside {
    /// Starts `cargo xtask TASK`.
    pub fn start(task: &'static str) -> Result<Self> {
        let log = target_dir()?.join(format!("{task}.log"));
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        let mut command = Command::new(env::current_exe()?);
        command.arg(task).stdin(Stdio::null());
        command.stdout(file.try_clone()?).stderr(file);
        let process = command.spawn()?;
        println!("\n== beside the next steps: cargo xtask {task}");
        Ok(Self { task, log, process })
    }

    /// Waits for its end and prints what it printed; fails if it failed.
    pub fn finish(mut self) -> Result<()> {
        let status = self.process.wait()?;
        println!("\n== cargo xtask {}", self.task);
        print!("{}", fs::read_to_string(&self.log)?);
        ensure!(status.success(), "cargo xtask {}: {status}", self.task);
        Ok(())
    }
}

impl Drop for Beside {
    /// Ends it after the command that it is running.
    fn drop(&mut self) {
        // Already ended is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
