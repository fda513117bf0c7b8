//! `cargo xtask c-lib`: the planner for robots in C and C++: a header, static libraries, and a folder of both for
//! Arduino, PlatformIO and CMake.
//!
//! - [`header`]: `tinystar.h`, made by cbindgen.
//! - [`archive`]: `libtinystar.a` for each processor, and checks of its symbols.
//! - [`package`]: the folder, and the same zipped.
//! - [`decisions`]: worlds, and what the Rust planner decides in them.
//! - [`programs`]: programs in C and C++ that have to decide the same, on the host and on emulated cores.
//! - [`tools`]: the compilers and the emulator.

mod archive;
mod decisions;
mod header;
mod package;
mod programs;
mod tools;

use anyhow::Result;

pub use archive::TARGETS;
pub use tools::setup;

/// Options of `cargo xtask c-lib`.
#[derive(clap::Args)]
pub struct Options {
    /// Only write planner-core/c/include/tinystar.h
    #[arg(long, conflicts_with = "check")]
    header: bool,
    /// Only check header, symbols, and that C programs decide as the Rust planner does
    #[arg(long)]
    check: bool,
}

/// `cargo xtask c-lib`.
pub fn run(options: &Options) -> Result<()> {
    if options.header {
        return header::write();
    }
    for target in TARGETS {
        crate::setup::target(target)?;
    }
    if options.check {
        return check();
    }
    header::check()?;
    build()?;
    package::write()?;
    programs::print_ram();
    programs::print_flash()
}

/// The step of `cargo xtask test`.
pub fn check() -> Result<()> {
    header::check()?;
    build()?;
    package::write()?;
    programs::check()
}

fn build() -> Result<()> {
    archive::HOST.build()?;
    archive::ROBOTS.iter().try_for_each(archive::Cpu::build)
}
