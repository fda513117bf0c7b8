//! `sim mms` against a server that knows the maze, checks every command and keeps the score.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use assert_cmd::cargo::cargo_bin;
use planner_core::{Cell, Side};
use sim::world::{self, micromouse::parse_text};

use crate::support::{cli::sim, maps};

/// A maze in the coordinates of mms: from the south-west.
struct Maze(world::Maze);

/// The color of the path that the mouse drives.
const HIGHLIGHT: char = 'c';

/// Columns and rows that each heading crosses: north, east, south, west.
const STEPS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

impl Maze {
    /// Reads a drawing; the goals are in the middle, as mms has it.
    fn read(text: &str) -> Self {
        let mut maze = parse_text(text).unwrap();
        let open = world::Maze::open(maze.width().into(), maze.height().into());
        maze.goals = open.unwrap().goals;
        Self(maze)
    }

    fn cell(&self, (x, y): (i32, i32)) -> Cell {
        Cell::new(x as u16, self.0.height() - 1 - y as u16)
    }

    fn has_wall(&self, at: (i32, i32), heading: usize) -> bool {
        self.0.has_wall(self.cell(at), Side::North.turned(heading))
    }

    fn is_goal(&self, at: (i32, i32)) -> bool {
        self.0.goals.contains(&self.cell(at))
    }
}

/// Result of a mouse.
#[derive(Debug, Default)]
struct Score {
    /// Cells of each run from the start to the goal, in order.
    runs: Vec<u32>,
    distance: u32,
    turns: u32,
    /// Of all moves: what a straight is worth is less the longer it is.
    effective: f64,
    /// Turns and effective distance of the best run.
    best: Option<f64>,
    /// Cells crossed by the commands that cross more than one.
    merged: u32,
    /// Turns of the last run.
    run_turns: u32,
    /// Cells of the last run, the start first.
    last_run: Vec<(i32, i32)>,
    /// Cells highlighted at the end.
    highlighted: Vec<(i32, i32)>,
    resets: u32,
    log: String,
    success: bool,
}

impl Score {
    /// The best run, and a tenth of everything.
    fn value(&self) -> f64 {
        let total = f64::from(self.turns) + self.effective;
        self.best.map_or(2000.0, |best| best + 0.1 * total)
    }

    /// Asserts that each phase is named once, and in order.
    fn assert_phases(&self) {
        let lines: Vec<&str> = self.log.lines().collect();
        let (score, phases) = lines.split_last().unwrap();
        assert!(score.starts_with("score "), "{self:?}");
        let order = ["search", "explore", "return", "run"];
        let places: Vec<_> = phases
            .iter()
            .map(|phase| order.iter().position(|name| name == phase).unwrap())
            .collect();
        assert!(places.is_sorted_by(|a, b| a < b), "{self:?}");
        assert!(places.contains(&0) && places.contains(&3), "{self:?}");
    }

    /// Asserts that exactly the cells of the last run are highlighted at its end; the start may be.
    fn assert_run_is_highlighted(&self, case: &str) {
        let sorted = |cells: &[(i32, i32)]| {
            let mut cells: Vec<_> = cells.iter().filter(|&&cell| cell != (0, 0)).collect();
            cells.sort();
            cells.into_iter().copied().collect::<Vec<_>>()
        };
        assert_eq!(
            sorted(&self.highlighted),
            sorted(&self.last_run),
            "{case}: {self:?}"
        );
    }

    /// Asserts that the last run took a shortest path.
    fn assert_shortest(&self, maze: &Maze, case: &str) {
        let last = self.runs.last().copied();
        assert_eq!(last, maze.0.shortest(), "{case}: {self:?}");
    }
}

/// The simulator's side.
struct Server<'m> {
    maze: &'m Maze,
    at: (i32, i32),
    heading: usize,
    /// Distance since the start was left; `None` before, and once the goal was reached.
    run: Option<u32>,
    /// Turns and effective distance of that run.
    run_cost: f64,
    /// Penalty for a reset, added to the next run.
    penalty: f64,
    is_reset: bool,
    /// Color of each cell that has one.
    colors: HashMap<(i32, i32), char>,
    /// Cells of the current run, the start first.
    run_cells: Vec<(i32, i32)>,
    run_turns: u32,
    /// The button is pressed when the mouse has made so many moves.
    presses: Vec<u32>,
    score: Score,
}

