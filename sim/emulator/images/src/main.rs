//! An image for tests of the emulated robot, with a small program for each device. The name of the program to run
//! is in flash, see `chip::NAME`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip;

/// On a desktop this is an empty program, so that the workspace builds there.
#[cfg(not(target_os = "none"))]
fn main() {
    println!("an image for the chip: see sim/emulator/tests/rig.rs");
}
