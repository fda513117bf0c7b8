//! Worlds for robots in C, and the decisions of the Rust planner in them, line by line as `tests/decisions.c` prints
//! its own.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use bench_chip::world::{Kind as Pattern, World as Cells};
use planner_core::{
    graph::Moves,
    local::Tba,
    map::{Costs, Weights},
    navigator::GridSearch,
    prelude::*,
    rtd::{LocalRatio, Rtd},
    search::{DStarLite, Search},
};

/// Largest side of a world: its navigator is built in arrays.
const SIDE: u16 = 64;
const CELLS: usize = capacity(SIDE, SIDE);
const WALLS: usize = maze_capacity(SIDE, SIDE);
/// `TINYSTAR_MAX_WEIGHT`.
const MAX_WEIGHT: u8 = 15;
/// A robot that has not arrived by then is lost.
const MAX_TICKS: u32 = 6000;

/// Moves of a robot and contents of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Maze,
    Four,
    Eight,
    Weighted,
}

/// A world and a mission.
pub struct World {
    kind: Kind,
    size: (u16, u16),
    start: Cell,
    goals: Vec<Cell>,
    budget: u32,
    /// Ticks from one cell that changes to the next; 0 if none does.
    change_every: u32,
    /// In a maze: walls, bit 0 south, 1 west, 2 north, 3 east. On a grid: the weight, 0 if blocked.
    cells: Vec<u8>,
}

/// Mazes and grids of several sizes, patterns and budgets.
pub fn worlds() -> Vec<World> {
    vec![
        maze(16, 1, 64),
        maze(16, 2, 8),
        maze(32, 3, 32),
        maze(9, 4, 1),
        grid(Kind::Four, Pattern::Maze, 33, 5, 16, 0),
        grid(Kind::Four, Pattern::Random, 64, 6, 32, 3),
        grid(Kind::Four, Pattern::Comb, 17, 7, 8, 0),
        grid(Kind::Eight, Pattern::Random, 64, 8, 32, 5),
        grid(Kind::Eight, Pattern::Maze, 33, 9, 64, 0),
        grid(Kind::Weighted, Pattern::Random, 64, 10, 32, 7),
        grid(Kind::Weighted, Pattern::Maze, 21, 11, 4, 0),
    ]
}

/// A maze of walls from one of cells, in which every other cell is a wall between two of the rest.
fn maze(side: u16, seed: u32, budget: u32) -> World {
    let world = Cells::new(Pattern::Maze, 2 * side - 1, seed);
    let has_wall = |cell: Cell, side: Side| {
        let cell = Cell::new(2 * cell.x, 2 * cell.y);
        cell.neighbor(side)
            .is_none_or(|cell| world.is_blocked(cell))
    };
    let walls = |cell| {
        let walls = Side::ALL.map(|side| u8::from(has_wall(cell, side)) << side as u8);
        walls.into_iter().sum()
    };
    let middle = side / 2;
    World {
        kind: Kind::Maze,
        size: (side, side),
        start: Cell::new(0, side - 1),
        goals: vec![Cell::new(middle, middle), Cell::new(middle - 1, middle)],
        budget,
        change_every: 0,
        cells: cells((side, side)).map(walls).collect(),
    }
}

fn grid(kind: Kind, pattern: Pattern, side: u16, seed: u32, budget: u32, change: u32) -> World {
    let world = Cells::new(pattern, side, seed);
    let weight = |cell: Cell| match (world.is_blocked(cell), kind) {
        (true, _) => 0,
        (false, Kind::Weighted) => 1 + ((cell.x * 7 + cell.y * 5) % u16::from(MAX_WEIGHT)) as u8,
        (false, _) => 1,
    };
    World {
        kind,
        size: (side, side),
        start: world.start(),
        goals: vec![world.goal()],
        budget,
        change_every: change,
        cells: cells((side, side)).map(weight).collect(),
    }
}

