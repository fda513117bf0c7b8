extern crate std;

use super::*;
use crate::{
    boards::ZUMO2040,
    config::{
        CAREFUL_TURN_SPEED, CENTER_TOLERANCE_UM, LATERAL_TOLERANCE_UM, POSITIONING,
        TURN_ACCELERATION, TURN_SPEED, UNSURE_UM,
    },
    motion::VelocityProfile,
    robot::{Distances, Interval},
    signals::{Exit, RouteEnd},
};

use Exit::{Ahead, Back, Left, Right};

const CALIBRATION: Calibration = Calibration {
    measured: Routine::Walls.bit(),
    ..ZUMO2040.calibration
};

/// Robot whose wheels follow their duty with a lag, on a perfect floor.
struct Plant {
    robot: MotionController,
    speeds: [f64; 2],
    travel: [f64; 2],
    /// Position forward and to the right of the start, in millimetres.
    at: [f64; 2],
    /// Largest forward position so far.
    furthest: f64,
    counts: [i64; 2],
    turned: f64,
    duties: [i32; 2],
    /// Relative strength of each motor.
    strength: [f64; 2],
    /// Obstacle ahead of the front receiver's first position, in millimetres.
    obstacle: Option<f64>,
    /// Share of its distance at which it is sensed.
    sensed_at: f64,
    gyro_works: bool,
    /// Share of the wheels' travel by which the robot turns.
    grip: f64,
}

impl Plant {
    fn new() -> Self {
        Self::in_cells(180)
    }

    fn in_cells(mm: u16) -> Self {
        // It was put down straight.
        let mut robot = MotionController::new(&ZUMO2040, mm);
        let straight = Uncertainty {
            yaw_mdeg: 0,
            ..robot.uncertainty()
        };
        robot.estimator.place(Pose::default(), straight);
        Self {
            robot,
            speeds: [0.0; 2],
            travel: [0.0; 2],
            at: [0.0; 2],
            furthest: 0.0,
            counts: [0; 2],
            turned: 0.0,
            duties: [0; 2],
            strength: [1.0; 2],
            obstacle: None,
            sensed_at: 1.0,
            gyro_works: true,
            grip: 1.0,
        }
    }

    fn step(&mut self) -> ControlInput {
        let before = self.turned;
        for _ in 0..5 {
            for wheel in 0..2 {
                let duty = f64::from(self.duties[wheel]) / 1000.0;
                // Friction takes 3 %.
                let duty = duty.signum() * (duty.abs() - 0.03).max(0.0);
                let target =
                    duty * f64::from(CALIBRATION.motors.full_speed[wheel]) * self.strength[wheel];
                self.speeds[wheel] += (target - self.speeds[wheel]) / 60.0;
                self.travel[wheel] += self.speeds[wheel] / 1000.0;
            }
            let difference = self.speeds[0] - self.speeds[1];
            self.turned += self.grip * difference / 99.0 * 57_296.0 / 1000.0;
            let moved = (self.speeds[0] + self.speeds[1]) / 2000.0;
            let (sin, cos) = (self.turned / 57_296.0).sin_cos();
            self.at[0] += moved * cos;
            self.at[1] += moved * sin;
        }
        let mm_per_count = f64::from(CALIBRATION.nm_per_count) / 1e6;
        let wheels = [0, 1].map(|wheel| {
            let counts = (self.travel[wheel] / mm_per_count).floor() as i64;
            let moved = counts - core::mem::replace(&mut self.counts[wheel], counts);
            (moved * i64::from(CALIBRATION.nm_per_count) / 1000) as i32
        });
        let forward = self.forward();
        self.furthest = self.furthest.max(forward);
        let view = self.obstacle.map(|obstacle| {
            let distance = ((obstacle - forward) * self.sensed_at * 1000.0) as i32;
            let thresholds = [0, 49, 87, 126, 163, 202, 240].map(|mm| mm * 1000);
            let far = thresholds.iter().position(|&far| distance <= far);
            let nothing = Interval::beyond(thresholds[6]);
            let distances = Distances {
                front: Some(far.filter(|&far| far > 0).map_or(nothing, |far| Interval {
                    near: thresholds[far - 1],
                    far: thresholds[far],
                })),
                ..Distances::all(nothing)
            };
            WallView {
                distances,
                age_us: 0,
            }
        });
        ControlInput {
            us: 5_000,
            wheels,
            turned: self.gyro_works.then_some((self.turned - before) as i32),
            view,
        }
    }

