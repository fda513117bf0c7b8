//! Flash memory that a power cut leaves half written.

use std::{cell::RefCell, future::pending, ops::Range, rc::Rc};

use embassy_futures::yield_now;
use embassy_time::{Duration, Timer};
use embedded_storage_async::nor_flash::{
    ErrorType, MultiwriteNorFlash, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};

use crate::physics::{clock, noise::hash, parameters::STORE};

/// Bytes erased together.
pub const PAGE: usize = 4096;
/// Number of pages.
pub const PAGES: usize = (STORE.end - STORE.start) as usize / PAGE;
/// Bytes programmed together.
const PROGRAM_PAGE: usize = 256;
/// Typical duration of an erase.
const ERASE_TIME: Duration = Duration::from_millis(45);
/// Typical duration of programming a page.
const PROGRAM_TIME: Duration = Duration::from_micros(700);

/// Content of a flash chip, with a power switch and counters.
#[derive(Clone, Debug)]
pub struct FlashMemory {
    /// Content of the store.
    pub bytes: Vec<u8>,
    /// Erasures of each page.
    pub erasures: [u32; PAGES],
    /// Programs and erasures.
    operations: u64,
    /// True if the last operation was an erasure.
    pub was_erasing: bool,
    /// Programmed bytes whose bits were already cleared, so that they do not hold their value.
    pub clashes: usize,
    /// Worn byte that reads as zero after each erasure.
    pub worn: Option<usize>,
    cut: Option<Cut>,
}

/// Power cut in the middle of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Operations completed before the cut.
    pub after: u64,
    /// Part of the next operation that takes effect.
    pub tear: Tear,
}

/// Part of an operation that takes effect. Flash cells change in parallel and at different speeds, so any
/// part is possible.
#[derive(Clone, Copy, Debug)]
pub enum Tear {
    /// No byte.
    Nothing,
    FirstByte,
    FirstHalf,
    /// The second half.
    LastHalf,
    /// All but the first and last bytes.
    Middle,
    /// The first and last bytes.
    Ends,
    /// All but the last byte.
    AllButTheLast,
    /// Random bits.
    Bits(u64),
    /// Everything, but the operation does not return.
    All,
}

impl Tear {
    /// One of each kind, and several patterns of random bits.
    pub const EACH: [Self; 11] = [
        Self::Nothing,
        Self::FirstByte,
        Self::FirstHalf,
        Self::LastHalf,
        Self::Middle,
        Self::Ends,
        Self::AllButTheLast,
        Self::Bits(1),
        Self::Bits(2),
        Self::Bits(3),
        Self::All,
    ];

    /// Bits of byte `index` of `len` that change.
    fn mask(self, index: usize, len: usize) -> u8 {
        const END: usize = 8;
        let is_end = index < END || index + END >= len;
        let is_done = match self {
            Self::Nothing => false,
            Self::FirstByte => index == 0,
            Self::FirstHalf => index < len.div_ceil(2),
            Self::LastHalf => index >= len / 2,
            Self::Middle => !is_end,
            Self::Ends => is_end,
            Self::AllButTheLast => index + 1 < len,
            Self::Bits(seed) => return hash([seed, index as u64]) as u8,
            Self::All => true,
        };
        if is_done { 0xFF } else { 0 }
    }
}

/// Failed access to the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashError {
    /// The power is off.
    Off,
    /// The range is outside of the store, or not aligned.
    OutOfRange,
}

impl NorFlashError for FlashError {
    fn kind(&self) -> NorFlashErrorKind {
        match self {
            Self::Off => NorFlashErrorKind::Other,
            Self::OutOfRange => NorFlashErrorKind::OutOfBounds,
        }
    }
}

impl Default for FlashMemory {
    fn default() -> Self {
        Self::with_content(vec![0xFF; STORE.len()])
    }
}

impl FlashMemory {
    /// Powered flash with a content; its counters are zero.
    ///
    /// # Panics
    /// The content is not as long as the store.
    pub fn with_content(bytes: Vec<u8>) -> Self {
        assert_eq!(bytes.len(), STORE.len());
        Self {
            bytes,
            erasures: [0; PAGES],
            operations: 0,
            was_erasing: false,
            clashes: 0,
            worn: None,
            cut: None,
        }
    }

