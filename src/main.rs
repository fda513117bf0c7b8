//! The image for the Pololu Zumo 2040; on a desktop, what to type instead.
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
        rp2040::{self, tasks},
        zumo2040::{self, Interrupts, Zumo},
    };

    let zumo = Zumo::new(rp2040::init());
    let serial = rp2040::serial(zumo.usb, Interrupts, "Zumo 2040", spawner);
    tasks::spawn(spawner, zumo.flash, serial);

    // A task can be spawned as long as it was not spawned before, and each is spawned once.
    spawner.spawn(zumo2040::supervise(zumo.guard).unwrap());
    spawner.spawn(zumo2040::panel(zumo.panel).unwrap());
    // What moves, and what sees where to, cannot wait for the planner.
    let urgent = rp2040::urgent();
    urgent.spawn(zumo2040::sense(zumo.proximity).unwrap());
    urgent.spawn(zumo2040::drive(zumo.odometry, zumo.motors).unwrap());
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "tinystar is firmware for a robot. On a desktop, type\n  \
         cargo run --release   to watch the planner in the simulator\n  \
         cargo uf2             to make the file to copy to a robot\n  \
         cargo xtask test      to run every check and test"
    );
}
