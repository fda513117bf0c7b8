//! Image for a Pico robot; on a desktop, it prints where to find the wiring.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../board"]
mod board {
    pub mod pico;
    pub mod rp2040;
}

#[cfg(target_os = "none")]
#[embassy_executor::main]
async fn main(spawner: embassy_executor::Spawner) {
    use board::{
        pico::{self, Pico},
        rp2040,
    };

    pico::start(spawner, Pico::new(rp2040::init()));
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("This is firmware for a robot on a Pico: its wiring is in src/board/pico/mod.rs.");
}
