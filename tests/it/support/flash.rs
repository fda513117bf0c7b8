//! The part of a robot's flash that keeps its map, with a power switch.

use std::ops::Range;

use embedded_storage_async::nor_flash::{
    ErrorType, MultiwriteNorFlash, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};
use tinystar::boards::ZUMO2040;

const STORE: Range<u32> = ZUMO2040.store.range();

pub const PAGE: usize = 4096;
pub const PAGES: usize = (STORE.end - STORE.start) as usize / PAGE;

/// Flash that can be written and erased until its power is cut.
///
/// `WORD` is the least that can be read: the chip's is 1 or 4, as one reads it.
#[derive(Clone)]
pub struct Flash<const WORD: usize> {
    pub bytes: Vec<u8>,
    /// Writes and erasures so far.
    pub operations: usize,
    /// Erasures of each page so far.
    pub erasures: [u32; PAGES],
    /// Whether the last operation was an erasure.
    pub was_erasing: bool,
    /// Bytes written that are then not what was written, as there was something already.
    pub clashes: usize,
    /// A byte that is worn, and is zero for ever once it was erased.
    pub worn: Option<usize>,
    cut: Option<Cut>,
}

/// When the power goes, and what it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The writes and erasures that are done before it.
    pub after: usize,
    /// How much of the next is done.
    pub tear: Tear,
}

/// Which part of a write or an erasure is done when the power goes: cells of flash change all at once
/// and not equally fast, so that it may be any.
#[derive(Clone, Copy, Debug)]
pub enum Tear {
    Nothing,
    FirstByte,
    FirstHalf,
    LastHalf,
    /// All but the first and the last bytes.
    Middle,
    /// The first and the last bytes only.
    Ends,
    AllButTheLast,
    /// Any bits.
    Bits(u64),
    /// All of it, but nobody learns of it.
    All,
}

impl Tear {
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

    /// The bits of byte `index` of `len` that are changed.
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
            Self::Bits(seed) => return noise(seed, index),
            Self::All => true,
        };
        if is_done { 0xFF } else { 0 }
    }
}

/// Eight bits that look random (SplitMix64).
fn noise(seed: u64, index: usize) -> u8 {
    let mut z = (seed ^ (index as u64) << 8).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ z >> 31) as u8
}

/// There is no power, or what was asked for is not possible.
#[derive(Debug)]
pub struct Off;

impl NorFlashError for Off {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

impl<const WORD: usize> Flash<WORD> {
    pub fn new() -> Self {
        Self::of(vec![0xFF; STORE.len()])
    }

    /// What a robot finds when it is switched on.
    pub fn of(bytes: Vec<u8>) -> Self {
        assert_eq!(bytes.len(), STORE.len());
        Self {
            bytes,
            operations: 0,
            erasures: [0; PAGES],
            was_erasing: false,
            clashes: 0,
            worn: None,
            cut: None,
        }
    }

    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }

    /// Whether the power has gone.
    pub fn is_off(&self) -> bool {
        self.cut.is_some_and(|cut| self.operations > cut.after)
    }

    /// Begins a write or an erasure; how much of it is done.
    fn operate(&mut self) -> Result<Tear, Off> {
        if self.is_off() {
            return Err(Off);
        }
        self.operations += 1;
        Ok(match self.cut {
            Some(cut) if self.is_off() => cut.tear,
            _ => Tear::All,
        })
    }

    fn wear(&mut self) {
        if let Some(worn) = self.worn {
            self.bytes[worn] = 0;
        }
    }

    fn still_on(&self) -> Result<(), Off> {
        if self.is_off() { Err(Off) } else { Ok(()) }
    }
}

/// Where a range of the flash is in the store.
fn place(offset: u32, len: usize, align: usize) -> Result<Range<usize>, Off> {
    let start = offset.checked_sub(STORE.start).ok_or(Off)? as usize;
    let end = start + len;
    let is_possible =
        end <= STORE.len() && start.is_multiple_of(align) && len.is_multiple_of(align);
    is_possible.then_some(start..end).ok_or(Off)
}

impl<const WORD: usize> ErrorType for Flash<WORD> {
    type Error = Off;
}

impl<const WORD: usize> ReadNorFlash for Flash<WORD> {
    const READ_SIZE: usize = WORD;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Off> {
        self.still_on()?;
        bytes.copy_from_slice(&self.bytes[place(offset, bytes.len(), WORD)?]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        STORE.end as usize
    }
}

impl<const WORD: usize> NorFlash for Flash<WORD> {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Off> {
        let len = to.checked_sub(from).ok_or(Off)? as usize;
        let place = place(from, len, PAGE)?;
        let tear = self.operate()?;
        self.was_erasing = true;
        for page in &mut self.erasures[place.start / PAGE..place.end / PAGE] {
            *page += 1;
        }
        for (index, byte) in self.bytes[place].iter_mut().enumerate() {
            *byte |= tear.mask(index, len);
        }
        self.wear();
        self.still_on()
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Off> {
        let place = place(offset, bytes.len(), 1)?;
        let tear = self.operate()?;
        self.was_erasing = false;
        for (index, (byte, &new)) in self.bytes[place].iter_mut().zip(bytes).enumerate() {
            self.clashes += usize::from(*byte & new != new);
            *byte &= new | !tear.mask(index, bytes.len());
        }
        self.still_on()
    }
}

impl<const WORD: usize> MultiwriteNorFlash for Flash<WORD> {}
