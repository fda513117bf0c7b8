//! Claims about the physics model.

use planner_core::{Cell, Side};
use rand::RngExt;
use sim::{
    physics::{
        drivetrain::{Drivetrain, STEP},
        floor::Floor,
        geometry::Pose,
        model::PhysicsModel,
        parameters::{self, FRONT_RECEIVER, PER_COUNT, SIDE_RECEIVER},
        proximity::Leds,
        tolerances::{Setting, Tolerances},
    },
    world::{Maze, rng},
};

const SECOND: u64 = 1_000_000;

/// Robot in the south-west corner of a large floor, facing north.
fn model(tolerances: Tolerances, seed: u64) -> PhysicsModel {
    let floor = Floor::new(Maze::open(20, 20).unwrap());
    PhysicsModel::new(floor, Cell::new(0, 19), Side::North, tolerances, seed)
}

/// Drives with a duty until an instant, in seconds.
fn drive(model: &mut PhysicsModel, duty: [i32; 2], until: u64) {
    model.set_duty(duty);
    model.advance(until * SECOND);
}

/// Ideal robot that has driven with a duty for some seconds.
fn driven(duty: [i32; 2], seconds: u64) -> PhysicsModel {
    driven_with(&[], duty, seconds)
}

/// The same with some tolerances.
fn driven_with(set: &[&str], duty: [i32; 2], seconds: u64) -> PhysicsModel {
    let mut model = with(set);
    drive(&mut model, duty, seconds);
    model
}

/// Tolerances that are not ideal.
fn tolerances(set: &[&str]) -> Tolerances {
    let mut is = Tolerances::none();
    for setting in set {
        setting.parse::<Setting>().unwrap().apply(&mut is);
    }
    is
}

/// Robot with some tolerances in the corner of a large floor.
fn with(set: &[&str]) -> PhysicsModel {
    model(tolerances(set), 1)
}

/// Robot facing north in a cell of a floor with walls.
fn among(walls: Maze, cell: Cell, tolerances: Tolerances) -> PhysicsModel {
    PhysicsModel::new(Floor::new(walls), cell, Side::North, tolerances, 1)
}

/// The same without walls inside.
fn in_the_open((width, height): (usize, usize), cell: Cell, is: Tolerances) -> PhysicsModel {
    among(Maze::open(width, height).unwrap(), cell, is)
}

/// Travel by the left encoder.
fn counted(model: &PhysicsModel) -> f64 {
    f64::from(model.drivetrain().counts()[0]) * PER_COUNT
}

fn turned(model: &PhysicsModel) -> f64 {
    model.drivetrain().pose().heading.to_degrees()
}

/// Distance from the start.
fn travel(model: &PhysicsModel) -> f64 {
    let [x, y] = model.floor().middle(Cell::new(0, 19));
    let [to_x, to_y] = model.drivetrain().pose().at;
    f64::hypot(to_x - x, to_y - y)
}

#[test]
fn a_straight_motion_covers_the_distance_of_its_duty() {
    let mut model = driven([300, 300], 5);
    // Friction takes 3 %, the voltage sags by 150 mV, and the start takes the motors' lag.
    let speed = 860.0 * (0.3 - 0.03) / 0.97 * (6000.0 - 150.0) / 6000.0;
    assert!(
        (travel(&model) - speed * (5.0 - 0.06)).abs() < 2.0,
        "{}",
        travel(&model)
    );
    assert_eq!(turned(&model), 0.0);
    drive(&mut model, [0, 0], 6);
    let stopped = travel(&model);
    model.advance(7 * SECOND);
    assert!(travel(&model) - stopped < 0.001);
}

#[test]
fn a_duty_below_friction_moves_nothing() {
    let model = driven([29, -29], 1);
    assert_eq!((travel(&model), turned(&model)), (0.0, 0.0));
}

#[test]
fn a_turn_in_place_is_clockwise_and_stays_in_place() {
    let mut model = driven([150, -150], 1);
    assert!(turned(&model) > 90.0, "{}", turned(&model));
    assert!(travel(&model) < 1e-6);
    drive(&mut model, [-150, 150], 2);
    assert!(turned(&model).abs() < 10.0);
}

