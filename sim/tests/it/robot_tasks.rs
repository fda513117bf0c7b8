//! Some of the firmware's tasks on the physics model.

use std::{
    cell::{Cell as Slot, RefCell},
    ops::ControlFlow,
    rc::Rc,
};

use crate::support::{
    robots::CALIBRATED,
    tasks::{FeedCounter, navigator, run_for},
};
use embassy_futures::{
    join::{join, join3, join4},
    select::select,
};
use embassy_time::{Duration, Instant, Timer};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{
    physics::{
        clock::{self, Ended},
        devices::{SharedModel, SimFlash, SimInfrared, SimMotors, SimOdometry, SimSystemMonitor},
        floor::Floor,
        model::PhysicsModel,
        tolerances::Tolerances,
    },
    world::Maze,
};
use tinystar::{
    boards::ZUMO2040,
    config::{self, BLIND, SUPERVISE_PERIOD},
    drivers::proximity::PulsedProximity,
    fault::Fault,
    mission::{Activity, Field, Mission},
    motion::SpeedLevel,
    robot::{
        Buttons, Distances, Duty, Interval, Odometry, Panel, Proximity, Reading, Screen,
        SensorError, SystemMonitor,
    },
    settings::Settings,
    signals::{DriveState, Exit, MotionCommand, Signals, Task, WallReading},
    tasks::{self, SharedNavigator},
    telemetry::Command,
};

/// Ideal robot facing north in a corridor of three cells, with proximity readings for a limited time; runs
/// for five seconds.
fn in_a_corridor(readings: Duration, act: impl AsyncFnOnce(&Signals)) -> (Signals, SharedModel) {
    let floor = Floor::new(Maze::open(1, 3).unwrap());
    let home = Cell::new(0, 2);
    let model = PhysicsModel::new(floor, home, Side::North, Tolerances::none(), 1);
    let model = SharedModel::new(model);
    let signals = Signals::new(ZUMO2040.calibration);
    let mut proximity =
        PulsedProximity::new(SimInfrared::new(model.clone()), &ZUMO2040.calibration);
    let mut odometry = SimOdometry(model.clone());
    let mut motors = SimMotors(model.clone());
    let mut system = SimSystemMonitor::new(model.clone(), config::WATCHDOG, None);
    let robot = join3(
        select(
            tasks::sense(&signals, &ZUMO2040, &mut proximity),
            Timer::after(readings),
        ),
        tasks::drive(&signals, &ZUMO2040, &mut odometry, &mut motors),
        tasks::supervise(&signals, &ZUMO2040, &mut system),
    );
    run_for(Duration::from_secs(5), join(robot, act(&signals)));
    (signals, model)
}

/// Commands the robot to leave its cell straight on.
async fn leave(signals: &Signals) {
    Timer::after_millis(500).await;
    let ahead = MotionCommand::Leave(Exit::Ahead, SpeedLevel::Search);
    signals.motion_commands.try_send(ahead).unwrap();
}

#[test]
fn a_motion_command_is_executed() {
    let (signals, model) = in_a_corridor(Duration::MAX, leave);
    assert_eq!(signals.fault(), None);
    assert_eq!(model.last().cells_entered(), 1);
}

#[test]
fn motion_commands_during_a_fault_are_dropped() {
    let (signals, model) = in_a_corridor(Duration::MAX, async |signals| {
        signals.raise(Fault::Battery);
        leave(signals).await;
        Timer::after_millis(100).await;
        signals.reset_fault();
    });
    assert_eq!(signals.fault(), None, "it was cleared");
    assert_eq!(model.last().cells_entered(), 0);
    assert_eq!(model.last().duty(), [0, 0]);
}

#[test]
fn a_moving_robot_stops_without_proximity_readings() {
    let (signals, model) = in_a_corridor(Duration::from_millis(700), leave);
    assert_eq!(signals.fault(), Some(Fault::Proximity));
    assert_eq!(model.last().duty(), [0, 0]);
    assert_eq!(model.last().cells_entered(), 0, "it stopped at once");
}

