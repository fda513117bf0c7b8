//! `cargo xtask fuzz`: coverage-guided fuzzing of the decoder of the robot's commands.
//!
//! The flags are those of `cargo fuzz` without a sanitizer, which code without `unsafe` does not need, so that
//! a stable toolchain will do.

use std::env;

use anyhow::{Context, Result};

use crate::cargo::{cargo, tool};

/// Inputs per run: a few seconds on a desktop.
const RUNS: u32 = 100_000;

/// Coverage counters per edge, and traces of comparisons.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Runs the fuzzer with a fixed seed, if there is a C++ compiler to build it.
pub fn run() -> Result<()> {
    if !has_cpp() {
        println!("skipped: libFuzzer needs a C++ compiler, and `c++` is not installed");
        println!("(random bytes are also tested by cargo test -p tinystar --test it)");
        return Ok(());
    }
    // With a target of its own name, the flags are not for build scripts and macros, which the tests have built.
    let host = host()?;
    cargo(format!(
        "run -p fuzz --target {host} -- \
         -runs={RUNS} -seed=1 -max_len=512 -verbosity=0 -print_final_stats=1"
    ))
    .env("RUSTFLAGS", FLAGS)
    .run()
}

/// Returns whether there is a C++ compiler: `CXX` or `c++`, as the crate `cc` chooses.
fn has_cpp() -> bool {
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    tool(compiler, "--version").succeeds()
}

/// Returns the target triple of the host.
pub fn host() -> Result<String> {
    let text = tool("rustc", "-vV")
        .output()
        .context("cannot start rustc")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn host_triple_has_parts() {
        let host = super::host().unwrap();
        assert!(host.split('-').count() >= 2, "{host}");
    }
}
