//! Mission executive on the virtual clock: wall readings, motion results and the store are the test's.

use embassy_time::{Duration, Instant, Timer};
use planner_core::{Cell, Side, map::Occupancy};
use sim::physics::clock::run_to_end;
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    config::{
        CONFIRMING_FIXES, CONTRADICTORY_VOTES, NO_PATH_WAIT, OBSTACLE_LIFETIME, PLAN_PERIOD,
        SENSE_RETRIES, TEMPORARY_OBSTACLES, WALL_UNSEEN,
    },
    fault::Fault,
    mission::{Activity, Field, Mission, MissionExecutive},
    motion::SpeedLevel,
    navigator::Navigator,
    robot::{Distances, Interval},
    settings::Settings,
    signals::{
        DriveState, Exit, MotionCommand, MotionResult, RouteEnd, Signals, StoreRequest, WallReading,
    },
    telemetry::{Command, Refusal},
};

use crate::support::{robots::CALIBRATED, tasks::navigator};

use Occupancy::{Blocked, Free, Unknown};

const FIELD: Field = Field {
    width: 16,
    height: 16,
    home: Cell::new(5, 14),
    heading: Side::North,
};
/// Wall on the edge of the cell.
const WALL: Interval = Interval {
    near: 0,
    far: 49_000,
};
/// Something further away than that.
const BOX: Interval = Interval {
    near: 62_000,
    far: 110_000,
};

/// Executive of a robot at home, with a mission that has started.
struct Robot<'s> {
    signals: &'s Signals,
    executive: MissionExecutive<'s>,
    navigator: Box<Navigator>,
    readings: u32,
}

impl Robot<'_> {
    async fn tick(&mut self) {
        Timer::after(PLAN_PERIOD).await;
        if self.signals.fault().is_some() {
            self.executive.abort(&mut self.navigator);
        } else {
            self.executive.tick(&mut self.navigator, Instant::now());
        }
    }

    /// A complete vote with walls ahead, left and right, and what the sensors see where they are blocked.
    async fn look(&mut self, walls: [Occupancy; 3], obstacle: Interval) {
        let distance = |sensed| match sensed {
            Blocked => Some(obstacle),
            _ => Some(Interval::beyond(240_000)),
        };
        self.look_with(walls, distance).await;
    }

    /// A complete vote with walls ahead, left and right, and the distances at which they are sensed.
    async fn look_with(
        &mut self,
        [front, left, right]: [Occupancy; 3],
        distance: impl Fn(Occupancy) -> Option<Interval>,
    ) {
        self.readings += 100;
        self.signals.wall_reading.sender().send(WallReading {
            count: self.readings,
            taken: Instant::now(),
            distances: Distances {
                front: distance(front),
                left: distance(left),
                right: distance(right),
            },
            raw: [0; 3],
            cell: self.signals.drive_state().cell,
            is_turned: false,
            forward_um: 0,
            front,
            left,
            right,
        });
        self.tick().await;
    }

    /// Motion that the executive commands next, after it has planned.
    async fn motion(&mut self) -> Option<MotionCommand> {
        for _ in 0..50 {
            match self.signals.motion_commands.try_receive() {
                Ok(command) => return Some(command),
                Err(_) => self.tick().await,
            }
        }
        None
    }

    async fn end_motion(&mut self, result: MotionResult) {
        self.signals.motion_result.signal(result);
        self.tick().await;
    }

    /// Rests in the next cell.
    async fn arrive(&mut self) {
        let before = self.signals.drive_state();
        let cell = before.cell + 1;
        self.signals.set_drive_state(DriveState { cell, ..before });
        self.end_motion(MotionResult::Done(cell)).await;
    }

    /// Looks, and leaves by the exit that the executive commands.
    async fn leave(&mut self, walls: [Occupancy; 3], exit: Exit) {
        self.look(walls, WALL).await;
        let leave = MotionCommand::Leave(exit, SpeedLevel::Search);
        assert_eq!(self.motion().await, Some(leave));
        self.arrive().await;
    }

    async fn ticks(&mut self, count: u32) {
        for _ in 0..count {
            self.tick().await;
        }
    }

    fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        self.navigator.map().wall(cell, side).unwrap()
    }

    fn activity(&self) -> Activity {
        self.executive.state(Instant::now()).activity
    }
}

