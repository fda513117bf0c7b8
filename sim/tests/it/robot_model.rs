//! What is claimed of the physical model.

use planner_core::{Cell, Side};
use rand::RngExt;
use sim::{
    physics::{
        drivetrain::{Drivetrain, STEP},
        floor::{CELL, Floor, middle},
        geometry::Pose,
        model::PhysicsModel,
        tolerances::Tolerances,
    },
    world::{Maze, rng},
};
use tinystar::{boards::ZUMO2040, config, robot::Levels};

const SECOND: u64 = 1_000_000;

/// A robot in the south-west corner of a large floor, looking north.
fn arena(tolerances: Tolerances, seed: u64) -> PhysicsModel {
    let floor = Floor::new(Maze::open(20, 20).unwrap());
    PhysicsModel::new(floor, Cell::new(0, 19), Side::North, tolerances, seed)
}

fn turned(arena: &PhysicsModel) -> f64 {
    arena.body().pose().heading.to_degrees()
}

/// How far the robot is from where it began.
fn way(arena: &PhysicsModel) -> f64 {
    let [x, y] = middle(Cell::new(0, 19));
    let [to_x, to_y] = arena.body().pose().at;
    f64::hypot(to_x - x, to_y - y)
}

#[test]
fn a_straight_run_covers_what_the_power_says() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.set_power([300, 300]);
    arena.advance(5 * SECOND);
    // Less 3 % for friction and a voltage that sags by 150 mV; the start takes a motor's lag.
    let speed = 860.0 * (0.3 - 0.03) / 0.97 * (6000.0 - 150.0) / 6000.0;
    assert!(
        (way(&arena) - speed * (5.0 - 0.06)).abs() < 2.0,
        "{}",
        way(&arena)
    );
    assert_eq!(turned(&arena), 0.0);
    arena.set_power([0, 0]);
    arena.advance(6 * SECOND);
    let stopped = way(&arena);
    arena.advance(7 * SECOND);
    assert!(way(&arena) - stopped < 0.001);
}

#[test]
fn power_below_friction_moves_nothing() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.set_power([29, -29]);
    arena.advance(SECOND);
    assert_eq!((way(&arena), turned(&arena)), (0.0, 0.0));
}

#[test]
fn a_turn_in_place_turns_clockwise_and_stays_in_place() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.set_power([150, -150]);
    arena.advance(SECOND);
    assert!(turned(&arena) > 90.0, "{}", turned(&arena));
    assert!(way(&arena) < 1e-6);
    arena.set_power([-150, 150]);
    arena.advance(2 * SECOND);
    assert!(turned(&arena).abs() < 10.0);
}

#[test]
fn encoders_agree_with_the_way() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.set_power([400, 400]);
    arena.advance(3 * SECOND);
    let counts = arena.body().counts();
    let told = f64::from(counts[0]) * f64::from(ZUMO2040.calibration.nm_per_count) / 1e6;
    assert!((told - way(&arena)).abs() < 0.001 * way(&arena), "{told}");
    assert_eq!(counts[0], counts[1]);
    arena.set_power([-400, -400]);
    arena.advance(7 * SECOND);
    assert!(arena.body().counts()[0] < 0);
}

#[test]
fn the_gyro_adds_up_to_the_heading_within_its_drift() {
    for seed in 0..20 {
        let is = Tolerances::drawn(&mut rng::seeded(seed));
        let body = Drivetrain::new(is, Pose::default(), rng::seeded(seed));
        let mut body = body;
        let mut told = 0.0;
        for step in 0..20_000 {
            // To and fro.
            let power = if step / 2000 % 2 == 0 { 0.2 } else { -0.2 };
            body.step([power, -power], |_, to| to);
            told += f64::from(body.gyro()) / 1000.0 * STEP;
        }
        let truth = body.pose().heading.to_degrees();
        // Its bias for 20 s; then what it drifts, 0.3 % of a turn, a unit's rounding and noise.
        let error = told - truth - is.gyro_bias_dps * 20.0;
        assert!(error.abs() < 3.0, "seed {seed}: {error}");
        assert!(is.gyro_bias_dps.abs() > 0.001);
    }
}

