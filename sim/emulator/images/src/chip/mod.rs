//! The programs, logs over RTT, and a panic handler.

mod encoders;
mod motors;
mod panel;
mod panic;
mod proximity;
mod sensors;
mod serial;
mod storage;
mod watchdog;

use defmt_rtt as _;
use embassy_executor::Spawner;
use embassy_rp::flash::{Blocking, Flash};
use panic_probe as _;

/// Bytes of flash.
const SIZE: usize = 2 * 1024 * 1024;
/// Offset in flash of the name of the program to run, up to an erased byte.
const NAME: u32 = 0x1f_f000;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut p = embassy_rp::init(Default::default());
    let mut flash = Flash::<_, Blocking, SIZE>::new_blocking(p.FLASH.reborrow());
    let mut name = [0; 16];
    defmt::unwrap!(flash.blocking_read(NAME, &mut name).ok());
    match name.split(|byte| *byte == 0xff).next() {
        Some(b"encoders") => encoders::run(p).await,
        Some(b"motors") => motors::run(p).await,
        Some(b"panel") => panel::run(p).await,
        Some(b"panic") => panic::run(),
        Some(b"proximity") => proximity::run(p).await,
        Some(b"sensors") => sensors::run(p).await,
        Some(b"serial") => serial::run(p).await,
        Some(b"storage") => storage::run(p),
        Some(b"watchdog") => watchdog::run(p).await,
        _ => defmt::panic!("no such program"),
    }
}