    /// Makes one control step.
    fn control(&mut self) -> Result<Option<MotionResult>, Fault> {
        let input = self.step();
        let (duties, result) = self.robot.step(&input, &CALIBRATION)?;
        self.duties = duties.map_or([0; 2], |duties| duties.map(Duty::get));
        Ok(result)
    }

    /// Executes a command; returns its result and the number of control steps.
    fn run(&mut self, command: MotionCommand) -> Result<(MotionResult, u32), Fault> {
        self.robot.command(command, &CALIBRATION);
        self.finish()
    }

    /// Drives a route whose exits are all known at its start.
    fn drive(&mut self, exits: &[Exit]) -> Result<(MotionResult, u32), Fault> {
        for &exit in exits {
            self.leave(exit);
        }
        self.finish()
    }

    fn leave(&mut self, exit: Exit) {
        let command = MotionCommand::Leave(exit, SpeedLevel::Search);
        self.robot.command(command, &CALIBRATION);
    }

    fn finish(&mut self) -> Result<(MotionResult, u32), Fault> {
        for step in 0..2_000 {
            if let Some(result) = self.control()? {
                assert_eq!(self.duties, [0; 2], "at rest");
                return Ok((result, step));
            }
        }
        panic!("it does not end: {:?}", self.robot);
    }

    fn forward(&self) -> f64 {
        self.at[0]
    }

    /// Asserts that the robot stands at a place, in millimetres, with a heading in degrees.
    fn assert_at(&self, at: [f64; 2], heading: f64) {
        let [dx, dy] = [self.at[0] - at[0], self.at[1] - at[1]];
        assert!(dx.hypot(dy) < 6.0, "{:?}", self.at);
        let error = self.turned / 1000.0 - heading;
        assert!(error.abs() < 1.5, "{error}");
        assert!(self.robot.pose().forward_um.abs() < 5_000);
    }
}

/// Blocked a number of cells from the one with a number.
fn blocked(from: u8, cells: i8) -> MotionResult {
    MotionResult::Blocked(RouteEnd {
        from,
        quarters: 0,
        cells,
        may_have_touched: false,
    })
}

#[test]
fn a_straight_route_covers_its_cells() {
    let mut plant = Plant::new();
    let mut number = 0;
    for cells in [1, 1, 3, 8] {
        let from = plant.forward();
        let (result, steps) = plant.drive(&[Ahead; 8][..cells]).unwrap();
        number += cells as u8;
        assert_eq!(result, MotionResult::Done(number));
        let moved = plant.forward() - from;
        assert!((moved - 180.0 * cells as f64).abs() < 6.0, "{moved}");
        std::println!("{cells} cells: {moved:.1} mm in {} ms", steps * 5);
    }
    // Errors of one motion are corrected by the next.
    assert!(
        (plant.forward() - 13.0 * 180.0).abs() < 5.0,
        "{}",
        plant.forward()
    );
}

#[test]
fn a_route_with_turns_ends_in_the_centre_of_its_last_cell() {
    for (exits, at, heading) in [
        (&[Ahead, Right, Ahead][..], [180.0, 360.0], 90.0),
        (&[Ahead, Left, Ahead], [180.0, -360.0], -90.0),
        (&[Ahead, Right, Left, Right, Left], [540.0, 360.0], 0.0),
        (&[Ahead, Right, Right, Ahead], [-180.0, 180.0], 180.0),
        (&[Ahead, Right, Right, Right, Right], [180.0, 0.0], 360.0),
        // From rest, and back: in place.
        (&[Left, Ahead], [0.0, -360.0], -90.0),
        (&[Ahead, Ahead, Back, Ahead, Left], [0.0, 180.0], 90.0),
    ] {
        let mut plant = Plant::new();
        let (result, steps) = plant.drive(exits).unwrap();
        assert_eq!(result, MotionResult::Done(exits.len() as u8), "{exits:?}");
        std::println!("{exits:?}: {} ms", steps * 5);
        plant.assert_at(at, heading);
    }
}