#[test]
fn tracks_scrub_so_that_wheels_tell_more_of_a_turn_than_there_is() {
    let wide = Tolerances {
        track_factor: 1.1,
        ..Tolerances::none()
    };
    let [plain, scrubbed] = [Tolerances::none(), wide].map(|is| {
        let mut arena = arena(is, 1);
        arena.set_power([150, -150]);
        arena.advance(SECOND);
        turned(&arena)
    });
    assert!((plain / scrubbed - 1.1).abs() < 1e-9);
}

#[test]
fn a_quarter_turn_moves_the_robot_by_about_a_millimetre() {
    let is = Tolerances {
        scrub_mm: 1.0,
        ..Tolerances::none()
    };
    let moved: Vec<f64> = (0..200)
        .map(|seed| {
            let mut arena = arena(is, seed);
            arena.set_power([150, -150]);
            while turned(&arena) < 90.0 {
                arena.advance(arena.now() + 1000);
            }
            way(&arena)
        })
        .collect();
    let rms = (moved.iter().map(|mm| mm * mm).sum::<f64>() / 200.0).sqrt();
    assert!((0.4..1.6).contains(&rms), "{rms}");
    assert!(moved.iter().all(|&mm| mm < 5.0));
}

#[test]
fn slip_is_lost_on_the_floor_but_counted_by_the_wheels() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.body_mut().set_slip([0.5, 0.5]);
    arena.set_power([300, 300]);
    arena.advance(3 * SECOND);
    let told = f64::from(arena.body().counts()[0]) * 0.1266;
    assert!((way(&arena) / told - 0.5).abs() < 0.001);
}

#[test]
fn the_battery_sags_under_load_and_empties_with_use() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.advance(1000);
    let fresh = arena.body().battery_mv();
    arena.set_power([1000, -1000]);
    arena.advance(60 * SECOND);
    let loaded = arena.body().battery_mv();
    arena.set_power([0, 0]);
    arena.advance(61 * SECOND);
    let rested = arena.body().battery_mv();
    assert!(loaded < rested - 400.0 && rested < fresh - 10.0 && rested > fresh - 30.0);
}

/// A robot that looks north, so far from a wall ahead.
fn facing(distance: f64) -> Levels {
    let is = Tolerances {
        put_mm: [264.0 - f64::from(ZUMO2040.front_sensor_mm) - distance, 0.0],
        ..Tolerances::none()
    };
    let floor = Floor::new(Maze::open(9, 9).unwrap());
    let mut arena = PhysicsModel::new(floor, Cell::new(4, 1), Side::North, is, 1);
    arena.look()
}

#[test]
fn a_wall_so_far_ahead_is_seen_at_the_level_of_the_robots_table() {
    for distance in 1..=280 {
        let table = |range: &&i32| **range >= distance;
        let expected = ZUMO2040.front_range_mm.iter().filter(table).count();
        let seen = facing(f64::from(distance)).front;
        // The table is in whole millimetres.
        let is_on_the_edge = ZUMO2040
            .front_range_mm
            .iter()
            .any(|range| (range - distance).abs() <= 1);
        assert!(
            is_on_the_edge || seen.map(usize::from) == [expected; 2],
            "{distance} mm: {seen:?}, not {expected}"
        );
    }
}

