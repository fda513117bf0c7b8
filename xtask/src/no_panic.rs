//! `cargo xtask no-panic`: links an image for the chip that links only if `planner-core` cannot panic.
//!
//! The image is `xtask/no-panic`, which explains how it works. Its linker script also checks that planners in statics
//! are all zero. Reachability depends on the optimizer, so the image is linked at each level that firmware is likely
//! to use.

use anyhow::{Result, bail};

use crate::{CHIP, cargo::cargo};

/// That of the profile `chip`, and the default of `--release`.
const OPT_LEVELS: [&str; 2] = ["s", "3"];

/// Links the image; lists the reachable panics if it cannot.
pub fn run() -> Result<()> {
    for level in OPT_LEVELS {
        let build = cargo(format!("build --release -p no-panic --target {CHIP}"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
            // In place of the firmware's linker scripts in .cargo/config.toml, not on top of them.
            .env("RUSTFLAGS", "-C link-arg=-Txtask/no-panic/panics.x");
        let Err(stderr) = build.try_run()? else {
            continue;
        };
        let panics = panics(&stderr);
        if panics.is_empty() {
            eprint!("{stderr}");
            bail!("{build}");
        }
        eprintln!("planner-core can panic at opt-level {level}:");
        for panic in &panics {
            eprintln!("  {panic}");
        }
        bail!("a panic can be reached, see above: {build}");
    }
    Ok(())
}

/// The panics in what the linker wrote: for each call `source line: called function, in calling function`.
///
/// The linker tells of a call in four lines:
/// ```text
/// rust-lld: error: relocation refers to a symbol in a discarded section: core::panicking::panic_bounds_check
/// >>> defined in [...]/no_panic-941b8c3424fe31ca.core.rcgu.o
/// >>> referenced by cell.rs:28 (planner-core/src/cell.rs:28)
/// >>>               [...]/no_panic-941b8c3424fe31ca.no_panic.rcgu.o:(_start)
/// ```
/// and of the panic handler likewise, with `undefined symbol: planner_core_can_panic`.
fn panics(stderr: &str) -> Vec<String> {
    let mut panics = Vec::new();
    let mut called = None;
    let mut source = "unknown line";
    for line in stderr.lines() {
        if let Some((_, message)) = line.split_once("error: ") {
            called = ["in a discarded section: ", "undefined symbol: "]
                .iter()
                .find_map(|text| Some(message.split_once(text)?.1));
        } else if let Some((_, place)) = line.split_once(">>> referenced by ") {
            source = between(place, " (", ")").unwrap_or(place);
        } else if let (Some(called), Some(caller)) = (called, between(line, ":(", ")")) {
            panics.push(format!("{source}: {called}, in {caller}"));
        }
    }
    panics
}

/// The part of `text` behind the first `open` and before the last `close`.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.rsplit_once(close)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKER: &str = "\
error: linking with `rust-lld` failed: exit status: 1
  |
  = note:  \"rust-lld\" \"-flavor\" \"gnu\" \"--gc-sections\"
  = note: rust-lld: error: relocation refers to a symbol in a discarded section: core::option::unwrap_failed
          >>> defined in target/no_panic-94.core.rcgu.o
          >>> referenced by option.rs:1016 (/rustc/59/library/core/src/option.rs:1016)
          >>>               target/no_panic-94.no_panic.rcgu.o:(<planner_core::Map as Into<u8>>::into(u8))

          rust-lld: error: relocation refers to a symbol in a discarded section: core::panicking::panic_bounds_check
          >>> defined in target/no_panic-94.core.rcgu.o
          >>> referenced by cell.rs:28 (planner-core/src/cell.rs:28)
          >>>               target/no_panic-94.no_panic.rcgu.o:(_start)
          >>> referenced by cell.rs:40 (planner-core/src/cell.rs:40)
          >>>               target/no_panic-94.no_panic.rcgu.o:(_start)

error: could not compile `no-panic` (bin \"no-panic\") due to 1 previous error
";

    #[test]
    fn each_call_is_listed_with_its_line() {
        assert_eq!(
            panics(LINKER),
            [
                "/rustc/59/library/core/src/option.rs:1016: core::option::unwrap_failed, \
                 in <planner_core::Map as Into<u8>>::into(u8)",
                "planner-core/src/cell.rs:28: core::panicking::panic_bounds_check, in _start",
                "planner-core/src/cell.rs:40: core::panicking::panic_bounds_check, in _start",
            ]
        );
    }

    #[test]
    fn panics_that_the_script_misses_are_listed_by_the_handler() {
        let stderr = "\
rust-lld: error: undefined symbol: planner_core_can_panic
>>> referenced by main.rs:32 (xtask/no-panic/src/main.rs:32)
>>>               target/no_panic-94.core.rcgu.o:(core::panicking::panic_fmt)
";
        assert_eq!(
            panics(stderr),
            [
                "xtask/no-panic/src/main.rs:32: planner_core_can_panic, in core::panicking::panic_fmt"
            ]
        );
    }

    #[test]
    fn other_errors_are_not_panics() {
        let stderr = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:1";
        assert!(panics(stderr).is_empty());
    }
}
