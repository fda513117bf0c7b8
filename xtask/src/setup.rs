//! Tools that the checks need besides cargo, fetched with rustup, npm and apt.

use std::{
    fs, io,
    process::{Command, ExitStatus},
};

use anyhow::{Result, bail};

use crate::{
    CHIP, c_lib,
    cargo::{cargo, tool},
    node,
};

/// A tool that a Rust installation may lack.
struct Need {
    name: &'static str,
    present: fn() -> bool,
    /// Arguments of rustup that install it.
    rustup: &'static [&'static str],
}

const NEEDS: &[Need] = &[
    Need {
        name: "the core library for the chip",
        present: || target_has_core(CHIP),
        rustup: &["target", "add", CHIP],
    },
    Need {
        name: "rustfmt",
        present: || cargo("fmt --version").succeeds(),
        rustup: &["component", "add", "rustfmt"],
    },
    Need {
        name: "clippy",
        present: || cargo("clippy --version").succeeds(),
        rustup: &["component", "add", "clippy"],
    },
];

/// Installs what is missing; fails with what to type if it cannot.
pub fn run() -> Result<()> {
    for need in NEEDS {
        if !(need.present)() {
            fetch(need.name, need.rustup)?;
        }
        println!("{}: installed", need.name);
    }
    for target in c_lib::TARGETS {
        self::target(target)?;
        println!("the core library for {target}: installed");
    }
    c_lib::setup();
    node::run()
}

/// Installs the core library for a target that only some tasks need.
pub fn target(target: &str) -> Result<()> {
    match target_has_core(target) {
        true => Ok(()),
        false => fetch(target, &["target", "add", target]),
    }
}

fn fetch(name: &str, rustup: &[&str]) -> Result<()> {
    let command = rustup.join(" ");
    println!("$ rustup {command}");
    let outcome = Command::new("rustup").args(rustup).status();
    match advice(name, &command, outcome) {
        None => Ok(()),
        Some(advice) => bail!(advice),
    }
}

/// Returns what to type when rustup did not install `name`; `None` if it did.
fn advice(name: &str, command: &str, outcome: io::Result<ExitStatus>) -> Option<String> {
    match outcome {
        Ok(status) if status.success() => None,
        Ok(_) => Some(format!(
            "{name} is missing and could not be fetched; with a network, type: rustup {command}"
        )),
        Err(_) => Some(format!(
            "{name} is missing; install rustup from https://rustup.rs and type: rustup {command}"
        )),
    }
}

/// Returns whether the compiler has `core` for `target`, from rustup or not.
fn target_has_core(target: &str) -> bool {
    let print = tool("rustc", format!("--print target-libdir --target {target}"));
    let files = print.output().map(fs::read_dir);
    let Some(Ok(mut files)) = files else {
        return false;
    };
    files.any(|file| file.is_ok_and(|file| is_core(&file.file_name().to_string_lossy())))
}

/// Returns whether a file is the core library, such as `libcore-0123456789abcdef.rlib`.
fn is_core(file: &str) -> bool {
    file.starts_with("libcore-") && file.ends_with(".rlib")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_target_has_core_and_an_invented_one_has_not() {
        assert!(target_has_core(&crate::fuzz::host().unwrap()));
        assert!(!target_has_core("no-such-target"));
    }

    #[test]
    fn core_library_is_recognized_by_name() {
        assert!(is_core("libcore-e3860aaf044c0412.rlib"));
        assert!(!is_core("libcompiler_builtins-8a.rlib"));
        assert!(!is_core("libcore-e3860aaf044c0412.rmeta"));
    }

    #[test]
    fn without_rustup_the_advice_names_the_command() {
        let missing = Err(io::ErrorKind::NotFound.into());
        let advice = advice("clippy", "component add clippy", missing).unwrap();
        assert!(advice.contains("https://rustup.rs"), "{advice}");
        assert!(advice.ends_with("rustup component add clippy"), "{advice}");
    }

    #[test]
    fn an_installed_tool_needs_no_advice() {
        let success = Ok(ExitStatus::default());
        assert_eq!(advice("clippy", "component add clippy", success), None);
    }
}
