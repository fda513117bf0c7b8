//! Flash of a store under test: no time passes, and a power cut is an error.

use embedded_storage_async::nor_flash::{ErrorType, MultiwriteNorFlash, NorFlash, ReadNorFlash};
use sim::physics::devices::{FlashError, FlashMemory, PAGE};

/// Flash that is read in words of `WORD` bytes: those of the chip have 1 or 4, depending on the driver.
pub struct Flash<const WORD: usize>(pub FlashMemory);

impl<const WORD: usize> ErrorType for Flash<WORD> {
    type Error = FlashError;
}

impl<const WORD: usize> ReadNorFlash for Flash<WORD> {
    const READ_SIZE: usize = WORD;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), FlashError> {
        if !(offset as usize).is_multiple_of(WORD) || !bytes.len().is_multiple_of(WORD) {
            return Err(FlashError::OutOfRange);
        }
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        2 << 20
    }
}

impl<const WORD: usize> NorFlash for Flash<WORD> {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), FlashError> {
        self.0.erase(from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), FlashError> {
        self.0.program(offset, bytes)
    }
}

impl<const WORD: usize> MultiwriteNorFlash for Flash<WORD> {}