#[test]
fn encoders_agree_with_the_travel() {
    let mut model = driven([400, 400], 3);
    let counts = model.drivetrain().counts();
    let measured = counted(&model);
    assert!(
        (measured - travel(&model)).abs() < 0.001 * travel(&model),
        "{measured}"
    );
    assert_eq!(counts[0], counts[1]);
    drive(&mut model, [-400, -400], 7);
    assert!(model.drivetrain().counts()[0] < 0);
}

#[test]
fn the_integrated_gyro_agrees_with_the_heading_within_its_drift() {
    for seed in 0..20 {
        let is = Tolerances::drawn(&mut rng::seeded(seed));
        let drivetrain = Drivetrain::new(is, Pose::default(), rng::seeded(seed));
        let mut drivetrain = drivetrain;
        let mut measured = 0.0;
        for step in 0..20_000 {
            // Alternating.
            let power = if step / 2000 % 2 == 0 { 0.2 } else { -0.2 };
            drivetrain.step([power, -power], |_, to| to);
            measured += f64::from(drivetrain.gyro()) / 1000.0 * STEP;
        }
        let truth = drivetrain.pose().heading.to_degrees();
        // Bias for 20 s; the rest is drift, 0.3 % of the turns, rounding and noise.
        let error = measured - truth - is.gyro_bias_dps * 20.0;
        assert!(error.abs() < 3.0, "seed {seed}: {error}");
        assert!(is.gyro_bias_dps.abs() > 0.001);
    }
}

