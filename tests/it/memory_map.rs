//! The flash layout of `memory.x` matches the boards' configuration.

use tinystar::boards::{PICO, ZUMO2040};

const FLASH_START: u32 = 0x1000_0000;

/// Address range of a region of `memory.x`.
fn region(name: &str) -> std::ops::Range<u32> {
    let map = include_str!("../../memory.x");
    let line = map
        .lines()
        .find(|line| {
            line.split(':')
                .next()
                .is_some_and(|word| word.trim() == name)
        })
        .unwrap_or_else(|| panic!("no {name} in memory.x"));
    let (_, values) = line.split_once("ORIGIN =").unwrap();
    let (origin, length) = values.split_once(", LENGTH =").unwrap();
    let origin = number(origin);
    // The first number less the others.
    let mut lengths = length.split(" - ").map(number);
    let first = lengths.next().unwrap();
    origin..origin + lengths.fold(first, |length, less| length - less)
}

/// Number in a linker script.
fn number(text: &str) -> u32 {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x") {
        u32::from_str_radix(hex, 16).unwrap()
    } else if let Some(kib) = text.strip_suffix('K') {
        kib.parse::<u32>().unwrap() * 1024
    } else {
        text.parse().unwrap()
    }
}

#[test]
fn every_board_has_its_store_in_the_store_region() {
    let store = region("STORE");
    let store = store.start - FLASH_START..store.end - FLASH_START;
    for board in [ZUMO2040, PICO] {
        assert_eq!(board.store.range(), store);
    }
}

#[test]
fn the_program_lies_between_the_boot_loader_and_the_store() {
    assert_eq!(region("BOOT2").start, FLASH_START);
    assert_eq!(region("BOOT2").end, region("FLASH").start);
    assert_eq!(region("FLASH").end, region("STORE").start);
}

#[test]
fn flash_ends_within_the_two_mebibytes_of_a_pico() {
    assert_eq!(region("STORE").end - FLASH_START, 2 * 1024 * 1024);
}