#[test]
fn exits_that_come_while_the_robot_moves_keep_it_moving() {
    let mut plant = Plant::new();
    plant.leave(Ahead);
    let mut slowest: f64 = 1e9;
    for cell in 1..6_u8 {
        // Decided where the walls of the cell are known.
        while plant.robot.cell_number() < cell || plant.robot.pose().forward_um < -86_000 {
            assert_eq!(plant.control(), Ok(None));
            if cell > 1 {
                slowest = slowest.min(plant.speeds[0].min(plant.speeds[1]));
            }
        }
        plant.leave(Ahead);
    }
    assert!(slowest > 250.0, "{slowest}");
    assert_eq!(plant.finish().unwrap().0, MotionResult::Done(6));
}

#[test]
fn a_turn_that_is_decided_too_late_is_made_in_place() {
    let mut plant = Plant::new();
    plant.leave(Ahead);
    while plant.robot.cell_number() < 1 || plant.robot.pose().forward_um < -60_000 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant.leave(Right);
    let (result, _) = plant.finish().unwrap();
    assert_eq!(result, MotionResult::Done(2));
    plant.assert_at([180.0, 180.0], 90.0);
}

#[test]
fn without_an_exit_the_robot_stops_in_the_undecided_cell_whenever_that_was() {
    for exits in [
        &[Ahead][..],
        &[Ahead, Ahead, Ahead],
        &[Ahead, Right],
        &[Ahead, Left, Ahead],
    ] {
        let mut plant = Plant::new();
        let (result, _) = plant.drive(exits).unwrap();
        assert_eq!(result, MotionResult::Done(exits.len() as u8));
        // It never was further than its last cell.
        let most = 180.0 * exits.iter().take_while(|&&exit| exit == Ahead).count() as f64;
        assert!(plant.furthest < most + 6.0, "{exits:?}: {}", plant.furthest);
    }
}

#[test]
fn the_robot_can_stop_in_free_cells_at_every_control_step() {
    for exits in [&[Ahead; 8][..], &[Ahead, Right, Left, Ahead, Ahead, Left]] {
        let mut plant = Plant::new();
        exits.iter().for_each(|&exit| plant.leave(exit));
        while !plant.robot.is_at_rest() {
            plant.control().unwrap();
            let margin = plant.robot.stop_margin_um().unwrap_or(0);
            assert!(margin > -2_500, "{margin}: {:?}", plant.robot);
        }
    }
    // Exits that vanish break it.
    let mut plant = Plant::new();
    (0..8).for_each(|_| plant.leave(Ahead));
    while plant.speeds[0] < 450.0 || plant.robot.pose().forward_um < 0 {
        plant.control().unwrap();
    }
    plant.robot.route = Route::default();
    assert!(plant.robot.stop_margin_um().unwrap() < -2_500);
}

#[test]
fn only_a_robot_with_calibrated_walls_drives_at_full_speed() {
    for (calibration, level) in [
        (ZUMO2040.calibration, SpeedLevel::Careful),
        (CALIBRATION, SpeedLevel::Search),
    ] {
        let mut plant = Plant::new();
        for _ in 0..4 {
            let command = MotionCommand::Leave(Ahead, SpeedLevel::Search);
            plant.robot.command(command, &calibration);
        }
        let mut top: f64 = 0.0;
        while !plant.robot.is_at_rest() {
            plant.control().unwrap();
            top = top.max(plant.speeds[0]);
        }
        let limit = f64::from(ZUMO2040.limits(level).straight_mm_s);
        assert!((0.95 * limit..1.1 * limit).contains(&top), "{limit}: {top}");
    }
}

#[test]
fn a_route_is_as_long_as_its_cells() {
    for mm in [168, 180, 250] {
        let mut plant = Plant::in_cells(mm);
        let side = f64::from(mm);
        // The wall behind the second cell is no obstacle, and corrects nothing.
        plant.obstacle = Some(2.5 * side - 6.0 - 45.0);
        let (result, _) = plant.drive(&[Ahead, Ahead]).unwrap();
        assert_eq!(result, MotionResult::Done(2), "{mm}");
        let error = plant.forward() - 2.0 * side;
        assert!(error.abs() < 5.0, "{mm}: {error}");
        let mut plant = Plant::in_cells(mm);
        plant.drive(&[Ahead, Right, Left]).unwrap();
        plant.assert_at([2.0 * side, side], 0.0);
    }
}

