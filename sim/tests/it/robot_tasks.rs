//! What the robot's tasks do for each other, some of them at a time, on the model.

use std::cell::Cell as Slot;

use crate::support::tasks::{Bowl, run_for};
use embassy_futures::{
    join::{join, join3, join4},
    select::select,
};
use embassy_time::{Duration, Instant, Timer};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{
    physics::{
        devices::{SharedModel, SimMotors, SimOdometry, SimProximity, SimSystemMonitor},
        floor::Floor,
        model::PhysicsModel,
        tolerances::Tolerances,
    },
    world::Maze,
};
use tinystar::{
    atlas::{self, Atlas},
    boards::ZUMO2040,
    brain::{self, Brain},
    config::{BLIND, SUPERVISE_PERIOD},
    fault::Fault,
    mission::{Field, Mission},
    robot::{Levels, Proximity, Reading, SensorError},
    signals::{MotionCommand, MotionResult, Signals, Task, WallReading},
    tasks::{self, SharedAtlas},
    telemetry::Command,
};

/// An ideal robot that looks north along a corridor of three cells, sees for so long, and what somebody does
/// with it for five seconds.
fn in_a_corridor(sees: Duration, does: impl AsyncFnOnce(&Signals)) -> (Signals, SharedModel) {
    let floor = Floor::new(Maze::open(1, 3).unwrap());
    let home = Cell::new(0, 2);
    let arena = SharedModel::new(PhysicsModel::new(
        floor,
        home,
        Side::North,
        Tolerances::none(),
        1,
    ));
    let signals = Signals::new(ZUMO2040.calibration);
    let (mut eyes, mut wheels) = (SimProximity(arena.clone()), SimOdometry(arena.clone()));
    let mut motors = SimMotors(arena.clone());
    let mut guard = SimSystemMonitor::new(arena.clone(), None);
    let robot = join3(
        select(tasks::sense(&signals, &mut eyes), Timer::after(sees)),
        tasks::drive(&signals, &ZUMO2040, &mut wheels, &mut motors),
        tasks::supervise(&signals, &ZUMO2040, &mut guard),
    );
    run_for(Duration::from_secs(5), join(robot, does(&signals)));
    (signals, arena)
}

async fn order(signals: &Signals, order: MotionCommand) {
    Timer::after_millis(500).await;
    signals.motion_commands.try_send(order).unwrap();
}

#[test]
fn an_order_is_carried_out() {
    let (signals, arena) = in_a_corridor(Duration::MAX, async |signals| {
        order(signals, MotionCommand::Advance(1)).await
    });
    assert_eq!(signals.fault(), None);
    assert_eq!(arena.as_it_was().cells(), 1);
}

#[test]
fn an_order_given_to_a_robot_with_a_fault_is_not_carried_out_when_the_fault_is_cleared() {
    let (signals, arena) = in_a_corridor(Duration::MAX, async |signals| {
        signals.raise(Fault::Battery);
        order(signals, MotionCommand::Advance(1)).await;
        Timer::after_millis(100).await;
        signals.clear_fault.signal(());
    });
    assert_eq!(signals.fault(), None, "it was cleared");
    assert_eq!(arena.as_it_was().cells(), 0);
    assert_eq!(arena.as_it_was().power(), [0, 0]);
}

#[test]
fn a_robot_on_its_way_that_sees_no_more_stops_and_says_why() {
    let (signals, arena) = in_a_corridor(Duration::from_millis(700), async |signals| {
        order(signals, MotionCommand::Advance(1)).await;
    });
    assert_eq!(signals.fault(), Some(Fault::Proximity));
    assert_eq!(arena.as_it_was().power(), [0, 0]);
    assert_eq!(arena.as_it_was().cells(), 0, "it stopped at once");
}

/// SimProximity that see the same for ever, if anything.
struct Glazed(Result<Reading, SensorError>);

impl Proximity for Glazed {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        self.0
    }
}

#[test]
fn a_robot_that_stands_and_does_not_see_says_so() {
    let old = Reading {
        levels: Levels::default(),
        taken: Instant::MIN,
    };
    for reading in [Err(SensorError), Ok(old)] {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut eyes = Glazed(reading);
        let watch = async {
            Timer::after(BLIND - Duration::from_millis(20)).await;
            assert_eq!(signals.fault(), None, "{reading:?}: that may be over soon");
        };
        run_for(2 * BLIND, join(tasks::sense(&signals, &mut eyes), watch));
        assert_eq!(signals.fault(), Some(Fault::Proximity), "{reading:?}");
    }
}

#[test]
fn the_watchdog_goes_hungry_as_soon_as_one_task_is_silent() {
    let fed = |silent: Option<Task>| {
        let signals = Signals::new(ZUMO2040.calibration);
        let meals = Slot::new(0);
        let mut bowl = Bowl(&meals);
        let tasks = async {
            loop {
                let talking = Task::ALL.into_iter().filter(|&task| Some(task) != silent);
                talking.for_each(|task| signals.check_in(task));
                Timer::after_millis(10).await;
            }
        };
        let guarded = tasks::supervise(&signals, &ZUMO2040, &mut bowl);
        run_for(5 * SUPERVISE_PERIOD, join(tasks, guarded));
        meals.get()
    };
    assert_eq!(fed(None), 5);
    for task in Task::ALL {
        // At power-on nobody has been silent yet.
        assert_eq!(fed(Some(task)), 1, "{task:?}");
    }
}

/// What is seen by a robot that meets nothing.
async fn see_nothing(signals: &Signals) {
    let sender = signals.wall_reading.sender();
    for count in 1.. {
        sender.send(WallReading {
            count,
            taken: Instant::now(),
            levels: Levels::default(),
            front: Occupancy::Free,
            left: Occupancy::Free,
            right: Occupancy::Free,
        });
        Timer::after_millis(10).await;
    }
}

/// A chip stands still while its flash is written: nobody could steer.
#[test]
fn nothing_is_ordered_while_the_map_is_written() {
    let field = Field {
        width: 64,
        height: 3,
        home: Cell::new(0, 1),
        heading: Side::East,
    };
    let signals = Signals::new(ZUMO2040.calibration);
    let mut memory = atlas::MEMORY;
    let atlas = SharedAtlas::new(Atlas::new(field, &mut memory).unwrap());
    let mut memory = Box::new(brain::MEMORY);
    let brain = Brain::new(field, &mut memory).unwrap();
    let (is_writing, written, orders) = (Slot::new(false), Slot::new(0), Slot::new(0));
    let drives = async {
        loop {
            let order = signals.motion_commands.receive().await;
            assert!(!is_writing.get(), "{order:?}");
            orders.set(orders.get() + 1);
            Timer::after_millis(100).await;
            signals.motion_result.signal(MotionResult::Done);
        }
    };
    let keeps = async {
        // There was nothing to read.
        signals.store_done.signal(());
        loop {
            signals.store_request.wait().await;
            is_writing.set(true);
            Timer::after_millis(500).await;
            is_writing.set(false);
            written.set(written.get() + 1);
            signals.store_done.signal(());
        }
    };
    let mission = Mission::GoTo(Cell::new(63, 1));
    for command in [Command::SetMission(mission), Command::Start] {
        signals.commands.try_send((None, command)).unwrap();
    }
    let robot = join4(
        tasks::plan(&signals, &ZUMO2040, &atlas, brain),
        see_nothing(&signals),
        drives,
        keeps,
    );
    run_for(Duration::from_secs(60), robot);
    assert_eq!(orders.get(), 63, "it went all the way");
    assert!(written.get() >= 2, "on the way and at its end");
}
