//! Wall map, settings and calibration in flash, safe against power cuts.
//!
//! All are in one record, so that they are written together or not at all:
//!
//! ```text
//! version (1 byte) | length (2) | settings, calibration, whether there is a map (postcard) | map | CRC-32
//! ```
//!
//! [`sequential_storage`] appends records, cycles through the pages of a [`FlashRange`] and erases the
//! oldest. It detects torn records by their checksums, and a torn page erase only if the end of the page
//! is left; if just the middle is left, old records reappear as new ones. Therefore [`Store::load`]
//! repairs torn pages before reading. Every write is verified.

use core::ops::Range;

use embedded_storage_async::nor_flash::NorFlash;
use sequential_storage::{
    Error,
    cache::{Cache, Uncached},
    map::{MapConfig, MapStorage},
};

use planner_core::{
    Cell, Side,
    map::{Occupancy, WallMap},
    storage::Storage,
};

use crate::{
    calibration::Calibration,
    mission::Field,
    navigator::{MAX_MAP_BYTES, decode_walls, encode_walls, map_bytes, wall_bits},
    settings::Settings,
    telemetry::codec::CRC,
};

/// Version of the record. Records of other versions are not read.
pub const VERSION: u8 = 3;

/// Key of the only record.
const KEY: u8 = 1;
/// Bytes of version and length.
const HEADER: usize = 3;
/// Room for settings and a calibration in postcard; a test checks that it is enough.
const METADATA: usize = 192;
/// Bytes of the checksum.
const CHECKSUM: usize = 4;
/// Largest record.
const RECORD: usize = HEADER + METADATA + MAX_MAP_BYTES + CHECKSUM;
/// Record with its key, rounded up to flash words of up to 32 bytes.
const BUFFER: usize = (1 + RECORD).next_multiple_of(32);
/// Bytes read at once when a page is inspected.
const CHUNK: usize = 1024;
/// Attempts to write a record that fails verification, each at another place.
const ATTEMPTS: usize = 3;

/// Failed read or write of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum StoreError {
    /// The flash reported an error; a retry may succeed.
    Flash,
    /// The content is not a valid store and must be [cleared](Store::clear).
    Damaged,
    /// The record is intact but of another version.
    Foreign,
}

/// Stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'b> {
    /// Settings, not validated.
    pub settings: Settings,
    /// Calibration, not validated.
    pub calibration: Calibration,
    /// [Encoded](encode_walls) map of the settings' field, if there is one.
    pub map: Option<&'b [u8]>,
}

impl Record<'_> {
    /// Walls of the map; `None` if there is no map.
    pub fn walls(&self) -> Option<impl Iterator<Item = (Cell, Side, Occupancy)> + use<'_>> {
        let field = self.settings.field;
        let bytes = self.map.filter(|bytes| bytes.len() == map_bytes(field))?;
        let bytes = bytes.iter().enumerate();
        // Every byte is valid, or the record would have been damaged.
        Some(
            bytes.flat_map(move |(index, &byte)| {
                decode_walls(field, index, byte).into_iter().flatten()
            }),
        )
    }
}

/// Pages of flash that hold a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashRange {
    start: u32,
    end: u32,
}

impl FlashRange {
    /// Largest page that a range is aligned to.
    const PAGE: u32 = 4096;

    /// Range of flash offsets; meant for constants, where an invalid range does not compile.
    ///
    /// # Panics
    /// The range has fewer than two pages of 4 KiB, or is not aligned to them.
    #[must_use]
    pub const fn new(range: Range<u32>) -> Self {
        let Range { start, end } = range;
        assert!(start.is_multiple_of(Self::PAGE) && end.is_multiple_of(Self::PAGE));
        assert!(end >= 2 * Self::PAGE && start <= end - 2 * Self::PAGE);
        Self { start, end }
    }

    /// The range.
    #[must_use]
    pub const fn range(self) -> Range<u32> {
        self.start..self.end
    }
}

/// Store in a range of a flash.
///
/// ```
/// use embedded_storage_async::nor_flash::NorFlash;
/// use tinystar::{boards::ZUMO2040, navigator::Navigator, settings::Settings, store::{Store, StoreError}};
///
/// /// Replaces the stored map and keeps the calibration.
/// async fn replace_map(flash: impl NorFlash, navigator: &Navigator) -> Result<(), StoreError> {
///     let mut store = Store::new(flash, ZUMO2040.store);
///     let record = store.load().await?;
///     let calibration = record.map_or(ZUMO2040.calibration, |record| record.calibration);
///     store.stage(&Settings::default(), calibration, Some(navigator.map()));
///     store.write().await
/// }
/// ```
pub struct Store<F: NorFlash> {
    storage: MapStorage<u8, F, NoCache>,
    range: FlashRange,
    record: [u8; RECORD],
    /// Bytes of the staged record.
    len: usize,
    buffer: Aligned,
}

