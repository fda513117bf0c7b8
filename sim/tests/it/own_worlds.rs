//! The maps in `sim/worlds`: generated here, from fixed seeds, and compared with the files.
//!
//! `cargo xtask worlds` writes them again.

use std::{env, fs};

use pathfinding::prelude::astar;
use planner_core::{Cell, Side};
use sim::{
    view,
    world::{
        Grid, Maze, caves, corridors, file,
        micromouse::draw_text,
        movingai::{parse_scen, write_map},
        rng, rooms,
    },
};

use crate::support::maps;

/// Queries in a `.scen`.
const QUERIES: usize = 20;

/// Micromouse mazes: name, cells along a side, blocked cells opened in the corridors that they are made of, and
/// the least length of the shortest path. Fewer openings leave fewer loops.
const MAZES: [(&str, u16, u32, u32); 4] = [
    ("maze-easy", 16, 90, 20),
    ("maze-medium", 16, 40, 40),
    ("maze-hard", 16, 12, 80),
    ("maze-large", 32, 120, 120),
];

/// A maze in which every cell can be reached and the start is open to the north only, as competitions have it.
fn micromouse(seed: u64, side: u16, openings: u32, least: u32) -> Maze {
    let mut mazes = (0..).map(|trial| {
        let mut rng = rng::derived(seed, trial);
        let corridors =
            corridors::corridors(2 * side - 1, 2 * side - 1, openings, &mut rng).unwrap();
        let mut maze = maps::maze_of(&corridors);
        // The goal is one room of four cells.
        for (cell, side) in [
            (0, Side::East),
            (0, Side::South),
            (3, Side::North),
            (3, Side::West),
        ] {
            maze.set_wall(maze.goals[cell], side, false);
        }
        maze
    });
    mazes
        .find(|maze| {
            let open = |side| !maze.has_wall(maze.start, side);
            open(Side::North) && !open(Side::East) && maze.shortest() >= Some(least)
        })
        .unwrap()
}

/// A maze in which walls are cells, too.
fn cells_of(maze: &Maze) -> Grid {
    let (width, height) = view::maze::size(maze);
    let mut grid = Grid::filled(width, height, false).unwrap();
    for cell in grid.cells() {
        grid.set_blocked(cell, view::maze::is_blocked(maze, cell));
    }
    grid
}

/// The length of a shortest path with eight moves that cut no corners, found by another library's A*.
fn optimal(grid: &Grid, start: Cell, goal: Cell) -> Option<f64> {
    const STRAIGHT: u64 = 1_000_000_000;
    const DIAGONAL: u64 = 1_414_213_562;
    let free = |x: i32, y: i32| {
        let cell = Cell::new(u16::try_from(x).ok()?, u16::try_from(y).ok()?);
        grid.is_free(cell).then_some(cell)
    };
    let successors = |&Cell { x, y }: &Cell| {
        let (x, y) = (i32::from(x), i32::from(y));
        let steps = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        let next = steps.filter_map(|(dx, dy)| {
            let next = free(x + dx, y + dy)?;
            free(x + dx, y).and(free(x, y + dy))?;
            Some((next, if dx * dy == 0 { STRAIGHT } else { DIAGONAL }))
        });
        next.collect::<Vec<_>>()
    };
    let octile = |cell: &Cell| {
        let (dx, dy) = (cell.x.abs_diff(goal.x), cell.y.abs_diff(goal.y));
        u64::from(dx.max(dy)) * STRAIGHT + u64::from(dx.min(dy)) * (DIAGONAL - STRAIGHT)
    };
    let (path, _) = astar(&start, successors, octile, |&cell| cell == goal)?;
    let length = |step: &[Cell]| match step[0].x != step[1].x && step[0].y != step[1].y {
        true => std::f64::consts::SQRT_2,
        false => 1.0,
    };
    Some(path.windows(2).map(length).sum())
}

/// A `.scen` about a map: random queries, shortest first as the published benchmarks have them.
fn scen(map: &str, grid: &Grid, rng: &mut rng::Rng) -> String {
    let mut queries: Vec<_> = (0..QUERIES)
        .map(|_| {
            let (start, goal) = grid.random_free_pair(rng).unwrap();
            (optimal(grid, start, goal).unwrap(), start, goal)
        })
        .collect();
    queries.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (width, height) = (grid.width(), grid.height());
    let mut text = String::from("version 1\n");
    for (optimal, start, goal) in queries {
        let bucket = (optimal / 4.0) as u32;
        let ends = [start.x, start.y, goal.x, goal.y].map(|at| at.to_string());
        let ends = ends.join("\t");
        text += &format!("{bucket}\t{map}\t{width}\t{height}\t{ends}\t{optimal:.8}\n");
    }
    text
}

/// The map as a drawing, with the two most distant of its queries' ends marked.
fn drawing(grid: &Grid, scen: &str) -> String {
    let mut rows: Vec<Vec<char>> = grid
        .to_string()
        .lines()
        .map(|row| row.chars().collect())
        .collect();
    let longest = &parse_scen(scen).unwrap()[QUERIES - 1];
    for (mark, cell) in [('S', longest.start), ('G', longest.goal)] {
        rows[usize::from(cell.y)][usize::from(cell.x)] = mark;
    }
    rows.iter()
        .map(|row| row.iter().collect::<String>() + "\n")
        .collect()
}

/// All files, by name.
fn generated() -> Vec<(String, String)> {
    let mazes = (0..)
        .zip(MAZES)
        .flat_map(|(seed, (name, side, openings, least))| {
            let maze = micromouse(seed, side, openings, least);
            let grid = cells_of(&maze);
            let map = format!("{name}.map");
            [
                (format!("{name}.txt"), draw_text(&maze)),
                (
                    format!("{map}.scen"),
                    scen(&map, &grid, &mut rng::seeded(seed)),
                ),
                (map, write_map(&grid)),
            ]
        });
    let mut rng = rng::seeded(1);
    let cells = [
        ("arena", rooms::rooms(40, 30, &mut rng).unwrap().grid),
        ("cave", caves::caves(64, 48, &mut rng).unwrap()),
    ];
    let cells = cells.into_iter().flat_map(|(name, grid)| {
        let map = format!("{name}.map");
        let scen = scen(&map, &grid, &mut rng);
        [
            (format!("{name}.txt"), drawing(&grid, &scen)),
            (format!("{map}.scen"), scen),
            (map, write_map(&grid)),
        ]
    });
    mazes.chain(cells).collect()
}

#[test]
fn files_are_those_that_the_generator_writes() {
    let folder = maps::own();
    let generated = generated();
    if env::var_os("WRITE_WORLDS").is_some() {
        for (name, content) in &generated {
            fs::write(folder.join(name), content).unwrap();
        }
    }
    for (name, content) in &generated {
        let file = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(
            file == *content,
            "sim/worlds/{name} is out of date: cargo xtask worlds"
        );
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), generated.len());
}

#[test]
fn paths_get_longer_from_maze_to_maze_and_every_cell_can_be_reached() {
    let shortest = MAZES.map(|(name, ..)| {
        let maze = file::load_maze(maps::own().join(format!("{name}.txt"))).unwrap();
        assert!(maze.distances(&[maze.start]).iter().all(Option::is_some));
        maze.shortest().unwrap()
    });
    assert!(shortest.is_sorted(), "{shortest:?}");
}