/// Starts a mission of a new robot to a cell and runs a test on it.
fn going_to(goal: Cell, test: impl AsyncFnOnce(&mut Robot<'_>)) {
    calibrated_going_to(ZUMO2040.calibration, goal, test);
}

/// The same with a calibration.
fn calibrated_going_to(
    calibration: Calibration,
    goal: Cell,
    test: impl AsyncFnOnce(&mut Robot<'_>),
) {
    run_to_end(async {
        let signals = Signals::new(calibration);
        signals.set_settings(Settings::of_field(FIELD));
        let mut robot = Robot {
            signals: &signals,
            executive: MissionExecutive::new(&signals, &ZUMO2040),
            navigator: navigator(FIELD),
            readings: 0,
        };
        for command in [Command::SetMission(Mission::GoTo(goal)), Command::Start] {
            robot.tick().await;
            let executed = robot.executive.execute(command, &mut robot.navigator);
            assert_eq!(executed, Ok(()));
        }
        signals.set_still_ms(5_000);
        Timer::after_secs(2).await;
        robot.tick().await;
        assert_eq!(robot.activity(), Activity::Going);
        let reset = signals.motion_commands.try_receive();
        assert!(matches!(reset, Ok(MotionCommand::Reset(_))));
        test(&mut robot).await;
    });
}

const AHEAD: Cell = Cell::new(5, 2);
/// Exit of a robot that searches.
const AHEAD_EXIT: MotionCommand = MotionCommand::Leave(Exit::Ahead, SpeedLevel::Search);

#[test]
fn an_undecided_vote_is_repeated_and_then_counts_as_blocked() {
    going_to(AHEAD, async |robot| {
        for _ in 0..SENSE_RETRIES {
            robot.look([Unknown, Free, Free], WALL).await;
            assert_eq!(robot.wall(FIELD.home, Side::North), Unknown);
            assert_eq!(robot.signals.motion_commands.try_receive().ok(), None);
        }
        robot.look([Unknown, Free, Free], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Blocked);
    });
}

#[test]
fn what_blocked_an_advance_is_not_free_at_the_next_look() {
    going_to(AHEAD, async |robot| {
        robot.look([Free; 3], WALL).await;
        assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
        robot
            .end_motion(MotionResult::Blocked(RouteEnd {
                from: 0,
                quarters: 0,
                cells: 0,
                may_have_touched: false,
            }))
            .await;
        let accepts = robot.signals.motion_commands.try_receive();
        assert_eq!(accepts, Ok(MotionCommand::AcceptExits));
        robot.look([Free; 3], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Blocked);
    });
}

#[test]
fn an_edge_that_was_never_seen_is_faced_before_it_is_crossed() {
    going_to(AHEAD, async |robot| {
        robot.look([Blocked; 3], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::South), Unknown);
        assert_eq!(robot.motion().await, Some(MotionCommand::Turn(2)));
    });
}

#[test]
fn a_route_ends_in_the_first_cell_whose_walls_were_not_seen() {
    // A new robot stops in every cell.
    calibrated_going_to(CALIBRATED, AHEAD, async |robot| {
        robot.look([Free; 3], WALL).await;
        assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
        assert_eq!(robot.motion().await, None);
    });
}

#[test]
fn a_full_list_of_temporary_obstacles_forgets_the_oldest() {
    // A new robot would doubt its sensors.
    calibrated_going_to(CALIBRATED, AHEAD, async |robot| {
        let mut at = FIELD.home;
        let boxes = TEMPORARY_OBSTACLES as u16 / 2;
        for _ in 0..boxes {
            robot.look([Free, Blocked, Blocked], BOX).await;
            assert_eq!(robot.wall(at, Side::West), Blocked);
            assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
            robot.arrive().await;
            at = at.neighbor(Side::North).unwrap();
        }
        let home = FIELD.home;
        assert_eq!(robot.wall(home, Side::West), Blocked);
        robot.look([Free, Blocked, Free], BOX).await;
        assert_eq!(robot.wall(home, Side::West), Unknown, "the oldest");
        assert_eq!(robot.wall(home, Side::East), Blocked, "the next");
        assert_eq!(robot.wall(at, Side::West), Blocked, "the newest");
    });
}

#[test]
fn a_temporary_obstacle_is_forgotten_after_its_lifetime() {
    going_to(AHEAD, async |robot| {
        robot.look([Blocked, Free, Free], BOX).await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Blocked);
        Timer::after(OBSTACLE_LIFETIME - Duration::from_millis(100)).await;
        robot.tick().await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Blocked);
        Timer::after_millis(200).await;
        robot.tick().await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Unknown);
    });
}