/// The store is read at start and written at stops, so it needs no cache.
type NoCache = Cache<Uncached, Uncached, Uncached, u8>;

/// Buffer aligned for flash drivers that use DMA.
#[repr(align(4))]
struct Aligned([u8; BUFFER]);

impl<F: NorFlash> Store<F> {
    /// Opens the store without reading it.
    #[must_use]
    pub const fn new(flash: F, range: FlashRange) -> Self {
        const {
            let overhead = MapStorage::<u8, F, NoCache>::item_overhead_size() as usize;
            assert!(
                overhead + BUFFER + 2 * 32 <= F::ERASE_SIZE,
                "a page holds a record"
            );
            assert!(
                FlashRange::PAGE.is_multiple_of(F::ERASE_SIZE as u32),
                "the range is aligned to erase pages"
            );
        }
        // Never panics: a `FlashRange` has two aligned pages at least.
        let config = MapConfig::new(range.range());
        Self {
            storage: MapStorage::new(flash, config, Cache::new_uncached()),
            range,
            record: [0; RECORD],
            len: 0,
            buffer: Aligned([0; BUFFER]),
        }
    }

    /// The underlying flash.
    pub fn flash(&mut self) -> &mut F {
        self.storage.flash()
    }

    /// Repairs what a power cut left, and reads the last record.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub async fn load(&mut self) -> Result<Option<Record<'_>>, StoreError> {
        let is_blank = self.repair().await?;
        let Self {
            storage, buffer, ..
        } = self;
        match storage.fetch_item(&mut buffer.0, &KEY).await? {
            Some(record) => read(record).map(Some),
            None if is_blank => Ok(None),
            None => Err(StoreError::Damaged),
        }
    }

    /// Stages the record for [`write`](Self::write). Does not wait, so the map can be locked meanwhile.
    pub fn stage<S: Storage>(
        &mut self,
        settings: &Settings,
        calibration: Calibration,
        map: Option<&WallMap<S>>,
    ) {
        let mut len = HEADER;
        let metadata = (settings, calibration, map.is_some());
        // Never fails: `METADATA` has room.
        if let Ok(metadata) = postcard::to_slice(&metadata, &mut self.record[HEADER..]) {
            len += metadata.len();
        }
        if let Some(map) = map {
            let map_bytes = map_bytes(settings.field);
            let bytes = self.record[len..].iter_mut().take(map_bytes);
            for (index, byte) in bytes.enumerate() {
                *byte = encode_walls(map, index);
            }
            len += map_bytes;
        }
        self.record[0] = VERSION;
        self.record[1..HEADER].copy_from_slice(&((len + CHECKSUM) as u16).to_le_bytes());
        self.len = len + CHECKSUM;
        self.seal();
    }

    /// Sets walls of the staged map to unknown: [`merge`](Self::merge) keeps what is stored of them.
    pub fn withhold(&mut self, field: Field, walls: impl Iterator<Item = (Cell, Side)>) {
        let start = self.len - CHECKSUM - map_bytes(field);
        for (cell, side) in walls {
            if let Some((index, shift)) = wall_bits(field, cell, side) {
                self.record[start + index] &= !(0b11 << shift);
            }
        }
        self.seal();
    }

    /// Completes the staged map by the stored one of the same field: walls that are unknown now stay as
    /// they are stored.
    ///
    /// # Errors
    /// [`StoreError::Flash`].
    pub async fn merge(&mut self) -> Result<(), StoreError> {
        let Self {
            storage,
            buffer,
            record,
            len,
            ..
        } = self;
        let (stored, staged) = match storage.fetch_item(&mut buffer.0, &KEY).await {
            Ok(stored) => (stored.map(read), read(&record[..*len])),
            Err(Error::Storage { .. }) => return Err(StoreError::Flash),
            // Writing reports it.
            Err(_) => return Ok(()),
        };
        let (Some(Ok(stored)), Ok(staged)) = (stored, staged) else {
            return Ok(());
        };
        let is_same = |stored: &Settings, staged: &Settings| {
            (stored.field, stored.cell_mm) == (staged.field, staged.cell_mm)
        };
        if let (Some(old), Some(new)) = (stored.map, staged.map)
            && is_same(&stored.settings, &staged.settings)
        {
            let start = *len - CHECKSUM - new.len();
            for (byte, old) in record[start..].iter_mut().zip(old) {
                // Two bits per wall, zero if it is unknown.
                let known = (*byte | *byte >> 1) & 0b0101_0101;
                *byte |= old & !(known * 3);
            }
            self.seal();
        }
        Ok(())
    }

    /// Writes the checksum of the staged record.
    fn seal(&mut self) {
        let (sealed, checksum) = self.record[..self.len].split_at_mut(self.len - CHECKSUM);
        checksum.copy_from_slice(&CRC.checksum(sealed).to_le_bytes());
    }

    /// Writes the [staged](Self::stage) record. A power cut leaves the previous record or this one.
    ///
    /// # Errors
    /// [`StoreError::Flash`] or [`StoreError::Damaged`].
    pub async fn write(&mut self) -> Result<(), StoreError> {
        let record = &self.record[..self.len];
        for _ in 0..ATTEMPTS {
            let buffer = &mut self.buffer.0;
            self.storage.store_item(buffer, &KEY, &record).await?;
            if self.storage.fetch_item(buffer, &KEY).await? == Some(record) {
                return Ok(());
            }
        }
        Err(StoreError::Damaged)
    }

    /// Erases the whole store.
    ///
    /// # Errors
    /// [`StoreError::Flash`].
    pub async fn clear(&mut self) -> Result<(), StoreError> {
        Ok(self.storage.erase_all().await?)
    }

    /// Erases torn pages; returns whether every page was blank.
    async fn repair(&mut self) -> Result<bool, StoreError> {
        let (mut is_blank, mut in_use) = (true, 0);
        let FlashRange { start, end } = self.range;
        let pages = (end - start) / F::ERASE_SIZE as u32;
        let mut before = self.page(pages - 1).await?;
        for index in 0..pages {
            let page = self.page(index).await?;
            is_blank &= page == Page::Blank;
            // The page after the one in use is blank, or full and about to be erased.
            let is_torn = page == Page::Torn || (before == Page::InUse && page == Page::InUse);
            if is_torn {
                self.erase(index).await?;
                before = Page::Blank;
            } else {
                in_use += u32::from(page == Page::InUse);
                before = page;
            }
        }
        if in_use > 1 {
            return Err(StoreError::Damaged);
        }
        Ok(is_blank)
    }

    /// State of a page by the rules of `sequential_storage`: a word of zeros marks the start of a page
    /// when it is first written, and its end when it is full. Half a word counts.
    async fn page(&mut self, index: u32) -> Result<Page, StoreError> {
        let start = self.range.start + index * F::ERASE_SIZE as u32;
        let is_marked = |word: &[u8]| word.iter().map(|byte| byte.count_zeros()).sum::<u32>() >= 4;
        let (mut begun, mut ended, mut is_blank) = (false, false, true);
        for from in (0..F::ERASE_SIZE).step_by(CHUNK) {
            let chunk = &mut self.buffer.0[..CHUNK.min(F::ERASE_SIZE - from)];
            let read = self.storage.flash().read(start + from as u32, chunk).await;
            read.map_err(|_| StoreError::Flash)?;
            if from == 0 {
                begun = is_marked(&chunk[..F::READ_SIZE]);
            }
            ended = is_marked(&chunk[chunk.len() - F::READ_SIZE..]);
            is_blank &= chunk.iter().all(|&byte| byte == 0xFF);
        }
        Ok(match (begun, ended) {
            (true, true) => Page::Full,
            (true, false) => Page::InUse,
            (false, _) if is_blank => Page::Blank,
            (false, _) => Page::Torn,
        })
    }

    async fn erase(&mut self, index: u32) -> Result<(), StoreError> {
        let start = self.range.start + index * F::ERASE_SIZE as u32;
        let end = start + F::ERASE_SIZE as u32;
        let erased = self.storage.flash().erase(start, end).await;
        erased.map_err(|_| StoreError::Flash)
    }
}