    /// Flash with the same content, powered again.
    pub fn powered(&self) -> Self {
        Self::with_content(self.bytes.clone())
    }

    /// Schedules a power cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }

    /// Returns whether power was lost.
    pub fn is_off(&self) -> bool {
        self.cut.is_some_and(|cut| self.operations > cut.after)
    }

    /// Number of programs and erasures.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    fn check_power(&self) -> Result<(), FlashError> {
        if self.is_off() {
            Err(FlashError::Off)
        } else {
            Ok(())
        }
    }

    /// Starts an operation; returns the part that takes effect.
    fn start_operation(&mut self) -> Result<Tear, FlashError> {
        self.check_power()?;
        self.operations += 1;
        Ok(match self.cut {
            Some(cut) if self.is_off() => cut.tear,
            _ => Tear::All,
        })
    }

    pub fn read(&self, offset: u32, bytes: &mut [u8]) -> Result<(), FlashError> {
        let range = range(offset, bytes.len(), 1)?;
        self.check_power()?;
        bytes.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    /// Erases pages in one operation.
    pub fn erase(&mut self, from: u32, to: u32) -> Result<(), FlashError> {
        let len = to.checked_sub(from).ok_or(FlashError::OutOfRange)? as usize;
        let range = range(from, len, PAGE)?;
        let tear = self.start_operation()?;
        self.was_erasing = true;
        for count in &mut self.erasures[range.start / PAGE..range.end / PAGE] {
            *count += 1;
        }
        for (index, byte) in self.bytes[range].iter_mut().enumerate() {
            *byte |= tear.mask(index, len);
        }
        if let Some(worn) = self.worn {
            self.bytes[worn] = 0;
        }
        self.check_power()
    }

    /// Programs bytes in one operation; bits are only cleared.
    pub fn program(&mut self, offset: u32, bytes: &[u8]) -> Result<(), FlashError> {
        let range = range(offset, bytes.len(), 1)?;
        let tear = self.start_operation()?;
        self.was_erasing = false;
        for (index, (byte, &new)) in self.bytes[range].iter_mut().zip(bytes).enumerate() {
            self.clashes += usize::from(*byte & new != new);
            *byte &= new | !tear.mask(index, bytes.len());
        }
        self.check_power()
    }
}

/// Range within the store.
fn range(offset: u32, len: usize, align: usize) -> Result<Range<usize>, FlashError> {
    let start = offset
        .checked_sub(STORE.start)
        .ok_or(FlashError::OutOfRange)? as usize;
    let end = start.saturating_add(len);
    let is_valid = end <= STORE.len() && start.is_multiple_of(align) && len.is_multiple_of(align);
    is_valid.then_some(start..end).ok_or(FlashError::OutOfRange)
}

/// Flash of a simulated robot. Virtual time stalls while it erases and programs; without power, it never
/// returns.
#[derive(Clone, Debug)]
pub struct SimFlash {
    pub memory: Rc<RefCell<FlashMemory>>,
    /// Pause after each erase, as the firmware's driver makes it.
    pub erase_pause: Duration,
}

/// Waits forever if the power is off, as a dead robot does.
async fn unless_off(result: Result<(), FlashError>) -> Result<(), FlashError> {
    if result == Err(FlashError::Off) {
        pending().await
    }
    result
}

impl ErrorType for SimFlash {
    type Error = FlashError;
}

impl ReadNorFlash for SimFlash {
    const READ_SIZE: usize = 1;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), FlashError> {
        let result = self.memory.borrow().read(offset, bytes);
        unless_off(result).await
    }

    fn capacity(&self) -> usize {
        STORE.end as usize
    }
}

impl NorFlash for SimFlash {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), FlashError> {
        let len = to.checked_sub(from).ok_or(FlashError::OutOfRange)?;
        range(from, len as usize, PAGE)?;
        for page in (from..to).step_by(PAGE) {
            clock::stall(ERASE_TIME);
            let result = self.memory.borrow_mut().erase(page, page + PAGE as u32);
            unless_off(result).await?;
            Timer::after(self.erase_pause).await;
        }
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), FlashError> {
        range(offset, bytes.len(), 1)?;
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let room = PROGRAM_PAGE - at as usize % PROGRAM_PAGE;
            let (piece, after) = rest.split_at(room.min(rest.len()));
            clock::stall(PROGRAM_TIME);
            let result = self.memory.borrow_mut().program(at, piece);
            unless_off(result).await?;
            (at, rest) = (at + piece.len() as u32, after);
        }
        yield_now().await;
        Ok(())
    }
}

