//! The tasks that talk to a desktop and to flash, on the virtual clock.

use std::{
    cell::{Cell as Slot, RefCell},
    convert::Infallible,
    future::pending,
    rc::Rc,
};

use crate::support::tasks::{Bowl, run_for};
use embassy_futures::join::{join, join4};
use embassy_time::{Duration, Timer};
use embedded_io_async::{ErrorKind, ErrorType, Read, Write};
use sim::physics::devices::{Cable, FlashMemory, SimFlash};
use tinystar::{
    atlas::{self, Atlas},
    boards::ZUMO2040,
    brain::{self, Brain},
    calibration::Calibration,
    config::{FIELD, SUPERVISE_PERIOD},
    mission::Field,
    planner::{Cell, Side, map::Occupancy},
    signals::{Signals, StoreRequest, Task},
    tasks::{self, SharedAtlas},
    telemetry::{
        Command, Frame, PROTOCOL, Refusal, Stored,
        codec::{COMMAND, FrameDecoder, encode},
    },
};

const MAZE: Field = Field {
    width: 16,
    height: 16,
    home: Cell::new(0, 15),
    heading: Side::North,
};

/// Checks in for all other tasks, and has supervise feed the watchdog.
async fn watched(signals: &Signals, but: Task, fed: &Slot<u32>) {
    let others = async {
        loop {
            for task in Task::ALL.into_iter().filter(|&task| task != but) {
                signals.check_in(task);
            }
            Timer::after_millis(10).await;
        }
    };
    let mut bowl = Bowl(fed);
    join(others, tasks::supervise(signals, &ZUMO2040, &mut bowl)).await;
}

fn told(number: u16, command: &Command) -> Vec<u8> {
    encode(number, command, &mut [0; COMMAND]).unwrap().to_vec()
}

fn frames(cable: &Cable) -> Vec<Frame> {
    let mut decoder = FrameDecoder::new();
    let bytes = cable.take().into_iter().flat_map(|(_, bytes)| bytes);
    let messages = bytes.filter_map(|byte| decoder.feed(byte)).enumerate();
    messages
        .map(|(index, message)| {
            let message = message.unwrap();
            assert_eq!(usize::from(message.number), index, "none is lost");
            message.body
        })
        .collect()
}

fn hello() -> Frame {
    Frame::Hello {
        protocol: PROTOCOL,
        field: FIELD,
        stored: None,
    }
}

/// What report says within a second to a desktop that says this after half of it.
fn answers(signals: &Signals, said: &[u8], known: &[(Cell, Side)]) -> Vec<Frame> {
    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(FIELD, &mut memory).unwrap();
    for &(cell, side) in known {
        atlas.note(cell, side, Occupancy::Blocked);
    }
    let atlas = SharedAtlas::new(atlas);
    let cable = Cable::default();
    let (rx, tx) = cable.plug();
    let desktop = async {
        Timer::after_millis(500).await;
        cable.send(said);
    };
    let robot = tasks::report(signals, &atlas, rx, tx);
    run_for(Duration::from_secs(1), join(desktop, robot));
    frames(&cable)
}

#[test]
fn a_command_is_handed_on_with_its_number() {
    let signals = Signals::new(ZUMO2040.calibration);
    let go = Command::SetGoal(Cell::new(3, 4));
    let said = [told(0, &go), told(1, &Command::Start)].concat();
    // The first is greeted; who carries them out says so.
    assert_eq!(answers(&signals, &said, &[]), [hello(), hello()]);
    assert_eq!(signals.commands.try_receive(), Ok((Some(0), go)));
    assert_eq!(
        signals.commands.try_receive(),
        Ok((Some(1), Command::Start))
    );
}

