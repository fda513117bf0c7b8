//! What a change must pass: the steps of `cargo xtask test`, cheap ones first.

use anyhow::Result;

use crate::{CHIP, cargo::cargo, fuzz, no_panic, setup, size, steps::Step, uf2, web};

const fn step(name: &'static str, run: fn() -> Result<()>) -> Step {
    Step { name, run }
}

/// All but what binds the web page, which takes a minute to build and is tried by `cargo xtask web`.
const HERE: &str = "--workspace --exclude web-bindings";

/// `cargo xtask setup`.
pub const SETUP: &[Step] = &[step("set-up", setup::run)];

/// `cargo xtask no-panic`.
pub const NO_PANIC: &[Step] = &[
    step("set-up", setup::run),
    step("planner-core cannot panic", no_panic::run),
];

/// `cargo xtask uf2`.
pub const UF2: &[Step] = &[
    step("set-up", setup::run),
    step("images to copy to a robot", uf2::run),
];

/// `cargo xtask fuzz`.
pub const FUZZ: &[Step] = &[step("no bytes upset the robot's commands", fuzz::run)];

/// `cargo xtask test`.
pub const ALL: &[Step] = &[
    step("set-up", setup::run),
    step("format", format),
    step("clippy on this machine", clippy_host),
    step("planner-core needs neither std nor alloc", core_only),
    step("clippy for the chip", clippy_chip),
    step("planner-core cannot panic", no_panic::run),
    step("images to copy to a robot", uf2::run),
    step("images fit their budgets", size::check),
    step("the simulator can run in a browser", browser),
    step("tests", tests),
    step("no bytes upset the robot's commands", fuzz::run),
    step("documentation", documentation),
];

fn format() -> Result<()> {
    cargo("fmt --all --check").run()
}

fn clippy_host() -> Result<()> {
    cargo(format!("clippy {HERE} --all-targets -- -D warnings")).run()
}

/// The chip's target has no `std`. It has an `alloc`, but an image without a global allocator, such as
/// `no-panic`, is refused as soon as any crate in it, used or not, links `alloc`.
fn core_only() -> Result<()> {
    cargo(format!("check -p no-panic --target {CHIP}")).run()
}

fn clippy_chip() -> Result<()> {
    let packages = "-p planner-core -p tinystar --lib --bins";
    for features in ["", " --features tinystar/defmt"] {
        cargo(format!(
            "clippy {packages}{features} --target {CHIP} -- -D warnings"
        ))
        .run()?;
    }
    let images = "-p no-panic -p bench-chip -p emulator-images";
    cargo(format!("clippy {images} --target {CHIP} -- -D warnings")).run()
}

/// That the library of the simulator, on which the page is built, compiles for a browser. The page itself
/// takes minutes: `cargo xtask web --check`.
fn browser() -> Result<()> {
    setup::target(web::TARGET)?;
    cargo(format!("check -p sim --lib --target {}", web::TARGET)).run()
}

/// Unit, integration and documentation tests. `[profile.test]` optimises them and keeps overflow checks.
fn tests() -> Result<()> {
    cargo(format!("test {HERE}")).run()
}

/// As people read it, and planner-core again as the chip sees it, with every feature.
fn documentation() -> Result<()> {
    let chip = format!("-p planner-core --all-features --target {CHIP}");
    for packages in [HERE, &chip] {
        cargo(format!("doc --no-deps {packages}"))
            .env("RUSTDOCFLAGS", "-D warnings")
            .run()?;
    }
    Ok(())
}
