//! The steps of `cargo xtask test`, cheap ones first.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::{
    CHIP,
    beside::Beside,
    c_lib,
    cargo::{cargo, root, target_dir, tool},
    fuzz, no_panic, setup, size,
    steps::{self, Step},
    uf2, wcet, web,
};

const fn step(name: &'static str, run: fn() -> Result<()>) -> Step {
    Step { name, run }
}

/// All packages but `web-bindings`, which takes a minute to build and is tried by `cargo xtask web`, and `fuzz`, which
/// links only with [its own flags](fuzz::run).
const HERE: &str = "--workspace --exclude web-bindings --exclude fuzz";

const SETUP_STEP: Step = step("setup", setup::run);
const NO_PANIC_STEP: Step = step(
    "planner-core cannot panic and needs no allocator",
    no_panic::run,
);
const UF2_STEP: Step = step("firmware images as UF2 files", uf2::run);
const FUZZ_STEP: Step = step("fuzzing of the robot's commands", fuzz::run);

/// `cargo xtask setup`.
pub const SETUP: &[Step] = &[SETUP_STEP];

/// `cargo xtask no-panic`.
pub const NO_PANIC: &[Step] = &[SETUP_STEP, NO_PANIC_STEP];

/// `cargo xtask uf2`.
pub const UF2: &[Step] = &[SETUP_STEP, UF2_STEP];

/// `cargo xtask fuzz`.
pub const FUZZ: &[Step] = &[FUZZ_STEP];

/// `cargo xtask chip`.
pub const CHIP_CHECKS: &[Step] = &[
    SETUP_STEP,
    step("clippy for the chip", clippy_chip),
    NO_PANIC_STEP,
    UF2_STEP,
    step("images fit their budgets", size::check),
    step("ticks and control steps are bounded", wcet::check),
    step("the C library decides as planner-core", c_lib::check),
];

/// `cargo xtask test`, in two processes, of which neither keeps two processors busy all the time.
///
/// The setup waits for the network: clippy runs beside it. The checks for the chip build into folders of their own.
/// Later steps wait for cargo's lock until the tests are built, and then run beside the tests.
pub fn test() -> Result<()> {
    steps::run(&[step("rustfmt and clippy", setup::components)])?;
    let setup = Beside::start("setup")?;
    steps::run(&[
        step("formatting", format),
        step("clippy on the host", clippy_host),
    ])?;
    setup.finish()?;
    let beside = Beside::start("test-beside")?;
    steps::run(TESTS)?;
    beside.finish()
}

/// `cargo xtask test-beside`: the other half of `cargo xtask test`.
pub fn test_beside() -> Result<()> {
    steps::run(CHIP_CHECKS)?;
    steps::run(OTHERS)
}

const TESTS: &[Step] = &[
    step("the simulator compiles for browsers", browser),
    step("tests", tests),
];

const OTHERS: &[Step] = &[
    step("examples of planner-core", examples),
    FUZZ_STEP,
    step("documentation", documentation),
    step("tests in documentation", doc_tests),
    step("package of planner-core", package),
    step("oldest supported Rust", oldest_rust),
];

fn format() -> Result<()> {
    cargo("fmt --all --check").run()
}

fn clippy_host() -> Result<()> {
    cargo(format!("clippy {HERE} --all-targets -- -D warnings")).run()
}

/// With the profile of the images, for which build scripts and macros are built anyway.
fn clippy_chip() -> Result<()> {
    let firmware = "-p planner-core -p tinystar-c -p tinystar --lib --bins";
    let images = "-p no-panic -p bench-chip -p emulator-images";
    for more in [images, "--features tinystar/defmt"] {
        let clippy = format!("clippy --profile chip {firmware} {more} --target {CHIP}");
        cargo(format!("{clippy} -- -D warnings")).run()?;
    }
    Ok(())
}

/// Checks the simulator's library, on which the web page is built. The page itself takes minutes:
/// `cargo xtask web --test`.
fn browser() -> Result<()> {
    setup::target(web::TARGET)?;
    cargo(format!("check -p sim --lib --target {}", web::TARGET)).run()
}

/// Runs unit and integration tests.
fn tests() -> Result<()> {
    cargo(format!("test {HERE} --lib --bins --tests")).run()
}

fn doc_tests() -> Result<()> {
    cargo(format!("test {HERE} --doc")).run()
}

/// Builds the documentation of all packages, and of planner-core with every feature for the chip.
fn documentation() -> Result<()> {
    let chip = format!("-p planner-core --all-features --target {CHIP}");
    for packages in [HERE, &chip] {
        cargo(format!("doc --no-deps {packages}"))
            .env("RUSTDOCFLAGS", "-D warnings")
            .run()?;
    }
    Ok(())
}

/// Runs every example of planner-core.
///
/// They are built with the packages of the tests, whose step has built them: alone, planner-core has other features.
fn examples() -> Result<()> {
    cargo(format!("build {HERE} --examples")).run()?;
    let folder = root().join("planner-core/examples");
    let mut names = Vec::new();
    for file in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|name| name.display().to_string()));
        }
    }
    ensure!(!names.is_empty(), "no examples in {}", folder.display());
    names.sort();
    let built = target_dir()?.join("debug/examples");
    for name in names {
        tool(built.join(name).display().to_string(), "").run()?;
    }
    Ok(())
}

/// Packs planner-core as for a registry, and builds what was packed.
fn package() -> Result<()> {
    cargo("package -p planner-core --allow-dirty --offline").run()
}

/// Checks planner-core, firmware and simulator with the `rust-version` of Cargo.toml, where it is installed.
fn oldest_rust() -> Result<()> {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let rustup = |args: &str| tool("rustup", format!("run {version} {args}"));
    if !rustup("rustc --version").succeeds() {
        println!("skipped: Rust {version} is not installed");
        println!("(to install it: rustup toolchain install {version} --profile minimal)");
        return Ok(());
    }
    rustup("cargo check -p planner-core -p tinystar -p sim").run()
}
