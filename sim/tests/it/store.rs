//! Store: the map survives power cuts, bit flips and wear.

use crate::support::{flash::Flash, tasks::MAZE};
use crc::{CRC_32_ISO_HDLC, Crc};
use embassy_futures::block_on;
use proptest::prelude::*;
use sequential_storage::{
    cache::{Cache, Uncached},
    map::{MapConfig, MapStorage},
};
use sim::physics::devices::{Cut, FlashMemory, PAGE, PAGES, Tear};
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    config::{FIELD, SIDE},
    mission::Field,
    planner::{
        Cell, Observation, Side,
        map::{Map, Occupancy, WallMap},
        storage::{Array, maze_capacity},
    },
    settings::{GOALS, Settings},
    store::{Store, StoreError, VERSION},
};

/// Content of the store: calibration, and known walls of the map.
type Content = (Calibration, Option<Vec<(Cell, Side, Occupancy)>>);

/// Test content that follows from a number.
#[derive(Clone, Copy)]
struct Sample {
    field: Field,
    number: u32,
}

impl Sample {
    fn new(field: Field, number: u32) -> Self {
        Self { field, number }
    }

    fn calibration(self) -> Calibration {
        Calibration {
            track_um: ZUMO2040.calibration.track_um + self.number,
            ..ZUMO2040.calibration
        }
    }

    /// Every tenth sample has no map.
    fn has_map(self) -> bool {
        self.number % 10 != 9
    }

    fn map(self) -> WallMap<Array<{ maze_capacity(SIDE, SIDE) }>> {
        let mut map = WallMap::new();
        map.resize(self.field.width, self.field.height).unwrap();
        for index in 0.. {
            let Some((cell, side)) = map.nth_wall(index) else {
                break;
            };
            let occupancy = match (index as u32 * 7 + self.number) % 5 {
                0 | 1 => Occupancy::Free,
                2 => Occupancy::Blocked,
                _ => Occupancy::Unknown,
            };
            let _ = map.observe(Observation::Wall(cell, side, occupancy));
        }
        map
    }

    /// Content after this sample is saved.
    fn content(self) -> Content {
        let map = self.map();
        let walls = || map.walls().filter(|wall| wall.2 != Occupancy::Unknown);
        (
            self.calibration(),
            self.has_map().then(|| walls().collect()),
        )
    }

    fn save<const W: usize>(self, store: &mut Store<Flash<W>>) -> Result<(), StoreError> {
        let map = self.map();
        let map = self.has_map().then_some(&map);
        store.stage(&Settings::of_field(self.field), self.calibration(), map);
        block_on(store.write())
    }
}

fn open<const W: usize>(memory: FlashMemory) -> Store<Flash<W>> {
    Store::new(Flash(memory), ZUMO2040.store)
}

/// Store without content.
fn blank() -> Store<Flash<4>> {
    open(FlashMemory::default())
}

/// Store with this content, after power-on.
fn restarted<const W: usize>(content: &[u8]) -> Store<Flash<W>> {
    open(FlashMemory::with_content(content.to_vec()))
}

/// Reads the store.
fn load<const W: usize>(
    store: &mut Store<Flash<W>>,
    field: Field,
) -> Result<Option<Content>, StoreError> {
    let Some(record) = block_on(store.load())? else {
        return Ok(None);
    };
    assert_eq!(record.settings, Settings::of_field(field));
    let walls = record.walls().map(|walls| {
        let known = walls.filter(|wall| wall.2 != Occupancy::Unknown);
        known.collect()
    });
    Ok(Some((record.calibration, walls)))
}

/// Saves a sample, which is then in the store.
fn save_and_load(store: &mut Store<Flash<4>>, sample: Sample) {
    sample.save(store).unwrap();
    let found = load(store, sample.field).unwrap();
    assert!(found == Some(sample.content()), "{}", sample.number);
}

fn erasures<const W: usize>(store: &mut Store<Flash<W>>) -> u32 {
    store.flash().0.erasures.iter().sum()
}

/// Content of a store that has cycled through its pages, so that each new page needs an erasure.
fn cycled<const W: usize>(field: Field, saves: u32) -> Vec<u8> {
    let mut store = open::<W>(FlashMemory::default());
    for number in 0..saves {
        Sample { field, number }.save(&mut store).unwrap();
    }
    assert!(erasures(&mut store) > 0, "the store has cycled");
    assert_eq!(store.flash().0.clashes, 0);
    store.flash().0.bytes.clone()
}

