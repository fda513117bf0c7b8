//! Node and the packages of the emulated chip, which runs in it.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{root, tool};

/// Oldest supported major version.
const OLDEST: u32 = 18;

/// Fetches the packages if they are missing or outdated; fails with what to type if it cannot.
pub fn run() -> Result<()> {
    let version = tool("node", "--version").output();
    check_version(version.as_deref().unwrap_or_default())?;
    let folder = folder();
    if !is_installed() {
        let what = format!("cd {} && npm ci", folder.display());
        println!("$ {what}");
        let status = Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&folder)
            .status()
            .context(
                "npm, which comes with Node, is missing; install it and type: cargo xtask setup",
            )?;
        ensure!(
            status.success(),
            "the packages of the emulated chip could not be fetched; with a network, type: {what}"
        );
    }
    println!("Node and the emulated chip: installed");
    Ok(())
}

fn folder() -> PathBuf {
    root().join("sim/emulator/rig")
}

/// Compares the version of rp2040js in the lock file with that in the copy that npm leaves behind.
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

/// Accepts what `node --version` prints, such as `v20.1.0`; empty when there is no Node.
fn check_version(version: &str) -> Result<()> {
    let major = version
        .strip_prefix('v')
        .and_then(|rest| rest.split('.').next());
    let problem = match major.map(str::parse::<u32>) {
        Some(Ok(major)) if major >= OLDEST => return Ok(()),
        Some(Ok(_)) => format!("Node {version} is too old"),
        _ => "Node is missing".to_owned(),
    };
    bail!(
        "{problem}: the emulated chip needs Node {OLDEST} or later; install it from \
         https://nodejs.org (Debian, Ubuntu: sudo apt install nodejs npm; macOS: brew install node) \
         and type: cargo xtask setup"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_old_node_is_refused_with_what_to_type() {
        for version in ["", "v", "node", "v16.20.2"] {
            let advice = check_version(version).unwrap_err().to_string();
            assert!(advice.contains("https://nodejs.org"), "{advice}");
            assert!(advice.ends_with("cargo xtask setup"), "{advice}");
        }
        check_version("v18.0.0").unwrap();
        check_version("v22.11.0").unwrap();
    }
}