#[test]
fn turns_cover_their_angle_and_rotate_the_frame() {
    let mut plant = Plant::new();
    let mut heading = 0.0;
    for quarters in [1, -1, 2, -1, -1] {
        let (result, steps) = plant.run(MotionCommand::Turn(quarters)).unwrap();
        assert_eq!(result, MotionResult::Done(0));
        heading += 90_000.0 * f64::from(quarters);
        let error = plant.turned - heading;
        assert!(error.abs() < 1_500.0, "{error}");
        assert!(plant.robot.pose().yaw_mdeg.abs() < 1_500);
        std::println!("{quarters} quarters: off by {error:.0} in {} ms", steps * 5);
    }
}

#[test]
fn a_robot_off_the_centre_returns_to_it_before_a_turn() {
    for off_mm in [20, -20] {
        let mut plant = Plant::new();
        let pose = Pose {
            forward_um: off_mm * 1000,
            ..Pose::default()
        };
        let place = MotionCommand::Place(180, pose, plant.robot.uncertainty());
        plant.robot.command(place, &CALIBRATION);
        plant.run(MotionCommand::Turn(1)).unwrap();
        plant.assert_at([-f64::from(off_mm), 0.0], 90.0);
    }
}

#[test]
fn a_route_does_not_end_before_the_centre_while_the_robot_is_held() {
    let mut plant = Plant::new();
    plant.leave(Ahead);
    while plant.forward() < 160.0 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant.strength = [0.0; 2];
    for _ in 0..100 {
        assert_eq!(plant.control(), Ok(None));
    }
    assert!(plant.forward() < 176.0, "{}", plant.forward());
    plant.strength = [1.0; 2];
    assert_eq!(plant.finish().unwrap().0, MotionResult::Done(1));
    assert!((plant.forward() - 180.0).abs() < 6.0, "{}", plant.forward());
}

#[test]
fn unequal_motors_still_drive_straight() {
    let mut plant = Plant::new();
    plant.strength = [0.85, 1.0];
    for _ in 0..5 {
        plant.drive(&[Ahead]).unwrap();
    }
    assert!(plant.turned.abs() < 1_500.0, "{}", plant.turned);
    assert!((plant.forward() - 900.0).abs() < 6.0, "{}", plant.forward());
}

#[test]
fn an_obstacle_in_the_next_cell_sends_the_robot_back() {
    let mut plant = Plant::new();
    plant.obstacle = Some(120.0);
    let (result, _) = plant.drive(&[Ahead]).unwrap();
    assert_eq!(result, blocked(0, 0));
    assert!(plant.forward().abs() < 4.0, "{}", plant.forward());
}

#[test]
fn an_obstacle_that_appears_behind_half_a_cell_sends_the_robot_back() {
    let mut plant = Plant::new();
    plant.leave(Ahead);
    while plant.forward() < 90.0 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant.obstacle = Some(190.0);
    let (result, _) = plant.finish().unwrap();
    // It was in the frame of the next cell already.
    assert_eq!(result, blocked(1, -1));
    // What is ahead may have been a wall, and moved the estimate by 12 mm.
    assert!(plant.forward().abs() < 16.0, "{}", plant.forward());
}

#[test]
fn a_robot_that_may_be_off_the_centre_turns_slowly() {
    let ms = |prepare: fn(&mut PoseEstimator)| {
        let mut plant = Plant::new();
        prepare(&mut plant.robot.estimator);
        plant.run(MotionCommand::Turn(1)).unwrap().1 * 5
    };
    let sure = ms(|_| ());
    // Back and forth without a wall in view.
    let uncertain = ms(|estimator| {
        for _ in 0..30 {
            for um in [50_000, -50_000] {
                estimator.integrate([um; 2], 0, 5_000);
            }
        }
    });
    let beside = ms(|estimator| {
        for (um, turned) in [(0, 90_000), (10_000, 0), (0, -90_000)] {
            estimator.integrate([um; 2], turned, 5_000);
        }
    });
    assert!(
        sure < 1_500 && uncertain > 2_500 && beside > 2_500,
        "{sure} {uncertain} {beside}"
    );
}

