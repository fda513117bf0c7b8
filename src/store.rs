//! What survives a power cut: the learned map and the calibration, in flash.
//!
//! Both are in one record, so that they are written at once or not at all:
//!
//! ```text
//! version (1 byte) | length (2) | calibration, field of the map if there is one (postcard) | map | CRC-32
//! ```
//!
//! Records are appended by [`sequential_storage`], which goes round the pages of [`STORE`] and erases
//! the oldest. It tells records that were cut from others by their checksums, and a page whose erasure
//! was cut by what is left of it, if its end is. If only its middle is, old records come back as new
//! ones. So pages are [tidied](Store::load) before anything is read. What is written is read back.

use embassy_futures::yield_now;
use embedded_storage_async::nor_flash::{ErrorType, NorFlash, ReadNorFlash};
use sequential_storage::{
    Error,
    cache::{Cache, Uncached},
    map::{MapConfig, MapStorage},
};

use crate::{
    atlas::{self, Atlas},
    calibration::Calibration,
    config::STORE,
    mission::Field,
    report::codec::CRC,
};

/// The version of the record. A robot does not read another's, for its cells and walls may be others.
pub const VERSION: u8 = 1;

/// The only key: the robot has one record.
const KEY: u8 = 1;
/// Version and length.
const FRONT: usize = 3;
/// The most bytes that a calibration and a field take in postcard.
const MIDDLE: usize = 15 + 1 + 13;
/// Bytes of the checksum.
const CHECKSUM: usize = 4;
/// The longest record.
const RECORD: usize = FRONT + MIDDLE + atlas::BYTES + CHECKSUM;
/// Its key before it; flash with words of up to 32 bytes is written and read in whole words.
const BUFFER: usize = (1 + RECORD).next_multiple_of(32);
/// Bytes that are read at once when pages are looked through.
const LOOK: usize = 1024;
/// A record that is not there when it is read back is written again, and further on, so often in all.
const ATTEMPTS: usize = 3;

/// Why there is nothing to read, or why it could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Trouble {
    /// The flash does not answer as it should; another time may be better.
    Flash,
    /// What is there is no store, or not one any more: it must be [cleared](Store::clear).
    Damaged,
    /// The record is whole, but of another version.
    Foreign,
}

/// What was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept<'b> {
    /// What was measured of the robot, valid or not.
    pub calibration: Calibration,
    /// The field and the [bytes](Atlas::byte) of its map, if one was kept.
    pub map: Option<(Field, &'b [u8])>,
}

impl Kept<'_> {
    /// Copies the map into an atlas of the same field; `false` if it is of another, or no map.
    pub fn fill(&self, atlas: &mut Atlas<'_>) -> bool {
        let Some((field, bytes)) = self.map else {
            return false;
        };
        let is_like = field == atlas.field() && bytes.len() == atlas.len();
        is_like && (0..).zip(bytes).all(|(i, &byte)| atlas.set_byte(i, byte))
    }
}

/// The store in [`STORE`] of a flash.
///
/// ```
/// use embedded_storage_async::nor_flash::NorFlash;
/// use tinystar::{atlas::Atlas, config::CALIBRATION, store::{Store, Trouble}};
///
/// /// Reads the map, if there is one of this field, and writes it again.
/// async fn refresh(flash: impl NorFlash, atlas: &mut Atlas<'_>) -> Result<(), Trouble> {
///     let mut store = Store::new(flash);
///     let is_kept = match store.load().await? {
///         Some(kept) => kept.fill(atlas),
///         None => false,
///     };
///     store.note(CALIBRATION, is_kept.then_some(&*atlas));
///     store.write().await
/// }
/// ```
pub struct Store<F: NorFlash> {
    storage: MapStorage<u8, Paced<F>, NoCache>,
    record: [u8; RECORD],
    /// Bytes of the record that is to be written.
    len: usize,
    buffer: Aligned,
}

/// The store is read at start and written at stops: there is time to look.
type NoCache = Cache<Uncached, Uncached, Uncached, u8>;