impl Server<'_> {
    /// The reply to a command; `None` when there is none. Whatever mms would ignore is a mistake.
    fn execute(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let in_maze = |x: &str, y: &str| {
            let at: (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
            assert!(self.maze.0.contains(self.maze.cell(at)), "{line}");
            at
        };
        let turned = |quarters| (self.heading + quarters) % 4;
        let wall = |heading| Some(self.maze.has_wall(self.at, heading).to_string());
        let ack = || Some("ack".to_owned());
        match words[..] {
            ["mazeWidth"] => Some(self.maze.0.width().to_string()),
            ["mazeHeight"] => Some(self.maze.0.height().to_string()),
            ["wallFront"] => wall(self.heading),
            ["wallRight"] => wall(turned(1)),
            ["wallLeft"] => wall(turned(3)),
            ["moveForward"] => Some(self.forward(1)),
            ["moveForward", cells] => Some(self.forward(cells.parse().unwrap())),
            ["turnRight" | "turnLeft"] => {
                self.heading = turned(if words[0] == "turnRight" { 1 } else { 3 });
                self.score.turns += 1;
                self.run_turns += 1;
                self.run_cost += 1.0;
                ack()
            }
            ["setWall", x, y, side] => {
                let heading = "nesw".find(side).unwrap();
                assert!(
                    self.maze.has_wall(in_maze(x, y), heading),
                    "no such wall: {line}"
                );
                None
            }
            ["setColor", x, y, colour] => {
                let at = in_maze(x, y);
                let is_known = colour.len() == 1 && "kbacgorwyBCAGRY".contains(colour);
                assert!(is_known, "{line}");
                let colour = colour.chars().next().unwrap();
                let before = self.colors.insert(at, colour);
                assert_ne!(before, Some(colour), "sent twice: {line}");
                None
            }
            ["setText", x, y, text] => {
                in_maze(x, y);
                assert!(text.len() <= 10, "{line}");
                None
            }
            ["clearText", x, y] => {
                in_maze(x, y);
                None
            }
            ["clearAllColor"] => {
                self.colors.clear();
                None
            }
            ["wasReset"] => Some(self.is_reset.to_string()),
            ["ackReset"] => {
                assert!(self.is_reset, "nobody has pressed the button");
                (self.at, self.heading, self.run, self.is_reset) = ((0, 0), 0, None, false);
                self.score.resets += 1;
                self.penalty = 15.0;
                ack()
            }
            ["getStat", "score"] => Some(self.score.value().to_string()),
            _ => panic!("mms does not know {line:?}"),
        }
    }

    fn forward(&mut self, cells: u32) -> String {
        assert!(cells > 0);
        assert!(
            !self.is_reset || self.score.resets > 99,
            "the button was ignored"
        );
        if self.at == (0, 0) {
            // The turn at the start belongs to the run.
            self.run_turns = u32::from(self.heading != 0);
            self.run_cells = vec![self.at];
            (self.run, self.run_cost) = (Some(0), self.penalty);
            self.score.effective += self.penalty;
            self.penalty = 0.0;
        }
        let effective = match cells {
            0..=2 => f64::from(cells),
            _ => f64::from(cells) / 2.0 + 1.0,
        };
        self.score.effective += effective;
        self.run_cost += effective;
        for _ in 0..cells {
            if self.maze.has_wall(self.at, self.heading) {
                return "crash".to_owned();
            }
            let (dx, dy) = STEPS[self.heading];
            self.at = (self.at.0 + dx, self.at.1 + dy);
            assert_eq!(
                self.colors.get(&self.at),
                Some(&HIGHLIGHT),
                "{:?} is driven through and not highlighted",
                self.at
            );
            self.run_cells.push(self.at);
            self.score.distance += 1;
            self.run = self.run.map(|distance| distance + 1);
            if self.maze.is_goal(self.at)
                && let Some(run) = self.run.take()
            {
                self.score.runs.push(run);
                let best = self.score.best.unwrap_or(f64::INFINITY);
                self.score.best = Some(best.min(self.run_cost));
                self.score.run_turns = self.run_turns;
                self.score.last_run = self.run_cells.clone();
            }
        }
        self.score.merged += if cells > 1 { cells } else { 0 };
        let due = self
            .presses
            .iter()
            .filter(|&&press| press <= self.score.distance)
            .count();
        self.is_reset = due as u32 > self.score.resets;
        "ack".to_owned()
    }
}

