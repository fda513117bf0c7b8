//! `cargo xtask fuzz`: gives the robot's commands bytes that nobody would send, guided by which code
//! they reach.
//!
//! The flags are those of `cargo fuzz` without a sanitizer, for the code has no `unsafe`: so that any
//! toolchain will do.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::cargo::cargo;

/// Inputs in a run: a few seconds of a desktop.
const RUNS: u32 = 100_000;

/// Counts how often each edge of the program is taken, and tells the fuzzer what is compared.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Runs the fuzzer from the same seed each time, if it can be built.
pub fn run() -> Result<()> {
    if !has_cpp() {
        println!("skipped: the fuzzer is in C++ and there is no compiler `c++`");
        println!("(what it asks is also asked by cargo test -p tinystar --test it report)");
        return Ok(());
    }
    // With a target of its own name, the flags are not for build scripts.
    let host = host()?;
    cargo(format!(
        "run --release --manifest-path xtask/fuzz/Cargo.toml --target-dir target/fuzz \
         --target {host} --bin commands -- -runs={RUNS} -seed=1 -max_len=512 -verbosity=0 -print_final_stats=1"
    ))
    .env("RUSTFLAGS", FLAGS)
    .run()
}

/// Whether C++ can be compiled; the crate `cc` takes `CXX` from the environment, or this.
fn has_cpp() -> bool {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The target of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_has_a_name() {
        let host = super::host().unwrap();
        assert!(host.split('-').count() >= 2, "{host}");
    }
}
