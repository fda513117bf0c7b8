//! Flash chip as a `NorFlash`.

use embassy_futures::yield_now;
use embassy_rp::{
    Peri,
    flash::{self, Blocking, ERASE_SIZE, Error},
    peripherals::FLASH,
};
use embedded_storage_async::nor_flash::{ErrorType, MultiwriteNorFlash, NorFlash, ReadNorFlash};

/// Flash that every board has at least; the rest is not used.
const SIZE: usize = 2 << 20;

/// Flash. The chip halts while it writes or erases.
pub struct Flash(flash::Flash<'static, FLASH, Blocking, SIZE>);

impl Flash {
    /// Sets up the driver.
    pub fn new(flash: Peri<'static, FLASH>) -> Self {
        Self(flash::Flash::new_blocking(flash))
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

    /// Erases page by page; other tasks run in between.
    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Error> {
        let mut page = from;
        while page < to {
            let end = to.min(page.saturating_add(ERASE_SIZE as u32));
            self.0.blocking_erase(page, end)?;
            yield_now().await;
            page = end;
        }
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        self.0.blocking_write(offset, bytes)
    }
}

/// Writing a byte again clears more bits.
impl MultiwriteNorFlash for Flash {}
