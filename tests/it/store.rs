//! The learned map survives: whenever the power goes, and whichever bit of the flash turns over.

use crate::support::flash::{Cut, Flash, PAGE, PAGES, Tear};
use crc::{CRC_32_ISO_HDLC, Crc};
use embassy_futures::block_on;
use proptest::prelude::*;
use sequential_storage::{
    cache::Cache,
    map::{MapConfig, MapStorage},
};
use tinystar::{
    atlas::{self, Atlas},
    boards::ZUMO2040,
    calibration::Calibration,
    config::FIELD,
    mission::Field,
    planner::{Cell, Side, map::Occupancy},
    store::{Store, StoreError, VERSION},
};

/// A maze of the classic size: many of its maps fit a page.
const MAZE: Field = Field {
    width: 16,
    height: 16,
    home: Cell::new(0, 15),
    heading: Side::North,
};

/// What a robot knows: its calibration, and the bytes of its map.
type Known = (Calibration, Option<Vec<u8>>);

/// What a robot keeps: everything follows from a number.
#[derive(Clone, Copy)]
struct Lesson {
    field: Field,
    number: u32,
}

impl Lesson {
    fn calibration(self) -> Calibration {
        Calibration {
            track_um: ZUMO2040.calibration.track_um + self.number,
            ..ZUMO2040.calibration
        }
    }

    /// Every tenth is to forget the map.
    fn has_map(self) -> bool {
        self.number % 10 != 9
    }

    fn learn(self, atlas: &mut Atlas<'_>) {
        let walls = (0..).map_while(|number| atlas.nth(number));
        for (index, (cell, side)) in walls.collect::<Vec<_>>().into_iter().enumerate() {
            let fact = match (index as u32 * 7 + self.number) % 5 {
                0 | 1 => Occupancy::Free,
                2 => Occupancy::Blocked,
                _ => Occupancy::Unknown,
            };
            atlas.note(cell, side, fact);
        }
    }

    /// What the robot must know once it is saved.
    fn known(self) -> Known {
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(self.field, &mut memory).unwrap();
        self.learn(&mut atlas);
        (self.calibration(), self.has_map().then(|| bytes(&atlas)))
    }

    fn save<const W: usize>(self, store: &mut Store<Flash<W>>) -> Result<(), StoreError> {
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(self.field, &mut memory).unwrap();
        self.learn(&mut atlas);
        store.stage(self.calibration(), self.has_map().then_some(&atlas));
        block_on(store.write())
    }
}

fn open<const W: usize>(flash: Flash<W>) -> Store<Flash<W>> {
    Store::new(flash, ZUMO2040.store)
}

/// What a robot knows after it has read its store.
fn load<const W: usize>(
    store: &mut Store<Flash<W>>,
    field: Field,
) -> Result<Option<Known>, StoreError> {
    let Some(kept) = block_on(store.load())? else {
        return Ok(None);
    };
    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(field, &mut memory).unwrap();
    let map = kept.load_map(&mut atlas).then(|| bytes(&atlas));
    Ok(Some((kept.calibration, map)))
}

fn erasures<const W: usize>(store: &mut Store<Flash<W>>) -> u32 {
    store.flash().erasures.iter().sum()
}

fn bytes(atlas: &Atlas<'_>) -> Vec<u8> {
    (0..atlas.len()).map(|index| atlas.byte(index)).collect()
}

/// A store that has been round its pages, so that each new page is an erasure.
fn well_used<const W: usize>(field: Field, saves: u32) -> Vec<u8> {
    let mut store = open(Flash::<W>::new());
    for number in 0..saves {
        Lesson { field, number }.save(&mut store).unwrap();
    }
    assert!(erasures(&mut store) > 0, "the store has been round");
    assert_eq!(store.flash().clashes, 0);
    store.flash().bytes.clone()
}

/// Saves lessons one after the other until the power goes; how many saves ended.
fn run<const W: usize>(store: &mut Store<Flash<W>>, lessons: &[Lesson]) -> usize {
    for (ended, lesson) in lessons.iter().enumerate() {
        if lesson.save(store).is_err() {
            assert!(store.flash().is_off(), "only a power cut ends a save");
            return ended;
        }
    }
    lessons.len()
}

