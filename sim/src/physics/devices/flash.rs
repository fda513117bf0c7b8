//! SimFlash memory, which a power cut leaves half written.

use std::{cell::RefCell, collections::BTreeMap, future::pending, ops::Range, rc::Rc};

use embassy_time::Duration;
use embedded_storage_async::nor_flash::{
    ErrorType, MultiwriteNorFlash, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};

use crate::physics::clock;

/// Bytes that are erased together.
const SECTOR: usize = 4096;
/// Bytes that are written together.
const PAGE: usize = 256;
/// Bytes of flash: a Pico's, so that one image serves all boards.
const CAPACITY: usize = 2 << 20;
/// How long an erase takes, as is typical.
const ERASE: Duration = Duration::from_millis(45);
/// How long writing a page takes, as is typical.
const PROGRAM: Duration = Duration::from_micros(700);

/// A flash chip and what is in it; it outlives a run.
#[derive(Clone, Debug, Default)]
pub struct FlashMemory {
    /// Sectors that were written; all others are erased.
    sectors: BTreeMap<usize, Vec<u8>>,
    operations: u64,
    /// The operation that power is lost in.
    cut_in: Option<u64>,
    is_off: bool,
}

impl FlashMemory {
    /// Pages written and sectors erased so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Loses power in the middle of operation `number`, counted from `0`.
    pub fn cut_in(&mut self, number: u64) {
        self.cut_in = Some(number);
    }

    /// Whether power was lost.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// The same chip with power again, never to lose it, and its operations counted from `0`.
    #[must_use]
    pub fn powered(&self) -> Self {
        Self {
            sectors: self.sectors.clone(),
            ..Self::default()
        }
    }

    /// What is at an address.
    #[must_use]
    pub fn byte(&self, address: usize) -> u8 {
        self.sectors
            .get(&(address / SECTOR))
            .map_or(0xff, |sector| sector[address % SECTOR])
    }

    /// Changes what is at an address, as no flash could: to damage it.
    pub fn set_byte(&mut self, address: usize, byte: u8) {
        let erased = || vec![0xff; SECTOR];
        let sector = self.sectors.entry(address / SECTOR).or_insert_with(erased);
        sector[address % SECTOR] = byte;
    }

    /// Counts an operation; whether it is the one in which power is lost.
    fn begin(&mut self) -> bool {
        let is_cut = self.cut_in == Some(self.operations);
        self.operations += 1;
        self.is_off = is_cut;
        is_cut
    }

    /// Half of an erase clears half of the sector.
    fn erase(&mut self, sector: usize) {
        let is_cut = self.begin();
        let bytes = if is_cut { SECTOR / 2 } else { SECTOR };
        for at in 0..bytes {
            self.set_byte(sector * SECTOR + at, 0xff);
        }
    }

    /// Bits are only cleared. Half of a write clears all of the first half and some of the next byte.
    fn program(&mut self, address: usize, bytes: &[u8]) {
        let is_cut = self.begin();
        let whole = if is_cut { bytes.len() / 2 } else { bytes.len() };
        for (at, &byte) in bytes.iter().enumerate().take(whole + 1) {
            let weak = if at < whole { 0 } else { 0b0101_1010 };
            let before = self.byte(address + at);
            self.set_byte(address + at, before & (byte | weak));
        }
    }
}

/// A flash chip as the robot uses it. Nothing else runs while it writes or erases.
#[derive(Clone, Debug)]
pub struct SimFlash(pub Rc<RefCell<FlashMemory>>);

/// The address is not in the flash, or in the middle of a sector that is to be erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl NorFlashError for OutOfRange {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::OutOfBounds
    }
}

impl SimFlash {
    /// A dead robot does not go on.
    async fn stop_if_off(&self) {
        if self.0.borrow().is_off {
            pending().await
        }
    }
}

fn range(from: u32, length: usize) -> Result<Range<usize>, OutOfRange> {
    let from = from as usize;
    let range = from..from.saturating_add(length);
    if range.end > CAPACITY {
        return Err(OutOfRange);
    }
    Ok(range)
}

impl ErrorType for SimFlash {
    type Error = OutOfRange;
}

impl ReadNorFlash for SimFlash {
    const READ_SIZE: usize = 1;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), OutOfRange> {
        let range = range(offset, bytes.len())?;
        self.stop_if_off().await;
        let chip = self.0.borrow();
        for (byte, address) in bytes.iter_mut().zip(range) {
            *byte = chip.byte(address);
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        CAPACITY
    }
}