/// Odometry of a robot that a hand turns until an instant, at a yaw rate in thousandths of a degree per second.
struct Carried {
    inner: SimOdometry,
    until: Instant,
    rate: i32,
}

impl Odometry for Carried {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        self.inner.counts().await
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        let rate = self.inner.yaw_rate().await?;
        let is_carried = Instant::now() < self.until;
        Ok(if is_carried { rate + self.rate } else { rate })
    }
}

/// Panel whose buttons a test holds, and which shows it the display.
struct Held<'a> {
    buttons: &'a Slot<Buttons>,
    screens: &'a RefCell<Vec<Screen>>,
}

impl Panel for Held<'_> {
    async fn buttons(&mut self) -> Buttons {
        self.buttons.get()
    }

    async fn show(&mut self, screen: &Screen) {
        Timer::after_millis(2).await;
        self.screens.borrow_mut().push(screen.clone());
    }

    fn led(&mut self, _: bool) {}

    fn tone(&mut self, _: u32) {}
}

/// Robot with all its tasks but report, and a person.
struct Person<'a> {
    signals: &'a Signals,
    model: SharedModel,
    buttons: &'a Slot<Buttons>,
    screens: &'a RefCell<Vec<Screen>>,
}

impl Person<'_> {
    fn hold(&self, [a, b]: [bool; 2]) {
        self.buttons.set(Buttons { a, b, c: false });
    }

    /// Holds A for a time.
    async fn press_a(&self, time: Duration) {
        self.hold([true, false]);
        Timer::after(time).await;
        self.hold([false; 2]);
        Timer::after_millis(50).await;
    }

    /// Waits until the motors are on.
    async fn await_motion(&self) {
        while self.model.now().duty() == [0, 0] {
            Timer::after_millis(1).await;
        }
    }

    /// Taps B; returns the time until the motors are off, in milliseconds.
    async fn tap_b(&self) -> u64 {
        let pressed = Instant::now();
        self.hold([false, true]);
        while self.model.now().duty() != [0, 0] {
            Timer::after_millis(1).await;
        }
        let took = pressed.elapsed().as_millis();
        Timer::after_millis(60).await;
        self.hold([false; 2]);
        took
    }

    /// Waits for an activity.
    async fn await_activity(&self, activity: Activity) {
        while self.activity() != Some(activity) {
            Timer::after_millis(1).await;
        }
    }

    fn activity(&self) -> Option<Activity> {
        self.signals.state().map(|state| state.activity)
    }

    /// Titles shown since the last call.
    fn titles(&self) -> Vec<String> {
        let screens = std::mem::take(&mut *self.screens.borrow_mut());
        screens
            .iter()
            .map(|screen| screen.lines[0].to_string())
            .collect()
    }
}