#[test]
fn a_robot_that_is_lost_takes_back_what_is_not_confirmed_and_reports_why() {
    for fault in [Fault::Slip, Fault::Lost] {
        going_to(AHEAD, async |robot| {
            let home = FIELD.home;
            robot.look([Free, Blocked, Free], WALL).await;
            assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
            assert_eq!(robot.wall(home, Side::West), Blocked);
            robot.end_motion(MotionResult::Lost(fault)).await;
            robot.ticks(5).await;
            assert_eq!(robot.signals.fault(), Some(fault));
            for side in [Side::North, Side::West, Side::East] {
                assert_eq!(robot.wall(home, side), Unknown, "{side:?}");
            }
            assert_eq!(robot.motion().await, Some(MotionCommand::Halt));
            assert_eq!(robot.motion().await, None, "it stays");
        });
    }
}

#[test]
fn walls_that_contradict_the_map_lose_the_robot() {
    // Two walls that are gone are not enough; others may follow.
    for (walls, fault) in [
        ([Free, Free, Free], None),
        ([Blocked, Free, Free], Some(Fault::Lost)),
    ] {
        going_to(AHEAD, async |robot| {
            // Along a corridor into a dead end, and back.
            for _ in 0..3 {
                robot.leave([Free, Blocked, Blocked], Exit::Ahead).await;
            }
            robot.leave([Blocked; 3], Exit::Back).await;
            robot.look(walls, WALL).await;
            robot.ticks(5).await;
            assert_eq!(robot.signals.fault(), fault);
            let is_halted = robot.motion().await == Some(MotionCommand::Halt);
            assert_eq!(is_halted, fault.is_some());
        });
    }
}

#[test]
fn a_free_wall_that_is_blocked_beside_another_contradiction_loses_the_robot() {
    for (walls, fault) in [
        ([Blocked, Free, Blocked], None),
        ([Blocked, Free, Free], Some(Fault::Lost)),
    ] {
        going_to(AHEAD, async |robot| {
            for _ in 0..3 {
                robot.leave([Free, Blocked, Free], Exit::Ahead).await;
            }
            robot.leave([Blocked; 3], Exit::Back).await;
            // The edge that it has come over.
            robot.look(walls, WALL).await;
            robot.ticks(5).await;
            assert_eq!(robot.signals.fault(), fault);
        });
    }
}

/// Runs a test on a calibrated robot that has waited for a path between four walls, and faces south.
fn walled_in(test: impl AsyncFnOnce(&mut Robot<'_>)) {
    calibrated_going_to(CALIBRATED, AHEAD, async |robot| {
        robot.look([Blocked; 3], WALL).await;
        assert_eq!(robot.motion().await, Some(MotionCommand::Turn(2)));
        robot.end_motion(MotionResult::Done(0)).await;
        robot.look([Blocked; 3], WALL).await;
        assert_eq!(robot.motion().await, None);
        assert_eq!(robot.activity(), Activity::NoPath);
        Timer::after(NO_PATH_WAIT).await;
        robot.tick().await;
        test(robot).await;
    });
}

#[test]
fn a_robot_waits_in_front_of_a_wall_that_it_does_not_see_until_it_must_have_gone() {
    walled_in(async |robot| {
        for _ in 0..WALL_UNSEEN.as_ticks() / PLAN_PERIOD.as_ticks() {
            robot.look([Free, Blocked, Blocked], WALL).await;
            assert_eq!(robot.wall(FIELD.home, Side::South), Blocked);
        }
        robot.look([Free, Blocked, Blocked], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::South), Free);
        assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
    });
}