impl NorFlash for SimFlash {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = SECTOR;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), OutOfRange> {
        let length = to.checked_sub(from).ok_or(OutOfRange)?;
        let range = range(from, length as usize)?;
        if range.start % SECTOR != 0 || range.end % SECTOR != 0 {
            return Err(OutOfRange);
        }
        for sector in range.start / SECTOR..range.end / SECTOR {
            self.stop_if_off().await;
            clock::stall(ERASE);
            self.0.borrow_mut().erase(sector);
        }
        self.stop_if_off().await;
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), OutOfRange> {
        let range = range(offset, bytes.len())?;
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min((at / PAGE + 1) * PAGE);
            self.stop_if_off().await;
            clock::stall(PROGRAM);
            let piece = &bytes[at - range.start..end - range.start];
            self.0.borrow_mut().program(at, piece);
            at = end;
        }
        self.stop_if_off().await;
        Ok(())
    }
}

impl MultiwriteNorFlash for SimFlash {}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use embassy_time::Instant;

    use super::*;
    use crate::physics::clock::{Ended, run};

    /// Runs, until the end or until power is lost.
    fn with<T>(
        chip: &Rc<RefCell<FlashMemory>>,
        job: impl AsyncFnOnce(SimFlash) -> T,
    ) -> Ended<T, ()> {
        run(
            Instant::MIN,
            Instant::MAX,
            job(SimFlash(Rc::clone(chip))),
            |_| ControlFlow::Continue(()),
        )
    }

    #[test]
    fn writing_only_clears_bits_and_erasing_sets_them_all() {
        let chip = Rc::default();
        let ended = with(&chip, async |mut flash| {
            let mut read = [0; 2];
            flash.write(4096, &[0b1100, 7]).await?;
            flash.write(4096, &[0b1010]).await?;
            flash.read(4096, &mut read).await?;
            let written = read;
            flash.erase(4096, 8192).await?;
            flash.read(4096, &mut read).await?;
            Ok::<_, OutOfRange>((written, read, Instant::now()))
        });
        let time = Instant::MIN + ERASE + PROGRAM * 2;
        let expected = ([0b1000, 7], [0xff, 0xff], time);
        assert_eq!(ended, Ended::Ready(Ok(expected)));
        assert_eq!(chip.borrow().operations(), 3);
    }

    #[test]
    fn a_write_over_two_pages_is_two_operations() {
        let chip = Rc::default();
        let ended = with(&chip, async |mut flash| flash.write(250, &[0; 12]).await);
        assert_eq!(ended, Ended::Ready(Ok(())));
        assert_eq!(chip.borrow().operations(), 2);
    }

    #[test]
    fn a_half_done_erase_is_half_done() {
        let chip: Rc<RefCell<FlashMemory>> = Rc::default();
        chip.borrow_mut().cut_in(16);
        let ended = with(&chip, async |mut flash| {
            flash.write(0, &[0; SECTOR]).await?;
            flash.erase(0, SECTOR as u32).await
        });
        assert_eq!(ended, Ended::Idle);
        let chip = chip.borrow();
        assert!(chip.is_off());
        assert_eq!((chip.byte(0), chip.byte(SECTOR / 2 - 1)), (0xff, 0xff));
        assert_eq!((chip.byte(SECTOR / 2), chip.byte(SECTOR - 1)), (0, 0));
    }

    #[test]
    fn a_half_done_write_survives_into_the_next_run() {
        let chip: Rc<RefCell<FlashMemory>> = Rc::default();
        chip.borrow_mut().cut_in(0);
        let ended = with(&chip, async |mut flash| flash.write(0, &[1, 2, 3, 4]).await);
        assert_eq!(ended, Ended::Idle);
        let chip = Rc::new(RefCell::new(chip.borrow().powered()));
        let ended = with(&chip, async |mut flash| {
            let mut read = [0; 4];
            flash.read(0, &mut read).await?;
            Ok::<_, OutOfRange>(read)
        });
        assert_eq!(ended, Ended::Ready(Ok([1, 2, 3 | 0b0101_1010, 0xff])));
    }

    #[test]
    fn addresses_outside_are_refused() {
        let chip = Rc::default();
        let ended = with(&chip, async |mut flash| {
            let end = CAPACITY as u32;
            [
                flash.read(end - 1, &mut [0; 2]).await,
                flash.write(end, &[0]).await,
                flash.erase(end, end + 4096).await,
                flash.erase(4096, 0).await,
                flash.erase(1, 4096).await,
            ]
        });
        assert_eq!(ended, Ended::Ready([Err(OutOfRange); 5]));
        assert_eq!(chip.borrow().operations(), 0);
    }
}
