//! Shared parts of the test images: logs over RTT, and a panic handler.
//!
//! An image is a program for the chip. On a desktop each is an empty one, so that the workspace builds there.
#![no_std]

#[cfg(target_os = "none")]
use {defmt_rtt as _, panic_probe as _};

/// The `main` of an image on a desktop.
#[macro_export]
macro_rules! desktop {
    () => {
        #[cfg(not(target_os = "none"))]
        fn main() {
            println!("an image for the chip: see sim/emulator/tests/rig.rs");
        }
    };
}
