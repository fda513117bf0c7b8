//! `cargo uf2`: images in the form that a chip's USB drive takes.
//!
//! A UF2 file is a list of blocks of 512 bytes, each with 256 bytes of flash and where they belong.

use std::{
    collections::BTreeMap,
    env, fs,
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use object::{
    Endianness,
    elf::{FileHeader32, PT_LOAD},
    read::elf::{ElfFile32, ProgramHeader},
};

use crate::{CHIP, cargo::cargo};

/// Bytes of flash in a block: a page that the chip programs at once.
const PAGE: u32 = 256;
/// Bytes that the chip erases at once.
const SECTOR: u32 = 4096;
/// Where flash is in memory.
const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
/// RP2040.
const FAMILY: u32 = 0xE48B_FF56;

/// Binaries of the firmware, and what their files are called.
const IMAGES: [(&str, &str); 2] = [("tinystar", "zumo2040.uf2"), ("pico", "pico.uf2")];

/// Builds every image and writes its file beside the build.
pub fn run() -> Result<()> {
    cargo("fw").run()?;
    let target = target_dir()?;
    for (binary, name) in IMAGES {
        let elf = target.join(CHIP).join("chip").join(binary);
        let bytes = fs::read(&elf).with_context(|| format!("cannot read {}", elf.display()))?;
        let pages = pages(&bytes).with_context(|| elf.display().to_string())?;
        let file = target.join(name);
        fs::write(&file, blocks(&pages))
            .with_context(|| format!("cannot write {}", file.display()))?;
        let kib = pages.len() as u32 * PAGE / 1024;
        println!("{}: {kib} KiB of flash", file.display());
    }
    Ok(())
}

/// Where cargo builds: this program is in it, in a folder of its own.
pub fn target_dir() -> Result<PathBuf> {
    let program = env::current_exe().context("where am I?")?;
    let target = program.parent().and_then(Path::parent);
    target
        .map(Path::to_path_buf)
        .context("a program outside of any build")
}

/// What an image puts into flash, by address.
type Pages = BTreeMap<u32, [u8; PAGE as usize]>;

fn pages(elf: &[u8]) -> Result<Pages> {
    let elf = ElfFile32::<Endianness>::parse(elf)?;
    let mut pages = Pages::new();
    for segment in elf.elf_program_headers() {
        let bytes = load(&elf, segment)?;
        let start = segment.p_paddr(elf.endian());
        for (address, &byte) in (u64::from(start)..).zip(bytes) {
            let address = u32::try_from(address)
                .ok()
                .filter(|address| FLASH.contains(address))
                .with_context(|| format!("{address:#x} is not in flash"))?;
            let page = pages
                .entry(address - address % PAGE)
                .or_insert([0; PAGE as usize]);
            page[(address % PAGE) as usize] = byte;
        }
    }
    ensure!(!pages.is_empty(), "nothing to put into flash");
    fill_sectors(&mut pages);
    Ok(pages)
}

/// The bytes of a segment that are loaded; none if it is not.
fn load<'data>(
    elf: &ElfFile32<'data, Endianness>,
    segment: &<FileHeader32<Endianness> as object::read::elf::FileHeader>::ProgramHeader,
) -> Result<&'data [u8]> {
    if segment.p_type(elf.endian()) != PT_LOAD {
        return Ok(&[]);
    }
    match segment.data(elf.endian(), elf.data()) {
        Ok(bytes) => Ok(bytes),
        Err(()) => bail!("a segment reaches beyond the end of the file"),
    }
}

/// Leaves no gaps in a sector, except at the end: the boot ROM of the chip cannot cope with them.
fn fill_sectors(pages: &mut Pages) {
    let Some(&last) = pages.keys().next_back() else {
        return;
    };
    let sectors: Vec<_> = pages.keys().map(|page| page - page % SECTOR).collect();
    for sector in sectors {
        for page in (sector..last.min(sector + SECTOR)).step_by(PAGE as usize) {
            pages.entry(page).or_insert([0; PAGE as usize]);
        }
    }
}

