//! Micromouse mazes: every planner solves them, and a tour proves the shortest way and runs it.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use planner_core::{Cell, Side, search::TurnCosts};
use serde_json::Value;
use sim::{
    catalog::Name,
    lab::bench::{
        contender,
        contender::Contender,
        race::{Entry, Race},
    },
    mouse::{End, Mouse, quarter_turns},
    walk::walk_in,
    world::{
        Maze, file,
        maze::SIDES,
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
        turns: None,
        max_ticks: 1_000_000,
    }
}

#[test]
fn every_planner_finds_the_goal_of_every_maze() {
    let budget = planner_core::Budget::UNLIMITED;
    for maze in mazes() {
        for &name in Name::all() {
            if name.is_known_map_only() {
                continue;
            }
            let arrived = Contender::Ours(name).with_mouse(&maze, None, |planner| {
                let mut surroundings = &maze;
                let walk = walk_in(
                    planner,
                    &mut surroundings,
                    maze.start,
                    (budget, 1_000_000),
                    |_, _| (),
                );
                walk.trail.last().copied()
            });
            let arrived = arrived.unwrap().unwrap();
            assert!(
                maze.goals.contains(&arrived),
                "{name} in\n{}",
                draw_text(&maze)
            );
        }
    }
}

#[test]
fn a_tour_of_every_maze_proves_the_shortest_way_and_runs_it() {
    for maze in mazes() {
        for name in [
            Name::DstarLite,
            Name::Rtd,
            Name::AdaptiveAstar,
            Name::LssLrta,
        ] {
            let tale = mouse(name).tour(&maze).unwrap();
            assert_eq!(tale.end, End::Done);
            assert!(tale.is_solved);
            let run = tale.run().unwrap();
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
fn a_limit_holds_in_every_phase_and_changes_nothing_in_the_end() {
    for maze in mazes().into_iter().step_by(7) {
        for limit in [2, 5, 30] {
            let mouse = Mouse {
                limit: Some(limit),
                ..mouse(Name::Rtd)
            };
            let tale = mouse.tour(&maze).unwrap();
            assert_eq!(tale.run().map(|run| run.moves as u32), maze.shortest());
            assert!(
                tale.stretches
                    .iter()
                    .all(|s| s.max_expansions_per_tick <= limit)
            );
        }
    }
}

#[test]
fn dear_turns_make_a_run_with_fewer_of_them_and_never_a_dearer_one() {
    let mut saved = 0;
    for maze in mazes() {
        let costs = TurnCosts { step: 1, turn: 5 };
        let cost = |run: &sim::mouse::Stretch| run.moves + 5 * run.turns;
        let plain = mouse(Name::DstarLite).tour(&maze).unwrap();
        let aware = Mouse {
            turns: Some(costs),
            ..mouse(Name::DstarLite)
        };
        let aware = aware.tour(&maze).unwrap();
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
fn a_goal_behind_walls_is_found_to_be_out_of_reach() {
    let mut maze = random_maze(1, 6, 0.2);
    for cell in maze.goals.clone() {
        for side in SIDES {
            maze.set_wall(cell, side, true);
        }
    }
    let tale = mouse(Name::DstarLite).tour(&maze).unwrap();
    assert_eq!((tale.end, tale.is_solved), (End::Unreachable, false));
}

#[test]
fn drawn_and_in_numbers_a_maze_is_the_same() {
    for maze in mazes() {
        assert_eq!(parse_text(&draw_text(&maze)).unwrap(), maze);
        let same = parse_num(&draw_num(&maze)).unwrap();
        assert_eq!(draw_num(&same), draw_num(&maze));
    }
}

#[test]
fn a_quarter_turn_is_counted_the_shorter_way() {
    assert_eq!(quarter_turns(Side::North, Side::North), 0);
    assert_eq!(quarter_turns(Side::North, Side::West), 1);
    assert_eq!(quarter_turns(Side::North, Side::East), 1);
    assert_eq!(quarter_turns(Side::East, Side::West), 2);
}

#[test]
fn a_race_of_mice_walks_equally_well() {
    let race = Race {
        entries: contender::MICE.iter().copied().map(Entry::from).collect(),
        maps: 0,
        size: (1, 1),
        openings: 0,
        seed: 0,
        repeat: 2,
        clock_ns: 0,
    };
    let standings = race.run_mice(&mazes()).unwrap();
    let least = standings
        .iter()
        .map(|s| s.moves)
        .fold(f64::INFINITY, f64::min);
    for standing in standings {
        assert!(standing.moves <= least * 1.1, "{standing:?}");
        assert_eq!(standing.bench, "mice");
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
fn scripts_read_a_line_for_each_phase_and_one_for_the_tour() {
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
fn run_finds_start_and_goals_of_a_maze_itself() {
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
fn a_maze_is_written_in_either_format() {
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
fn what_is_no_maze_is_one_line() {
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