#[test]
fn a_wheel_that_runs_away_in_a_slow_turn_is_noticed_within_six_degrees() {
    let mut plant = Plant::new();
    let new = ZUMO2040.calibration;
    plant.robot.command(MotionCommand::Turn(1), &new);
    let mut planned = 0;
    let result = loop {
        let mut input = plant.step();
        // The left encoder is dead.
        input.wheels[0] = 0;
        planned += CAREFUL_TURN_SPEED / 200;
        match plant.robot.step(&input, &new) {
            Ok((_, Some(result))) => break result,
            Ok((duties, None)) => plant.duties = duties.unwrap().map(Duty::get),
            Err(fault) => panic!("{fault:?}"),
        }
    };
    let excess = plant.turned - f64::from(planned);
    assert!(
        result == MotionResult::Lost(Fault::Slip) && excess < 6_000.0,
        "{result:?} {excess}"
    );
}

#[test]
fn a_robot_that_does_not_know_its_place_creeps_without_regard_to_walls() {
    let mut plant = Plant::new();
    let lost = Uncertainty {
        forward_um: 150_000,
        ..plant.robot.uncertainty()
    };
    let place = MotionCommand::Place(180, Pose::default(), lost);
    plant.robot.command(place, &CALIBRATION);
    // A wall ahead, which may be one of any cell.
    plant.obstacle = Some(120.0);
    for _ in 0..20 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant
        .robot
        .command(MotionCommand::Creep(90_000), &CALIBRATION);
    let mut top = 0;
    let result = loop {
        if let Some(result) = plant.control().unwrap() {
            break result;
        }
        top = top.max(plant.robot.speed());
    };
    assert_eq!(result, MotionResult::Done(0));
    assert!((plant.forward() - 90.0).abs() < 4.0, "{}", plant.forward());
    assert!((30_000..=50_000).contains(&top), "{top}");
    assert!(plant.robot.uncertainty().forward_um >= 150_000);
}

#[test]
fn a_dazzled_receiver_stops_the_robot() {
    let mut plant = Plant::new();
    plant.leave(Ahead);
    for _ in 0..30 {
        assert_eq!(plant.control(), Ok(None));
    }
    let from = plant.forward();
    let view = WallView {
        distances: Distances {
            front: None,
            ..Distances::all(Interval::beyond(240_000))
        },
        age_us: 0,
    };
    let mut results = (0..400).filter_map(|_| {
        let mut input = plant.step();
        input.view = Some(view);
        let (duties, result) = plant.robot.step(&input, &CALIBRATION).unwrap();
        plant.duties = duties.map_or([0; 2], |duties| duties.map(Duty::get));
        result
    });
    assert_eq!(results.next(), Some(blocked(0, 0)));
    assert!(plant.furthest < from + 40.0, "{}", plant.furthest);
}

#[test]
fn wheels_that_slip_lose_the_pose_and_stop() {
    let mut plant = Plant::new();
    for _ in 0..3 {
        plant.leave(Ahead);
    }
    for _ in 0..80 {
        assert_eq!(plant.control(), Ok(None));
    }
    // The left track loses its grip: the gyro turns, the wheels do not.
    let mut lost = (0..100).filter_map(|_| {
        let mut input = plant.step();
        input.turned = input.turned.map(|turned| turned - 250);
        plant.robot.step(&input, &CALIBRATION).unwrap().1
    });
    assert_eq!(lost.next(), Some(MotionResult::Lost(Fault::Slip)));
    assert!(plant.robot.is_at_rest());
}