#[test]
fn a_wall_beside_the_robot_is_seen_by_its_own_light_further_than_by_the_other() {
    for aside in -30..=30 {
        let is = Tolerances {
            put_mm: [0.0, f64::from(aside)],
            ..Tolerances::none()
        };
        let mut walls = Maze::open(9, 9).unwrap();
        walls.set_wall(Cell::new(4, 4), Side::West, true);
        walls.set_wall(Cell::new(4, 4), Side::East, true);
        let mut arena = PhysicsModel::new(Floor::new(walls), Cell::new(4, 4), Side::South, is, 1);
        let levels = arena.look();
        let middle = config::WALL_FACE_MM - ZUMO2040.side_sensor_mm;
        let sides = [
            (levels.left, middle + aside),
            (levels.right, middle - aside),
        ];
        for (index, (seen, distance)) in sides.into_iter().enumerate() {
            let count = |table: [i32; 6]| table.iter().filter(|&&mm| mm >= distance).count();
            let is_on_the_edge = ZUMO2040
                .own_range_mm
                .iter()
                .chain(&ZUMO2040.cross_range_mm)
                .any(|range| (range - distance).abs() <= 1);
            let expected = [count(ZUMO2040.own_range_mm), count(ZUMO2040.cross_range_mm)];
            let [own, cross] = if index == 0 { seen } else { [seen[1], seen[0]] };
            assert!(
                is_on_the_edge || [own, cross].map(usize::from) == expected,
                "{distance} mm: {seen:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn a_wall_at_an_angle_seems_further() {
    let levels = |degrees| {
        let is = Tolerances {
            put_mm: [100.0, 0.0],
            put_deg: degrees,
            ..Tolerances::none()
        };
        let floor = Floor::new(Maze::open(9, 9).unwrap());
        PhysicsModel::new(floor, Cell::new(4, 1), Side::North, is, 1).look()
    };
    assert!(levels(50.0).front < levels(0.0).front);
}

#[test]
fn a_collision_is_counted_once_with_its_speed_and_the_wall_holds() {
    let floor = Floor::new(Maze::open(3, 3).unwrap());
    let mut arena = PhysicsModel::new(floor, Cell::new(1, 2), Side::North, Tolerances::none(), 1);
    arena.set_power([250, 250]);
    arena.advance(5 * SECOND);
    assert_eq!(arena.contacts().len(), 1);
    let speed = arena.contacts()[0].speed;
    assert!((150.0..220.0).contains(&speed), "{speed}");
    // Half a robot and half a wall from the outer edge.
    let y = arena.body().pose().at[1];
    assert!((55.0..56.0).contains(&y), "{y}");
    assert!(arena.body().counts()[0] > 5000, "the tracks spin");

    arena.set_power([-250, -250]);
    arena.advance(6 * SECOND);
    assert_eq!(arena.contacts().len(), 1);
    arena.set_power([250, 250]);
    arena.advance(9 * SECOND);
    assert_eq!(arena.contacts().len(), 2);
}

#[test]
fn the_cells_a_robot_goes_through_are_counted() {
    let mut arena = arena(Tolerances::none(), 1);
    arena.set_power([300, 300]);
    while way(&arena) < 5.0 * CELL {
        arena.advance(arena.now() + 1000);
    }
    assert_eq!(arena.cells(), 5);
}

/// Drives about at random; asks at instants of its own.
fn ride(seed: u64, ask_every: u64) -> (Pose, [i32; 2], i32, usize) {
    let is = Tolerances::drawn(&mut rng::seeded(seed));
    let mut arena = arena(is, seed);
    let mut orders = rng::derived(seed, 9);
    for leg in 1..=50 {
        arena.set_power([
            orders.random_range(-400..400),
            orders.random_range(-400..400),
        ]);
        let end = leg * SECOND / 5;
        while arena.now() + ask_every < end {
            arena.advance(arena.now() + ask_every);
        }
        arena.advance(end);
    }
    let body = arena.body();
    (
        body.pose(),
        body.counts(),
        body.gyro(),
        arena.contacts().len(),
    )
}

#[test]
fn the_same_seed_gives_the_same_ride_bit_for_bit_however_often_it_is_asked_about() {
    for seed in 0..5 {
        let once = ride(seed, SECOND);
        assert_eq!(once, ride(seed, SECOND));
        assert_eq!(once, ride(seed, 1700));
        assert_ne!(once, ride(seed + 1, SECOND));
    }
}
