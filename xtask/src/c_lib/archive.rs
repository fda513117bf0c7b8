//! `libtinystar.a`: one object, of which a C program sees `tinystar_*` alone.
//!
//! A static library as rustc makes it also holds `compiler_builtins`: `memcpy`, division and the like. They are left
//! out, because every C toolchain has them, and a second copy can clash. So the archive is as one that a C compiler
//! makes: it needs `memcpy` and its kin from the C library, and division from libgcc or compiler-rt.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use ar_archive_writer::{ArchiveKind, NewArchiveMember};
use gimli::{EndianSlice, LittleEndian, Reader};
use object::{Object, ObjectSection, ObjectSymbol, read::archive::ArchiveFile};

use crate::{
    cargo::{cargo, target_dir},
    fuzz,
};

/// A processor that the library is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// As people read it.
    pub name: &'static str,
    /// Target of rustc; empty for the host's.
    target: &'static str,
    /// Folders of the Arduino library that hold this archive: `build.mcu` of boards.
    pub folders: &'static [&'static str],
}

/// The host, on which tests run.
pub const HOST: Cpu = Cpu {
    name: "host",
    target: "",
    folders: &[],
};
/// RP2040, SAMD21, STM32F0, STM32G0.
pub const M0: Cpu = Cpu {
    name: "Cortex-M0+",
    target: crate::CHIP,
    folders: &["cortex-m0plus", "cortex-m0"],
};
/// STM32F4, STM32G4, nRF52.
pub const M4: Cpu = Cpu {
    name: "Cortex-M4F",
    target: "thumbv7em-none-eabihf",
    folders: &["cortex-m4"],
};
/// RP2350, STM32U5, nRF53.
pub const M33: Cpu = Cpu {
    name: "Cortex-M33",
    target: "thumbv8m.main-none-eabihf",
    folders: &["cortex-m33"],
};

/// Processors of robots.
pub const ROBOTS: [Cpu; 3] = [M0, M4, M33];

/// Targets of rustc that robots need besides the chip's.
pub const TARGETS: [&str; 2] = [M4.target, M33.target];

impl Cpu {
    fn target(&self) -> Result<String> {
        match self.target {
            "" => fuzz::host(),
            target => Ok(target.to_owned()),
        }
    }

    /// Path of the archive.
    pub fn archive(&self) -> Result<PathBuf> {
        let folder = target_dir()?.join(self.target()?).join("c-lib");
        Ok(folder.join("libtinystar.a"))
    }

    /// Builds the archive and checks its symbols.
    pub fn build(&self) -> Result<()> {
        let target = self.target()?;
        cargo(format!(
            "rustc --quiet -p tinystar-c --lib --crate-type staticlib --features staticlib --profile c-lib --target {target}"
        ))
        .run()?;
        let path = self.archive()?;
        let from_rustc = path.with_file_name("libtinystar_c.a");
        let bytes = fs::read(&from_rustc).with_context(|| from_rustc.display().to_string())?;
        if *self == HOST && !cfg!(target_os = "linux") {
            println!("as rustc makes it, because objects of this host are not ELF files");
            return fs::write(&path, bytes).with_context(|| path.display().to_string());
        }
        let mut object = only_object(&bytes)?.to_vec();
        check_symbols(&object).with_context(|| from_rustc.display().to_string())?;
        if let Some(at) = vfp_arguments(&object)? {
            object[at] = COMPATIBLE_WITH_BOTH;
        }
        fs::write(&path, archive(&object)?).with_context(|| path.display().to_string())?;
        println!("{}: {}", self.name, path.display());
        Ok(())
    }
}

/// The object of the crate, with all of planner-core and `core` that it uses; the others are of `compiler_builtins`.
fn only_object(archive: &[u8]) -> Result<&[u8]> {
    let mut found = None;
    for member in ArchiveFile::parse(archive)?.members() {
        let member = member?;
        if !member.name().starts_with(b"tinystar_c-") {
            continue;
        }
        ensure!(found.is_none(), "more than one object");
        found = Some(member.data(archive)?);
    }
    found.context("no object")
}

