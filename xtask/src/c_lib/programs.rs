//! Programs in C and C++ with the library in them, on the host and on emulated Cortex-M cores.

use std::{fs, path::PathBuf, process::Command};

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

/// Paths of sources among the tests.
fn tests(files: &[&str]) -> impl Iterator<Item = PathBuf> {
    let folder = header::folder().join("tests");
    files.iter().map(move |file| folder.join(file))
}

/// Compiles and links with the archive for a processor; returns the program.
fn build(compile: &mut Command, cpu: Cpu, name: &str) -> Result<PathBuf> {
    let program = scratch()?.join(name);
    let include = header::folder().join("include");
    compile.args(WARNINGS).arg("-I").arg(include);
    run(compile.arg(cpu.archive()?).arg("-o").arg(&program))?;
    Ok(program)
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
    let mut compile = CC.command();
    compile.args([C99, "-g", "-O1"]).args(SANITIZERS);
    compile.arg("-I").arg(scratch()?);
    compile.args(tests(&["decisions.c", "errors.c"]));
    let program = build(&mut compile, HOST, "decisions")?;
    let output = run(&mut Command::new(program))?;
    let (count, _) = decisions::compare(worlds, &output)?;
    println!("host, with sanitizers: {count} decisions as in Rust");
    Ok(())
}

/// A C++ program, and the sketches with a stand-in for Arduino.
fn in_cxx() -> Result<()> {
    let cxx = || {
        let mut compile = CXX.command();
        compile.args([CXX11, "-g", "-O1"]).args(SANITIZERS);
        compile
    };
    let program = build(cxx().args(tests(&["link.cpp"])), HOST, "link")?;
    run(&mut Command::new(program))?;
    for sketch in sketches()? {
        let name = sketch.file_stem().context("a sketch without a name")?;
        let mut compile = cxx();
        compile
            .arg("-I")
            .arg(header::folder().join("tests/arduino"));
        compile
            .args(["-x", "c++"])
            .arg(&sketch)
            .args(["-x", "none"]);
        let program = build(&mut compile, HOST, &name.to_string_lossy())?;
        let output = run(&mut Command::new(program))?;
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
    /// Command that compiles a program without an operating system, with the code that starts it.
    fn bare(&self, compiler: &Program, language: &str, flags: &[&str]) -> Result<Command> {
        let start = scratch()?.join(format!("start-{}.o", self.cpu.folders[0]));
        let mut compile = ARM_GCC.command();
        compile.args([C99, "-Os", "-c"]).args(flags).args(WARNINGS);
        run(compile.args(tests(&["cortex-m.c"])).arg("-o").arg(&start))?;
        let [code, data] = self.memory;
        let mut compile = compiler.command();
        compile
            .args([language, "-Os", "-ffunction-sections", "-fdata-sections"])
            .args(flags)
            .args(["--specs=rdimon.specs", "-nostartfiles", "-Wl,--gc-sections"])
            .arg(format!("-Wl,--defsym=CODE={code},--defsym=DATA={data}"))
            .arg("-T")
            .arg(header::folder().join("tests/cortex-m.ld"))
            .arg(start);
        Ok(compile)
    }

    /// Links the decisions in C, and runs them where there is an emulator.
    fn check(&self, worlds: &[World]) -> Result<()> {
        let name = self.cpu.folders[0];
        let mut compile = self.bare(&ARM_GCC, C99, self.flags)?;
        compile.args(["-DMEASURE_STACK", "-I"]).arg(scratch()?);
        compile.args(tests(&["decisions.c", "errors.c"]));
        let program = build(&mut compile, self.cpu, &format!("decisions-{name}.elf"))?;
        if !QEMU.is_present_or_skipped() {
            return Ok(());
        }
        let mut qemu = QEMU.command();
        qemu.args(self.qemu)
            .args(["-display", "none", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel"]);
        let output = run(qemu.arg(program))?;
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
        let mut compile = self.bare(&ARM_GXX, CXX11, flags)?;
        compile.args(["-fno-exceptions", "-fno-rtti"]);
        build(compile.args(tests(&["link.cpp"])), self.cpu, program)?;
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
            let calls = calls.map(|f| format!("-Wl,-u,tinystar_{f}"));
            let mut link = ARM_GCC.command();
            link.args(core.flags)
                .args(["-nostartfiles", "-Wl,--gc-sections,-e,tinystar_version"])
                .args(calls)
                .arg(core.cpu.archive()?);
            run(link.arg("-o").arg(&program))?;
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