#[test]
fn an_obstacle_far_ahead_shortens_a_long_route() {
    for ahead in (150..1200).step_by(7) {
        let mut plant = Plant::new();
        plant.obstacle = Some(f64::from(ahead));
        // Cells the robot fits into: its front receiver is 45 mm ahead of its centre.
        let free = f64::from(ahead + 45 - 49) / 180.0;
        let (result, _) = plant.drive(&[Ahead; 8]).unwrap();
        let cells = match result {
            MotionResult::Stopped(end) => i32::from(end.from) + i32::from(end.cells),
            MotionResult::Blocked(end) => {
                let cells = i32::from(end.from) + i32::from(end.cells);
                let next = f64::from(cells) + 1.0;
                // Within the margin of an obstacle, too.
                assert!(free < next + 0.14, "{ahead}: cell {next} is free");
                cells
            }
            MotionResult::Done(_) | MotionResult::Lost(_) => panic!("{ahead}: {result:?}"),
        };
        assert!(f64::from(cells) <= free, "{ahead}: {cells}");
        let error = plant.forward() - 180.0 * f64::from(cells);
        assert!(error.abs() < 30.0, "{ahead}: {error}");
        // It was never touched.
        assert!(
            plant.furthest < f64::from(ahead) - 4.0,
            "{ahead}: {}",
            plant.furthest
        );
        assert_eq!(i32::from(plant.robot.cell_number()), cells);
    }
}

#[test]
fn a_route_shortened_in_time_ends_without_backing_up() {
    let mut plant = Plant::new();
    // In the fifth cell ahead; the fourth is free.
    plant.obstacle = Some(880.0);
    let (result, _) = plant.drive(&[Ahead; 8]).unwrap();
    assert!(matches!(result, MotionResult::Stopped(_)), "{result:?}");
    let (forward, furthest) = (plant.forward(), plant.furthest);
    assert!((forward - 720.0).abs() < 6.0, "{forward}");
    assert!(furthest < forward + 3.0, "it backed up from {furthest}");
}

#[test]
fn an_obstacle_after_a_turn_in_place_is_told_with_the_turn() {
    let mut plant = Plant::new();
    plant.leave(Right);
    while plant.at[1] < 30.0 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant.obstacle = Some(60.0);
    let end = RouteEnd {
        from: 0,
        quarters: 1,
        cells: 0,
        may_have_touched: false,
    };
    assert_eq!(plant.finish().unwrap().0, MotionResult::Blocked(end));
    assert_eq!(plant.robot.quarters(), 0);
}

#[test]
fn a_robot_that_pushes_against_an_obstacle_says_that_it_may_have_touched_it() {
    let mut plant = Plant::new();
    for _ in 0..3 {
        plant.leave(Ahead);
    }
    while plant.forward() < 250.0 {
        assert_eq!(plant.control(), Ok(None));
    }
    // Its tracks slip, and it is right ahead all the time.
    let mut result = None;
    while result.is_none() {
        plant.obstacle = Some(plant.forward() + 5.0);
        result = plant.control().unwrap();
    }
    let (Some(MotionResult::Blocked(end)) | Some(MotionResult::Stopped(end))) = result else {
        panic!("{result:?}");
    };
    assert!(end.may_have_touched, "{end:?}");
}

/// Uncertainty of a position, in millimetres.
fn uncertain(mm: i32) -> Uncertainty {
    Uncertainty {
        forward_um: 1_000 * mm,
        lateral_um: 1_000 * mm,
        yaw_mdeg: 0,
    }
}

#[test]
fn half_of_the_travel_lost_to_slip_is_noticed_in_a_slow_turn() {
    let turn = |grip: f64| {
        let mut plant = Plant::new();
        plant.robot.estimator.place(Pose::default(), uncertain(40));
        plant.grip = grip;
        plant.run(MotionCommand::Turn(1)).unwrap().0
    };
    assert_eq!(turn(0.5), MotionResult::Lost(Fault::Slip));
    assert_eq!(turn(0.8), MotionResult::Done(0), "tracks scrub");
}

#[test]
fn a_robot_that_was_lost_turns_slowly_while_it_is_uncertain() {
    let steps = |mm: i32| {
        let mut plant = Plant::new();
        let place = MotionCommand::Place(180, Pose::default(), uncertain(mm));
        plant.robot.command(place, &CALIBRATION);
        plant.run(MotionCommand::Turn(1)).unwrap().1
    };
    // A quarter turn at 33 degrees/s takes 2.7 s.
    assert!(steps(20) > 540);
    assert!(steps(10) < 200);
}

