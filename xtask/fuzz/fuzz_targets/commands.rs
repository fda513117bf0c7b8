//! Fuzzes what a robot does with the bytes it gets.
#![no_main]

#[path = "../src/commands.rs"]
mod commands;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| commands::take(bytes));