#[test]
fn scrubbing_tracks_turn_less_than_the_wheels() {
    let turned_by = |set: &[&str]| turned(&driven_with(set, [150, -150], 1));
    let ratio = turned_by(&[]) / turned_by(&["track=1.1"]);
    assert!((ratio - 1.1).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_quarter_turn_moves_the_centre_by_about_a_millimetre() {
    let is = tolerances(&["scrub=1"]);
    let moved: Vec<f64> = (0..200)
        .map(|seed| {
            let mut model = model(is, seed);
            model.set_duty([150, -150]);
            while turned(&model) < 90.0 {
                model.advance(model.now() + 1000);
            }
            travel(&model)
        })
        .collect();
    let rms = (moved.iter().map(|mm| mm * mm).sum::<f64>() / 200.0).sqrt();
    assert!((0.4..1.6).contains(&rms), "{rms}");
    assert!(moved.iter().all(|&mm| mm < 5.0));
}

#[test]
fn slip_reduces_travel_but_not_encoder_counts() {
    let mut model = model(Tolerances::none(), 1);
    model.drivetrain_mut().set_slip([0.5, 0.5]);
    drive(&mut model, [300, 300], 3);
    let measured = counted(&model);
    assert!((travel(&model) / measured - 0.5).abs() < 0.001);
}

#[test]
fn the_battery_sags_under_load_and_drains_with_use() {
    let mut model = model(Tolerances::none(), 1);
    model.advance(1000);
    let fresh = model.drivetrain().battery_mv();
    drive(&mut model, [1000, -1000], 60);
    let loaded = model.drivetrain().battery_mv();
    drive(&mut model, [0, 0], 61);
    let rested = model.drivetrain().battery_mv();
    assert!(loaded < rested - 400.0 && rested < fresh - 10.0 && rested > fresh - 30.0);
}

/// Robot whose front receiver is at a distance from a wall ahead, turned by some degrees.
fn facing(distance: f64, degrees: f64) -> PhysicsModel {
    let is = Tolerances {
        initial_offset_mm: [264.0 - FRONT_RECEIVER - distance, 0.0],
        initial_yaw_deg: degrees,
        ..Tolerances::none()
    };
    in_the_open((9, 9), Cell::new(4, 1), is)
}

/// Narrowest pulse that the front receiver detects, by the left LEDs, in nanoseconds.
fn front_threshold(distance: f64, degrees: f64) -> f64 {
    facing(distance, degrees).pulse_thresholds()[1][0]
}

#[test]
fn a_wall_twice_as_far_needs_pulses_four_times_as_wide() {
    for distance in [20.0, 40.0, 80.0, 120.0] {
        let ratio = front_threshold(2.0 * distance, 0.0) / front_threshold(distance, 0.0);
        assert!((ratio - 4.0).abs() < 1e-6, "{distance} mm: {ratio}");
    }
    let reference = front_threshold(parameters::FRONT_RANGE, 0.0);
    assert!((reference - parameters::REFERENCE_PULSE_NS).abs() < 1.0);
}

#[test]
fn a_burst_is_detected_from_the_threshold_on() {
    let mut model = facing(100.0, 0.0);
    let [_, [left, right], _] = model.pulse_thresholds();
    for (leds, threshold) in [(Leds::Left, left), (Leds::Right, right)] {
        for (width, is_detected) in [(threshold - 1.0, false), (threshold + 1.0, true)] {
            let [_, front, _] = model.burst(leds, width);
            assert_eq!(front, is_detected, "{leds:?} {width}");
        }
    }
}

#[test]
fn a_side_receiver_detects_its_own_leds_further_than_the_others() {
    for offset in [-30.0, 0.0, 30.0] {
        let is = Tolerances {
            initial_offset_mm: [0.0, offset],
            ..Tolerances::none()
        };
        let mut walls = Maze::open(9, 9).unwrap();
        walls.set_wall(Cell::new(4, 4), Side::West, true);
        walls.set_wall(Cell::new(4, 4), Side::East, true);
        let [left, _, right] = among(walls, Cell::new(4, 4), is).pulse_thresholds();
        // Thresholds grow with the square of the distance, which is 84 mm from the centre.
        for (thresholds, away) in [
            ([left[0], left[1]], offset),
            ([right[1], right[0]], -offset),
        ] {
            let distance = 84.0 - SIDE_RECEIVER + away;
            let ranges = [parameters::OWN_RANGE, parameters::CROSS_RANGE];
            for (threshold, range) in thresholds.into_iter().zip(ranges) {
                let expected = parameters::REFERENCE_PULSE_NS * (distance / range).powi(2);
                assert!((threshold / expected - 1.0).abs() < 1e-6, "{offset}");
            }
        }
    }
}

#[test]
fn a_wall_at_an_angle_needs_wider_pulses() {
    assert!(front_threshold(119.0, 50.0) > 1.2 * front_threshold(119.0, 0.0));
}

#[test]
fn without_a_wall_no_pulse_is_detected() {
    let mut model = in_the_open((9, 9), Cell::new(4, 4), Tolerances::none());
    for thresholds in model.pulse_thresholds() {
        assert!(thresholds.iter().all(|&ns| ns > parameters::CARRIER_NS));
    }
}

#[test]
fn a_range_factor_applies_to_its_own_receiver_or_leds() {
    let thresholds = |set: &[&str]| {
        let mut walls = Maze::open(3, 3).unwrap();
        for side in Side::ALL {
            walls.set_wall(Cell::new(1, 1), side, true);
        }
        among(walls, Cell::new(1, 1), tolerances(set)).pulse_thresholds()
    };
    let ideal = thresholds(&[]);
    // A range of `factor` needs a `factor` squared-th of the light.
    let factors = |set: &[&str]| {
        let changed = thresholds(set);
        [0, 1, 2].map(|r: usize| [0, 1].map(|l: usize| (ideal[r][l] / changed[r][l]).sqrt()))
    };
    let close = |is: [[f64; 2]; 3], expected: [[f64; 2]; 3]| {
        let pairs = is.as_flattened().iter().zip(expected.as_flattened());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-6), "{is:?}");
    };
    close(
        factors(&["reflectance.front=2"]),
        [[1.0; 2], [2.0; 2], [1.0; 2]],
    );
    close(factors(&["light.right=0.5"]), [[1.0, 0.5]; 3]);
    close(factors(&["wall=0.8", "light.left=1.5"]), [[1.2, 0.8]; 3]);
}

#[test]
fn ambient_light_reduces_the_range_and_varies_over_the_floor() {
    let is = tolerances(&["ambient=0.2"]);
    let ratios: Vec<f64> = (0..9)
        .map(|x| {
            let threshold = |is| in_the_open((9, 1), Cell::new(x, 0), is).pulse_thresholds()[1][0];
            (threshold(Tolerances::none()) / threshold(is)).sqrt()
        })
        .collect();
    assert!(
        ratios.iter().all(|r| (0.799..=1.0).contains(r)),
        "{ratios:?}"
    );
    let spread = ratios.iter().fold(0.0_f64, |a, &b| a.max(b))
        - ratios.iter().fold(1.0_f64, |a, &b| a.min(b));
    assert!(spread > 0.05, "{ratios:?}");
}

