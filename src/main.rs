//! What to type on a desktop: the firmware itself runs on the chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
compile_error!(
    "there is no image for the chip yet, only the library: \
     cargo build -p tinystar --lib --target thumbv6m-none-eabi"
);

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "tinystar is firmware for a robot. On a desktop, type\n  \
         cargo run --release   to watch the planner in the simulator\n  \
         cargo xtask test      to run every check and test"
    );
}
