//! Programs in C and C++ with the library in them, on the host and on emulated Cortex-M cores.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use tinystar_c::{grid, maze};

use super::{
    archive::{Cpu, HOST, M0, M4, M33, flash_bytes},
    decisions::{self, World},
    header,
    tools::{ARM_GCC, ARM_GXX, CC, CXX, Program, QEMU, run},
};
use crate::cargo::target_dir;

const C99: &str = "-std=c99";
const CXX11: &str = "-std=c++11";
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Most bytes of stack that a call of the library may take on a Cortex-M0+; measured are 1.4 kB. A navigator that
/// were made on the stack would take 20 kB.
const MAX_STACK: u32 = 2048;

/// An emulated core.
struct Core {
    cpu: Cpu,
    flags: &'static [&'static str],
    /// Addresses of code and data.
    memory: [&'static str; 2],
    qemu: &'static [&'static str],
}

const CORES: [Core; 3] = [
    Core {
        cpu: M0,
        flags: &["-mcpu=cortex-m0", "-mthumb"],
        memory: ["0x00000000", "0x20000000"],
        // The chip of a micro:bit has 16 kB.
        qemu: &["-M", "microbit", "-global", "nrf51-soc.sram-size=1048576"],
    },
    Core {
        cpu: M4,
        flags: &[
            "-mcpu=cortex-m4",
            "-mthumb",
            "-mfpu=fpv4-sp-d16",
            "-mfloat-abi=hard",
        ],
        memory: ["0x00000000", "0x20000000"],
        qemu: &["-M", "mps2-an386"],
    },
    Core {
        cpu: M33,
        flags: &[
            "-mcpu=cortex-m33",
            "-mthumb",
            "-mfpu=fpv5-sp-d16",
            "-mfloat-abi=hard",
        ],
        memory: ["0x10000000", "0x38000000"],
        qemu: &["-M", "mps2-an505"],
    },
];

/// A command line that is put together.
struct Args(Vec<OsString>);

impl Args {
    fn new(args: &[&str]) -> Self {
        Self(args.iter().map(Into::into).collect())
    }

    fn flags(mut self, flags: &[&str]) -> Self {
        self.0.extend(flags.iter().map(Into::into));
        self
    }

    fn path(mut self, before: &str, path: impl AsRef<Path>) -> Self {
        let mut arg = OsString::from(before);
        arg.push(path.as_ref());
        self.0.push(arg);
        self
    }

    fn tests(self, files: &[&str]) -> Self {
        let folder = header::folder().join("tests");
        files
            .iter()
            .fold(self, |args, file| args.path("", folder.join(file)))
    }

    /// Compiles and links with the archive for a processor; returns the program.
    fn build(self, compiler: &Program, cpu: Cpu, name: &str) -> Result<PathBuf> {
        let program = scratch()?.join(name);
        let args = self
            .flags(&WARNINGS)
            .path("-I", header::folder().join("include"))
            .path("", cpu.archive()?)
            .flags(&["-o"])
            .path("", &program);
        compiler.run(args.0)?;
        Ok(program)
    }
}