#[test]
fn walls_differ_in_range_and_each_keeps_its_own() {
    let is = tolerances(&["wall_variation=0.1"]);
    let threshold = |x| in_the_open((9, 1), Cell::new(x, 0), is).pulse_thresholds()[1][0];
    let all: Vec<f64> = (0..9).map(threshold).collect();
    assert_eq!(all, (0..9).map(threshold).collect::<Vec<_>>());
    assert!(
        all.iter().any(|&ns| (ns / all[0] - 1.0).abs() > 0.02),
        "{all:?}"
    );
}

#[test]
fn a_standing_wheel_starts_at_the_stiction_and_then_turns_with_less() {
    let mut model = with(&["stiction=0.15", "friction=0.05"]);
    drive(&mut model, [149, 149], 1);
    assert_eq!(travel(&model), 0.0);
    drive(&mut model, [160, 160], 2);
    drive(&mut model, [100, 100], 3);
    let before = travel(&model);
    model.advance(4 * SECOND);
    assert!(travel(&model) - before > 30.0, "kinetic friction is less");
    drive(&mut model, [0, 0], 5);
    let stopped = travel(&model);
    model.advance(6 * SECOND);
    assert_eq!(travel(&model), stopped, "friction stops the wheels");
}

#[test]
fn a_turn_in_place_has_more_friction_than_a_straight_motion() {
    let turned_by = |set: &[&str]| turned(&driven_with(set, [120, -120], 1));
    assert!(turned_by(&["pivot_friction=0.05"]) < 0.6 * turned_by(&[]));
    let straight = |set: &[&str]| travel(&driven_with(set, [300, 300], 1));
    assert_eq!(straight(&["pivot_friction=0.05"]), straight(&[]));
}

#[test]
fn tracks_spin_beyond_the_traction() {
    let mut model = with(&["traction=0.1"]);
    model.set_duty([1000, 1000]);
    model.advance(SECOND / 5);
    // 0.981 m/s² for a fifth of a second.
    assert!((travel(&model) - 19.6).abs() < 1.0, "{}", travel(&model));
    assert!(counted(&model) > 3.0 * travel(&model));
}

#[test]
fn a_fast_curve_runs_wide_beyond_the_traction() {
    let rate = |traction: &str| {
        let mut model = in_the_open((20, 20), Cell::new(10, 10), tolerances(&[traction]));
        drive(&mut model, [900, 500], 1);
        let before = turned(&model);
        model.advance(SECOND + SECOND / 10);
        (turned(&model) - before) * 10.0
    };
    // About 570 mm/s by 3.3 rad/s are 1.9 m/s².
    assert!(rate("traction=0.8") > 1.5 * rate("traction=0.1"));
}

#[test]
fn unequal_motors_turn_the_robot() {
    let model = driven_with(&["motor.left=1.1", "motor.right=0.9"], [300, 300], 1);
    assert!(turned(&model) > 20.0, "{}", turned(&model));
}

#[test]
fn a_wheel_slips_on_patches_of_an_uneven_floor() {
    let lost = |set: &[&str]| {
        let model = driven_with(set, [300, 300], 3);
        let counts = model.drivetrain().counts().map(f64::from);
        1.0 - travel(&model) / ((counts[0] + counts[1]) / 2.0 * PER_COUNT)
    };
    assert!(lost(&["patches=0", "patch_slip=0.1"]).abs() < 0.001);
    let some = lost(&["patches=0.3", "patch_slip=0.1"]);
    let all = lost(&["patches=1", "patch_slip=0.1"]);
    assert!(0.002 < some && some < all, "{some} {all}");
}