/// Robot in the middle of an open floor of 7x7 cells, with a gyro bias of 1 degree per second, that goes two
/// cells to the right and is carried for a time after power-on; runs until a second after the person is done.
fn with_a_person(carried: Duration, act: impl AsyncFnOnce(&Person<'_>)) -> (Signals, SharedModel) {
    let field = Field {
        width: 7,
        height: 7,
        home: Cell::new(3, 3),
        heading: Side::North,
    };
    let mut settings = Settings::of_field(field);
    settings.goals[0] = Cell::new(5, 3);
    let tolerances = Tolerances {
        gyro_bias_dps: 1.0,
        gyro_noise_dps: 0.1,
        ..Tolerances::none()
    };
    let floor = Floor::new(Maze::open(7, 7).unwrap());
    let model = PhysicsModel::new(floor, field.home, field.heading, tolerances, 1);
    let model = SharedModel::new(model);
    let signals = Signals::new(CALIBRATED);
    signals.set_settings(settings);
    let mut navigator = navigator(field);
    let navigator = SharedNavigator::new(&mut navigator);
    let mut proximity =
        PulsedProximity::new(SimInfrared::new(model.clone()), &ZUMO2040.calibration);
    let mut odometry = Carried {
        inner: SimOdometry(model.clone()),
        until: Instant::MIN + carried,
        rate: 120_000,
    };
    let mut motors = SimMotors(model.clone());
    let mut system = SimSystemMonitor::new(model.clone(), config::WATCHDOG, None);
    let watchdog = system.clone();
    let flash = SimFlash {
        memory: Rc::default(),
        erase_pause: config::ERASE_PAUSE,
    };
    let (buttons, screens) = (Slot::default(), RefCell::default());
    let mut panel = Held {
        buttons: &buttons,
        screens: &screens,
    };
    let person = Person {
        signals: &signals,
        model: model.clone(),
        buttons: &buttons,
        screens: &screens,
    };
    let robot = join4(
        tasks::sense(&signals, &ZUMO2040, &mut proximity),
        tasks::drive(&signals, &ZUMO2040, &mut odometry, &mut motors),
        tasks::plan(&signals, &ZUMO2040, &navigator),
        tasks::panel(&signals, &ZUMO2040, &mut panel),
    );
    let others = join3(
        tasks::store(&signals, &ZUMO2040, &navigator, flash),
        tasks::supervise(&signals, &ZUMO2040, &mut system),
        // Nothing is connected to the serial port.
        async {
            loop {
                signals.check_in(Task::Report);
                Timer::after_millis(10).await;
            }
        },
    );
    let timeout = async {
        watchdog.timeout().await;
        panic!("the watchdog reset the robot");
    };
    let act = async {
        act(&person).await;
        Timer::after_secs(1).await;
    };
    let robot = select(join3(robot, others, timeout), act);
    let end = Instant::MIN + Duration::from_secs(60);
    let ended = clock::run(
        Instant::MIN,
        end,
        robot,
        |_| ControlFlow::<()>::Continue(()),
    );
    let is_done = matches!(ended, Ended::Ready(_));
    assert!(is_done, "the person waits: {:?}", signals.state());
    (signals, model)
}

const TAP: Duration = Duration::from_millis(150);

#[test]
fn a_robot_that_was_carried_and_turned_starts_straight() {
    for after in [0, 700, 1500] {
        let carried = Duration::from_millis(3000);
        let (signals, model) = with_a_person(carried, async |person| {
            Timer::after(carried + Duration::from_millis(after)).await;
            let released = Instant::now() + TAP;
            person.press_a(TAP).await;
            person.await_activity(Activity::Starting).await;
            person.await_motion().await;
            let waited = released.elapsed().as_millis();
            assert!(
                (1000..1300).contains(&waited),
                "{after}: moved after {waited} ms"
            );
            let titles = person.titles();
            for title in ["hold still 0.9", "hold still 0.1", "moving"] {
                assert!(
                    titles.iter().any(|shown| shown == title),
                    "{after}: {titles:?}"
                );
            }
            person.await_activity(Activity::Done).await;
        });
        assert_eq!(signals.fault(), None, "{after}");
        let pose = model.last().drivetrain().pose();
        let [x, y] = model.last().floor().middle(Cell::new(5, 3));
        let off = f64::hypot(pose.at[0] - x, pose.at[1] - y);
        assert!(off < 15.0, "{after}: {off} mm off the goal");
        let turned = (pose.heading.to_degrees() - 90.0).abs();
        assert!(turned < 2.0, "{after}: {turned} degrees off");
    }
}

#[test]
fn a_robot_that_is_never_still_does_not_start() {
    let (_, model) = with_a_person(Duration::MAX, async |person| {
        Timer::after_secs(1).await;
        person.press_a(TAP).await;
        person.await_activity(Activity::Starting).await;
        person.await_activity(Activity::Idle).await;
        Timer::after_secs(30).await;
    });
    assert_eq!(model.last().cells_entered(), 0);
}

#[test]
fn b_cuts_the_motors_within_20_ms_in_every_motion_and_home_makes_the_robot_start_again() {
    // In the turn, in the advance, and between.
    for ms in (20..1400).step_by(15) {
        let (signals, model) = with_a_person(Duration::MIN, async |person| {
            Timer::after_millis(500).await;
            person.press_a(TAP).await;
            person.await_motion().await;
            Timer::after_millis(ms).await;
            let was_moving = person.model.now().duty() != [0, 0];
            let took = person.tap_b().await;
            assert!(took <= 20, "{ms}: {took} ms");
            Timer::after_millis(200).await;
            assert_eq!(person.model.now().duty(), [0, 0], "{ms}: it stays off");
            let activity = person.activity();
            if was_moving {
                assert_eq!(activity, Some(Activity::Lost), "{ms}");
                let titles = person.titles();
                assert_eq!(titles.last().unwrap(), "pose lost", "{ms}");
                // It does not start from a place that it does not know.
                person.press_a(TAP).await;
                Timer::after_millis(1500).await;
                assert_eq!(person.activity(), Some(Activity::Lost), "{ms}");
            }
            person.press_a(Duration::from_millis(1100)).await;
            Timer::after_millis(200).await;
            assert_eq!(person.activity(), Some(Activity::Idle), "{ms}");
            assert_eq!(person.titles().last().unwrap(), "ready", "{ms}");
        });
        let state = signals.state().unwrap();
        assert_eq!(
            (state.at, state.heading),
            (Cell::new(3, 3), Side::North),
            "{ms}"
        );
        assert_eq!((state.forward_mm, state.yaw_ddeg), (0, 0), "{ms}");
        assert_eq!(model.last().collisions().len(), 0, "{ms}");
    }
}

#[test]
fn b_is_read_while_a_tone_plays() {
    with_a_person(Duration::MIN, async |person| {
        Timer::after_millis(500).await;
        // A fault that is cleared at once leaves half a second of alarm, in which the robot is driven.
        person.signals.raise(Fault::Battery);
        Timer::after_millis(15).await;
        person.signals.reset_fault();
        Timer::after_millis(15).await;
        let spin = MotionCommand::OpenLoop([Duty::permille(200); 2], 400);
        person.signals.motion_commands.try_send(spin).unwrap();
        person.await_motion().await;
        let took = person.tap_b().await;
        assert!(took <= 20, "{took} ms");
    });
}

#[test]
fn a_fault_loses_the_pose_until_the_robot_is_put_home() {
    with_a_person(Duration::MIN, async |person| {
        Timer::after_millis(500).await;
        person.signals.raise(Fault::Stall);
        person.await_activity(Activity::Faulty).await;
        // A tap clears the fault only.
        person.press_a(TAP).await;
        person.await_activity(Activity::Lost).await;
        person.signals.raise(Fault::Stall);
        person.await_activity(Activity::Faulty).await;
        // Held, it also says where the robot stands.
        person.press_a(Duration::from_millis(1100)).await;
        person.await_activity(Activity::Idle).await;
        person.press_a(TAP).await;
        person.await_activity(Activity::Done).await;
    });
}

/// Sensor with a constant result.
struct Constant(Result<Reading, SensorError>);

impl Proximity for Constant {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        self.0
    }
}