#[test]
fn exits_are_dropped_after_an_obstacle_until_they_are_accepted_again() {
    let mut plant = Plant::new();
    plant.obstacle = Some(120.0);
    plant.drive(&[Ahead]).unwrap();
    plant.obstacle = None;
    plant.leave(Ahead);
    assert!(
        plant.robot.is_at_rest(),
        "sent before the obstacle was known"
    );
    plant
        .robot
        .command(MotionCommand::AcceptExits, &CALIBRATION);
    let (result, _) = plant.drive(&[Ahead]).unwrap();
    assert_eq!(result, MotionResult::Done(1));
}

#[test]
fn the_wall_behind_the_destination_is_no_obstacle() {
    let mut plant = Plant::new();
    plant.obstacle = Some(180.0 + 39.0);
    let (result, _) = plant.drive(&[Ahead]).unwrap();
    assert_eq!(result, MotionResult::Done(1));
}

#[test]
fn a_bright_wall_behind_the_destination_is_no_obstacle() {
    for sensed_at in [0.85, 1.15] {
        let mut plant = Plant::new();
        (plant.obstacle, plant.sensed_at) = (Some(180.0 + 39.0), sensed_at);
        let (result, _) = plant.drive(&[Ahead]).unwrap();
        assert_eq!(result, MotionResult::Done(1), "{sensed_at}");
    }
}

#[test]
fn a_robot_far_off_the_middle_stops_instead_of_a_smooth_turn() {
    for (lateral_um, is_smooth) in [(0, true), (10_000, true), (20_000, false)] {
        let mut plant = Plant::new();
        let uncertainty = plant.robot.uncertainty();
        for exit in [Ahead, Right, Ahead] {
            plant.leave(exit);
        }
        while plant.forward() < 90.0 {
            assert_eq!(plant.control(), Ok(None));
        }
        let mut pose = plant.robot.pose();
        // So wide that it does not get back to the middle before.
        pose.lateral_um = lateral_um;
        let wide = Uncertainty {
            lateral_um: 20_000,
            ..uncertainty
        };
        plant.robot.estimator.place(pose, wide);
        let mut least = i32::MAX;
        while plant.robot.cell_number() < 2 {
            assert_eq!(plant.control(), Ok(None));
            least = least.min(plant.robot.speed());
        }
        assert_eq!(least > 0, is_smooth, "{lateral_um}");
    }
}

#[test]
fn a_robot_that_becomes_certain_of_its_position_speeds_up_at_once() {
    let mut plant = Plant::new();
    let certain = plant.robot.uncertainty();
    let unsure = Uncertainty {
        lateral_um: UNSURE_UM + 1_000,
        ..certain
    };
    plant.robot.estimator.place(Pose::default(), unsure);
    for _ in 0..4 {
        plant.leave(Ahead);
    }
    let top = |plant: &mut Plant| {
        let speeds = (0..60).map(|_| {
            assert_eq!(plant.control(), Ok(None));
            plant.robot.speed()
        });
        speeds.max().unwrap()
    };
    assert_eq!(top(&mut plant), 100_000);
    let pose = plant.robot.pose();
    plant.robot.estimator.place(pose, certain);
    assert!(top(&mut plant) > 200_000);
}

#[test]
fn a_wall_ahead_corrects_odometry() {
    let mut plant = Plant::new();
    // The robot stands 15 mm behind its estimate.
    plant.obstacle = Some(180.0 + 39.0 + 15.0);
    plant.drive(&[Ahead]).unwrap();
    let estimate = f64::from(plant.robot.pose().forward_um) / 1000.0;
    let error = plant.forward() - 195.0 - estimate;
    assert!(error.abs() < 5.0, "{error}");
}

#[test]
fn a_blocked_wheel_is_a_stall() {
    for strength in [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
        for command in [
            MotionCommand::Leave(Ahead, SpeedLevel::Search),
            MotionCommand::Turn(1),
        ] {
            let mut plant = Plant::new();
            plant.strength = strength;
            let fault = plant.run(command).unwrap_err();
            assert_eq!(fault, Fault::Stall, "{strength:?} {command:?}");
        }
    }
}

#[test]
fn wheel_odometry_replaces_a_missing_gyro() {
    let mut plant = Plant::new();
    plant.gyro_works = false;
    plant.run(MotionCommand::Turn(1)).unwrap();
    assert!((plant.turned - 90_000.0).abs() < 2_000.0);
}

