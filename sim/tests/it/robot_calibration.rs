//! Calibration by the firmware's own routines, in the physics model.

use embassy_time::Duration;
use heapless::Vec;
use planner_core::Cell;
use rayon::prelude::*;
use sim::{
    physics::{floor::Floor, tolerances::Tolerances},
    run::{CalibrationRun, ModelRun, RunReport},
    world::{corridors, rng},
};
use tinystar::{boards::ZUMO2040, calibration::Calibration, calibrator::Routine, mission::Mission};

use crate::support::maps;

/// Robots as they differ from each other.
fn robots() -> impl Iterator<Item = (u64, Tolerances)> {
    (0..8).map(|seed| (seed, Tolerances::drawn(&mut rng::seeded(seed))))
}

/// Calibration of a robot by some routines.
fn calibrated(seed: u64, tolerances: Tolerances, routines: &[Routine]) -> Calibration {
    let run = CalibrationRun::new(tolerances, seed);
    run.routines(routines).unwrap()
}

fn near(value: f64, expected: f64, share: f64) -> bool {
    (value / expected - 1.0).abs() < share
}

#[test]
fn the_distance_routine_finds_the_wheels_travel_per_count() {
    for (seed, tolerances) in robots() {
        let calibration = calibrated(seed, tolerances, &[Routine::Distance]);
        let [left, right] = tolerances.wheel_scale;
        let truth = 126_628.0 * (1.0 + (left + right) / 2.0);
        let found = f64::from(calibration.nm_per_count);
        assert!(near(found, truth, 0.006), "{seed}: {found}, not {truth}");
        assert!(calibration.is_measured(Routine::Distance));
        assert!(!calibration.is_measured(Routine::Walls));
    }
}

#[test]
fn the_turns_routine_finds_gyro_scale_and_track_width() {
    for (seed, tolerances) in robots() {
        let calibration = calibrated(seed, tolerances, &[Routine::Turns]);
        let ppm = -1e6 * tolerances.gyro_scale;
        let found = f64::from(calibration.gyro_ppm);
        assert!((found - ppm).abs() < 1_000.0, "{seed}: {found}, not {ppm}");
        let track = 99_000.0 * tolerances.track_factor;
        let found = f64::from(calibration.track_um);
        assert!(near(found, track, 0.012), "{seed}: {found}, not {track}");
    }
}

#[test]
fn the_wall_routines_find_the_pulse_widths_of_every_sensor() {
    for (seed, tolerances) in robots() {
        for reflectance in [0.5, 0.75, 1.0, 1.5, 2.0] {
            let tolerances = Tolerances {
                wall: reflectance,
                ..tolerances
            };
            let calibration = calibrated(seed, tolerances, &[Routine::Walls, Routine::Range]);
            let nominal = ZUMO2040.calibration.walls.near_ns;
            let found = calibration.walls.near_ns;
            for (found, nominal) in found.as_flattened().iter().zip(nominal.as_flattened()) {
                let truth = f64::from(*nominal) / (reflectance * reflectance);
                // Five per cent of a width are 1 mm of the wall's distance; a step of the narrowest pulses
                // is 8 ns.
                let error = (f64::from(*found) - truth).abs();
                assert!(
                    error < truth * 0.12 + 8.0,
                    "{seed}, {reflectance}: {found}, not {truth}"
                );
            }
        }
    }
}