/// Runs sense with a constant reading beside a check.
fn sense(signals: &Signals, time: Duration, reading: Constant, check: impl Future) {
    let mut proximity = reading;
    let sense = tasks::sense(signals, &ZUMO2040, &mut proximity);
    run_for(time, join(sense, check));
}

#[test]
fn a_standing_robot_reports_missing_readings() {
    let old = Reading {
        distances: Distances::all(Interval::beyond(240_000)),
        raw: [0; 3],
        taken: Instant::MIN,
    };
    for reading in [Err(SensorError), Ok(old)] {
        let signals = Signals::new(ZUMO2040.calibration);
        let check = async {
            Timer::after(BLIND - Duration::from_millis(20)).await;
            assert_eq!(signals.fault(), None, "{reading:?}: too early");
        };
        sense(&signals, 2 * BLIND, Constant(reading), check);
        assert_eq!(signals.fault(), Some(Fault::Proximity), "{reading:?}");
    }
}

/// The chip halts while flash is written: readings come late.
#[test]
fn missing_readings_are_no_fault_while_flash_is_written() {
    let signals = Signals::new(ZUMO2040.calibration);
    signals.set_storing(true);
    let check = async {
        Timer::after(2 * BLIND).await;
        signals.set_storing(false);
        Timer::after(BLIND - Duration::from_millis(20)).await;
        assert_eq!(signals.fault(), None);
    };
    sense(&signals, 4 * BLIND, Constant(Err(SensorError)), check);
    assert_eq!(signals.fault(), Some(Fault::Proximity));
}