/// Folder for programs and their generated sources.
fn scratch() -> Result<PathBuf> {
    let folder = target_dir()?.join("c-lib");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

/// Runs every program that the installed tools can build.
pub fn check() -> Result<()> {
    let worlds = decisions::worlds();
    fs::write(scratch()?.join("worlds.h"), decisions::c_source(&worlds))?;
    if CC.is_present_or_skipped() {
        on_host(&worlds)?;
    }
    if CXX.is_present_or_skipped() {
        in_cxx()?;
    }
    if ARM_GCC.is_present_or_skipped() {
        for core in &CORES {
            core.check(&worlds)?;
        }
    }
    if ARM_GXX.is_present_or_skipped() {
        for core in &CORES {
            core.check_cxx()?;
        }
    }
    Ok(())
}

/// The decisions in C under sanitizers.
fn on_host(worlds: &[World]) -> Result<()> {
    let program = Args::new(&[C99, "-g", "-O1"])
        .flags(&SANITIZERS)
        .path("-I", scratch()?)
        .tests(&["decisions.c", "errors.c"])
        .build(&CC, HOST, "decisions")?;
    let output = run(&program, [""; 0])?;
    let (count, _) = decisions::compare(worlds, &output)?;
    println!("host, with sanitizers: {count} decisions as in Rust");
    Ok(())
}

/// A C++ program, and the sketches with a stand-in for Arduino.
fn in_cxx() -> Result<()> {
    let cxx = || Args::new(&[CXX11, "-g", "-O1"]).flags(&SANITIZERS);
    let program = cxx().tests(&["link.cpp"]).build(&CXX, HOST, "link")?;
    run(&program, [""; 0])?;
    for sketch in sketches()? {
        let name = sketch.file_stem().context("a sketch without a name")?;
        let program = cxx()
            .path("-I", header::folder().join("tests/arduino"))
            .flags(&["-x", "c++"])
            .path("", &sketch)
            .flags(&["-x", "none"])
            .build(&CXX, HOST, &name.to_string_lossy())?;
        let output = run(&program, [""; 0])?;
        ensure!(output.ends_with("done\n"), "{}: {output}", sketch.display());
    }
    Ok(())
}

/// The examples of the Arduino library.
fn sketches() -> Result<Vec<PathBuf>> {
    let folder = header::folder().join("arduino/examples");
    let mut sketches = Vec::new();
    for example in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let folder = example?.path();
        let name = folder.file_name().context("an example without a name")?;
        sketches.push(folder.join(name).with_extension("ino"));
    }
    ensure!(!sketches.is_empty(), "no examples in {}", folder.display());
    sketches.sort();
    Ok(sketches)
}

impl Core {
    /// Arguments for a program without an operating system, with the code that starts it.
    fn bare(&self, language: &str, flags: &[&str]) -> Result<Args> {
        let start = scratch()?.join(format!("start-{}.o", self.cpu.folders[0]));
        let compile = Args::new(&[C99, "-Os", "-c"])
            .flags(flags)
            .flags(&WARNINGS)
            .tests(&["cortex-m.c"])
            .flags(&["-o"])
            .path("", &start);
        ARM_GCC.run(compile.0)?;
        let [code, data] = self.memory;
        Ok(
            Args::new(&[language, "-Os", "-ffunction-sections", "-fdata-sections"])
                .flags(flags)
                .flags(&["--specs=rdimon.specs", "-nostartfiles", "-Wl,--gc-sections"])
                .flags(&[&format!("-Wl,--defsym=CODE={code},--defsym=DATA={data}")])
                .path("-T", header::folder().join("tests/cortex-m.ld"))
                .path("", start),
        )
    }

    /// Links the decisions in C, and runs them where there is an emulator.
    fn check(&self, worlds: &[World]) -> Result<()> {
        let name = self.cpu.folders[0];
        let program = self
            .bare(C99, self.flags)?
            .flags(&["-DMEASURE_STACK"])
            .path("-I", scratch()?)
            .tests(&["decisions.c", "errors.c"])
            .build(&ARM_GCC, self.cpu, &format!("decisions-{name}.elf"))?;
        if !QEMU.is_present_or_skipped() {
            return Ok(());
        }
        let qemu = Args::new(self.qemu)
            .flags(&["-display", "none", "-monitor", "none", "-serial", "none"])
            .flags(&["-semihosting-config", "enable=on,target=native", "-kernel"])
            .path("", &program);
        let output = QEMU.run(qemu.0)?;
        let (count, (init, tick)) = decisions::compare(worlds, &output)?;
        println!(
            "{} on {}: {count} decisions as in Rust; stack: init {init}, tick {tick} bytes",
            self.cpu.name, self.qemu[1]
        );
        ensure!(
            (1..=MAX_STACK).contains(&init) && (1..=MAX_STACK).contains(&tick),
            "a call takes more than {MAX_STACK} bytes of stack, or none was measured"
        );
        Ok(())
    }