fn cells((width, height): (u16, u16)) -> impl Iterator<Item = Cell> {
    (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
}

/// The worlds as `worlds.h`.
pub fn c_source(worlds: &[World]) -> String {
    let mut text = String::from("/* Written by `cargo xtask c-lib --check`. */\n\n");
    // Writing to a string cannot fail.
    for (number, world) in worlds.iter().enumerate() {
        let _ = write!(text, "static const uint8_t cells_{number}[] = {{");
        for cell in &world.cells {
            let _ = write!(text, "{cell},");
        }
        let _ = writeln!(text, "}};");
    }
    let _ = writeln!(text, "\nstatic const struct world worlds[] = {{");
    for (number, world) in worlds.iter().enumerate() {
        let kind = match world.kind {
            Kind::Maze => "MAZE",
            Kind::Four => "FOUR",
            Kind::Eight => "EIGHT",
            Kind::Weighted => "WEIGHTED",
        };
        let cell = |cell: &Cell| format!("{{{}, {}}}", cell.x, cell.y);
        let goals: Vec<_> = world.goals.iter().map(cell).collect();
        let ((width, height), start) = (world.size, cell(&world.start));
        let _ = writeln!(
            text,
            "  {{{kind}, {width}, {height}, {start}, {{{}}}, {}, {}, {}, cells_{number}}},",
            goals.join(", "),
            goals.len(),
            world.budget,
            world.change_every
        );
    }
    text.push_str("};\n");
    text
}

/// The decisions of the Rust planner in a world, a line each, and its statistics.
pub fn decide(number: usize, world: &World) -> Result<Vec<String>> {
    let mut lines = match world.kind {
        Kind::Maze => in_maze(world),
        Kind::Four => on_grid(world, &mut GridNavigator::<CELLS>::new()),
        Kind::Eight => {
            type Moves = planner_core::graph::Eight<NeverCut, Coarse>;
            on_grid(world, &mut GridNavigator::<CELLS, Moves>::new())
        }
        Kind::Weighted => {
            let weights = Weights::<Array<CELLS>, MAX_WEIGHT>::new();
            let map = CellMap::<_, Four, _>::in_storage([0; CELLS], weights);
            let search: GridSearch<Array<CELLS>> =
                Rtd::new(DStarLite::new(), Tba::new(), LocalRatio::PRESET);
            on_grid(world, &mut Navigator::from_parts(map, search))
        }
    }
    .with_context(|| format!("world {number}"))?;
    for line in &mut lines {
        line.insert_str(0, &format!("{number} "));
    }
    Ok(lines)
}

/// Explores, runs again and goes home.
fn in_maze(world: &World) -> Result<Vec<String>> {
    let mut robot = Box::new(MazeNavigator::<WALLS>::new());
    robot.begin(world.size, world.start, &world.goals)?;
    let (mut at, mut leg, mut lines) = (world.start, 0, Vec::new());
    for _ in 0..MAX_TICKS {
        let walls = world.cells[world.index(at)];
        for side in Side::ALL {
            let wall = match walls >> (side as u8) & 1 {
                0 => Occupancy::Free,
                _ => Occupancy::Blocked,
            };
            robot.observe(Observation::Wall(at, side, wall))?;
        }
        let decision = robot.tick(at, Budget::limit(world.budget))?;
        lines.push(line(decision, at, robot.phase() as u8));
        match (decision, leg) {
            (Decision::Step(next), _) => at = next,
            (Decision::Arrived, 0) => robot.run_again()?,
            (Decision::Arrived, 1) => robot.go_to(&[world.start])?,
            (Decision::Arrived, _) => {
                lines.push(totals(robot.stats()));
                return Ok(lines);
            }
            _ => continue,
        }
        leg += u32::from(decision == Decision::Arrived);
    }
    anyhow::bail!("not at home after {MAX_TICKS} ticks")
}

/// Goes to the goal and back.
fn on_grid<M: Moves, C: Costs>(
    world: &World,
    robot: &mut Navigator<CellMap<Array<CELLS>, M, C>, impl Search>,
) -> Result<Vec<String>> {
    robot.begin(world.size, world.start, &world.goals)?;
    let (width, height) = world.size;
    let mut weights = world.cells.clone();
    let (mut at, mut leg, mut lines) = (world.start, 0, Vec::new());
    for tick in 0..MAX_TICKS {
        let mut seen = Vec::new();
        if world.change_every != 0 && tick % world.change_every == 0 {
            let cell = tick.wrapping_mul(40503) % (u32::from(width) * u32::from(height));
            let cell = Cell::new(
                (cell % u32::from(width)) as u16,
                (cell / u32::from(width)) as u16,
            );
            if cell != at && cell != world.start && cell != world.goals[0] {
                let before = world.cells[world.index(cell)];
                let is_changed = weights[world.index(cell)] != before;
                weights[world.index(cell)] = match (is_changed, before) {
                    (true, _) => before,
                    (false, 0) => 1,
                    (false, _) => 0,
                };
                seen.push(cell);
            }
        }
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let cell = at.x.checked_add_signed(dx).zip(at.y.checked_add_signed(dy));
            let cell = cell.filter(|&(x, y)| x < width && y < height);
            let is_step = match world.kind {
                Kind::Eight => (dx, dy) != (0, 0),
                _ => (dx == 0) != (dy == 0),
            };
            seen.extend(cell.filter(|_| is_step).map(|(x, y)| Cell::new(x, y)));
        }
        for cell in seen {
            let weight = weights[world.index(cell)];
            let occupancy = match weight {
                0 => Occupancy::Blocked,
                _ => Occupancy::Free,
            };
            robot.observe(Observation::Cell(cell, occupancy))?;
            if world.kind == Kind::Weighted && weight != 0 {
                robot.observe(Observation::Weight(cell, weight))?;
            }
        }
        let decision = robot.tick(at, Budget::limit(world.budget))?;
        lines.push(line(decision, at, 0));
        match (decision, leg) {
            (Decision::Step(next), _) => at = next,
            (Decision::Arrived, 0) => {
                robot.set_goal(world.start)?;
                leg = 1;
            }
            (Decision::Arrived, _) => {
                lines.push(totals(robot.stats()));
                return Ok(lines);
            }
            _ => {}
        }
    }
    anyhow::bail!("not back after {MAX_TICKS} ticks")
}