#[test]
fn the_watchdog_is_not_fed_if_one_task_is_silent() {
    let fed = |silent: Option<Task>| {
        let signals = Signals::new(ZUMO2040.calibration);
        let count = Slot::new(0);
        let mut system = FeedCounter(&count);
        let tasks = async {
            loop {
                let alive = Task::ALL.into_iter().filter(|&task| Some(task) != silent);
                alive.for_each(|task| signals.check_in(task));
                Timer::after_millis(10).await;
            }
        };
        let supervise = tasks::supervise(&signals, &ZUMO2040, &mut system);
        run_for(5 * SUPERVISE_PERIOD, join(tasks, supervise));
        count.get()
    };
    assert_eq!(fed(None), 5);
    for task in Task::ALL {
        // At power-on, every task counts as alive.
        assert_eq!(fed(Some(task)), 1, "{task:?}");
    }
}

/// Odometry whose encoders or gyro fail at some of their readings, by number.
struct FailingOdometry {
    /// Of the encoders, and of the gyro.
    fails: [fn(u32) -> bool; 2],
    readings: u32,
}

impl FailingOdometry {
    fn read<T>(&self, sensor: usize, value: T) -> Result<T, SensorError> {
        let fails = self.fails[sensor](self.readings);
        (!fails).then_some(value).ok_or(SensorError)
    }
}

impl Odometry for FailingOdometry {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        self.readings += 1;
        self.read(0, [0; 2])
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        self.read(1, 0)
    }
}

#[test]
fn encoder_and_gyro_readings_that_fail_in_a_row_are_a_fault() {
    const ENCODER: u32 = config::ENCODER_MISSES as u32;
    const GYRO: u32 = config::GYRO_MISSES as u32;
    let fault = |fails| {
        let signals = Signals::new(ZUMO2040.calibration);
        let floor = Floor::new(Maze::open(1, 1).unwrap());
        let home = Cell::new(0, 0);
        let model = PhysicsModel::new(floor, home, Side::North, Tolerances::none(), 1);
        let mut motors = SimMotors(SharedModel::new(model));
        let mut odometry = FailingOdometry { fails, readings: 0 };
        let drive = tasks::drive(&signals, &ZUMO2040, &mut odometry, &mut motors);
        run_for(Duration::from_secs(1), drive);
        signals.fault()
    };
    let works: fn(u32) -> bool = |_| false;
    let most = |number| number % (ENCODER + 1) > 0;
    let longer = |number| (50..=50 + ENCODER).contains(&number);
    assert_eq!(fault([most, works]), None);
    assert_eq!(fault([longer, works]), Some(Fault::Encoder));
    let most = |number| number % (GYRO + 1) > 0;
    let longer = |number| (50..=50 + GYRO).contains(&number);
    assert_eq!(fault([works, most]), None);
    assert_eq!(fault([works, longer]), Some(Fault::Gyro));
}