#[test]
fn the_motor_routine_finds_friction_and_speed() {
    for (seed, tolerances) in robots() {
        let calibration = calibrated(seed, tolerances, &[Routine::Motors]);
        let motors = calibration.motors;
        for (of, extra) in [
            (motors.straight, 0.0),
            (motors.turning, tolerances.pivot_friction),
        ] {
            let kinetic = 1000.0 * (tolerances.friction + extra);
            let holding = 1000.0 * (tolerances.stiction.max(tolerances.friction) + extra);
            for found in of.as_flattened() {
                let error = f64::from(found.kinetic) - kinetic;
                assert!(error.abs() < 6.0, "{seed}: {found:?}, not {kinetic}");
                // Found late by the lag of the motor and the first counts.
                let late = f64::from(found.breakaway) - holding;
                assert!(
                    (-2.0..20.0).contains(&late),
                    "{seed}: {found:?}, not {holding}"
                );
            }
        }
        for (speed, motor) in motors.full_speed.into_iter().zip(tolerances.motor) {
            // The battery sags under load.
            let truth = 860.0 / 0.97 * motor * tolerances.battery_mv / 6000.0;
            assert!(
                near(speed.into(), truth, 0.08),
                "{seed}: {speed}, not {truth}"
            );
        }
    }
}

#[test]
fn a_calibration_is_the_same_in_cells_of_any_size() {
    for (seed, tolerances) in robots().take(4) {
        let [usual, small, large] = [180, 168, 250].map(|mm| {
            let run = CalibrationRun::new(tolerances, seed).with_cells_of(mm);
            run.routines(&[Routine::Walls, Routine::Range]).unwrap()
        });
        for other in [small, large] {
            assert!(other.is_measured(Routine::Walls) && other.is_measured(Routine::Range));
            let pairs = usual.walls.near_ns.as_flattened().iter();
            for (usual, other) in pairs.zip(other.walls.near_ns.as_flattened()) {
                let (usual, other) = (f64::from(*usual), f64::from(*other));
                assert!(
                    (usual - other).abs() < usual * 0.12 + 8.0,
                    "{seed}: {other}, not {usual}"
                );
            }
            for (usual, other) in [
                (usual.walls.mid_percent, other.walls.mid_percent),
                (usual.walls.far_percent, other.walls.far_percent),
            ] {
                assert!(
                    near(other.into(), usual.into(), 0.15),
                    "{seed}: {other}, not {usual}"
                );
            }
        }
    }
}

/// Explores a maze with a calibration.
fn explore(seed: u64, tolerances: Tolerances, calibration: Calibration) -> RunReport {
    const SIDE: u16 = 6;
    let mut rng = rng::derived(seed, 7);
    let corridors = corridors::corridors(2 * SIDE - 1, 2 * SIDE - 1, 5, &mut rng).unwrap();
    let floor = Floor::new(maps::maze_of(&corridors));
    let goals = Vec::from_slice(&[Cell::new(SIDE / 2, SIDE / 2)]).unwrap();
    let mut run = ModelRun::new(floor, Cell::new(0, SIDE - 1), seed);
    run.config.tolerances = tolerances;
    run.config.missions = vec![Mission::Explore(goals)];
    run.config.time_limit = Duration::from_secs(400);
    run.calibration = calibration;
    run.run().unwrap()
}

#[test]
fn a_calibrated_robot_explores_among_walls_of_half_to_twice_the_nominal_range() {
    let factors = [0.5, 0.7, 1.4, 2.0];
    let runs: std::vec::Vec<_> = robots()
        .take(4)
        .flat_map(|robot| factors.map(|reflectance| (robot, reflectance)))
        .collect();
    let failures: std::vec::Vec<String> = runs
        .into_par_iter()
        .filter_map(|((seed, tolerances), reflectance)| {
            let tolerances = Tolerances {
                wall: reflectance,
                ..tolerances
            };
            let calibration = calibrated(seed, tolerances, &Routine::ALL);
            let report = explore(seed, tolerances, calibration);
            (!report.is_clean()).then(|| {
                format!(
                    "{seed}, {reflectance}: {}",
                    serde_json::to_string(&report).unwrap()
                )
            })
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn without_calibration_walls_of_twice_the_reflectance_are_misread() {
    let dirty = robots().take(4).filter(|&(seed, tolerances)| {
        let tolerances = Tolerances {
            wall: 2.0,
            ..tolerances
        };
        !explore(seed, tolerances, ZUMO2040.calibration).is_clean()
    });
    assert!(dirty.count() >= 3);
}
