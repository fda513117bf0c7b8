//! The flash chip, in the form that stores are written for.

use embassy_futures::yield_now;
use embassy_rp::{
    Peri,
    flash::{self, Blocking, ERASE_SIZE, Error},
    peripherals::FLASH,
};
use embedded_storage_async::nor_flash::{ErrorType, MultiwriteNorFlash, NorFlash, ReadNorFlash};
use tinystar::config::STORE;

/// The part of flash that every board has; what lies behind is left alone.
const SIZE: usize = STORE.end as usize;

/// The flash. While it writes or erases, the chip stands still.
pub struct Flash(flash::Flash<'static, FLASH, Blocking, SIZE>);

impl Flash {
    /// All of it.
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

    /// Page by page: in between others run, the watchdog's feeder among them.
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

/// A bit that is 0 stays 0 when it is written again; this chip allows that.
impl MultiwriteNorFlash for Flash {}