/// Some flash is read by machinery that needs it.
#[repr(align(4))]
struct Aligned([u8; BUFFER]);

impl<F: NorFlash> Store<F> {
    /// Nothing is read yet.
    #[must_use]
    pub const fn new(flash: F) -> Self {
        const {
            let overhead = MapStorage::<u8, Paced<F>, NoCache>::item_overhead_size() as usize;
            assert!(
                overhead + BUFFER + 2 * 32 <= F::ERASE_SIZE,
                "a page holds a record"
            );
        }
        let config = const { MapConfig::new(STORE) };
        Self {
            storage: MapStorage::new(Paced(flash), config, Cache::new_uncached()),
            record: [0; RECORD],
            len: 0,
            buffer: Aligned([0; BUFFER]),
        }
    }

    /// The flash.
    pub fn flash(&mut self) -> &mut F {
        &mut self.storage.flash().0
    }

    /// Ends what a power cut left undone, and reads the last record.
    ///
    /// # Errors
    /// See [`Trouble`].
    pub async fn load(&mut self) -> Result<Option<Kept<'_>>, Trouble> {
        let is_blank = self.tidy().await?;
        let Self {
            storage, buffer, ..
        } = self;
        match storage.fetch_item(&mut buffer.0, &KEY).await? {
            Some(record) => read(record).map(Some),
            None if is_blank => Ok(None),
            None => Err(Trouble::Damaged),
        }
    }

    /// Composes the record that [`write`](Self::write) writes: it takes no time, so that the atlas may
    /// be locked for it.
    pub fn note(&mut self, calibration: Calibration, map: Option<&Atlas<'_>>) {
        let field = map.map(Atlas::field);
        let mut len = FRONT;
        // `MIDDLE` is what it takes at most, so that there is always room.
        if let Ok(middle) = postcard::to_slice(&(calibration, field), &mut self.record[FRONT..]) {
            len += middle.len();
        }
        if let Some(map) = map {
            let places = self.record[len..].iter_mut().take(map.len());
            for (index, place) in places.enumerate() {
                *place = map.byte(index);
            }
            len += map.len();
        }
        self.record[0] = VERSION;
        self.record[1..FRONT].copy_from_slice(&((len + CHECKSUM) as u16).to_le_bytes());
        let checksum = CRC.checksum(&self.record[..len]).to_le_bytes();
        self.record[len..len + CHECKSUM].copy_from_slice(&checksum);
        self.len = len + CHECKSUM;
    }

    /// Writes what was [noted](Self::note) last. A power cut leaves the record before it or this one.
    ///
    /// # Errors
    /// See [`Trouble`]; [`Trouble::Foreign`] is none of them.
    pub async fn write(&mut self) -> Result<(), Trouble> {
        let record = &self.record[..self.len];
        for _ in 0..ATTEMPTS {
            let buffer = &mut self.buffer.0;
            self.storage.store_item(buffer, &KEY, &record).await?;
            if self.storage.fetch_item(buffer, &KEY).await? == Some(record) {
                return Ok(());
            }
        }
        Err(Trouble::Damaged)
    }

    /// Erases the whole store.
    ///
    /// # Errors
    /// [`Trouble::Flash`].
    pub async fn clear(&mut self) -> Result<(), Trouble> {
        Ok(self.storage.erase_all().await?)
    }

    /// Erases again what was being erased when the power went; whether every page was blank.
    async fn tidy(&mut self) -> Result<bool, Trouble> {
        let (mut is_blank, mut in_use) = (true, 0);
        let mut before = self.page(Self::PAGES - 1).await?;
        for index in 0..Self::PAGES {
            let page = self.page(index).await?;
            is_blank &= page == Page::Blank;
            // After a page that is in use comes a blank one, or a full one that is about to be erased.
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
            return Err(Trouble::Damaged);
        }
        Ok(is_blank)
    }

    const PAGES: u32 = (STORE.end - STORE.start) / F::ERASE_SIZE as u32;

    /// What a page looks like, seen as `sequential_storage` does: a page is marked by a word of zeros at
    /// its start when it is first written, and at its end when it is full. Half a word counts.
    async fn page(&mut self, index: u32) -> Result<Page, Trouble> {
        let start = STORE.start + index * F::ERASE_SIZE as u32;
        let is_marked = |word: &[u8]| word.iter().map(|byte| byte.count_zeros()).sum::<u32>() >= 4;
        let (mut begun, mut ended, mut is_blank) = (false, false, true);
        for from in (0..F::ERASE_SIZE).step_by(LOOK) {
            let look = &mut self.buffer.0[..LOOK.min(F::ERASE_SIZE - from)];
            let read = self.storage.flash().read(start + from as u32, look).await;
            read.map_err(|_| Trouble::Flash)?;
            if from == 0 {
                begun = is_marked(&look[..F::READ_SIZE]);
            }
            ended = is_marked(&look[look.len() - F::READ_SIZE..]);
            is_blank &= look.iter().all(|&byte| byte == 0xFF);
        }
        Ok(match (begun, ended) {
            (true, true) => Page::Full,
            (true, false) => Page::InUse,
            (false, _) if is_blank => Page::Blank,
            (false, _) => Page::Torn,
        })
    }

    async fn erase(&mut self, index: u32) -> Result<(), Trouble> {
        let start = STORE.start + index * F::ERASE_SIZE as u32;
        let end = start + F::ERASE_SIZE as u32;
        let erased = self.storage.flash().erase(start, end).await;
        erased.map_err(|_| Trouble::Flash)
    }
}