fn play(maze: &Maze, options: &str, presses: &[u32]) -> Score {
    let mut mouse = Command::new(cargo_bin!("sim"))
        .args(["mms", "--planner"])
        .args(options.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Server {
        maze,
        at: (0, 0),
        heading: 0,
        run: None,
        run_cost: 0.0,
        penalty: 0.0,
        is_reset: false,
        colors: HashMap::new(),
        run_cells: Vec::new(),
        run_turns: 0,
        presses: presses.to_vec(),
        score: Score::default(),
    };
    let mut replies = mouse.stdin.take().unwrap();
    for line in BufReader::new(mouse.stdout.take().unwrap()).lines() {
        if let Some(reply) = server.execute(&line.unwrap()) {
            // A mouse that has given up does not listen any more.
            let _ = writeln!(replies, "{reply}");
        }
        assert!(server.score.distance < 100_000, "a mouse without end");
    }
    let output = mouse.wait_with_output().unwrap();
    let lit = server
        .colors
        .iter()
        .filter(|(_, color)| **color == HIGHLIGHT);
    server.score.highlighted = lit.map(|(&cell, _)| cell).collect();
    server.score.log = String::from_utf8(output.stderr).unwrap();
    server.score.success = output.status.success();
    server.score
}

const SMALL: &str = "\
o---o---o---o---o---o
|       |           |
o   o   o---o   o   o
|   |       |   |   |
o   o---o   o   o---o
|   |   | G |       |
o   o   o   o---o   o
|       |   |       |
o   o---o   o   o---o
| S |               |
o---o---o---o---o---o
";

#[test]
fn a_mouse_searches_explores_returns_and_runs_a_shortest_path() {
    let maze = Maze::read(SMALL);
    for planner in [
        "dstar-lite",
        "rtd",
        "lss-lrta",
        "forward-astar",
        "anytime-dstar",
    ] {
        let score = play(&maze, planner, &[]);
        assert!(score.success, "{score:?}");
        score.assert_shortest(&maze, planner);
        assert!(score.runs.len() >= 2 && score.merged > 0, "{score:?}");
        // Nothing costs after the score was asked for.
        let told = format!("score {}", score.value());
        assert_eq!(score.log.lines().last(), Some(&*told));
        score.assert_phases();
        score.assert_run_is_highlighted(planner);
    }
}

#[test]
fn with_turns_the_run_turns_less() {
    let text = fs::read_to_string(maps::own().join("maze-large.txt")).unwrap();
    let maze = Maze::read(&text);
    let plain = play(&maze, "dstar-lite", &[]);
    let few = play(&maze, "dstar-lite --turns 1,9", &[]);
    let as_scored = play(&maze, "dstar-lite --turns", &[]);
    for score in [&plain, &few, &as_scored] {
        assert!(score.success, "{score:?}");
        score.assert_phases();
        score.assert_run_is_highlighted("turns");
    }
    plain.assert_shortest(&maze, "without turns");
    assert!(few.run_turns < plain.run_turns, "{few:?} {plain:?}");
    assert!(as_scored.run_turns <= plain.run_turns, "{as_scored:?}");
    // A reset in the run does not change that.
    let reset = play(&maze, "dstar-lite --turns 1,9", &[few.distance - 3]);
    assert!(reset.success && reset.resets == 1, "{reset:?}");
    assert_eq!(reset.run_turns, few.run_turns, "{reset:?}");
    reset.assert_run_is_highlighted("reset");
}

#[test]
fn a_mouse_keeps_its_map_after_a_reset() {
    let maze = Maze::read(SMALL);
    let undisturbed = play(&maze, "dstar-lite", &[]).distance;
    for press in 1..undisturbed {
        let score = play(&maze, "dstar-lite", &[press, press + 7]);
        assert!(score.success && score.resets >= 1, "{press}: {score:?}");
        let told = format!("score {}", score.value());
        assert_eq!(score.log.lines().last(), Some(&*told));
        score.assert_shortest(&maze, &press.to_string());
        score.assert_phases();
        score.assert_run_is_highlighted(&press.to_string());
    }
}

#[test]
fn an_unreachable_goal_is_reported() {
    let below = SMALL.replace("o   o   o   o---o   o", "o   o   o---o---o   o");
    let closed = below.replace(
        "o   o---o   o   o---o\n|   |   | G",
        "o   o---o---o   o---o\n|   |   | G",
    );
    let maze = Maze::read(&closed);
    assert_eq!(maze.0.shortest(), None);
    let score = play(&maze, "dstar-lite", &[]);
    assert!(!score.success && score.log.contains("no path"), "{score:?}");
    let errors = score.log.lines().filter(|line| line.starts_with("error"));
    assert_eq!(errors.count(), 1);
}

#[test]
fn invalid_replies_end_the_mouse_with_one_line() {
    for reply in ["", "zero\n", "0\n", "-3\n", "99999999\n"] {
        let (_, complaint) = sim("mms").stdin(reply.as_bytes()).exits(1);
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
}

#[test]
fn mazes_on_disk_are_run_on_a_shortest_path() {
    let chosen = ["maze-", "apec2017", "uk2006f", "half-japan2008hes"];
    for path in maps::mazes() {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !chosen.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let maze = Maze::read(&fs::read_to_string(&path).unwrap());
        let score = play(&maze, "dstar-lite", &[40]);
        assert!(score.success, "{name}: {score:?}");
        score.assert_shortest(&maze, name);
    }
}