impl World {
    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * usize::from(self.size.0) + usize::from(cell.x)
    }
}

/// A decision as C prints it: numbers of the header.
fn line(decision: Decision, at: Cell, phase: u8) -> String {
    let (action, next) = match decision {
        Decision::Step(next) => (0, next),
        Decision::Wait => (1, at),
        Decision::Arrived => (2, at),
        Decision::Unreachable => (3, at),
    };
    format!("{action} {} {} {phase}", next.x, next.y)
}

fn totals(stats: &Stats) -> String {
    let (total, max) = (stats.total.expansions, stats.max_per_tick.expansions);
    format!("total {total} {max}")
}

/// Bytes of stack that C measured: of an initialisation and of a tick.
pub type Stack = (u32, u32);

/// Compares what C printed with the decisions of the Rust planner; returns the number of decisions and the stack.
pub fn compare(worlds: &[World], output: &str) -> Result<(usize, Stack)> {
    let mut count = 0;
    for (number, world) in worlds.iter().enumerate() {
        let prefix = format!("{number} ");
        let mut in_c = output.lines().filter(|line| line.starts_with(&prefix));
        for (tick, in_rust) in decide(number, world)?.iter().enumerate() {
            let in_c = in_c.next().unwrap_or("nothing");
            ensure!(
                in_c == in_rust,
                "world {number}, line {tick}: \"{in_c}\" in C, \"{in_rust}\" in Rust"
            );
            count += 1;
        }
        let rest = in_c.next();
        ensure!(rest.is_none(), "world {number}: C goes on with {rest:?}");
    }
    let stack = output.lines().find_map(|line| {
        let (init, tick) = line.strip_prefix("stack ")?.split_once(' ')?;
        Some((init.parse().ok()?, tick.parse().ok()?))
    });
    Ok((count, stack.context("C did not print its stack")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(worlds: &[World]) -> String {
        let mut output = "stack 0 0\n".to_owned();
        for (number, world) in worlds.iter().enumerate() {
            output += &decide(number, world).unwrap().join("\n");
            output += "\n";
        }
        output
    }

    #[test]
    fn same_decisions_are_accepted_and_one_different_one_is_not() {
        let worlds = [
            maze(5, 1, 8),
            grid(Kind::Weighted, Pattern::Random, 9, 2, 8, 3),
        ];
        let output = output(&worlds);
        let (count, _) = compare(&worlds, &output).unwrap();
        assert_eq!(count + 1, output.lines().count());
        let arrived = output.rfind(" 2 ").unwrap();
        let mut other = output.clone();
        other.replace_range(arrived..arrived + 3, " 1 ");
        assert!(compare(&worlds, &other).is_err());
        let cut = output.rfind("1 total").unwrap();
        assert!(compare(&worlds, &output[..cut]).is_err());
        assert!(compare(&worlds, &format!("{output}1 2 0 0 0\n")).is_err());
    }
}