#[test]
fn a_desktop_that_comes_late_is_told_the_goals_and_what_became_of_the_map() {
    let signals = Signals::new(ZUMO2040.calibration);
    let goals = [Cell::new(3, 4), Cell::new(5, 6)];
    signals.set_goals(&goals);
    signals.set_stored(Stored::Loaded);
    signals.frames.clear(); // nobody was there
    let hello = Frame::Hello {
        protocol: PROTOCOL,
        field: FIELD,
        stored: Some(Stored::Loaded),
    };
    let told = answers(&signals, &told(0, &Command::Stop), &[]);
    let again = Frame::Goals(goals.into_iter().collect());
    assert_eq!(told, [hello.clone(), hello, again]);
}

#[test]
fn what_is_refused_is_answered_and_changes_nothing() {
    let signals = Signals::new(ZUMO2040.calibration);
    let outside = Command::SetGoal(Cell::new(FIELD.width, 0));
    let said = [
        b"noise".to_vec(),
        told(0, &outside),
        told(2, &Command::Start),
        vec![0xAA; 500],
        told(7, &Command::Start)[..5].to_vec(),
        vec![0],
    ];
    let refused = |number, why| Frame::Refused { number, why };
    assert_eq!(
        answers(&signals, &said.concat(), &[]),
        [
            hello(),
            refused(None, Refusal::Damaged),
            refused(Some(0), Refusal::Invalid),
            refused(Some(2), Refusal::OutOfOrder),
            refused(None, Refusal::TooLong),
            refused(None, Refusal::Damaged),
        ]
    );
    assert!(signals.commands.is_empty());
}

#[test]
fn more_commands_than_can_wait_are_busy() {
    let signals = Signals::new(ZUMO2040.calibration);
    let room = signals.commands.capacity() as u16;
    let said: Vec<_> = (0..=room).flat_map(|n| told(n, &Command::Stop)).collect();
    let busy = Frame::Refused {
        number: Some(room),
        why: Refusal::Busy,
    };
    assert_eq!(answers(&signals, &said, &[]), [hello(), hello(), busy]);
    assert!(signals.commands.is_full());
}

#[test]
fn the_map_is_told_in_pieces_between_other_frames() {
    let signals = Signals::new(ZUMO2040.calibration);
    let known = [
        (Cell::new(0, 0), Side::East),
        (Cell::new(63, 62), Side::South),
    ];
    // Frames wait already when the map is asked for; all get out.
    for _ in 0..20 {
        signals.send(Frame::Forgotten);
    }
    let said = [told(0, &Command::GetMap), told(1, &Command::GetMap)].concat();
    let told = answers(&signals, &said, &known);

    let mut memory = atlas::MEMORY;
    let mut atlas = Atlas::new(FIELD, &mut memory).unwrap();
    let mut next = 0;
    for frame in &told {
        if let Frame::Map {
            offset,
            bytes,
            total,
        } = frame
        {
            assert_eq!((*offset, usize::from(*total)), (next, atlas.len()));
            for (index, &byte) in (usize::from(*offset)..).zip(bytes) {
                assert!(atlas.set_byte(index, byte));
            }
            next += bytes.len() as u16;
        }
    }
    assert_eq!(usize::from(next), atlas.len());
    for (cell, side) in known {
        assert_eq!(atlas.wall(cell, side), Occupancy::Blocked);
    }
    let count = |wanted: &Frame| told.iter().filter(|frame| *frame == wanted).count();
    assert_eq!(count(&Frame::Forgotten), 20);
    assert_eq!(count(&Frame::Accepted(0)), 1);
    let busy = Frame::Refused {
        number: Some(1),
        why: Refusal::Busy,
    };
    assert_eq!(count(&busy), 1, "one map at a time");
}

#[test]
fn what_there_was_no_room_for_is_counted() {
    let signals = Signals::new(ZUMO2040.calibration);
    for _ in 0..signals.frames.capacity() + 5 {
        signals.send(Frame::Forgotten);
    }
    let told = answers(&signals, &[], &[]);
    assert!(told.contains(&Frame::Lost(5)), "{told:?}");
}

/// A port with a desktop that never reads.
struct Deaf;

/// A port without a cable.
struct Unplugged;

impl ErrorType for Deaf {
    type Error = Infallible;
}

