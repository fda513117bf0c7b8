//! `cargo uf2`: images in the form that a chip's USB drive takes.
//!
//! A UF2 file is a list of blocks of 512 bytes, each with 256 bytes of flash and where they belong.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};
use emulator::Image;

use crate::{
    cargo::{cargo, target_dir},
    chip,
};

/// Bytes of flash in a block: a page that the chip programs at once.
const PAGE: u32 = 256;
/// Bytes that the chip erases at once.
const SECTOR: u32 = 4096;
/// RP2040.
const FAMILY: u32 = 0xE48B_FF56;

/// Binaries of the firmware, and what their files are called.
const IMAGES: [(&str, &str); 2] = [("tinystar", "zumo2040.uf2"), ("pico", "pico.uf2")];

/// Builds every image and writes its file beside the build.
pub fn run() -> Result<()> {
    cargo("fw").run()?;
    for (binary, name) in IMAGES {
        let pages = pages(Image::read(chip::path(binary)?)?.segments());
        let file = target_dir()?.join(name);
        fs::write(&file, blocks(&pages))
            .with_context(|| format!("cannot write {}", file.display()))?;
        let kib = pages.len() as u32 * PAGE / 1024;
        println!("{}: {kib} KiB of flash", file.display());
    }
    Ok(())
}

/// Contents of flash, by address.
type Pages = BTreeMap<u32, [u8; PAGE as usize]>;

fn pages(segments: &[(u32, Vec<u8>)]) -> Pages {
    let mut pages = Pages::new();
    for (start, bytes) in segments {
        for (address, &byte) in (*start..).zip(bytes) {
            let page = pages
                .entry(address - address % PAGE)
                .or_insert([0; PAGE as usize]);
            page[(address % PAGE) as usize] = byte;
        }
    }
    fill_sectors(&mut pages);
    pages
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

    const START: u32 = 0x1000_0000;

    fn word(block: &[u8], index: usize) -> u32 {
        u32::from_le_bytes(block[4 * index..][..4].try_into().unwrap())
    }

    #[test]
    fn blocks_are_of_the_format() {
        let code: Vec<u8> = (0..700).map(|byte| byte as u8).collect();
        let pages = pages(&[(START, code.clone())]);
        let file = blocks(&pages);
        assert_eq!(file.len(), 3 * 512);
        for (number, block) in file.chunks(512).enumerate() {
            assert_eq!(block[..8], *b"UF2\nWQ]\x9E");
            assert_eq!(word(block, 2), 0x2000);
            assert_eq!(word(block, 3), START + number as u32 * 256);
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
    fn segments_may_share_a_page() {
        let pages = pages(&[(START + 10, vec![1]), (START, vec![2])]);
        assert_eq!(pages.len(), 1);
        assert_eq!((pages[&START][10], pages[&START][0]), (1, 2));
    }

    #[test]
    fn gaps_are_filled_up_to_the_last_page_but_only_in_sectors_that_are_used() {
        let segments = [
            (START + 0x200, vec![1]),
            (START + 0x3000, vec![2]),
            (START + 0x3300, vec![3]),
        ];
        let pages = pages(&segments);
        let first = (0..0x1000).step_by(256);
        let last = (0x3000..=0x3300).step_by(256);
        let expected: Vec<u32> = first.chain(last).map(|page| START + page).collect();
        assert_eq!(pages.into_keys().collect::<Vec<_>>(), expected);
    }
}