#[test]
fn a_robot_that_was_blinded_takes_back_what_it_has_sensed() {
    walled_in(async |robot| {
        robot.look([Blocked; 3], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Blocked);
        assert_eq!(robot.motion().await, None);
        Timer::after(NO_PATH_WAIT).await;
        robot.tick().await;
        robot.look([Free, Blocked, Blocked], WALL).await;
        robot.look([Blocked; 3], WALL).await;
        assert_eq!(robot.wall(FIELD.home, Side::North), Unknown);
        assert_eq!(robot.wall(FIELD.home, Side::South), Blocked);
        assert_eq!(robot.motion().await, Some(MotionCommand::Turn(2)));
    });
}

#[test]
fn a_lost_robot_takes_back_what_it_saw_free_ahead_and_did_not_cross() {
    let west = Cell::new(2, 14);
    going_to(west, async |robot| {
        let home = FIELD.home;
        robot.leave([Free, Free, Blocked], Exit::Left).await;
        // Ends of walls confirm the rest.
        let drive = robot.signals.drive_state();
        let fixes = drive.fixes + CONFIRMING_FIXES;
        robot.signals.set_drive_state(DriveState { fixes, ..drive });
        robot.look([Free, Blocked, Blocked], WALL).await;
        robot.motion().await;
        assert_eq!(robot.wall(home, Side::North), Free);
        robot.end_motion(MotionResult::Lost(Fault::Slip)).await;
        robot.ticks(5).await;
        assert_eq!(robot.wall(home, Side::East), Blocked);
        assert_eq!(robot.wall(home, Side::North), Unknown);
    });
}

#[test]
fn a_wall_that_the_robot_may_have_pushed_against_loses_it_and_a_ghost_does_not() {
    for (ahead, is_lost) in [(Blocked, true), (Free, false)] {
        calibrated_going_to(CALIBRATED, AHEAD, async |robot| {
            robot.look([Free; 3], WALL).await;
            assert_eq!(robot.motion().await, Some(AHEAD_EXIT));
            robot
                .end_motion(MotionResult::Blocked(RouteEnd {
                    from: 0,
                    quarters: 0,
                    cells: 0,
                    may_have_touched: true,
                }))
                .await;
            let accepts = robot.signals.motion_commands.try_receive();
            assert_eq!(accepts, Ok(MotionCommand::AcceptExits));
            robot.look([ahead, Free, Free], BOX).await;
            let halts = robot.motion().await == Some(MotionCommand::Halt);
            assert_eq!(halts, is_lost);
        });
    }
}

#[test]
fn a_robot_that_sees_no_end_of_a_wall_twice_is_lost() {
    // Along a corridor with an opening on both sides into a dead end, and back: it sees the opening, or it stands.
    for (walls, fault) in [
        ([Free, Free, Free], None),
        ([Free, Blocked, Blocked], Some(Fault::Lost)),
    ] {
        going_to(AHEAD, async |robot| {
            for walls in [
                [Free, Blocked, Blocked],
                [Free, Free, Free],
                [Free, Blocked, Blocked],
            ] {
                robot.leave(walls, Exit::Ahead).await;
            }
            robot.leave([Blocked; 3], Exit::Back).await;
            robot.leave([Free, Blocked, Blocked], Exit::Ahead).await;
            robot.look(walls, WALL).await;
            robot.ticks(5).await;
            assert_eq!(robot.signals.fault(), fault);
        });
    }
}

