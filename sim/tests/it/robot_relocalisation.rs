//! Robots that have lost their place: they find it by the walls around them, or stop with a fault.

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, map::Occupancy};
use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::faults::{FaultKind, InjectedFault},
    run::{ModelRun, RunOutcome, RunReport, pose_error},
    telemetry::RobotState,
    world::{Maze, rng},
};
use tinystar::{
    config::START_STILL,
    fault::Fault,
    mission::{Activity, Field, Mission},
    telemetry::{Frame, PROTOCOL},
};

use crate::robot_proof::{boxes, labyrinth};

/// Distance between estimate and truth above which a robot that goes on has taken another place for its own, in
/// millimetres: half a cell.
const ELSEWHERE: f64 = 90.0;

/// Searches of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Searches {
    all: u32,
    found: u32,
    /// Those in cells whose walls the map allows nowhere else nearby.
    unique: u32,
    unique_found: u32,
    /// Robots that went on at another place.
    wrong: u32,
}

impl Searches {
    fn count(&mut self, is_unique: bool, is_found: bool) {
        self.all += 1;
        self.found += u32::from(is_found);
        self.unique += u32::from(is_unique);
        self.unique_found += u32::from(is_unique && is_found);
    }

    fn sum(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            found: self.found + other.found,
            unique: self.unique + other.unique,
            unique_found: self.unique_found + other.unique_found,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// Returns whether the map allows in a cell what can be seen from another one: the walls of the cell, and through those sides
/// that are open, the walls behind the next cells. What is unknown allows everything.
fn allows(map: &RobotState, cell: Cell, walls: &Maze, seen_from: Cell) -> bool {
    let allows = |at: Option<Cell>, side: Side, seen_at: Cell| {
        let stands = walls.has_wall(seen_at, side);
        match at.map_or(Occupancy::Blocked, |at| map.wall(at, side)) {
            Occupancy::Unknown => true,
            known => stands == (known == Occupancy::Blocked),
        }
    };
    Side::ALL.into_iter().all(|side| {
        let next = walls.beyond(seen_from, side);
        allows(Some(cell), side, seen_from)
            && next.is_none_or(|next| allows(cell.neighbor(side), side, next))
    })
}

/// Returns whether what can be seen from a cell differs from what the map allows in every other cell that is up to three steps
/// away over edges that are not known to be blocked.
fn is_unique(map: &RobotState, walls: &Maze, cell: Cell) -> bool {
    let mut cells = vec![cell];
    for _ in 0..3 {
        for from in cells.clone() {
            for side in Side::ALL {
                let next = from.neighbor(side);
                let next = next.filter(|_| map.wall(from, side) != Occupancy::Blocked);
                cells.extend(next.filter(|next| !cells.contains(next)));
            }
        }
    }
    cells[1..]
        .iter()
        .all(|&other| !allows(map, other, walls, cell))
}

/// Executes a run of a robot that begins with a map, and watches its searches.
fn watch(run: ModelRun, known: &[u8]) -> (Searches, RunReport) {
    let mut searches = Searches::default();
    let mut before = Activity::Idle;
    let walls = run.config.floor.walls().clone();
    let mut map = RobotState::new((0, 0));
    map.handle(&Frame::Hello {
        protocol: PROTOCOL,
        field: Field {
            width: walls.width(),
            height: walls.height(),
            home: run.config.home,
            heading: run.config.heading,
        },
        stored: None,
    });
    for (offset, byte) in known.iter().enumerate() {
        map.handle(&Frame::Map {
            offset: offset as u16,
            bytes: [*byte].into_iter().collect(),
            total: known.len() as u16,
        });
    }
    // Where the search in progress has begun.
    let mut lost_in = None;
    let report = run.run_observed(|progress| {
        for frame in progress.frames {
            assert!(!matches!(frame, Frame::Lost(_)), "the map is incomplete");
            map.handle(frame);
        }
        let Some((state, _)) = &progress.state else {
            return Ok(());
        };
        let physics = progress.physics;
        let is_lost = state.activity == Activity::Relocalising;
        if is_lost && before != Activity::Relocalising {
            lost_in = Some(physics.floor().cell(physics.drivetrain().pose().at));
        }
        if state.activity == Activity::Going
            && let Some(cell) = lost_in.take()
        {
            let (mm, degrees) = pose_error(state, physics);
            searches.count(is_unique(&map, &walls, cell), true);
            searches.wrong += u32::from(mm > ELSEWHERE || degrees > 20.0);
        }
        before = state.activity;
        Ok(())
    });
    if let Some(cell) = lost_in {
        searches.count(is_unique(&map, &walls, cell), false);
    }
    (searches, report.unwrap())
}

/// Adds a fault at a random instant of a range in seconds, for a random time.
fn with_fault(mut run: ModelRun, kind: FaultKind, seed: u64, seconds: f64) -> ModelRun {
    let mut rng = rng::derived(seed, 6);
    let micros = |seconds: f64| (seconds * 1e6) as u64;
    run.config.faults = vec![InjectedFault {
        kind,
        start: Instant::from_micros(micros(rng.random_range(1.1..seconds))) + START_STILL,
        duration: Duration::from_micros(micros(rng.random_range(0.2..2.0))),
    }];
    run
}

#[test]
fn a_robot_that_slips_never_goes_on_at_another_place() {
    let runs: Vec<ModelRun> = (0..40)
        .map(|seed| match seed % 2 {
            0 => with_fault(boxes(7000 + seed), FaultKind::Slip, seed, 8.0),
            _ => with_fault(labyrinth(7000 + seed), FaultKind::Slip, seed, 40.0),
        })
        .collect();
    let judged = runs.into_par_iter().map(|run| {
        let (searches, report) = watch(run, &[]);
        assert_eq!(searches.wrong, 0, "{searches:?} {report:?}");
        assert!(report.contact_mm_s < 60.0, "{report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{report:?}");
        let is_right = match report.outcome {
            RunOutcome::Done => true,
            RunOutcome::Fault => {
                let fault = Fault::from_code(report.faults[0]);
                matches!(
                    fault,
                    Some(Fault::Lost | Fault::Slip | Fault::Stall | Fault::Motion)
                )
            }
            _ => false,
        };
        assert!(is_right, "{report:?}");
        searches
    });
    let searches = judged.reduce(Searches::default, Searches::sum);
    println!("{searches:?}");
    assert!(searches.all > 20 && searches.found > 5, "{searches:?}");
}

/// The tracks slip while the gyro keeps the robot on its curve: wheels and gyro disagree by little.
#[test]
fn a_slip_in_a_smooth_turn_is_noticed() {
    let mut run = boxes(6015);
    run.config.missions.push(Mission::Home);
    run.config.faults = vec!["slip@3.088+0.5".parse().unwrap()];
    let (searches, report) = watch(run, &[]);
    assert_eq!((searches.all, searches.wrong), (1, 0), "{report:?}");
    assert_eq!(
        (report.collisions, report.wrong_walls),
        (0, Some(0)),
        "{report:?}"
    );
}

#[test]
fn a_robot_that_is_carried_never_goes_on_by_itself() {
    (0..20_u64).into_par_iter().for_each(|seed| {
        let run = with_fault(boxes(7100 + seed), FaultKind::Carried, seed, 8.0);
        let (searches, report) = watch(run, &[]);
        assert_eq!(
            (searches.found, searches.wrong),
            (0, 0),
            "{seed}: {report:?}"
        );
        assert!(report.contact_mm_s < 60.0, "{seed}: {report:?}");
    });
}

/// Asserts that at least `least` of the lost robots were at unique places, and four of five of those were found.
fn assert_four_of_five(searches: impl ParallelIterator<Item = Searches>, least: u32) {
    let searches = searches.reduce(Searches::default, Searches::sum);
    println!("{searches:?}");
    assert!(searches.unique >= least, "{searches:?}");
    assert!(
        searches.unique_found * 5 >= searches.unique * 4,
        "{searches:?}"
    );
}

/// Missions of robots that know the maze from an exploration before.
#[test]
fn four_of_five_robots_find_their_place_where_the_walls_are_unique() {
    let searches = (0..30_u64).into_par_iter().map(|seed| {
        let first = labyrinth(7200 + seed);
        let home = first.config.home;
        let explored = first.clone().run().unwrap();
        assert_eq!(explored.outcome, RunOutcome::Done, "{seed}");
        let mut run = with_fault(first, FaultKind::Slip, seed, 12.0);
        run.config.faults[0].duration = Duration::from_millis(300);
        run.flash = explored.flash.powered();
        let goals = run.config.missions[0].clone();
        run.config.missions = vec![goals, Mission::GoTo(home)];
        let (searches, report) = watch(run, &explored.map);
        assert_eq!(searches.wrong, 0, "{seed}: {report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{seed}: {report:?}");
        searches
    });
    assert_four_of_five(searches, 8);
}

/// Slips at random instants of explorations: the map is what was learned until then.
#[test]
fn four_of_five_robots_that_explore_find_their_place_where_the_walls_are_unique() {
    let searches = (0..200_u64).into_par_iter().map(|seed| {
        let mut run = with_fault(labyrinth(7300 + seed), FaultKind::Slip, 7300 + seed, 60.0);
        run.config.faults[0].duration = Duration::from_millis(300);
        let (searches, report) = watch(run, &[]);
        assert_eq!(searches.wrong, 0, "{seed}: {report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{seed}: {report:?}");
        assert!(report.contact_mm_s < 60.0, "{seed}: {report:?}");
        searches
    });
    assert_four_of_five(searches, 20);
}