#[test]
fn an_aborted_motion_ends_at_once_without_a_result() {
    for command in [
        MotionCommand::Leave(Ahead, SpeedLevel::Search),
        MotionCommand::Turn(2),
    ] {
        let mut plant = Plant::new();
        plant.robot.command(command, &CALIBRATION);
        for _ in 0..80 {
            assert_eq!(plant.control(), Ok(None));
        }
        assert_ne!(plant.duties, [0; 2], "{command:?}");
        plant.robot.abort();
        assert!(plant.robot.is_at_rest());
        assert_eq!(plant.control(), Ok(None), "{command:?}");
        assert_eq!(plant.duties, [0; 2], "{command:?}");
    }
}

#[test]
fn reset_puts_the_pose_into_the_centre_of_the_cell() {
    let mut plant = Plant::new();
    plant.robot.command(
        MotionCommand::Leave(Ahead, SpeedLevel::Search),
        &CALIBRATION,
    );
    for _ in 0..100 {
        assert_eq!(plant.control(), Ok(None));
    }
    plant.robot.abort();
    assert!(plant.robot.pose().forward_um.abs() > CENTER_TOLERANCE_UM);
    plant.robot.command(MotionCommand::Reset(180), &CALIBRATION);
    assert_eq!(plant.robot.pose(), Pose::default());
    assert!(plant.robot.is_at_rest());
}

#[test]
fn a_robot_that_was_reset_does_not_back_up_before_a_turn() {
    let shift = |robot: &mut MotionController| {
        // 10 mm to the right, at ten degrees.
        for (travel, turned) in [(0, 10_000), (57_600, 0), (0, -10_000), (-57_600, 0)] {
            robot.estimator.integrate([travel, travel], turned, 5_000);
        }
        assert!(robot.pose().lateral_um > LATERAL_TOLERANCE_UM);
    };
    let mut plant = Plant::new();
    plant.drive(&[Ahead]).unwrap();
    let mut robot = plant.robot;
    shift(&mut robot);
    let mut copy = robot;
    copy.command(MotionCommand::Turn(1), &CALIBRATION);
    assert_eq!(copy.direction(), -1, "it came from there");

    robot.command(MotionCommand::Reset(180), &CALIBRATION);
    shift(&mut robot);
    robot.command(MotionCommand::Turn(1), &CALIBRATION);
    assert_eq!(robot.direction(), 0, "what is behind it is not known");
}

/// Seconds of a profile.
fn seconds(mut profile: VelocityProfile) -> f64 {
    let mut steps = 0;
    while !profile.is_done() {
        profile.step(5_000);
        steps += 1;
    }
    0.005 * f64::from(steps)
}

/// Profile from rest to a speed.
fn departure(length: i32, limits: SpeedLimits) -> VelocityProfile {
    let top = limits.straight_mm_s * 1000;
    let mut profile = VelocityProfile::new(length, top, limits.acceleration_mm_s2 * 1000);
    assert!(profile.retarget(length, limits.turn_mm_s * 1000));
    profile
}

#[test]
fn turning_in_a_dead_end_is_faster_than_backing_out_of_it() {
    let turn = ZUMO2040.turn;
    let search = ZUMO2040.limits(SpeedLevel::Search);
    let pivot = |mdeg| seconds(VelocityProfile::new(mdeg, TURN_SPEED, TURN_ACCELERATION));
    let arc = f64::from(turn.length_um()) / 1000.0 / f64::from(search.turn_mm_s);
    for cells in 1..=4 {
        let um = 180_000 * cells;
        // Both leave the first cell with another exit by it, at the speed of smooth turns.
        let turned = pivot(180_000) + seconds(departure(um - turn.entry_um(), search)) + arc;
        let backed = |limits: SpeedLimits| {
            let acceleration = limits.acceleration_mm_s2 * 1000;
            let back = VelocityProfile::new(um, limits.straight_mm_s * 1000, acceleration);
            seconds(back) + pivot(90_000) + seconds(departure(turn.entry_um(), search))
        };
        // As fast as the robot moves without sensing what is ahead of it.
        let loss = backed(POSITIONING) - turned;
        assert!(loss > 0.2, "{cells}: {loss}");
        // As if it sensed what is behind it.
        let gain = turned - backed(search);
        assert!((0.2..0.4).contains(&gain), "{cells}: {gain}");
    }
}