/// Saves samples in turn until power is lost; returns the number of completed saves.
fn run<const W: usize>(store: &mut Store<Flash<W>>, samples: &[Sample]) -> usize {
    for (ended, sample) in samples.iter().enumerate() {
        if sample.save(store).is_err() {
            assert!(store.flash().0.is_off(), "only a power cut ends a save");
            return ended;
        }
    }
    samples.len()
}

/// Cuts the power in every way at every operation of a series of saves, then again at every operation of
/// the restart and the next save. Each time the old or the new content must be read, and saving must work.
fn old_or_new<const W: usize>(field: Field, before: u32, saves: u32) {
    let image = cycled::<W>(field, before);
    let numbers = before - 1..before + saves;
    let samples: Vec<_> = numbers.map(|number| Sample::new(field, number)).collect();
    let known: Vec<_> = samples.iter().map(|sample| sample.content()).collect();
    let again = Sample::new(field, 10 * (before + saves));
    let content_again = again.content();

    let mut uncut = restarted::<W>(&image);
    run(&mut uncut, &samples[1..]);
    let operations = uncut.flash().0.operations();
    assert!(erasures(&mut uncut) > 1, "pages are erased meanwhile");

    for (after, tear) in (0..operations).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let first = Cut { after, tear };
        let memory = FlashMemory::with_content(image.clone());
        let mut store = open::<W>(memory.cut(first));
        let ended = run(&mut store, &samples[1..]);
        assert!(store.flash().0.is_off(), "{first:?}");
        let torn = store.flash().0.bytes.clone();
        let was_erasing = store.flash().0.was_erasing;

        let mut store = restarted::<W>(&torn);
        let found = load(&mut store, field).unwrap().unwrap();
        assert!(known[ended..=ended + 1].contains(&found), "{first:?}");
        // A page whose erasure was cut is in use again after two more.
        let turns = erasures(&mut store) + if was_erasing { 2 } else { 0 };
        let mut saves = Vec::new();
        while saves.is_empty() || erasures(&mut store) < turns {
            again.save(&mut store).unwrap();
            saves.push(again);
        }
        let refound = load(&mut store, field).unwrap().unwrap();
        assert!(refound == content_again, "{first:?}");
        assert_eq!(store.flash().0.clashes, 0, "{first:?}");

        for after in 0..store.flash().0.operations() {
            let second = Cut { after, tear };
            let memory = FlashMemory::with_content(torn.clone());
            let mut store = open::<W>(memory.cut(second));
            // Reading repairs what the first cut left, and may be cut itself.
            let is_kept = load(&mut store, field).is_ok() && run(&mut store, &saves) > 0;
            assert!(store.flash().0.is_off(), "{first:?} {second:?}");
            let mut store = restarted::<W>(&store.flash().0.bytes);
            let refound = load(&mut store, field).unwrap().unwrap();
            let is_old = !is_kept && refound == found;
            assert!(is_old || refound == content_again, "{first:?} {second:?}");
        }
    }
}

#[test]
fn a_power_cut_leaves_the_old_or_the_new_map_with_one_map_per_page() {
    old_or_new::<4>(FIELD, 20, 17);
}

#[test]
fn a_power_cut_leaves_the_old_or_the_new_map_with_many_maps_per_page() {
    old_or_new::<4>(MAZE, 460, 60);
}

#[test]
fn a_power_cut_leaves_the_old_or_the_new_map_in_byte_addressed_flash() {
    old_or_new::<1>(MAZE, 460, 60);
}

#[test]
fn a_power_cut_in_the_first_save_leaves_a_usable_store() {
    let sample = Sample::new(MAZE, 0);
    for (after, tear) in (0..3).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let cut = Cut { after, tear };
        let mut store = open::<4>(FlashMemory::default().cut(cut));
        assert_eq!(sample.save(&mut store), Err(StoreError::Flash), "{cut:?}");

        let mut store = restarted::<4>(&store.flash().0.bytes);
        match load(&mut store, MAZE) {
            Ok(found) => assert!(
                found.is_none_or(|found| found == sample.content()),
                "{cut:?}"
            ),
            Err(error) => {
                assert_eq!(error, StoreError::Damaged, "{cut:?}");
                block_on(store.clear()).unwrap();
            }
        }
        save_and_load(&mut store, sample);
    }
}

