//! Tools that the checks need besides cargo, fetched with rustup, npm and apt.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    CHIP, c_lib,
    cargo::{cargo, tool},
    node,
};

/// Components that a Rust installation may lack, with the sub-commands of cargo that they bring.
const COMPONENTS: [(&str, &str); 2] = [("rustfmt", "fmt"), ("clippy", "clippy")];

/// Installs what is missing; fails with what to type if it cannot.
pub fn run() -> Result<()> {
    components()?;
    for target in [CHIP].into_iter().chain(c_lib::TARGETS) {
        self::target(target)?;
        println!("the core library for {target}: installed");
    }
    c_lib::setup();
    node::run()
}

/// Installs the components that are missing.
pub fn components() -> Result<()> {
    for (component, command) in COMPONENTS {
        if !cargo(format!("{command} --version")).succeeds() {
            fetch(component, &format!("component add {component}"))?;
        }
        println!("{component}: installed");
    }
    Ok(())
}

/// Installs the core library for a target.
pub fn target(target: &str) -> Result<()> {
    match target_has_core(target) {
        true => Ok(()),
        false => fetch(target, &format!("target add {target}")),
    }
}

fn fetch(name: &str, rustup: &str) -> Result<()> {
    let command = tool("rustup", rustup);
    command.run().with_context(|| {
        format!(
            "{name} is missing and could not be fetched; with rustup (https://rustup.rs) and a network, type: {command}"
        )
    })
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
    fn what_cannot_be_fetched_is_told_with_the_command() {
        let advice = fetch("clippy", "no-such-command").unwrap_err().to_string();
        assert!(advice.starts_with("clippy is missing"), "{advice}");
        assert!(advice.contains("https://rustup.rs"), "{advice}");
        assert!(advice.ends_with("rustup no-such-command"), "{advice}");
    }
}