/// Symbols that every C toolchain defines: those of the C library and of the ABI's run-time helpers.
fn is_of_toolchain(symbol: &str) -> bool {
    let in_libc = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];
    let in_libgcc = [
        "__clzsi2",
        "__ctzsi2",
        "__popcountsi2",
        "_GLOBAL_OFFSET_TABLE_",
    ];
    in_libc.contains(&symbol) || in_libgcc.contains(&symbol) || symbol.starts_with("__aeabi_")
}

/// Fails if the object defines another name than `tinystar_*`, or needs one that a C toolchain lacks. The panic handler
/// needs such a name, so this also fails if a panic can be reached.
fn check_symbols(object: &[u8]) -> Result<()> {
    let file = object::File::parse(object)?;
    let mut defined = 0;
    for symbol in file.symbols() {
        let name = symbol.name()?;
        if symbol.is_undefined() {
            ensure!(
                name.is_empty() || is_of_toolchain(name),
                "needs {name}, which C toolchains do not have{}",
                match name {
                    "tinystar_can_panic" => ": a panic can be reached",
                    _ => "",
                }
            );
        } else if symbol.is_global() {
            ensure!(name.starts_with("tinystar_"), "defines {name}");
            defined += 1;
        }
    }
    ensure!(defined > 0, "defines nothing");
    Ok(())
}

/// A value of `Tag_ABI_VFP_args` in the attributes of an object: no function has floating-point arguments, so it can
/// be linked with code that passes them in either way. Compilers say "in registers" for a target with hardware floating
/// point, and linkers then refuse programs with `-mfloat-abi=softfp`, such as those of the Pico SDK for the RP2350.
const COMPATIBLE_WITH_BOTH: u8 = 3;

/// Offset of the value of `Tag_ABI_VFP_args` in an object; `None` if it has none.
fn vfp_arguments(object: &[u8]) -> Result<Option<usize>> {
    const TAG_ABI_VFP_ARGS: u64 = 28;
    let file = object::File::parse(object)?;
    let Some(section) = file.section_by_name(".ARM.attributes") else {
        return Ok(None);
    };
    let (start, _) = section.file_range().context("attributes without content")?;
    let all = EndianSlice::new(section.data()?, LittleEndian);
    let mut reader = all;
    // Format version, length, vendor, and one subsection with attributes of the file.
    ensure!(
        reader.read_u8()? == b'A',
        "attributes of an unknown version"
    );
    reader.skip(4)?;
    reader.read_null_terminated_slice()?;
    ensure!(reader.read_uleb128()? == 1, "attributes not of the file");
    reader.skip(4)?;
    while !reader.is_empty() {
        let tag = reader.read_uleb128()?;
        if tag == TAG_ABI_VFP_ARGS {
            return Ok(Some(start as usize + reader.offset_from(all)));
        }
        // CPU names, and from 32 on the odd ones, are texts; 32 is a number and a text.
        let is_text = matches!(tag, 4 | 5 | 32) || tag > 32 && tag % 2 == 1;
        if tag == 32 || !is_text {
            reader.read_uleb128()?;
        }
        if is_text {
            reader.read_null_terminated_slice()?;
        }
    }
    Ok(None)
}

/// An archive of one object.
fn archive(object: &[u8]) -> Result<Vec<u8>> {
    let member = NewArchiveMember::new(
        object,
        &ar_archive_writer::DEFAULT_OBJECT_READER,
        "tinystar.o".to_owned(),
    );
    let mut file = std::io::Cursor::new(Vec::new());
    let (thin, is_ec) = (false, Some(false));
    ar_archive_writer::write_archive_to_stream(
        &mut file,
        &[member],
        ArchiveKind::Gnu,
        thin,
        is_ec,
    )?;
    Ok(file.into_inner())
}

/// Bytes of code and constants in an object or a program that a processor keeps in flash.
pub fn flash_bytes(elf: &[u8]) -> Result<u64> {
    let file = object::File::parse(elf)?;
    let kinds = [object::SectionKind::Text, object::SectionKind::ReadOnlyData];
    let sections = file
        .sections()
        .filter(|section| kinds.contains(&section.kind()));
    Ok(sections.map(|section| section.size()).sum())
}