#[test]
fn a_carried_robot_feels_the_turn_and_sees_nothing() {
    let mut model = with(&[]);
    model.advance(SECOND);
    let home = model.drivetrain().pose();
    model.pick_up(120.0);
    model.advance(2 * SECOND);
    assert_eq!(model.drivetrain().counts(), [0, 0]);
    let rate = model.drivetrain().gyro();
    assert!((rate - 120_000).abs() < 200, "{rate}");
    assert_eq!(model.burst(Leds::Left, parameters::CARRIER_NS), [false; 3]);
    assert!((turned(&model) - 120.0).abs() < 1.0);
    // In the air the tracks turn but do not move it.
    drive(&mut model, [300, 300], 3);
    assert!(model.drivetrain().counts()[0] > 1000);
    assert!(travel(&model) < 1e-9);
    drive(&mut model, [0, 0], 4);
    model.put_down(home);
    model.advance(5 * SECOND);
    assert_eq!(model.drivetrain().pose(), home);
    assert!(model.burst(Leds::Left, parameters::CARRIER_NS)[0]);
}

#[test]
fn the_distance_after_the_motors_are_off_is_measured() {
    let mut model = driven([300, 300], 2);
    let before = travel(&model);
    drive(&mut model, [0, 0], 3);
    assert!((model.coast() - (travel(&model) - before)).abs() < 1e-9);
    assert!((5.0..20.0).contains(&model.coast()), "{}", model.coast());
}

/// The model is to test the firmware, so it must not take its numbers from there.
#[test]
fn the_model_uses_no_number_of_the_firmware() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/physics");
    let mut folders = vec![root];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            // Tests may compare with the firmware; comments may name it.
            let code = text.split("#[cfg(test)]").next().unwrap().lines();
            let code: Vec<_> = code.filter(|l| !l.trim_start().starts_with("//")).collect();
            let code = code.join(" ");
            for import in code.split("tinystar::").skip(1) {
                // To the end of the statement or of the path.
                let import = import.split(';').next().unwrap();
                for module in ["config", "boards", "calibration::ZUMO", "settings"] {
                    let mut words = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let is_used = words.any(|word| word == module);
                    assert!(!is_used, "{} uses tinystar::{module}", path.display());
                }
            }
        }
    }
    assert!(files > 15, "{files}");
}

#[test]
fn a_collision_counts_once_with_its_speed_and_stops_the_robot() {
    let mut model = in_the_open((3, 3), Cell::new(1, 2), Tolerances::none());
    drive(&mut model, [250, 250], 5);
    assert_eq!(model.collisions().len(), 1);
    let speed = model.collisions()[0].speed;
    assert!((150.0..220.0).contains(&speed), "{speed}");
    // Half a robot and half a wall from the outer edge.
    let y = model.drivetrain().pose().at[1];
    assert!((55.0..56.0).contains(&y), "{y}");
    assert!(model.drivetrain().counts()[0] > 5000, "the tracks spin");

    drive(&mut model, [-250, -250], 6);
    assert_eq!(model.collisions().len(), 1);
    drive(&mut model, [250, 250], 9);
    assert_eq!(model.collisions().len(), 2);
}

#[test]
fn entered_cells_are_counted() {
    let mut model = model(Tolerances::none(), 1);
    model.set_duty([300, 300]);
    while travel(&model) < 5.0 * 180.0 {
        model.advance(model.now() + 1000);
    }
    assert_eq!(model.cells_entered(), 5);
}

/// Drives randomly, advancing the model in steps of `step` microseconds.
fn drive_randomly(seed: u64, step: u64) -> (Pose, [i32; 2], i32, usize) {
    let is = Tolerances::drawn(&mut rng::seeded(seed));
    let mut model = model(is, seed);
    let mut duties = rng::derived(seed, 9);
    for leg in 1..=50 {
        model.set_duty([
            duties.random_range(-400..400),
            duties.random_range(-400..400),
        ]);
        let end = leg * SECOND / 5;
        while model.now() + step < end {
            model.advance(model.now() + step);
        }
        model.advance(end);
    }
    let drivetrain = model.drivetrain();
    (
        drivetrain.pose(),
        drivetrain.counts(),
        drivetrain.gyro(),
        model.collisions().len(),
    )
}

#[test]
fn the_same_seed_gives_the_same_motion_with_any_step() {
    for seed in 0..5 {
        let once = drive_randomly(seed, SECOND);
        assert_eq!(once, drive_randomly(seed, SECOND));
        assert_eq!(once, drive_randomly(seed, 1700));
        assert_ne!(once, drive_randomly(seed + 1, SECOND));
    }
}