impl MultiwriteNorFlash for SimFlash {}

#[cfg(test)]
mod tests {
    use embassy_time::Instant;

    use super::*;
    use crate::physics::clock::{Ended, run_to_end};

    const START: u32 = STORE.start;
    const PAUSE: Duration = Duration::from_millis(20);

    /// Runs until the end or until power is lost.
    fn with<T>(
        memory: &Rc<RefCell<FlashMemory>>,
        job: impl AsyncFnOnce(SimFlash) -> T,
    ) -> Ended<T, ()> {
        run_to_end(job(SimFlash {
            memory: Rc::clone(memory),
            erase_pause: PAUSE,
        }))
    }

    fn cut_after(operations: u64) -> Rc<RefCell<FlashMemory>> {
        let cut = Cut {
            after: operations,
            tear: Tear::FirstHalf,
        };
        Rc::new(RefCell::new(FlashMemory::default().cut(cut)))
    }

    #[test]
    fn programming_clears_bits_and_erasing_sets_them_all() {
        let memory = Rc::default();
        let ended = with(&memory, async |mut flash| {
            let mut read = [0; 2];
            flash.write(START, &[0b1100, 7]).await?;
            flash.write(START, &[0b1010]).await?;
            flash.read(START, &mut read).await?;
            let written = read;
            flash.erase(START, START + PAGE as u32).await?;
            flash.read(START, &mut read).await?;
            Ok::<_, FlashError>((written, read, Instant::now()))
        });
        let time = Instant::MIN + ERASE_TIME + PAUSE + PROGRAM_TIME * 2;
        let expected = ([0b1000, 7], [0xff, 0xff], time);
        assert_eq!(ended, Ended::Ready(Ok(expected)));
        assert_eq!(memory.borrow().operations(), 3);
    }

    #[test]
    fn a_write_over_two_pages_is_two_operations() {
        let memory = Rc::default();
        let ended = with(&memory, async |mut flash| {
            flash.write(START + 250, &[0; 12]).await
        });
        assert_eq!(ended, Ended::Ready(Ok(())));
        assert_eq!(memory.borrow().operations(), 2);
    }

    #[test]
    fn a_power_cut_leaves_half_an_erasure() {
        let memory = cut_after(16);
        let ended = with(&memory, async |mut flash| {
            flash.write(START, &[0; PAGE]).await?;
            flash.erase(START, START + PAGE as u32).await
        });
        assert_eq!(ended, Ended::Idle);
        let memory = memory.borrow();
        assert!(memory.is_off());
        let (first, last) = memory.bytes[..PAGE].split_at(PAGE / 2);
        assert!(first.iter().all(|&byte| byte == 0xff) && last.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn a_half_done_write_survives_into_the_next_run() {
        let memory = cut_after(0);
        let ended = with(&memory, async |mut flash| {
            flash.write(START, &[1, 2, 3, 4]).await
        });
        assert_eq!(ended, Ended::Idle);
        let memory = Rc::new(RefCell::new(memory.borrow().powered()));
        let ended = with(&memory, async |mut flash| {
            let mut read = [0; 4];
            flash.read(START, &mut read).await?;
            Ok::<_, FlashError>(read)
        });
        assert_eq!(ended, Ended::Ready(Ok([1, 2, 0xff, 0xff])));
    }

    #[test]
    fn invalid_ranges_are_errors() {
        let memory = Rc::default();
        let ended = with(&memory, async |mut flash| {
            let end = STORE.end;
            [
                flash.read(end - 1, &mut [0; 2]).await,
                flash.write(end, &[0]).await,
                flash.erase(end, end + 4096).await,
                flash.erase(end, START).await,
                flash.erase(START + 1, START + 4096).await,
                flash.read(0, &mut [0]).await,
            ]
        });
        assert_eq!(ended, Ended::Ready([Err(FlashError::OutOfRange); 6]));
        assert_eq!(memory.borrow().operations(), 0);
    }
}
