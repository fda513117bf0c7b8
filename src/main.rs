//! Image for the Pololu Zumo 2040; on a desktop, it prints what to type instead.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board {
    pub mod rp2040;
    pub mod zumo2040;
}

#[cfg(target_os = "none")]
#[embassy_executor::main]
async fn main(spawner: embassy_executor::Spawner) {
    use board::{
        rp2040,
        zumo2040::{self, Zumo},
    };

    zumo2040::start(spawner, Zumo::new(rp2040::init()));
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "tinystar is firmware for a robot. On a desktop, type\n  \
         cargo run --release   to run the planner in the simulator\n  \
         cargo uf2             to build the file to copy to a robot\n  \
         cargo xtask test      to run every check and test"
    );
}
