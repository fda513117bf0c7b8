//! Micromouse mazes: every planner solves them, and a tour proves the shortest way and runs it.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use planner_core::{Cell, Side, search::TurnCosts};
use serde_json::Value;
use sim::{
    catalog::Name,
    environment::SimulatedWorld,
    lab::bench::{
        contender,
        contender::Contender,
        runner::{Bench, Entry},
    },
    micromouse::{Mouse, PhaseRecord, quarter_turns},
    walk::{Limits, Outcome, walk},
    world::{
        Maze, World, file,
        micromouse::{draw_num, draw_text, parse_num, parse_text},
        rng,
    },
};
use tempfile::TempDir;

use crate::support::maps;

/// A maze in which each inner wall stands with some probability and the goal can be reached.
fn random_maze(seed: u64, size: usize, walls: f64) -> Maze {
    use rand::RngExt;
    let mut rng = rng::seeded(seed);
    loop {
        let mut maze = Maze::open(size, size).unwrap();
        for cell in maze.cells() {
            for side in [Side::North, Side::West] {
                maze.set_wall(cell, side, rng.random_bool(walls));
            }
        }
        if maze.shortest().is_some() {
            return maze;
        }
    }
}

/// The mazes on disk, and random ones.
fn mazes() -> Vec<Maze> {
    let real = maps::mazes().into_iter();
    let real = real.map(|path| file::load_maze(path).unwrap());
    let random = (0..12).map(|seed| random_maze(seed, 4 + seed as usize, 0.35));
    real.filter(|maze| maze.shortest().is_some())
        .chain(random)
        .collect()
}

fn mouse(planner: Name) -> Mouse {
    Mouse {
        planner,
        limit: None,
        turn_costs: None,
        max_ticks: 1_000_000,
    }
}

#[test]
fn every_planner_finds_the_goal_of_every_maze() {
    let limits = Limits {
        budget: planner_core::Budget::UNLIMITED,
        max_ticks: 1_000_000,
    };
    for maze in mazes() {
        for &name in Name::all() {
            if name.is_known_map_only() {
                continue;
            }
            let planner = Contender::Ours(name).build_in_maze(&maze, None);
            let mut world = SimulatedWorld::new(World::Walls(maze.clone()), None, None);
            let walk = walk(&mut *planner.unwrap(), &mut world, maze.start, limits).unwrap();
            assert!(
                maze.goals.contains(walk.trail.last().unwrap()),
                "{name} in\n{}",
                draw_text(&maze)
            );
        }
    }
}

#[test]
fn every_maze_is_explored_and_run_on_a_shortest_path() {
    for maze in mazes() {
        for name in [
            Name::DstarLite,
            Name::Rtd,
            Name::AdaptiveAstar,
            Name::LssLrta,
        ] {
            let run = mouse(name).run(&maze).unwrap();
            assert_eq!(run.outcome, Outcome::Arrived);
            assert!(run.is_solved);
            let run = run.run().unwrap();
            assert_eq!(
                Some(run.moves as u32),
                maze.shortest(),
                "{name} in\n{}",
                draw_text(&maze)
            );
        }
    }
}

#[test]
fn a_limit_holds_in_every_phase_and_the_run_is_still_shortest() {
    for maze in mazes().into_iter().step_by(7) {
        for limit in [2, 5, 30] {
            let mouse = Mouse {
                limit: Some(limit),
                ..mouse(Name::Rtd)
            };
            let run = mouse.run(&maze).unwrap();
            assert_eq!(run.run().map(|run| run.moves as u32), maze.shortest());
            assert!(
                run.phases
                    .iter()
                    .all(|s| s.max_expansions_per_tick <= limit)
            );
        }
    }
}

#[test]
fn turn_costs_never_make_a_run_more_expensive() {
    let mut saved = 0;
    for maze in mazes() {
        let costs = TurnCosts { step: 1, turn: 5 };
        let cost = |run: &PhaseRecord| run.moves + 5 * run.turns;
        let plain = mouse(Name::DstarLite).run(&maze).unwrap();
        let aware = Mouse {
            turn_costs: Some(costs),
            ..mouse(Name::DstarLite)
        };
        let aware = aware.run(&maze).unwrap();
        // Both begin as the way home ended.
        let (plain, aware) = (cost(plain.run().unwrap()), cost(aware.run().unwrap()));
        assert!(
            aware <= plain,
            "{aware} against {plain} in\n{}",
            draw_text(&maze)
        );
        saved += plain - aware;
    }
    assert!(saved > 0);
}

#[test]
fn an_enclosed_goal_is_reported_unreachable() {
    let mut maze = random_maze(1, 6, 0.2);
    for cell in maze.goals.clone() {
        for side in Side::ALL {
            maze.set_wall(cell, side, true);
        }
    }
    let run = mouse(Name::DstarLite).run(&maze).unwrap();
    assert_eq!((run.outcome, run.is_solved), (Outcome::Unreachable, false));
}

#[test]
fn text_and_num_formats_hold_the_same_maze() {
    for maze in mazes() {
        assert_eq!(parse_text(&draw_text(&maze)).unwrap(), maze);
        let same = parse_num(&draw_num(&maze)).unwrap();
        assert_eq!(draw_num(&same), draw_num(&maze));
    }
}

