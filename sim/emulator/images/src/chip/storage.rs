//! Counts its boots in flash: tells what it finds, programs over it, erases, and goes on.
#![cfg_attr(target_os = "none", no_std, no_main)]

emulator_images::desktop!();

#[cfg(target_os = "none")]
mod chip {
    use embassy_executor::Spawner;
    use embassy_rp::flash::{Blocking, ERASE_SIZE, Flash};
    use embassy_rp::peripherals::FLASH;
    use emulator_images as _;

    const SIZE: usize = 2 * 1024 * 1024;
    /// In the part of flash that memory.x keeps free of program.
    const PAGE: u32 = 0x1f_0000;

    #[embassy_executor::main]
    async fn main(_spawner: Spawner) {
        let p = embassy_rp::init(Default::default());
        let mut flash = Flash::<_, Blocking, SIZE>::new_blocking(p.FLASH);
        let read = |flash: &mut Flash<'static, FLASH, Blocking, SIZE>| {
            let mut bytes = [0; 8];
            defmt::unwrap!(flash.blocking_read(PAGE, &mut bytes).ok());
            defmt::println!("{=[u8]:02x}", bytes);
        };
        read(&mut flash);
        defmt::unwrap!(flash.blocking_write(PAGE, &[0xf1; 8]).ok());
        read(&mut flash);
        defmt::unwrap!(flash.blocking_write(PAGE, &[0x3f; 8]).ok());
        read(&mut flash);
        defmt::unwrap!(flash.blocking_erase(PAGE, PAGE + ERASE_SIZE as u32).ok());
        read(&mut flash);
        defmt::unwrap!(flash.blocking_write(PAGE, &[1, 2, 3, 4, 5, 6, 7, 8]).ok());
        read(&mut flash);
        defmt::println!("done");
    }
}