impl Write for Deaf {
    async fn write(&mut self, _: &[u8]) -> Result<usize, Infallible> {
        pending().await
    }
    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl ErrorType for Unplugged {
    type Error = ErrorKind;
}

impl Write for Unplugged {
    async fn write(&mut self, _: &[u8]) -> Result<usize, ErrorKind> {
        Err(ErrorKind::NotConnected)
    }
    async fn flush(&mut self) -> Result<(), ErrorKind> {
        Err(ErrorKind::NotConnected)
    }
}

impl Read for Unplugged {
    async fn read(&mut self, _: &mut [u8]) -> Result<usize, ErrorKind> {
        Err(ErrorKind::NotConnected)
    }
}

/// Times that the watchdog is fed in ten seconds.
const MEALS: u32 = (10_000 / SUPERVISE_PERIOD.as_millis()) as u32;

#[test]
fn a_desktop_that_does_not_read_is_heard_and_starves_nobody() {
    let signals = Signals::new(ZUMO2040.calibration);
    let mut memory = atlas::MEMORY;
    let atlas = SharedAtlas::new(Atlas::new(FIELD, &mut memory).unwrap());
    let fed = Slot::new(0);
    let cable = Cable::default();
    let (rx, _) = cable.plug();
    let desktop = async {
        cable.send(&b"\x05junk\0".repeat(20));
        cable.send(&told(0, &Command::Stop));
    };
    let all = join4(
        desktop,
        tasks::report(&signals, &atlas, rx, Deaf),
        watched(&signals, Task::Report, &fed),
        async { signals.send(Frame::Forgotten) },
    );
    run_for(Duration::from_secs(10), all);
    assert_eq!(fed.get(), MEALS);
    assert_eq!(signals.commands.try_receive(), Ok((Some(0), Command::Stop)));
}

#[test]
fn a_port_without_a_cable_is_nothing_special() {
    let signals = Signals::new(ZUMO2040.calibration);
    let mut memory = atlas::MEMORY;
    let atlas = SharedAtlas::new(Atlas::new(FIELD, &mut memory).unwrap());
    let fed = Slot::new(0);
    let report = tasks::report(&signals, &atlas, Unplugged, Unplugged);
    let watched = watched(&signals, Task::Report, &fed);
    run_for(Duration::from_secs(10), join(report, watched));
    assert_eq!(fed.get(), MEALS);
}

/// A robot with a map and a flash chip, and what it does with them for ten seconds.
fn with_store(
    field: Field,
    chip: &Rc<RefCell<FlashMemory>>,
    does: impl AsyncFnOnce(&Signals, &SharedAtlas<'_>),
) -> (Vec<Stored>, Calibration) {
    let signals = Signals::new(ZUMO2040.calibration);
    let mut memory = atlas::MEMORY;
    let atlas = SharedAtlas::new(Atlas::new(field, &mut memory).unwrap());
    let fed = Slot::new(0);
    let all = join(
        async {
            signals.store_done.wait().await;
            does(&signals, &atlas).await;
        },
        join(
            watched(&signals, Task::Store, &fed),
            tasks::store(&signals, &ZUMO2040, &atlas, SimFlash(Rc::clone(chip))),
        ),
    );
    run_for(Duration::from_secs(10), all);
    assert_eq!(fed.get(), MEALS, "flash keeps nobody from checking in");
    let mut stored = Vec::new();
    while let Ok(frame) = signals.frames.try_receive() {
        match frame {
            Frame::Stored(what) => stored.push(what),
            other => panic!("{other:?}"),
        }
    }
    (stored, signals.calibration())
}

const WALL: (Cell, Side) = (Cell::new(5, 6), Side::East);

async fn keep(signals: &Signals, what: StoreRequest) {
    signals.store_request.signal(what);
    signals.store_done.wait().await;
}

#[test]
fn the_map_is_kept_read_and_forgotten() {
    let chip = Rc::default();
    let (stored, _) = with_store(MAZE, &chip, async |signals, atlas| {
        atlas.lock().await.note(WALL.0, WALL.1, Occupancy::Blocked);
        keep(signals, StoreRequest::SaveMap).await;
    });
    assert_eq!(stored, [Stored::Empty, Stored::Saved]);

    let (stored, calibration) = with_store(MAZE, &chip, async |signals, atlas| {
        assert_eq!(atlas.lock().await.wall(WALL.0, WALL.1), Occupancy::Blocked);
        keep(signals, StoreRequest::SaveCalibration).await; // and the map with it
        keep(signals, StoreRequest::DeleteMap).await;
    });
    assert_eq!(stored, [Stored::Loaded, Stored::Saved, Stored::Saved]);
    assert_eq!(calibration, ZUMO2040.calibration);

    let (stored, _) = with_store(MAZE, &chip, async |_, atlas| {
        assert_eq!(atlas.lock().await.wall(WALL.0, WALL.1), Occupancy::Unknown);
    });
    assert_eq!(stored, [Stored::Empty]);
}

#[test]
fn a_map_that_a_person_has_forgotten_is_forgotten_in_flash_too() {
    let chip = Rc::default();
    with_store(MAZE, &chip, async |signals, atlas| {
        atlas.lock().await.note(WALL.0, WALL.1, Occupancy::Blocked);
        keep(signals, StoreRequest::SaveMap).await;
    });

    let signals = Signals::new(ZUMO2040.calibration);
    let mut memory = atlas::MEMORY;
    let atlas = SharedAtlas::new(Atlas::new(MAZE, &mut memory).unwrap());
    let mut memory = Box::new(brain::MEMORY);
    let brain = Brain::new(MAZE, &mut memory).unwrap();
    let forget = (Some(3), Command::ForgetMap);
    signals.commands.try_send(forget).unwrap();
    let store = tasks::store(&signals, &ZUMO2040, &atlas, SimFlash(Rc::clone(&chip)));
    let plan = tasks::plan(&signals, &ZUMO2040, &atlas, brain);
    run_for(Duration::from_secs(10), join(store, plan));
    let told: Vec<Frame> = std::iter::from_fn(|| signals.frames.try_receive().ok()).collect();
    let expected = [
        Frame::Stored(Stored::Loaded),
        Frame::Forgotten,
        Frame::Accepted(3),
        Frame::Stored(Stored::Saved),
    ];
    assert_eq!(told, expected);
    assert_eq!(signals.stored(), Some(Stored::Saved));
    let wall = atlas.try_lock().unwrap().wall(WALL.0, WALL.1);
    assert_eq!(wall, Occupancy::Unknown);

    let (stored, _) = with_store(MAZE, &chip, async |_, _| {});
    assert_eq!(stored, [Stored::Empty]);
}

#[test]
fn a_map_of_another_floor_is_told_and_not_used() {
    let chip = Rc::default();
    with_store(MAZE, &chip, async |signals, atlas| {
        atlas.lock().await.note(WALL.0, WALL.1, Occupancy::Blocked);
        keep(signals, StoreRequest::SaveMap).await;
    });
    let (stored, _) = with_store(FIELD, &chip, async |_, atlas| {
        assert_eq!(atlas.lock().await.wall(WALL.0, WALL.1), Occupancy::Unknown);
    });
    assert_eq!(stored, [Stored::Foreign]);
}

#[test]
fn a_damaged_store_is_told_cleared_and_used() {
    let chip = Rc::<RefCell<FlashMemory>>::default();
    for address in ZUMO2040.store.range() {
        chip.borrow_mut().set_byte(address as usize, address as u8);
    }
    let (stored, _) = with_store(MAZE, &chip, async |signals, _| {
        keep(signals, StoreRequest::SaveMap).await;
    });
    assert_eq!(stored, [Stored::Damaged, Stored::Saved]);
    let (stored, _) = with_store(MAZE, &chip, async |_, _| {});
    assert_eq!(stored, [Stored::Loaded]);
}