/// Battery with a voltage in millivolts at each reading, by number.
struct Battery {
    voltage: fn(u32) -> u32,
    readings: u32,
}

impl SystemMonitor for Battery {
    async fn battery_mv(&mut self) -> Option<u32> {
        self.readings += 1;
        Some((self.voltage)(self.readings))
    }

    fn feed(&mut self, _: Duration) {}

    fn reset_cause(&mut self) -> Option<Fault> {
        None
    }
}

#[test]
fn only_low_battery_readings_in_a_row_are_a_fault() {
    const READINGS: u32 = config::BATTERY_LOW_READINGS as u32;
    const LOW: u32 = ZUMO2040.battery_low_mv;
    let fault = |voltage| {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut system = Battery {
            voltage,
            readings: 0,
        };
        let supervise = tasks::supervise(&signals, &ZUMO2040, &mut system);
        run_for(4 * READINGS * SUPERVISE_PERIOD, supervise);
        signals.fault()
    };
    assert_eq!(fault(|_| LOW), None);
    // One less than that, again and again.
    assert_eq!(fault(|number| LOW - u32::from(number % READINGS > 0)), None);
    assert_eq!(
        fault(|number| LOW - u32::from(number <= READINGS)),
        Some(Fault::Battery)
    );
    assert_eq!(fault(|_| ZUMO2040.battery_absent_mv - 1), None, "on USB");
}

/// Readings without any wall.
async fn sense_nothing(signals: &Signals) {
    let sender = signals.wall_reading.sender();
    for count in 1.. {
        sender.send(WallReading {
            count,
            taken: Instant::now(),
            distances: Distances::all(Interval::beyond(240_000)),
            raw: [0; 3],
            cell: signals.drive_state().cell,
            is_turned: false,
            forward_um: 0,
            front: Occupancy::Free,
            left: Occupancy::Free,
            right: Occupancy::Free,
        });
        Timer::after_millis(10).await;
    }
}

/// The chip halts while flash is written, so nothing could control the motors.
#[test]
fn no_motion_starts_while_the_map_is_saved() {
    let field = Field {
        width: 64,
        height: 3,
        home: Cell::new(0, 1),
        heading: Side::East,
    };
    let signals = Signals::new(ZUMO2040.calibration);
    signals.set_settings(Settings::of_field(field));
    let mut navigator = navigator(field);
    let navigator = SharedNavigator::new(&mut navigator);
    let (is_writing, saves, motions) = (Slot::new(false), Slot::new(0), Slot::new(0));
    let drive = async {
        loop {
            let command = signals.motion_commands.receive().await;
            assert!(!is_writing.get(), "{command:?}");
            if let MotionCommand::Reset(_) = command {
                continue;
            }
            motions.set(motions.get() + 1);
            Timer::after_millis(100).await;
            let before = signals.drive_state();
            let cell = before.cell + 1;
            signals.set_drive_state(DriveState { cell, ..before });
        }
    };
    let store = async {
        // The store is empty.
        signals.store_done.signal(());
        loop {
            signals.store_request.wait().await;
            is_writing.set(true);
            Timer::after_millis(500).await;
            is_writing.set(false);
            saves.set(saves.get() + 1);
            signals.store_done.signal(());
        }
    };
    // It never leaves the table.
    signals.set_still_ms(5_000);
    let mission = Mission::GoTo(Cell::new(63, 1));
    for command in [Command::SetMission(mission), Command::Start] {
        signals.commands.try_send((None, command)).unwrap();
    }
    let robot = join4(
        tasks::plan(&signals, &ZUMO2040, &navigator),
        sense_nothing(&signals),
        drive,
        store,
    );
    run_for(Duration::from_secs(60), robot);
    assert_eq!(motions.get(), 63, "it arrived");
    assert!(saves.get() >= 2, "during the mission and at its end");
}
