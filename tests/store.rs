//! The learned map survives: whenever the power goes, and whichever bit of the flash turns over.

#[path = "support/flash.rs"]
mod flash;

use embassy_futures::block_on;
use flash::{Cut, Flash, PAGE, Tear};
use proptest::prelude::*;
use tinystar::{
    atlas::{self, Atlas},
    calibration::Calibration,
    config::{CALIBRATION, FIELD},
    mission::Field,
    planner::{Cell, Side, map::Fact},
    store::{Store, Trouble, VERSION},
};

/// A maze of the classic size: many of its maps fit a page.
const MAZE: Field = Field {
    width: 16,
    height: 16,
    home: Cell::new(0, 15),
    heading: Side::North,
};

/// What a robot keeps: everything follows from a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lesson {
    field: Field,
    number: u32,
}

impl Lesson {
    fn calibration(self) -> Calibration {
        Calibration {
            track_um: CALIBRATION.track_um + self.number,
            ..CALIBRATION
        }
    }

    /// Every tenth is to forget the map.
    fn has_map(self) -> bool {
        self.number % 10 != 9
    }

    fn learn(self, atlas: &mut Atlas<'_>) {
        let walls: Vec<_> = atlas.walls().collect();
        for (index, (cell, side, _)) in walls.into_iter().enumerate() {
            let fact = match (index as u32 * 7 + self.number) % 5 {
                0 | 1 => Fact::Free,
                2 => Fact::Blocked,
                _ => Fact::Unknown,
            };
            atlas.note(cell, side, fact);
        }
    }

    fn save<const W: usize>(self, store: &mut Store<Flash<W>>) -> Result<(), Trouble> {
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(self.field, &mut memory).unwrap();
        self.learn(&mut atlas);
        store.note(self.calibration(), self.has_map().then_some(&atlas));
        block_on(store.write())
    }
}

/// What a robot knows after it has read its store, as bytes.
fn load<const W: usize>(
    store: &mut Store<Flash<W>>,
    field: Field,
) -> Result<Option<(Calibration, Option<Vec<u8>>)>, Trouble> {
    let Some(kept) = block_on(store.load())? else {
        return Ok(None);
    };
    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(field, &mut memory).unwrap();
    let is_filled = kept.fill(&mut atlas);
    let map = is_filled.then(|| (0..atlas.len()).map(|index| atlas.byte(index)).collect());
    Ok(Some((kept.calibration, map)))
}

/// What it must then know.
fn expected(lesson: Lesson) -> (Calibration, Option<Vec<u8>>) {
    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(lesson.field, &mut memory).unwrap();
    lesson.learn(&mut atlas);
    let map = (0..atlas.len()).map(|index| atlas.byte(index)).collect();
    (lesson.calibration(), lesson.has_map().then_some(map))
}

/// Saves lessons one after the other until the power goes; how many saves were begun and ended.
fn run<const W: usize>(store: &mut Store<Flash<W>>, lessons: &[Lesson]) -> (usize, usize) {
    for (ended, lesson) in lessons.iter().enumerate() {
        if lesson.save(store).is_err() {
            assert!(store.flash().is_off(), "only a power cut ends a save");
            return (ended + 1, ended);
        }
    }
    (lessons.len(), lessons.len())
}

fn lessons(field: Field, count: u32) -> Vec<Lesson> {
    (0..count).map(|number| Lesson { field, number }).collect()
}

/// A store that has been round its pages once, so that each new page is an erasure.
fn well_used<const W: usize>(field: Field, saves: u32) -> (Vec<u8>, Lesson) {
    let mut store = Store::new(Flash::<W>::new());
    let lessons = lessons(field, saves);
    run(&mut store, &lessons);
    assert!(store.flash().erasures > 0, "the store has been round");
    assert_eq!(store.flash().clashes, 0);
    (store.flash().bytes.clone(), lessons[lessons.len() - 1])
}

/// Cuts the power in every way at every operation of a series of saves; then again at every operation
/// of the first save after the restart. Each time the robot must know the old or the new map, and be
/// able to save.
fn old_or_new<const W: usize>(field: Field, before: u32, saves: u32) {
    let (image, mut last) = well_used::<W>(field, before);
    let numbers = before..before + saves;
    let series: Vec<_> = numbers.map(|number| Lesson { field, number }).collect();
    let mut uncut = Store::new(Flash::<W>::of(image.clone()));
    run(&mut uncut, &series);
    let operations = uncut.flash().operations;
    assert!(uncut.flash().erasures >= 2, "{}", uncut.flash().erasures);

    for (after, tear) in (0..operations).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let cut = Cut { after, tear };
        let mut store = Store::new(Flash::<W>::of(image.clone()).cut(cut));
        let (begun, ended) = run(&mut store, &series);
        assert!(store.flash().is_off(), "{cut:?}");
        if ended > 0 {
            last = series[ended - 1];
        }
        let next = series[begun - 1];
        let torn = store.flash().bytes.clone();

        let mut store = Store::new(Flash::<W>::of(torn.clone()));
        let known = load(&mut store, field).unwrap().unwrap();
        let is_new = known == expected(next);
        assert!(is_new || known == expected(last), "{cut:?}");
        let old = if is_new { next } else { last };

        let again = Lesson {
            field,
            number: 1000,
        };
        again.save(&mut store).unwrap();
        assert_eq!(
            load(&mut store, field),
            Ok(Some(expected(again))),
            "{cut:?}"
        );
        assert_eq!(store.flash().clashes, 0, "{cut:?}");

        for after in 0..store.flash().operations {
            let second = Cut { after, tear };
            let mut store = Store::new(Flash::<W>::of(torn.clone()).cut(second));
            // Reading may need to mend, and is then cut.
            if load(&mut store, field).is_ok() {
                again.save(&mut store).unwrap_err();
            }
            let mut store = Store::new(Flash::<W>::of(store.flash().bytes.clone()));
            let known = load(&mut store, field).unwrap().unwrap();
            assert!(
                known == expected(again) || known == expected(old),
                "{cut:?} {second:?}"
            );
        }
    }
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_when_each_fills_a_page() {
    old_or_new::<4>(FIELD, 20, 18);
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_when_a_page_holds_many() {
    old_or_new::<4>(MAZE, 400, 60);
}

#[test]
fn a_power_cut_leaves_the_old_map_or_the_new_one_in_flash_that_is_read_by_the_byte() {
    old_or_new::<1>(MAZE, 400, 60);
}
