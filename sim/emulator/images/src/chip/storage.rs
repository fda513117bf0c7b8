//! Counts its boots in flash: tells what it finds, programs over it, erases, and goes on.

use embassy_rp::{
    Peripherals,
    flash::{Blocking, ERASE_SIZE, Flash},
};

use super::SIZE;

/// In the part of flash that memory.x keeps free of program.
const PAGE: u32 = 0x1f_0000;

pub fn run(p: Peripherals) {
    let mut flash = Flash::<_, Blocking, SIZE>::new_blocking(p.FLASH);
    for step in 0..5 {
        defmt::unwrap!(
            match step {
                0 => Ok(()),
                1 => flash.blocking_write(PAGE, &[0xf1; 8]),
                2 => flash.blocking_write(PAGE, &[0x3f; 8]),
                3 => flash.blocking_erase(PAGE, PAGE + ERASE_SIZE as u32),
                _ => flash.blocking_write(PAGE, &[1, 2, 3, 4, 5, 6, 7, 8]),
            }
            .ok()
        );
        let mut bytes = [0; 8];
        defmt::unwrap!(flash.blocking_read(PAGE, &mut bytes).ok());
        defmt::println!("{=[u8]:02x}", bytes);
    }
    defmt::println!("done");
}