/// Each bit of the flash up to the end of the last of two records, one at a time.
#[test]
fn no_bit_flip_yields_a_wrong_map() {
    let field = MAZE;
    let samples = [0, 1].map(|number| Sample { field, number });
    let known = samples.map(Sample::content);
    let mut store = blank();
    for sample in samples {
        sample.save(&mut store).unwrap();
    }
    let image = store.flash().0.bytes.clone();
    let last = image.iter().rposition(|&byte| byte != 0xFF).unwrap();
    let (mut whole, mut older, mut rejected) = (0, 0, 0);
    for bit in 0..8 * (last + 1) {
        let mut flipped = image.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mut store = restarted::<4>(&flipped);
        match load(&mut store, field) {
            Ok(Some(found)) if found == known[1] => whole += 1,
            Ok(Some(found)) if found == known[0] => older += 1,
            Err(StoreError::Damaged) => {
                rejected += 1;
                block_on(store.clear()).unwrap();
            }
            other => panic!("bit {bit}: {other:?}"),
        }
        save_and_load(&mut store, samples[0]);
    }
    // A flip in the newer record brings back the older one.
    assert!(
        whole > 0 && older > 0 && rejected == 0,
        "{whole} {older} {rejected}"
    );
}

#[test]
fn a_store_without_an_intact_record_is_damaged() {
    let sample = Sample::new(MAZE, 0);
    let mut store = blank();
    sample.save(&mut store).unwrap();
    store.flash().0.bytes[100] ^= 0x10;
    assert_eq!(load(&mut store, MAZE), Err(StoreError::Damaged));
    block_on(store.clear()).unwrap();
    assert_eq!(load(&mut store, MAZE), Ok(None));
}

#[test]
fn a_record_that_fails_verification_is_written_elsewhere() {
    let mut store = blank();
    // In the first record of the second page, after its header.
    store.flash().0.worn = Some(PAGE + 64);
    for number in 0..40 {
        save_and_load(&mut store, Sample::new(FIELD, number));
    }
    assert!(store.flash().0.clashes > 0, "the worn byte was used");
}

#[test]
fn a_record_of_another_version_is_foreign() {
    let record = sealed(vec![VERSION + 1, 9, 0, 1, 2]);
    assert_eq!(
        load(&mut with_record(&record), MAZE),
        Err(StoreError::Foreign)
    );
}

#[test]
fn a_record_with_a_wrong_bit_is_damaged() {
    let sample = Sample::new(MAZE, 0);
    let record = record_of(sample);
    let found = load(&mut with_record(&record), MAZE);
    assert_eq!(found, Ok(Some(sample.content())));
    for bit in 0..8 * record.len() {
        let mut flipped = record.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let found = load(&mut with_record(&flipped), MAZE);
        assert_eq!(found, Err(StoreError::Damaged), "bit {bit}");
    }
}

/// Bits of a wall that are neither free, blocked nor unknown, under a right checksum.
#[test]
fn a_map_with_an_impossible_occupancy_is_damaged() {
    let record = record_of(Sample::new(MAZE, 0));
    let (content, _) = record.split_last_chunk::<4>().unwrap();
    for shift in [0, 2, 4, 6] {
        let mut content = content.to_vec();
        *content.last_mut().unwrap() |= 0b11 << shift;
        let found = load(&mut with_record(&sealed(content)), MAZE);
        assert_eq!(found, Err(StoreError::Damaged), "{shift}");
    }
}

/// A record with its checksum.
fn sealed(mut record: Vec<u8>) -> Vec<u8> {
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&record);
    record.extend(checksum.to_le_bytes());
    record
}

/// The records in a flash.
fn storage(
    memory: FlashMemory,
) -> MapStorage<u8, Flash<4>, Cache<Uncached, Uncached, Uncached, u8>> {
    let config = MapConfig::new(ZUMO2040.store.range());
    MapStorage::new(Flash(memory), config, Cache::new_uncached())
}

/// Record that is saved of a sample.
fn record_of(sample: Sample) -> Vec<u8> {
    let mut store = blank();
    sample.save(&mut store).unwrap();
    let mut buffer = [0; 512];
    let mut storage = storage(store.flash().0.clone());
    let record: Option<&[u8]> = block_on(storage.fetch_item(&mut buffer, &1)).unwrap();
    record.unwrap().to_vec()
}

/// Store with a single record.
fn with_record(record: &[u8]) -> Store<Flash<4>> {
    let mut storage = storage(FlashMemory::default());
    block_on(storage.store_item(&mut [0; 512], &1, &record)).unwrap();
    open(storage.destroy().0.0)
}

/// Saves a map with one wall of each occupancy, completed by what is stored.
fn save_walls(store: &mut Store<Flash<4>>, field: Field, walls: [Occupancy; 3]) {
    let mut map = WallMap::<Array<{ maze_capacity(SIDE, SIDE) }>>::new();
    map.resize(field.width, field.height).unwrap();
    for (y, occupancy) in (3..).zip(walls) {
        let wall = Observation::Wall(Cell::new(5, y), Side::East, occupancy);
        map.observe(wall).unwrap();
    }
    let settings = Settings::of_field(field);
    store.stage(&settings, ZUMO2040.calibration, Some(&map));
    block_on(store.merge()).unwrap();
    block_on(store.write()).unwrap();
}