#[test]
fn quarter_turns_are_counted_the_shorter_way_round() {
    assert_eq!(quarter_turns(Side::North, Side::North), 0);
    assert_eq!(quarter_turns(Side::North, Side::West), 1);
    assert_eq!(quarter_turns(Side::North, Side::East), 1);
    assert_eq!(quarter_turns(Side::East, Side::West), 2);
}

#[test]
fn bench_contenders_need_similar_moves_in_mazes() {
    let bench = Bench {
        entries: contender::IN_MAZES
            .iter()
            .copied()
            .map(Entry::from)
            .collect(),
        maps: 0,
        size: (1, 1),
        openings: 0,
        seed: 0,
        repeat: 2,
        clock_ns: 0,
    };
    let results = bench.run_in_mazes(&mazes()).unwrap();
    let least = results
        .iter()
        .map(|s| s.moves)
        .fold(f64::INFINITY, f64::min);
    for result in results {
        assert!(result.moves <= least * 1.1, "{result:?}");
        assert_eq!(result.bench, "mice");
    }
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.txt", &draw_text(&random_maze(5, 8, 0.3)));
    write("b.num", &draw_num(&random_maze(6, 7, 0.3)));
    folder
}

#[test]
fn json_has_a_line_per_phase_and_one_per_run() {
    let folder = folder();
    let mut sim = cargo_bin_cmd!("sim");
    sim.args(["mouse", "--json", "--map"]).arg(folder.path());
    let output = sim.assert().code(0).get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tours: Vec<&Value> = lines
        .iter()
        .filter(|line| line["outcome"].is_string())
        .collect();
    assert_eq!(tours.len(), 2);
    for tour in tours {
        assert_eq!(
            (&tour["outcome"], &tour["solved"]),
            (&"done".into(), &true.into())
        );
        assert_eq!(tour["run"], tour["shortest"]);
        let phases = lines
            .iter()
            .filter(|line| line["map"] == tour["map"] && !line["phase"].is_null());
        let phases: Vec<&Value> = phases.collect();
        assert_eq!(phases[0]["phase"], "search");
        assert_eq!(phases[phases.len() - 1]["phase"], "run");
        let moves: u64 = phases
            .iter()
            .map(|phase| phase["moves"].as_u64().unwrap())
            .sum();
        assert_eq!(tour["moves"], moves);
    }
}

#[test]
fn run_uses_start_and_goals_of_a_maze() {
    let folder = folder();
    let map = folder.path().join("a.txt");
    let mut sim = cargo_bin_cmd!("sim");
    sim.args(["run", "--json", "--trail", "--map"]).arg(&map);
    let output = sim.assert().code(0).get_output().stdout.clone();
    let walk: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(walk["outcome"], "arrived");
    let maze = file::load_maze(&map).unwrap();
    let last = walk["trail"].as_array().unwrap().last().unwrap();
    let last = Cell::new(
        last[0].as_u64().unwrap() as u16,
        last[1].as_u64().unwrap() as u16,
    );
    assert!(maze.goals.contains(&last));

    let mut picture = cargo_bin_cmd!("sim");
    let assert = picture.arg("run").arg("--map").arg(&map).assert().code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("#################"), "{text}");
}

#[test]
fn mazes_convert_between_formats() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for (from, to) in [("a.txt", "c.num"), ("b.num", "d.txt"), ("c.num", "e.txt")] {
        let mut sim = cargo_bin_cmd!("sim");
        sim.arg("convert")
            .arg("--map")
            .arg(path(from))
            .arg("-o")
            .arg(path(to))
            .assert()
            .code(0);
        let (from, to) = (
            file::load_maze(path(from)).unwrap(),
            file::load_maze(path(to)).unwrap(),
        );
        assert_eq!(draw_num(&from), draw_num(&to));
    }
}

#[test]
fn bad_mazes_are_refused_in_one_line() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("cells.map"), "S.#\n..G\n").unwrap();
    fs::write(path("gap.txt"), "o---o\n  S |\no---o\n").unwrap();
    let complain = |args: &[&str]| {
        let mut sim = cargo_bin_cmd!("sim");
        let output = sim.args(args).assert().code(2).get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        stderr
    };
    assert!(complain(&["mouse", "--map", &path("cells.map")]).contains("free and blocked cells"));
    assert!(
        complain(&["mouse", "--map", &path("gap.txt")])
            .contains("line 2: the outer wall has a gap")
    );
    assert!(complain(&["run", "--map", &path("a.txt"), "--moves", "8"]).contains("4 directions"));
    assert!(complain(&["run", "--map", &path("a.txt"), "--goal", "9,9"]).contains("outside"));
    complain(&["mouse", "--map", &path("a.txt"), "--turns", "0,1"]);
    complain(&[
        "mouse",
        "--map",
        &path("a.txt"),
        "--planner",
        "subgoal-lrta",
    ]);
    complain(&["mms", "--planner", "subgoal-lrta"]);
    complain(&["convert", "--map", &path("a.txt"), "-o", &path("a.maze")]);
    complain(&["scen", &path("a.txt")]);

    // In a folder the others are run in all the same.
    let mut sim = cargo_bin_cmd!("sim");
    let output = sim
        .args(["mouse", "--json", "--map"])
        .arg(folder.path())
        .assert()
        .code(2);
    let stderr = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        stderr.contains("gap.txt") && stderr.contains("1 of 3 files"),
        "{stderr}"
    );
    assert!(!output.get_output().stdout.is_empty());
}
