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

    /// What the robot must know once it is saved.
    fn known(self) -> Known {
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(self.field, &mut memory).unwrap();
        self.learn(&mut atlas);
        (self.calibration(), self.has_map().then(|| bytes(&atlas)))
    }

    fn save<const W: usize>(self, store: &mut Store<Flash<W>>) -> Result<(), Trouble> {
        let mut memory = atlas::MEMORY;
        let mut atlas = Atlas::new(self.field, &mut memory).unwrap();
        self.learn(&mut atlas);
        store.note(self.calibration(), self.has_map().then_some(&atlas));
        block_on(store.write())
    }
}

/// What a robot knows after it has read its store.
fn load<const W: usize>(
    store: &mut Store<Flash<W>>,
    field: Field,
) -> Result<Option<Known>, Trouble> {
    let Some(kept) = block_on(store.load())? else {
        return Ok(None);
    };
    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(field, &mut memory).unwrap();
    let map = kept.fill(&mut atlas).then(|| bytes(&atlas));
    Ok(Some((kept.calibration, map)))
}

fn bytes(atlas: &Atlas<'_>) -> Vec<u8> {
    (0..atlas.len()).map(|index| atlas.byte(index)).collect()
}

/// A store that has been round its pages, so that each new page is an erasure.
fn well_used<const W: usize>(field: Field, saves: u32) -> Vec<u8> {
    let mut store = Store::new(Flash::<W>::new());
    for number in 0..saves {
        Lesson { field, number }.save(&mut store).unwrap();
    }
    assert!(store.flash().erasures > 0, "the store has been round");
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

    let mut uncut = Store::new(Flash::<W>::of(image.clone()));
    run(&mut uncut, &lessons[1..]);
    let operations = uncut.flash().operations;
    assert!(uncut.flash().erasures > 1, "pages are erased meanwhile");

    for (after, tear) in (0..operations).flat_map(|after| Tear::EACH.map(|tear| (after, tear))) {
        let first = Cut { after, tear };
        let mut store = Store::new(Flash::<W>::of(image.clone()).cut(first));
        let ended = run(&mut store, &lessons[1..]);
        assert!(store.flash().is_off(), "{first:?}");
        let torn = store.flash().bytes.clone();

        let mut store = Store::new(Flash::<W>::of(torn.clone()));
        let found = load(&mut store, field).unwrap().unwrap();
        assert!(known[ended..=ended + 1].contains(&found), "{first:?}");
        again.save(&mut store).unwrap();
        assert_eq!(
            load(&mut store, field).unwrap().as_ref(),
            Some(&known_again),
            "{first:?}"
        );
        assert_eq!(store.flash().clashes, 0, "{first:?}");

        for after in 0..store.flash().operations {
            let second = Cut { after, tear };
            let mut store = Store::new(Flash::<W>::of(torn.clone()).cut(second));
            // Reading mends what the first cut left, and may be cut itself.
            if load(&mut store, field).is_ok() {
                assert_eq!(again.save(&mut store), Err(Trouble::Flash));
            }
            let mut store = Store::new(Flash::<W>::of(store.flash().bytes.clone()));
            let refound = load(&mut store, field).unwrap().unwrap();
            assert!(
                [&found, &known_again].contains(&&refound),
                "{first:?} {second:?}"
            );
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