/// Cuts the power in every way at every operation of a series of saves; then again at every operation
/// of the restart and the next save. Each time the robot must know the old map or the new one, and be
/// able to save.
fn old_or_new<const W: usize>(field: Field, before: u32, saves: u32) {
    let image = well_used::<W>(field, before);
    let lessons: Vec<_> = (before - 1..before + saves)
        .map(|number| Lesson { field, number })
        .collect();
    let known: Vec<_> = lessons.iter().map(|lesson| lesson.known()).collect();
    let again = Lesson {
        field,
        number: 10 * (before + saves),
    };
    let known_again = again.known();

    let mut uncut = open(Flash::<W>::of(image.clone()));
    run(&mut uncut, &lessons[1..]);
    let operations = uncut.flash().operations;
    assert!(erasures(&mut uncut) > 1, "pages are erased meanwhile");

    for (after, tear) in (0..operations).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let first = Cut { after, tear };
        let mut store = open(Flash::<W>::of(image.clone()).cut(first));
        let ended = run(&mut store, &lessons[1..]);
        assert!(store.flash().is_off(), "{first:?}");
        let torn = store.flash().bytes.clone();
        let was_erasing = store.flash().was_erasing;

        let mut store = open(Flash::<W>::of(torn.clone()));
        let found = load(&mut store, field).unwrap().unwrap();
        assert!(known[ended..=ended + 1].contains(&found), "{first:?}");
        // A page that was being erased is in use again after another two.
        let turns = erasures(&mut store) + if was_erasing { 2 } else { 0 };
        let mut saves = Vec::new();
        while saves.is_empty() || erasures(&mut store) < turns {
            again.save(&mut store).unwrap();
            saves.push(again);
        }
        let refound = load(&mut store, field).unwrap().unwrap();
        assert!(refound == known_again, "{first:?}");
        assert_eq!(store.flash().clashes, 0, "{first:?}");

        for after in 0..store.flash().operations {
            let second = Cut { after, tear };
            let mut store = open(Flash::<W>::of(torn.clone()).cut(second));
            // Reading mends what the first cut left, and may be cut itself.
            let is_kept = load(&mut store, field).is_ok() && run(&mut store, &saves) > 0;
            assert!(store.flash().is_off(), "{first:?} {second:?}");
            let mut store = open(Flash::<W>::of(store.flash().bytes.clone()));
            let refound = load(&mut store, field).unwrap().unwrap();
            let is_old = !is_kept && refound == found;
            assert!(is_old || refound == known_again, "{first:?} {second:?}");
        }
    }
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_when_each_fills_a_page() {
    old_or_new::<4>(FIELD, 20, 17);
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_when_a_page_holds_many() {
    old_or_new::<4>(MAZE, 460, 60);
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_in_flash_that_is_read_by_the_byte() {
    old_or_new::<1>(MAZE, 460, 60);
}

#[test]
fn a_power_cut_of_the_first_save_leaves_a_store_that_can_be_used() {
    let lesson = Lesson {
        field: MAZE,
        number: 0,
    };
    for (after, tear) in (0..3).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let cut = Cut { after, tear };
        let mut store = open(Flash::<4>::new().cut(cut));
        assert_eq!(lesson.save(&mut store), Err(StoreError::Flash), "{cut:?}");

        let mut store = open(Flash::<4>::of(store.flash().bytes.clone()));
        match load(&mut store, MAZE) {
            Ok(found) => assert!(found.is_none_or(|found| found == lesson.known()), "{cut:?}"),
            Err(trouble) => {
                assert_eq!(trouble, StoreError::Damaged, "{cut:?}");
                block_on(store.clear()).unwrap();
            }
        }
        lesson.save(&mut store).unwrap();
        assert_eq!(load(&mut store, MAZE), Ok(Some(lesson.known())), "{cut:?}");
    }
}

/// Each bit of the flash up to the end of the last of two records, one at a time.
#[test]
fn no_bit_that_turns_over_makes_a_wrong_map() {
    let field = MAZE;
    let lessons = [0, 1].map(|number| Lesson { field, number });
    let known = lessons.map(Lesson::known);
    let mut store = open(Flash::<4>::new());
    for lesson in lessons {
        lesson.save(&mut store).unwrap();
    }
    let image = store.flash().bytes.clone();
    let last = image.iter().rposition(|&byte| byte != 0xFF).unwrap();
    let (mut whole, mut older, mut rejected) = (0, 0, 0);
    for bit in 0..8 * (last + 1) {
        let mut flipped = image.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mut store = open(Flash::<4>::of(flipped));
        match load(&mut store, field) {
            Ok(Some(found)) if found == known[1] => whole += 1,
            Ok(Some(found)) if found == known[0] => older += 1,
            Err(StoreError::Damaged) => {
                rejected += 1;
                block_on(store.clear()).unwrap();
            }
            other => panic!("bit {bit}: {other:?}"),
        }
        lessons[0].save(&mut store).unwrap();
        assert_eq!(
            load(&mut store, field).unwrap().as_ref(),
            Some(&known[0]),
            "bit {bit}"
        );
    }
    // A flip in the older record does no harm, one in the newer brings the older back.
    assert!(
        whole > 0 && older > 0 && rejected == 0,
        "{whole} {older} {rejected}"
    );
}

#[test]
fn a_store_with_no_whole_record_is_damaged() {
    let lesson = Lesson {
        field: MAZE,
        number: 0,
    };
    let mut store = open(Flash::<4>::new());
    lesson.save(&mut store).unwrap();
    store.flash().bytes[100] ^= 0x10;
    assert_eq!(load(&mut store, MAZE), Err(StoreError::Damaged));
    block_on(store.clear()).unwrap();
    assert_eq!(load(&mut store, MAZE), Ok(None));
}

#[test]
fn what_cannot_be_read_back_is_written_further_on() {
    let mut store = open(Flash::<4>::new());
    // In the first record of the second page, after its header.
    store.flash().worn = Some(PAGE + 64);
    for number in 0..40 {
        let lesson = Lesson {
            field: FIELD,
            number,
        };
        lesson.save(&mut store).unwrap();
        assert_eq!(
            load(&mut store, FIELD),
            Ok(Some(lesson.known())),
            "{number}"
        );
    }
    assert!(store.flash().clashes > 0, "the worn byte was met");
}

#[test]
fn a_record_of_another_version_is_foreign() {
    let mut record = vec![VERSION + 1, 9, 0, 1, 2];
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&record);
    record.extend(checksum.to_le_bytes());
    assert_eq!(
        load(&mut with_record(&record), MAZE),
        Err(StoreError::Foreign)
    );
}

