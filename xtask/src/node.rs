//! The packages of the emulated chip, which runs in Node.

use std::{fs, io, path::PathBuf, process::Command};

use anyhow::{Result, bail};

use crate::cargo::root;

/// Fetches the packages if they are missing or have changed; fails with what to type if it cannot.
pub fn run() -> Result<()> {
    let folder = folder();
    if !is_installed() {
        println!("$ cd {} && npm ci", folder.display());
        let outcome = Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&folder)
            .status();
        match outcome {
            Ok(status) if status.success() => {}
            Ok(_) => bail!(
                "the packages of the emulated chip could not be fetched; with a network, type: \
                 cd {} && npm ci",
                folder.display()
            ),
            Err(error) => bail!(advice(&error)),
        }
    }
    match Command::new("node").arg("--version").output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => bail!("node --version: {}", output.status),
        Err(error) => bail!(advice(&error)),
    }
    println!("the emulated chip: here");
    Ok(())
}

fn folder() -> PathBuf {
    root().join("sim/emulator/rig")
}

/// Whether npm has put in place what the lock file names: it leaves a copy of the file, but for a headline.
fn is_installed() -> bool {
    let packages = |path: PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let lock: serde_json::Value = serde_json::from_str(&text).ok()?;
        let version = &lock["packages"]["node_modules/rp2040js"]["version"];
        version.as_str().map(str::to_owned)
    };
    let wanted = packages(folder().join("package-lock.json"));
    wanted.is_some() && packages(folder().join("node_modules/.package-lock.json")) == wanted
}

/// What to tell a person who has no Node.
fn advice(error: &io::Error) -> String {
    format!(
        "Node is missing ({error}); install Node 18 or later from https://nodejs.org and type: \
         cargo xtask setup"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_node_the_advice_is_where_to_get_it_and_what_to_type() {
        let advice = advice(&io::ErrorKind::NotFound.into());
        assert!(advice.contains("https://nodejs.org"), "{advice}");
        assert!(advice.ends_with("cargo xtask setup"), "{advice}");
    }
}
