//! The image for a bare Pico on wheels; on a desktop, where to look.
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
        pico::{self, Interrupts, Pico},
        rp2040::{self, tasks},
    };

    let pico = Pico::new(rp2040::init());
    let serial = rp2040::serial(pico.usb, Interrupts, "Pico robot", spawner);
    tasks::spawn(spawner, pico.flash, serial);

    // A task can be spawned as long as it was not spawned before, and each is spawned once.
    spawner.spawn(pico::supervise(pico.guard).unwrap());
    spawner.spawn(pico::panel(pico.panel).unwrap());
    // What moves, and what sees where to, cannot wait for the planner.
    let urgent = rp2040::urgent();
    urgent.spawn(pico::sense(pico.proximity).unwrap());
    urgent.spawn(pico::drive(pico.odometry, pico.motors).unwrap());
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("This is firmware for a robot on a Pico: its wiring is in src/board/pico.rs.");
}
