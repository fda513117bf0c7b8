//! Micromouse mazes: every planner solves them, and a tour proves the shortest way and runs it.

use std::fs;

use planner_core::{Cell, Side, search::TurnCosts};
use serde_json::Value;
use sim::{
    catalog::Name,
    lab::{
        bench::{
            contender::{self, Contender},
            runner::{Bench, Entry},
        },
        problem::Problem,
    },
    micromouse::{Mouse, PhaseRecord, quarter_turns},
    walk::Outcome,
    world::{
        Maze, file,
        micromouse::{draw_num, draw_text, parse_num, parse_text},
        rng,
    },
};
use tempfile::TempDir;

use crate::support::{
    cli::{self, sim},
    maps,
};

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
    for maze in mazes() {
        let problem = Problem::of(maze.clone());
        for &name in Name::all() {
            if name.is_known_map_only() {
                continue;
            }
            let mut planner = Contender::Ours(name).build(&problem, None).unwrap();
            let walk = problem.walk(&mut *planner, None).unwrap();
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
    let drawing = draw_text(&random_maze(5, 8, 0.3));
    let numbers = draw_num(&random_maze(6, 7, 0.3));
    cli::folder(&[("a.txt", drawing), ("b.num", numbers)])
}

#[test]
fn json_has_a_line_per_phase_and_one_per_run() {
    let lines = sim("mouse --json --map").arg(folder().path()).objects();
    let runs = lines.iter().filter(|line| line["outcome"].is_string());
    let runs: Vec<&Value> = runs.collect();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert_eq!(
            (&run["outcome"], &run["solved"]),
            (&"done".into(), &true.into())
        );
        assert_eq!(run["run"], run["shortest"]);
        let is_phase = |line: &&Value| line["map"] == run["map"] && !line["phase"].is_null();
        let phases: Vec<&Value> = lines.iter().filter(is_phase).collect();
        assert_eq!(phases[0]["phase"], "search");
        assert_eq!(phases[phases.len() - 1]["phase"], "run");
        let moves = phases.iter().map(|phase| phase["moves"].as_u64().unwrap());
        assert_eq!(run["moves"], moves.sum::<u64>());
    }
}

#[test]
fn run_uses_start_and_goals_of_a_maze() {
    let folder = folder();
    let map = folder.path().join("a.txt");
    let walk = sim("run --json --trail --map").arg(&map).object();
    assert_eq!(walk["outcome"], "arrived");
    let last = walk["trail"].as_array().unwrap().last().unwrap();
    let [x, y] = [0, 1].map(|axis| last[axis].as_u64().unwrap() as u16);
    let maze = file::load_maze(&map).unwrap();
    assert!(maze.goals.contains(&Cell::new(x, y)));
    let text = sim("run --map").arg(&map).text();
    assert!(text.starts_with("#################"), "{text}");
}

#[test]
fn mazes_convert_between_formats() {
    let folder = folder();
    for (from, to) in [("a.txt", "c.num"), ("b.num", "d.txt"), ("c.num", "e.txt")] {
        let convert = sim(&format!("convert --map {from} -o {to}"));
        convert.within(&folder).text();
        let [from, to] = [from, to].map(|name| file::load_maze(folder.path().join(name)).unwrap());
        assert_eq!(draw_num(&from), draw_num(&to));
    }
}

#[test]
fn bad_mazes_are_refused_in_one_line() {
    let folder = folder();
    fs::write(folder.path().join("cells.map"), "S.#\n..G\n").unwrap();
    fs::write(folder.path().join("gap.txt"), "o---o\n  S |\no---o\n").unwrap();
    for (words, what) in [
        ("mouse --map cells.map", "free and blocked cells"),
        ("mouse --map gap.txt", "line 2: the outer wall has a gap"),
        ("run --map a.txt --moves 8", "4 directions"),
        ("run --map a.txt --goal 9,9", "outside"),
        (
            "mouse --map a.txt --turns 0,1",
            "a step must cost at least 1",
        ),
        (
            "mouse --map a.txt --planner subgoal-lrta",
            "needs a known map",
        ),
        ("mms --planner subgoal-lrta", "needs a known map"),
        (
            "convert --map a.txt -o a.maze",
            "a maze is a .txt or a .num file",
        ),
        ("scen a.txt", "a.txt: line 1"),
    ] {
        let line = sim(words).within(&folder).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
    // In a folder the others are run in all the same.
    let (out, err) = sim("mouse --json --map .").within(&folder).exits(2);
    assert!(
        err.contains("gap.txt") && err.contains("1 of 3 files"),
        "{err}"
    );
    assert!(!out.is_empty());
}