/// State of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Page {
    Blank,
    /// Partly written.
    InUse,
    Full,
    /// Interrupted erase, or interrupted write of the first word.
    Torn,
}

/// Parses a record.
fn read(record: &[u8]) -> Result<Record<'_>, StoreError> {
    let (sealed, checksum) = record.split_last_chunk().ok_or(StoreError::Damaged)?;
    if CRC.checksum(sealed) != u32::from_le_bytes(*checksum) {
        return Err(StoreError::Damaged);
    }
    let (header, rest) = sealed
        .split_first_chunk::<HEADER>()
        .ok_or(StoreError::Damaged)?;
    let [version, low, high] = *header;
    if version != VERSION {
        return Err(StoreError::Foreign);
    }
    if usize::from(u16::from_le_bytes([low, high])) != record.len() {
        return Err(StoreError::Damaged);
    }
    let ((settings, calibration, has_map), map): ((Settings, _, bool), _) =
        postcard::take_from_bytes(rest).map_err(|_| StoreError::Damaged)?;
    // Two bits per wall have three values.
    if map.iter().any(|byte| byte & byte >> 1 & 0b0101_0101 != 0) {
        return Err(StoreError::Damaged);
    }
    Ok(Record {
        settings,
        calibration,
        map: has_map.then_some(map),
    })
}

/// Errors other than those of the flash itself mean damage beyond repair by the crate.
impl<E> From<Error<E>> for StoreError {
    fn from(error: Error<E>) -> Self {
        match error {
            Error::Storage { .. } => Self::Flash,
            _ => Self::Damaged,
        }
    }
}