/// What a page looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Page {
    Blank,
    /// Being written, record by record.
    InUse,
    Full,
    /// Neither begun nor blank: it was being erased, or its first word was being written.
    Torn,
}

/// Reads a record.
fn read(record: &[u8]) -> Result<Kept<'_>, Trouble> {
    let (sealed, checksum) = record.split_last_chunk().ok_or(Trouble::Damaged)?;
    if CRC.checksum(sealed) != u32::from_le_bytes(*checksum) {
        return Err(Trouble::Damaged);
    }
    let (front, rest) = sealed
        .split_first_chunk::<FRONT>()
        .ok_or(Trouble::Damaged)?;
    let [version, low, high] = *front;
    if version != VERSION {
        return Err(Trouble::Foreign);
    }
    if usize::from(u16::from_le_bytes([low, high])) != record.len() {
        return Err(Trouble::Damaged);
    }
    let ((calibration, field), map) =
        postcard::take_from_bytes(rest).map_err(|_| Trouble::Damaged)?;
    // No two bits stand for a third.
    if map.iter().any(|byte| byte & byte >> 1 & 0b0101_0101 != 0) {
        return Err(Trouble::Damaged);
    }
    Ok(Kept {
        calibration,
        map: Option::map(field, |field| (field, map)),
    })
}

/// Whatever else the crate finds wrong, it has tried to repair.
impl<E> From<Error<E>> for Trouble {
    fn from(error: Error<E>) -> Self {
        match error {
            Error::Storage { .. } => Self::Flash,
            _ => Self::Damaged,
        }
    }
}

/// Lets other tasks run after each page that is erased and each write: a chip stands still for them.
struct Paced<F>(F);

impl<F: ErrorType> ErrorType for Paced<F> {
    type Error = F::Error;
}

impl<F: ReadNorFlash> ReadNorFlash for Paced<F> {
    const READ_SIZE: usize = F::READ_SIZE;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.read(offset, bytes).await
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<F: NorFlash> NorFlash for Paced<F> {
    const WRITE_SIZE: usize = F::WRITE_SIZE;
    const ERASE_SIZE: usize = F::ERASE_SIZE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        for page in (from..to).step_by(F::ERASE_SIZE) {
            self.0.erase(page, page + F::ERASE_SIZE as u32).await?;
            yield_now().await;
        }
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.write(offset, bytes).await?;
        yield_now().await;
        Ok(())
    }
}
