//! Some of the firmware's tasks on the physics model.

use std::cell::Cell as Slot;

use crate::support::tasks::{FeedCounter, navigator, run_for};
use embassy_futures::{
    join::{join, join3, join4},
    select::select,
};
use embassy_time::{Duration, Instant, Timer};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{
    physics::{
        devices::{SharedModel, SimInfrared, SimMotors, SimOdometry, SimSystemMonitor},
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
    mission::{Field, Mission},
    robot::{Distances, Interval, Proximity, Reading, SensorError},
    settings::Settings,
    signals::{MotionCommand, MotionResult, Signals, Task, WallReading},
    tasks::{self, SharedNavigator},
    telemetry::Command,
};

/// Ideal robot facing north in a corridor of three cells, with proximity readings for a limited time; runs
/// for five seconds.
fn in_a_corridor(readings: Duration, act: impl AsyncFnOnce(&Signals)) -> (Signals, SharedModel) {
    let floor = Floor::new(Maze::open(1, 3).unwrap());
    let home = Cell::new(0, 2);
    let model = SharedModel::new(PhysicsModel::new(
        floor,
        home,
        Side::North,
        Tolerances::none(),
        1,
    ));
    let signals = Signals::new(ZUMO2040.calibration);
    let mut proximity =
        PulsedProximity::new(SimInfrared::new(model.clone()), &ZUMO2040.calibration);
    let mut odometry = SimOdometry(model.clone());
    let mut motors = SimMotors(model.clone());
    let mut system = SimSystemMonitor::new(model.clone(), config::WATCHDOG, None);
    let robot = join3(
        select(
            tasks::sense(&signals, &mut proximity),
            Timer::after(readings),
        ),
        tasks::drive(&signals, &ZUMO2040, &mut odometry, &mut motors),
        tasks::supervise(&signals, &ZUMO2040, &mut system),
    );
    run_for(Duration::from_secs(5), join(robot, act(&signals)));
    (signals, model)
}

async fn command(signals: &Signals, command: MotionCommand) {
    Timer::after_millis(500).await;
    signals.motion_commands.try_send(command).unwrap();
}

#[test]
fn a_motion_command_is_executed() {
    let (signals, model) = in_a_corridor(Duration::MAX, async |signals| {
        command(signals, MotionCommand::Advance(1)).await
    });
    assert_eq!(signals.fault(), None);
    assert_eq!(model.last().cells_entered(), 1);
}

#[test]
fn motion_commands_during_a_fault_are_dropped() {
    let (signals, model) = in_a_corridor(Duration::MAX, async |signals| {
        signals.raise(Fault::Battery);
        command(signals, MotionCommand::Advance(1)).await;
        Timer::after_millis(100).await;
        signals.reset_fault();
    });
    assert_eq!(signals.fault(), None, "it was cleared");
    assert_eq!(model.last().cells_entered(), 0);
    assert_eq!(model.last().duty(), [0, 0]);
}

#[test]
fn a_moving_robot_stops_without_proximity_readings() {
    let (signals, model) = in_a_corridor(Duration::from_millis(700), async |signals| {
        command(signals, MotionCommand::Advance(1)).await;
    });
    assert_eq!(signals.fault(), Some(Fault::Proximity));
    assert_eq!(model.last().duty(), [0, 0]);
    assert_eq!(model.last().cells_entered(), 0, "it stopped at once");
}

/// Sensor with a constant result.
struct Constant(Result<Reading, SensorError>);

impl Proximity for Constant {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        self.0
    }
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
        let mut proximity = Constant(reading);
        let check = async {
            Timer::after(BLIND - Duration::from_millis(20)).await;
            assert_eq!(signals.fault(), None, "{reading:?}: too early");
        };
        run_for(
            2 * BLIND,
            join(tasks::sense(&signals, &mut proximity), check),
        );
        assert_eq!(signals.fault(), Some(Fault::Proximity), "{reading:?}");
    }
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

/// Readings without any wall.
async fn sense_nothing(signals: &Signals) {
    let sender = signals.wall_reading.sender();
    for count in 1.. {
        sender.send(WallReading {
            count,
            taken: Instant::now(),
            distances: Distances::all(Interval::beyond(240_000)),
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
            signals.motion_result.signal(MotionResult::Done);
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
