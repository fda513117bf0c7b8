//! The report and store tasks on the virtual clock.

use std::{
    cell::{Cell as Slot, RefCell},
    convert::Infallible,
    future::pending,
    rc::Rc,
};

use crate::support::tasks::{FeedCounter, MAZE, navigator, run_for};
use embassy_futures::join::{join, join4};
use embassy_time::{Duration, Timer};
use embedded_io_async::{ErrorKind, ErrorType, Read, Write};
use sim::physics::devices::{FlashMemory, SerialCable, SimFlash};
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    config::{ERASE_PAUSE, FIELD, SUPERVISE_PERIOD},
    mission::Field,
    navigator::{decode_walls, map_bytes},
    planner::{Cell, Observation, Planner, Side, map::Occupancy},
    settings::Settings,
    signals::{Signals, StoreRequest, Task},
    tasks::{self, SharedNavigator},
    telemetry::{
        Command, Frame, PROTOCOL, Refusal, Stored,
        codec::{COMMAND, FrameDecoder, encode},
    },
};

/// Checks in for all other tasks and runs supervise.
async fn watched(signals: &Signals, but: Task, fed: &Slot<u32>) {
    let others = async {
        loop {
            for task in Task::ALL.into_iter().filter(|&task| task != but) {
                signals.check_in(task);
            }
            Timer::after_millis(10).await;
        }
    };
    let mut system = FeedCounter(fed);
    join(others, tasks::supervise(signals, &ZUMO2040, &mut system)).await;
}

fn message(number: u16, command: &Command) -> Vec<u8> {
    encode(number, command, &mut [0; COMMAND]).unwrap().to_vec()
}

