//! `cargo xtask size`: flash and RAM of images and planners.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Result, ensure};
use bench_chip::{Job, Situation, world::Kind};
use clap::Args;
use emulator::{Emulator, Image};
use tinystar::{
    config::{self, FLASH_BUDGET, RAM_BUDGET},
    navigator::Navigator,
};

use crate::{cargo::cargo, chip, wcet::placement};

/// Bytes of flash that memory.x leaves for the program.
const FLASH: u32 = 2048 * 1024 - 64 * 1024;
/// Bytes of RAM of the chip.
const RAM: u32 = 264 * 1024;
/// Largest `.data`, in bytes: the flash driver's code, tables of the control step and a few variables. A planner has
/// tens of kilobytes and must be in `.bss`, or the image holds a copy of it.
const DATA_LIMIT: u32 = 5 * 1024;
/// Images of the firmware, one per board.
const FIRMWARE: [&str; 2] = ["tinystar", "pico"];
const PLANNERS: [(&str, &str, u32); 4] = [
    ("dstar-lite", "bench-dstar-lite", 0),
    ("dstar-lite-heap", "bench-dstar-lite-heap", 0),
    ("grid-navigator", "bench-grid-navigator", 64),
    ("lss-lrta", "bench-lss-lrta", 64),
];
/// Cells along a side of the map that planners are compared on.
const SIDE: u16 = 101;

#[derive(Args)]
pub struct Options {
    /// ELF files of images; without any, the firmware's, and the planners of bench-chip for 101x101
    images: Vec<PathBuf>,
    /// Virtual seconds to run each image for, to measure its stack
    #[arg(long, default_value_t = 2.0)]
    run: f64,
}

/// Prints flash, RAM and stack of images.
pub fn run(options: &Options) -> Result<()> {
    if options.images.is_empty() {
        check()?;
        check_placement(&chip::path(FIRMWARE[0])?, true)?;
        for image in FIRMWARE {
            print_stack(&chip::path(image)?, options.run)?;
        }
        return planners();
    }
    for path in &options.images {
        print_sections(path)?;
        print_stack(path, options.run)?;
    }
    Ok(())
}

/// Builds the firmware's images and checks them against the budgets of `tinystar::config` and [`DATA_LIMIT`].
pub fn check() -> Result<()> {
    cargo("fw").run()?;
    for image in FIRMWARE {
        let path = chip::path(image)?;
        let (flash, ram, data) = print_sections(&path)?;
        for (what, bytes, budget) in [("flash", flash, FLASH_BUDGET), ("RAM", ram, RAM_BUDGET)] {
            ensure!(
                bytes <= budget,
                "{}: {bytes} bytes of {what}, but its budget is {budget}",
                path.display()
            );
        }
        ensure!(
            data <= DATA_LIMIT,
            "{}: {data} bytes of .data, at most {DATA_LIMIT}: a planner's static is not all zero",
            path.display()
        );
    }
    for image in FIRMWARE {
        check_placement(&chip::path(image)?, false)?;
    }
    let cells = u32::from(config::SIDE) * u32::from(config::SIDE);
    let bytes = size_of::<Navigator>() as u32;
    println!(
        "MazeNavigator of the firmware, {side}x{side} cells: {bytes} bytes on this machine, {:.2} per cell",
        f64::from(bytes) / f64::from(cells),
        side = config::SIDE,
    );
    Ok(())
}

/// Prints how much code a planner tick and a control step have in RAM, and if `in_detail` which functions; fails if
/// code that they execute or a table that they read is in flash.
fn check_placement(path: &Path, in_detail: bool) -> Result<()> {
    let placed = placement::placed(path)?;
    println!("{}: code in RAM", path.display());
    for root in &placed {
        let functions = &root.functions;
        let bytes: u32 = functions.iter().map(|function| function.bytes).sum();
        println!(
            "  {}: {} functions, {bytes} bytes",
            root.name,
            functions.len()
        );
        for function in functions.iter().filter(|_| in_detail) {
            println!(
                "    {:#010x} {:>5} {}",
                function.at, function.bytes, function.name
            );
        }
    }
    let in_flash: Vec<_> = placed.iter().flat_map(|root| &root.in_flash).collect();
    ensure!(
        in_flash.is_empty(),
        "{}: in flash, but part of a planner tick or a control step (see memory.x): {in_flash:#?}",
        path.display()
    );
    Ok(())
}

/// Prints flash and RAM by section; returns the sums, and the bytes of `.data`.
fn print_sections(path: &Path) -> Result<(u32, u32, u32)> {
    let image = Image::read(path)?;
    println!("{}", path.display());
    println!("  {:<16} {:>9} {:>9}", "section", "flash", "RAM");
    let (mut flash, mut ram, mut data) = (0, 0, 0);
    for section in image.sections() {
        let in_flash = if section.flash { section.size } else { 0 };
        let in_ram = if section.ram { section.size } else { 0 };
        println!("  {:<16} {in_flash:>9} {in_ram:>9}", section.name);
        (flash, ram) = (flash + in_flash, ram + in_ram);
        data += if section.name == ".data" {
            section.size
        } else {
            0
        };
    }
    println!("  {:<16} {flash:>9} {ram:>9}", "all");
    println!(
        "  {:<16} {:>9} {:>9}",
        "left",
        FLASH.saturating_sub(flash),
        RAM.saturating_sub(ram)
    );
    Ok((flash, ram, data))
}

fn print_stack(path: &Path, seconds: f64) -> Result<()> {
    let (used, size) = stack(Image::read(path)?, seconds)?;
    println!(
        "{}: {used} bytes of stack used of {size} in {seconds} s",
        path.display()
    );
    Ok(())
}

/// Runs an image; returns the bytes of stack that it used, and the size of the stack.
fn stack(image: Image, seconds: f64) -> Result<(u32, u32)> {
    let mut emulator = Emulator::start(image)?;
    emulator.power_on()?;
    emulator.run(Duration::try_from_secs_f64(seconds)?)?;
    Ok(emulator.stack()?.unwrap_or_default())
}

fn planners() -> Result<()> {
    chip::build("s")?;
    println!("planners for a map of {SIDE}x{SIDE} cells, map included:");
    println!(
        "{:16} {:>8} {:>15} {:>14} {:>9}",
        "planner", "bytes", "bytes per cell", "left of 264 KB", "program"
    );
    for (name, image, limit) in PLANNERS {
        let job = Job {
            limit,
            side: SIDE,
            world: Kind::Random,
            seed: 1,
            situation: Situation::Usual,
        };
        let bytes = chip::run(image, job, chip::Watch::Laps)?.report.bytes;
        let sections = Image::read(chip::path(image)?)?;
        let program: u32 = sections
            .sections()
            .iter()
            .filter(|section| section.flash)
            .map(|section| section.size)
            .sum();
        println!(
            "{name:16} {bytes:>8} {:>15.3} {:>14} {program:>9}",
            f64::from(bytes) / f64::from(u32::from(SIDE) * u32::from(SIDE)),
            RAM.saturating_sub(bytes)
        );
    }
    Ok(())
}