#[test]
fn contradictory_side_readings_in_a_row_stop_an_uncalibrated_robot() {
    let contradict = async |robot: &mut Robot<'_>, looks: u8| {
        for _ in 0..looks {
            robot.look_with([Free, Unknown, Free], |_| None).await;
        }
    };
    going_to(AHEAD, async |robot| {
        contradict(robot, CONTRADICTORY_VOTES - 1).await;
        robot.leave([Free; 3], Exit::Ahead).await;
        contradict(robot, CONTRADICTORY_VOTES - 1).await;
        assert_eq!(robot.signals.fault(), None);
        contradict(robot, 1).await;
        assert_eq!(robot.signals.fault(), Some(Fault::Proximity));
    });
    calibrated_going_to(CALIBRATED, AHEAD, async |robot| {
        contradict(robot, CONTRADICTORY_VOTES).await;
        assert_eq!(robot.signals.fault(), None);
    });
}

#[test]
fn a_robot_that_is_stopped_while_it_saves_stays() {
    // The map is saved at the end of a mission; a new start during the save would sense after it.
    going_to(FIELD.home, async |robot| {
        robot.look([Free, Blocked, Free], WALL).await;
        robot.ticks(20).await;
        assert!(robot.signals.store_request.try_take().is_some());
        let goal = Command::SetMission(Mission::GoTo(AHEAD));
        for command in [goal, Command::Start, Command::Stop] {
            let executed = robot.executive.execute(command, &mut robot.navigator);
            assert_eq!(executed, Ok(()));
        }
        // Not before the map is saved.
        let forget = Command::ForgetMap;
        let executed = robot.executive.execute(forget, &mut robot.navigator);
        assert_eq!(executed, Err(Refusal::Moving));
        robot.signals.store_done.signal(());
        robot.tick().await;
        robot.look([Free; 3], WALL).await;
        assert_eq!(robot.motion().await, None);
        assert_eq!(robot.activity(), Activity::Idle);
    });
}

#[test]
fn a_map_that_is_being_cleared_is_deleted_even_if_the_robot_is_stopped() {
    going_to(FIELD.home, async |robot| {
        robot.look([Free, Blocked, Free], WALL).await;
        robot.ticks(20).await;
        assert_eq!(
            robot.signals.store_request.try_take(),
            Some(StoreRequest::SaveMap)
        );
        robot.signals.store_done.signal(());
        robot.tick().await;
        for command in [Command::ForgetMap, Command::Stop] {
            let executed = robot.executive.execute(command, &mut robot.navigator);
            assert_eq!(executed, Ok(()));
        }
        robot.ticks(50).await;
        assert_eq!(
            robot.signals.store_request.try_take(),
            Some(StoreRequest::DeleteMap)
        );
        assert_eq!(robot.wall(FIELD.home, Side::North), Unknown);
    });
}

#[test]
fn a_run_that_succeeds_makes_the_next_one_faster_and_a_fault_does_not() {
    going_to(AHEAD, async |robot| {
        assert_eq!(robot.executive.run_level(), SpeedLevel::Normal);
        robot.signals.raise(Fault::Stall);
        robot.tick().await;
        assert_eq!(robot.executive.run_level(), SpeedLevel::Normal, "no run");
    });
    // Home is the goal: search, exploration, return and run are over at once.
    going_to(FIELD.home, async |robot| {
        let explore = Mission::Explore([FIELD.home].into_iter().collect());
        for command in [Command::Stop, Command::SetMission(explore), Command::Start] {
            let executed = robot.executive.execute(command, &mut robot.navigator);
            assert_eq!(executed, Ok(()));
        }
        Timer::after_secs(2).await;
        robot.tick().await;
        robot.look([Free; 3], WALL).await;
        robot.ticks(50).await;
        assert_eq!(robot.activity(), Activity::Done);
        assert_eq!(robot.executive.run_level(), SpeedLevel::Fast);
    });
}
