//! Flash chip as a `NorFlash`.

use embassy_futures::yield_now;
use embassy_rp::{
    Peri,
    flash::{self, Blocking, ERASE_SIZE, Error},
    peripherals::FLASH,
};
use embassy_time::Timer;
use embedded_storage_async::nor_flash::{ErrorType, MultiwriteNorFlash, NorFlash, ReadNorFlash};
use tinystar::config::ERASE_PAUSE;

/// Flash that every board has at least; the rest is not used.
const SIZE: usize = 2 << 20;

/// Flash. The chip halts while it writes or erases a page, and other tasks run in between.
pub struct Flash(flash::Flash<'static, FLASH, Blocking, SIZE>);

impl Flash {
    /// Sets up the driver.
    pub fn new(flash: Peri<'static, FLASH>) -> Self {
        Self(flash::Flash::new_blocking(flash))
    }

    /// Number of this chip, different on every board; zeros if it cannot be read.
    pub fn unique_id(&mut self) -> [u8; 8] {
        let mut id = [0; 8];
        match self.0.blocking_unique_id(&mut id) {
            Ok(()) => id,
            Err(_) => [0; 8],
        }
    }
}

impl ErrorType for Flash {
    type Error = Error;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = flash::READ_SIZE;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.blocking_read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        SIZE
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = flash::WRITE_SIZE;
    const ERASE_SIZE: usize = ERASE_SIZE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Error> {
        for page in (from..to).step_by(ERASE_SIZE) {
            self.0.blocking_erase(page, page + ERASE_SIZE as u32)?;
            // A series of erases must not starve the other tasks.
            Timer::after(ERASE_PAUSE).await;
        }
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        self.0.blocking_write(offset, bytes)?;
        yield_now().await;
        Ok(())
    }
}

/// Writing a byte again clears more bits.
impl MultiwriteNorFlash for Flash {}