    /// Links C++ programs.
    fn check_cxx(&self) -> Result<()> {
        let name = self.cpu.folders[0];
        self.link_cxx(self.flags, &format!("link-{name}.elf"))?;
        if let [cpu, thumb, fpu, "-mfloat-abi=hard"] = self.flags {
            // Floating-point arguments in integer registers, as in the Pico SDK for the RP2350.
            let flags = [cpu, thumb, fpu, "-mfloat-abi=softfp"];
            self.link_cxx(&flags, &format!("link-{name}-softfp.elf"))?;
        }
        Ok(())
    }

    fn link_cxx(&self, flags: &[&str], program: &str) -> Result<()> {
        self.bare(CXX11, flags)?
            .flags(&["-fno-exceptions", "-fno-rtti"])
            .tests(&["link.cpp"])
            .build(&ARM_GXX, self.cpu, program)?;
        Ok(())
    }
}

/// Functions that a program of each kind calls, without the prefix of the library.
const KINDS: [(&str, &str); 4] = [
    ("maze", "maze_init maze_observe_wall maze_tick maze_phase"),
    ("grid, four moves", "grid_init grid_observe_cell grid_tick"),
    (
        "grid, eight moves",
        "grid_init_eight grid_observe_cell grid_tick",
    ),
    (
        "grid, weights",
        "grid_init_weighted grid_observe_cell grid_set_weight grid_tick",
    ),
];

/// Sides of the mazes and grids in the table of RAM.
const SIDES: [u16; 3] = [16, 32, 64];

/// Prints the bytes of RAM of navigators: the same on every processor.
pub fn print_ram() {
    let sizes = [
        (
            "maze",
            maze::tinystar_maze_size as extern "C" fn(u16, u16) -> usize,
        ),
        ("grid", grid::tinystar_grid_size),
        ("grid, weights", grid::tinystar_grid_weighted_size),
    ];
    let sides: String = SIDES
        .iter()
        .map(|side| format!(" {:>11}", format!("{side}x{side}")))
        .collect();
    println!("\nRAM in bytes:\n{:20}{sides}", "");
    for (kind, size) in sizes {
        let row: String = SIDES
            .iter()
            .map(|&side| format!(" {:>11}", size(side, side)))
            .collect();
        println!("{kind:20}{row}");
    }
}

/// Prints the bytes of flash that programs get by their calls of the library, with what these need of the C library.
pub fn print_flash() -> Result<()> {
    if !ARM_GCC.is_present_or_skipped() {
        return Ok(());
    }
    let mut rows = Vec::new();
    for (kind, functions) in KINDS {
        let mut row = format!("{kind:20}");
        for core in &CORES {
            let program = scratch()?.join("size.elf");
            let calls = functions.split(' ');
            let calls: Vec<_> = calls.map(|f| format!("-Wl,-u,tinystar_{f}")).collect();
            let calls: Vec<_> = calls.iter().map(String::as_str).collect();
            let args = Args::new(core.flags)
                .flags(&["-nostartfiles", "-Wl,--gc-sections,-e,tinystar_version"])
                .flags(&calls)
                .path("", core.cpu.archive()?)
                .flags(&["-o"])
                .path("", &program);
            ARM_GCC.run(args.0)?;
            row += &format!(" {:>11}", flash_bytes(&fs::read(&program)?)?);
        }
        rows.push(row);
    }
    let names: String = CORES
        .iter()
        .map(|core| format!(" {:>11}", core.cpu.name))
        .collect();
    println!(
        "\nflash in bytes, whatever the size of the map:\n{:20}{names}",
        ""
    );
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}