#[test]
fn a_record_with_a_wrong_checksum_is_damaged() {
    let record = [VERSION, 9, 0, 1, 2, 3, 4, 5, 6];
    assert_eq!(
        load(&mut with_record(&record), MAZE),
        Err(StoreError::Damaged)
    );
}

/// A store whose only record is this.
fn with_record(record: &[u8]) -> Store<Flash<4>> {
    let config = MapConfig::new(ZUMO2040.store.range());
    let mut storage = MapStorage::<u8, _, _>::new(Flash::new(), config, Cache::new_uncached());
    block_on(storage.store_item(&mut [0; 64], &1, &record)).unwrap();
    open(storage.destroy().0)
}

#[test]
fn a_map_of_another_field_is_not_used_but_its_calibration_is() {
    let lesson = Lesson {
        field: MAZE,
        number: 3,
    };
    let mut store = open(Flash::<4>::new());
    lesson.save(&mut store).unwrap();
    let turned = Field {
        heading: Side::East,
        ..MAZE
    };
    for other in [FIELD, turned] {
        let found = load(&mut store, other);
        assert_eq!(found, Ok(Some((lesson.calibration(), None))));
    }
}

#[test]
fn pages_wear_alike_and_slowly() {
    // A map of 64 x 64 fills half a page, and two with their headers do not fit one.
    for (field, at_most) in [(FIELD, 1000), (MAZE, 45)] {
        let mut store = open(Flash::<4>::new());
        for number in 0..1000 {
            let number = 10 * number; // a map each time
            Lesson { field, number }.save(&mut store).unwrap();
        }
        let total = erasures(&mut store);
        let pages = store.flash().erasures;
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

/// A page of anything: blank, noise, or one of a real store with some bytes spoiled.
fn any_page() -> impl Strategy<Value = Vec<u8>> {
    let real = well_used::<4>(MAZE, 460);
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
    fn whatever_is_in_flash_no_map_is_invented_and_the_store_can_be_used(
        pages in prop::collection::vec(any_page(), PAGES)
    ) {
        let mut store = open(Flash::<4>::of(pages.concat()));
        match load(&mut store, MAZE) {
            Ok(None) => {}
            Ok(Some((calibration, map))) => {
                let number = calibration.track_um - ZUMO2040.calibration.track_um;
                let known = Lesson { field: MAZE, number }.known();
                prop_assert_eq!((calibration, map), known);
            }
            Err(trouble) => {
                prop_assert_eq!(trouble, StoreError::Damaged);
                block_on(store.clear()).unwrap();
            }
        }
        let lesson = Lesson { field: MAZE, number: 5000 };
        if lesson.save(&mut store).is_err() {
            block_on(store.clear()).unwrap();
            lesson.save(&mut store).unwrap();
        }
        prop_assert_eq!(load(&mut store, MAZE), Ok(Some(lesson.known())));
    }
}