/// The file.
fn blocks(pages: &Pages) -> Vec<u8> {
    const HAS_FAMILY: u32 = 0x2000;
    const DATA: usize = 476;
    let mut file = Vec::with_capacity(pages.len() * 512);
    for (number, (address, page)) in (0..).zip(pages) {
        let header = [
            0x0A32_4655,
            0x9E5D_5157,
            HAS_FAMILY,
            *address,
            PAGE,
            number,
            pages.len() as u32,
            FAMILY,
        ];
        file.extend(header.into_iter().flat_map(u32::to_le_bytes));
        file.extend(page);
        file.extend([0; DATA - PAGE as usize]);
        file.extend(0x0AB1_6F30_u32.to_le_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file for the chip with these segments: where each is loaded, its bytes, and its size in memory.
    fn elf(segments: &[(u32, &[u8], u32)]) -> Vec<u8> {
        let mut file = Vec::from(*b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
        file.extend([2, 0, 40, 0]); // executable, ARM
        for word in [1_u32, FLASH.start, 52, 0, 0] {
            file.extend(word.to_le_bytes()); // version, entry, program headers, no sections, flags
        }
        for half in [52, 32, segments.len() as u16, 40, 0, 0] {
            file.extend(half.to_le_bytes());
        }
        let mut offset = 52 + 32 * segments.len() as u32;
        for (address, bytes, size) in segments {
            let len = bytes.len() as u32;
            // Variables run elsewhere: only the address of loading counts.
            for word in [PT_LOAD.0, offset, 0x2000_0000, *address, len, *size, 7, 4] {
                file.extend(word.to_le_bytes());
            }
            offset += len;
        }
        for (_, bytes, _) in segments {
            file.extend(*bytes);
        }
        file
    }

    fn word(block: &[u8], index: usize) -> u32 {
        u32::from_le_bytes(block[4 * index..][..4].try_into().unwrap())
    }

    #[test]
    fn blocks_are_of_the_format() {
        let code: Vec<u8> = (0..700).map(|byte| byte as u8).collect();
        let pages = pages(&elf(&[(FLASH.start, &code, 700)])).unwrap();
        let file = blocks(&pages);
        assert_eq!(file.len(), 3 * 512);
        for (number, block) in file.chunks(512).enumerate() {
            assert_eq!(block[..8], *b"UF2\nWQ]\x9E");
            assert_eq!(word(block, 2), 0x2000);
            assert_eq!(word(block, 3), FLASH.start + number as u32 * 256);
            assert_eq!(word(block, 4), 256);
            assert_eq!(word(block, 5), number as u32);
            assert_eq!(word(block, 6), 3);
            assert_eq!(word(block, 7), 0xE48B_FF56);
            assert_eq!(word(block, 127), 0x0AB1_6F30);
            for (place, &byte) in block[32..288].iter().enumerate() {
                let expected = code.get(number * 256 + place).copied().unwrap_or(0);
                assert_eq!(byte, expected, "block {number}, byte {place}");
            }
            assert!(block[288..508].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn what_is_only_in_memory_is_not_in_the_file() {
        let bss = (0x2000_1000, &[][..], 5000);
        let pages = pages(&elf(&[(FLASH.start, &[1], 1), bss])).unwrap();
        assert_eq!(pages.keys().collect::<Vec<_>>(), [&FLASH.start]);
    }

    #[test]
    fn segments_may_share_a_page() {
        let segments = [(FLASH.start + 10, &[1][..], 1), (FLASH.start, &[2], 1)];
        let pages = pages(&elf(&segments)).unwrap();
        assert_eq!(pages.len(), 1);
        assert_eq!((pages[&FLASH.start][10], pages[&FLASH.start][0]), (1, 2));
    }

    #[test]
    fn gaps_are_filled_up_to_the_last_page_but_only_in_sectors_that_are_used() {
        let start = FLASH.start;
        let segments = [
            (start + 0x200, &[1][..], 1),
            (start + 0x3000, &[2], 1),
            (start + 0x3300, &[3], 1),
        ];
        let pages = pages(&elf(&segments)).unwrap();
        let first = (0..0x1000).step_by(256);
        let last = (0x3000..=0x3300).step_by(256);
        let expected: Vec<u32> = first.chain(last).map(|page| start + page).collect();
        assert_eq!(pages.into_keys().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_cannot_be_flashed_is_refused() {
        for (elf, why) in [
            (elf(&[(0x2000_0000, &[1], 1)]), "not in flash"),
            (elf(&[(FLASH.end - 1, &[1, 2], 2)]), "not in flash"),
            (elf(&[(u32::MAX, &[1, 2], 2)]), "not in flash"),
            (elf(&[]), "nothing"),
            (vec![0; 100], ""),
        ] {
            let error = pages(&elf).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let mut cut = elf(&[(FLASH.start, &[1, 2], 2)]);
        cut.pop();
        assert!(pages(&cut).unwrap_err().to_string().contains("beyond"));
    }
}