fn frames(cable: &SerialCable) -> Vec<Frame> {
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

/// Hello, and the settings that follow it.
fn hello() -> [Frame; 2] {
    greeting(None)
}

fn greeting(stored: Option<Stored>) -> [Frame; 2] {
    let hello = Frame::Hello {
        protocol: PROTOCOL,
        field: FIELD,
        stored,
    };
    [hello, Frame::Settings(Settings::default())]
}

/// Frames that report sends within a second to a desktop that sends bytes after half of it.
fn answers(signals: &Signals, sent: &[u8], walls: &[(Cell, Side)]) -> Vec<Frame> {
    let mut navigator = navigator(FIELD);
    for &(cell, side) in walls {
        let wall = Observation::Wall(cell, side, Occupancy::Blocked);
        navigator.observe(wall).unwrap();
    }
    let navigator = SharedNavigator::new(&mut navigator);
    let cable = SerialCable::default();
    let (rx, tx) = cable.robot_end();
    let desktop = async {
        Timer::after_millis(500).await;
        cable.send(sent);
    };
    let robot = tasks::report(signals, &navigator, rx, tx);
    run_for(Duration::from_secs(1), join(desktop, robot));
    frames(&cable)
}

#[test]
fn a_command_is_passed_on_with_its_number() {
    let signals = Signals::new(ZUMO2040.calibration);
    let go = Command::SetGoal(Cell::new(3, 4));
    let sent = [message(0, &go), message(1, &Command::Start)].concat();
    // The first is answered with hello; the plan task accepts them.
    assert_eq!(answers(&signals, &sent, &[]), [hello(), hello()].concat());
    assert_eq!(signals.commands.try_receive(), Ok((Some(0), go)));
    assert_eq!(
        signals.commands.try_receive(),
        Ok((Some(1), Command::Start))
    );
}

#[test]
fn a_late_desktop_gets_the_goals_and_the_state_of_the_map() {
    let signals = Signals::new(ZUMO2040.calibration);
    let goals = [Cell::new(3, 4), Cell::new(5, 6)];
    signals.set_goals(&goals);
    signals.set_stored(Stored::Loaded);
    signals.frames.clear(); // sent before the connection
    let hello = greeting(Some(Stored::Loaded));
    let frames = answers(&signals, &message(0, &Command::Stop), &[]);
    let again = Frame::Goals(goals.into_iter().collect());
    assert_eq!(frames, [&hello[..], &hello, &[again]].concat());
}

#[test]
fn refused_commands_are_answered_and_change_nothing() {
    let signals = Signals::new(ZUMO2040.calibration);
    let outside = Command::SetGoal(Cell::new(FIELD.width, 0));
    let sent = [
        b"noise".to_vec(),
        message(0, &outside),
        message(2, &Command::Start),
        vec![0xAA; 500],
        message(7, &Command::Start)[..5].to_vec(),
        vec![0],
    ];
    let refused = |number, why| Frame::Refused { number, why };
    assert_eq!(
        answers(&signals, &sent.concat(), &[]),
        [
            hello()[0].clone(),
            hello()[1].clone(),
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
fn commands_beyond_the_queue_are_refused_as_busy() {
    let signals = Signals::new(ZUMO2040.calibration);
    let room = signals.commands.capacity() as u16;
    let sent: Vec<_> = (0..=room)
        .flat_map(|n| message(n, &Command::Stop))
        .collect();
    let busy = Frame::Refused {
        number: Some(room),
        why: Refusal::Busy,
    };
    assert_eq!(
        answers(&signals, &sent, &[]),
        [&hello()[..], &hello(), &[busy]].concat()
    );
    assert!(signals.commands.is_full());
}

#[test]
fn the_map_is_sent_in_pieces_between_other_frames() {
    let signals = Signals::new(ZUMO2040.calibration);
    let walls = [
        (Cell::new(0, 0), Side::East),
        (Cell::new(63, 62), Side::South),
    ];
    // Frames are queued before the map is requested.
    for _ in 0..20 {
        signals.send(Frame::Forgotten);
    }
    let sent = [message(0, &Command::GetMap), message(1, &Command::GetMap)].concat();
    let frames = answers(&signals, &sent, &walls);

    let mut blocked = Vec::new();
    let map_len = map_bytes(FIELD);
    let mut next = 0;
    for frame in &frames {
        if let Frame::Map {
            offset,
            bytes,
            total,
        } = frame
        {
            assert_eq!((*offset, usize::from(*total)), (next, map_len));
            for (index, &byte) in (usize::from(*offset)..).zip(bytes) {
                let decoded = decode_walls(FIELD, index, byte).unwrap();
                blocked.extend(decoded.filter(|wall| wall.2 == Occupancy::Blocked));
            }
            next += bytes.len() as u16;
        }
    }
    assert_eq!(usize::from(next), map_len);
    let expected = walls.map(|(cell, side)| (cell, side, Occupancy::Blocked));
    assert_eq!(blocked, expected);
    let count = |wanted: &Frame| frames.iter().filter(|frame| *frame == wanted).count();
    assert_eq!(count(&Frame::Forgotten), 20);
    assert_eq!(count(&Frame::Accepted(0)), 1);
    let busy = Frame::Refused {
        number: Some(1),
        why: Refusal::Busy,
    };
    assert_eq!(count(&busy), 1, "one map at a time");
}

#[test]
fn dropped_frames_are_counted() {
    let signals = Signals::new(ZUMO2040.calibration);
    for _ in 0..signals.frames.capacity() + 5 {
        signals.send(Frame::Forgotten);
    }
    let frames = answers(&signals, &[], &[]);
    assert!(frames.contains(&Frame::Lost(5)), "{frames:?}");
}

/// Port with a desktop that never reads.
struct Unread;

/// Port without a cable.
struct Unplugged;

impl ErrorType for Unread {
    type Error = Infallible;
}

impl Write for Unread {
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

/// Feeds of the watchdog in ten seconds.
const FEEDS: u32 = (10_000 / SUPERVISE_PERIOD.as_millis()) as u32;

#[test]
fn commands_of_a_desktop_that_does_not_read_are_received() {
    let signals = Signals::new(ZUMO2040.calibration);
    let mut navigator = navigator(FIELD);
    let navigator = SharedNavigator::new(&mut navigator);
    let fed = Slot::new(0);
    let cable = SerialCable::default();
    let (rx, _) = cable.robot_end();
    let desktop = async {
        cable.send(&b"\x05junk\0".repeat(20));
        cable.send(&message(0, &Command::Stop));
    };
    let all = join4(
        desktop,
        tasks::report(&signals, &navigator, rx, Unread),
        watched(&signals, Task::Report, &fed),
        async { signals.send(Frame::Forgotten) },
    );
    run_for(Duration::from_secs(10), all);
    assert_eq!(fed.get(), FEEDS);
    assert_eq!(signals.commands.try_receive(), Ok((Some(0), Command::Stop)));
}

#[test]
fn a_port_without_a_cable_is_harmless() {
    let signals = Signals::new(ZUMO2040.calibration);
    let mut navigator = navigator(FIELD);
    let navigator = SharedNavigator::new(&mut navigator);
    let fed = Slot::new(0);
    let report = tasks::report(&signals, &navigator, Unplugged, Unplugged);
    let watched = watched(&signals, Task::Report, &fed);
    run_for(Duration::from_secs(10), join(report, watched));
    assert_eq!(fed.get(), FEEDS);
}

/// Runs the store task with a flash for ten seconds.
fn storage(memory: &Rc<RefCell<FlashMemory>>) -> SimFlash {
    SimFlash {
        memory: Rc::clone(memory),
        erase_pause: ERASE_PAUSE,
    }
}

fn with_store(
    field: Field,
    flash: &Rc<RefCell<FlashMemory>>,
    act: impl AsyncFnOnce(&Signals, &SharedNavigator<'_>),
) -> (Vec<Stored>, Calibration) {
    let signals = Signals::new(ZUMO2040.calibration);
    signals.set_settings(Settings::of_field(field));
    let mut navigator = navigator(field);
    let navigator = SharedNavigator::new(&mut navigator);
    let fed = Slot::new(0);
    let all = join(
        async {
            signals.store_done.wait().await;
            act(&signals, &navigator).await;
        },
        join(
            watched(&signals, Task::Store, &fed),
            tasks::store(&signals, &ZUMO2040, &navigator, storage(flash)),
        ),
    );
    run_for(Duration::from_secs(10), all);
    // A series of 16 erases halts the chip for two or three periods each.
    assert!(
        fed.get() + 48 >= FEEDS,
        "flash delays check-ins: {}",
        fed.get()
    );
    let mut stored = Vec::new();
    while let Ok(frame) = signals.frames.try_receive() {
        match frame {
            Frame::Stored(what) => stored.push(what),
            Frame::Settings(_) => {}
            other => panic!("{other:?}"),
        }
    }
    (stored, signals.calibration())
}

const WALL: (Cell, Side) = (Cell::new(5, 6), Side::East);

async fn save_a_wall(signals: &Signals, navigator: &SharedNavigator<'_>) {
    let wall = Observation::Wall(WALL.0, WALL.1, Occupancy::Blocked);
    navigator.lock().await.observe(wall).unwrap();
    request(signals, StoreRequest::SaveMap).await;
}

async fn wall(navigator: &SharedNavigator<'_>) -> Occupancy {
    let navigator = navigator.lock().await;
    navigator.map().wall(WALL.0, WALL.1).unwrap()
}

async fn request(signals: &Signals, what: StoreRequest) {
    signals.store_request.signal(what);
    signals.store_done.wait().await;
}

#[test]
fn the_map_is_saved_loaded_and_deleted() {
    let flash = Rc::default();
    let (stored, _) = with_store(MAZE, &flash, save_a_wall);
    assert_eq!(stored, [Stored::Empty, Stored::Saved]);

    let (stored, _) = with_store(MAZE, &flash, async |signals, navigator| {
        assert_eq!(wall(navigator).await, Occupancy::Blocked);
        request(signals, StoreRequest::SaveCalibration).await;
    });
    assert_eq!(stored, [Stored::Loaded, Stored::Saved]);

    let (stored, calibration) = with_store(MAZE, &flash, async |signals, navigator| {
        let kept = "the calibration was saved with the map";
        assert_eq!(wall(navigator).await, Occupancy::Blocked, "{kept}");
        request(signals, StoreRequest::DeleteMap).await;
    });
    assert_eq!(stored, [Stored::Loaded, Stored::Saved]);
    assert_eq!(calibration, ZUMO2040.calibration);

    let (stored, _) = with_store(MAZE, &flash, async |_, navigator| {
        assert_eq!(wall(navigator).await, Occupancy::Unknown);
    });
    assert_eq!(stored, [Stored::Empty]);
}

#[test]
fn forget_map_also_deletes_the_map_in_flash() {
    let flash = Rc::default();
    with_store(MAZE, &flash, save_a_wall);

    let signals = Signals::new(ZUMO2040.calibration);
    signals.set_settings(Settings::of_field(MAZE));
    let mut navigator = navigator(MAZE);
    let navigator = SharedNavigator::new(&mut navigator);
    let forget = (Some(3), Command::ForgetMap);
    signals.commands.try_send(forget).unwrap();
    let store = tasks::store(&signals, &ZUMO2040, &navigator, storage(&flash));
    let plan = tasks::plan(&signals, &ZUMO2040, &navigator);
    run_for(Duration::from_secs(10), join(store, plan));
    let frames: Vec<Frame> = std::iter::from_fn(|| signals.frames.try_receive().ok()).collect();
    let expected = [
        Frame::Settings(Settings::of_field(MAZE)),
        Frame::Stored(Stored::Loaded),
        Frame::Forgotten,
        Frame::Accepted(3),
        Frame::Stored(Stored::Saved),
    ];
    assert_eq!(frames, expected);
    assert_eq!(signals.stored(), Some(Stored::Saved));
    let wall = navigator.into_inner().map().wall(WALL.0, WALL.1);
    assert_eq!(wall, Ok(Occupancy::Unknown));

    let (stored, _) = with_store(MAZE, &flash, async |_, _| {});
    assert_eq!(stored, [Stored::Empty]);
}

#[test]
fn stored_settings_replace_the_default_map() {
    let flash = Rc::default();
    with_store(MAZE, &flash, save_a_wall);
    let (stored, _) = with_store(FIELD, &flash, async |signals, navigator| {
        assert_eq!(signals.settings(), Settings::of_field(MAZE));
        assert_eq!(wall(navigator).await, Occupancy::Blocked);
    });
    assert_eq!(stored, [Stored::Loaded]);
}

#[test]
fn a_damaged_store_is_reported_cleared_and_used() {
    let flash = Rc::<RefCell<FlashMemory>>::default();
    for (index, byte) in flash.borrow_mut().bytes.iter_mut().enumerate() {
        *byte = index as u8;
    }
    let (stored, _) = with_store(MAZE, &flash, async |signals, _| {
        request(signals, StoreRequest::SaveMap).await;
    });
    assert_eq!(stored, [Stored::Damaged, Stored::Saved]);
    let (stored, _) = with_store(MAZE, &flash, async |_, _| {});
    assert_eq!(stored, [Stored::Loaded]);
}