/// The walls of [`save_walls`] in flash.
fn stored_walls(store: &mut Store<Flash<4>>) -> [Occupancy; 3] {
    let record = block_on(store.load()).unwrap().unwrap();
    let walls: Vec<_> = record.walls().unwrap().collect();
    [3, 4, 5].map(|y| {
        let mut known = walls.iter();
        let wall = known.find(|&&(cell, side, _)| (cell, side) == (Cell::new(5, y), Side::East));
        wall.unwrap().2
    })
}

#[test]
fn only_sensed_walls_replace_stored_ones() {
    use Occupancy::{Blocked, Free, Unknown};
    let mut store = blank();
    save_walls(&mut store, MAZE, [Blocked, Blocked, Free]);
    save_walls(&mut store, MAZE, [Unknown, Free, Unknown]);
    assert_eq!(stored_walls(&mut store), [Blocked, Free, Free]);
    // On another map, they are others.
    let smaller = Field { width: 8, ..MAZE };
    save_walls(&mut store, smaller, [Unknown, Unknown, Blocked]);
    assert_eq!(stored_walls(&mut store), [Unknown, Unknown, Blocked]);
}

#[test]
fn the_largest_settings_and_the_largest_map_fit_a_record() {
    let settings = Settings {
        goals: (0..GOALS as u16)
            .map(|x| Cell::new(u16::MAX - x, u16::MAX))
            .collect(),
        cell_mm: u16::MAX,
        field: Field {
            home: Cell::new(u16::MAX, u16::MAX),
            ..FIELD
        },
        explores_by_time: true,
    };
    let sample = Sample::new(FIELD, 3);
    let mut store = blank();
    store.stage(&settings, ZUMO2040.calibration, Some(&sample.map()));
    block_on(store.write()).unwrap();
    let record = block_on(store.load()).unwrap().unwrap();
    assert_eq!(record.settings, settings);
    let walls = record
        .walls()
        .unwrap()
        .filter(|wall| wall.2 != Occupancy::Unknown);
    assert_eq!(Some(walls.collect()), sample.content().1);
}

#[test]
fn wear_is_levelled() {
    // A map of 64 x 64 fills half a page, and two with their headers do not fit one.
    for (field, at_most) in [(FIELD, 1000), (MAZE, 45)] {
        let mut store = blank();
        for number in 0..1000 {
            let number = 10 * number; // a map each time
            Sample { field, number }.save(&mut store).unwrap();
        }
        let total = erasures(&mut store);
        let pages = store.flash().0.erasures;
        println!(
            "{} x {}: {total} erasures, {pages:?}",
            field.width, field.height
        );
        assert!(total <= at_most, "{total}");
        assert!(
            pages.iter().max().unwrap() - pages.iter().min().unwrap() <= 1,
            "{pages:?}"
        );
    }
}

/// Blank page, noise, or a page of a real store with some bytes changed.
fn any_page() -> impl Strategy<Value = Vec<u8>> {
    let real = cycled::<4>(MAZE, 460);
    let real: Vec<_> = real.chunks(PAGE).map(<[u8]>::to_vec).collect();
    let spoiled = (
        prop::sample::select(real),
        prop::collection::vec((0..PAGE, any::<u8>()), 0..20),
    );
    prop_oneof![
        Just(vec![0xFF; PAGE]),
        prop::collection::vec(any::<u8>(), PAGE),
        spoiled.prop_map(|(mut page, spots)| {
            for (at, byte) in spots {
                page[at] = byte;
            }
            page
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_flash_content_yields_no_invented_map_and_a_usable_store(
        pages in prop::collection::vec(any_page(), PAGES)
    ) {
        let mut store = restarted::<4>(&pages.concat());
        match load(&mut store, MAZE) {
            Ok(None) => {}
            Ok(Some((calibration, map))) => {
                let number = calibration.track_um - ZUMO2040.calibration.track_um;
                let known = Sample { field: MAZE, number }.content();
                prop_assert_eq!((calibration, map), known);
            }
            Err(error) => {
                prop_assert_eq!(error, StoreError::Damaged);
                block_on(store.clear()).unwrap();
            }
        }
        let sample = Sample { field: MAZE, number: 5000 };
        if sample.save(&mut store).is_err() {
            block_on(store.clear()).unwrap();
            sample.save(&mut store).unwrap();
        }
        prop_assert_eq!(load(&mut store, MAZE), Ok(Some(sample.content())));
    }
}
