//! The paper's figures: Tables 1 to 4, as printed, and what it says of larger look-aheads.
//!
//! The tables are in `paper.csv`: D* Lite, and LRTA* by A* or breadth first, of which Table 1 gives moves and
//! planning time, Tables 2 and 3 all, Table 4 expansions and moves. There are no intervals. Columns that follow
//! from others are left out: movements per planning episode, and planning times per episode and per movement.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{
    contender::{Contender, Heuristic, Method},
    objectives::Range,
};

/// Side of the paper's worlds, in cells.
pub const SIDE: u16 = 301;
/// Mazes in the paper.
pub const MAZES: u32 = 1_000;
/// Grids with random obstacles in the paper.
pub const GRIDS: u32 = 5_000;
/// Share of blocked cells in the grids.
pub const DENSITY: f64 = 0.25;

/// The paper's worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terrain {
    /// Mazes without cycles, in which heuristics mislead.
    Mazes,
    /// Grids with random obstacles, in which they hardly do.
    Grids,
}

impl Terrain {
    /// The name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mazes => "mazes",
            Self::Grids => "grids",
        }
    }

    /// The heuristic with which the paper has LRTA* run there: the better one.
    pub fn heuristic(self) -> Heuristic {
        match self {
            Self::Mazes => Heuristic::Weak,
            Self::Grids => Heuristic::Strong,
        }
    }
}

/// The paper's figures of an agent: means, where given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    pub contender: Contender,
    pub expansions: Option<f64>,
    /// Planning episodes.
    pub searches: Option<f64>,
    pub moves: Option<f64>,
    /// Planning time, in microseconds of the paper's machine.
    pub runtime_us: Option<f64>,
}

/// A line of the tables.
#[derive(Deserialize)]
struct Line {
    terrain: Terrain,
    method: String,
    look_ahead: Option<u32>,
    heuristic: Heuristic,
    expansions: Option<f64>,
    searches: Option<f64>,
    moves: Option<f64>,
    runtime_us: Option<f64>,
}

impl Line {
    fn figures(&self) -> Figures {
        let method = match (&*self.method, self.look_ahead) {
            ("astar", Some(cells)) => Method::AStar(cells),
            ("breadth-first", Some(cells)) => Method::BreadthFirst(cells),
            _ => Method::DStarLite,
        };
        let far_us = self.moves.map(|moves| moves * FAR_US_PER_MOVE);
        let far_us = far_us.filter(|_| method == Method::AStar(FAR));
        Figures {
            contender: Contender::new(method, self.heuristic),
            expansions: self.expansions,
            searches: self.searches.or(far_us.map(|us| us / FAR_US_PER_SEARCH)),
            moves: self.moves,
            runtime_us: self.runtime_us.or(far_us),
        }
    }
}

static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let mut lines = csv::Reader::from_reader(include_str!("paper.csv").as_bytes());
    let lines = lines.deserialize().collect::<Result<_, _>>();
    lines.expect("the file is part of this program, and tests read it")
});

/// The largest look-ahead that the text gives figures of.
const FAR: u32 = 241;
/// In the text: planning time per movement of LRTA* in mazes with a look-ahead of 241, which Table 2 does not show.
const FAR_US_PER_MOVE: f64 = 28.61;
/// In the text: its planning time per planning episode.
const FAR_US_PER_SEARCH: f64 = 168.19;
/// The resulting time per expansion with look-aheads that Table 2 does not show.
pub const FAR_US_PER_EXPANSION: f64 = FAR_US_PER_SEARCH / FAR as f64;

/// Objective 1: which look-ahead is optimal in mazes.
const RANGES_MAZES: [(i32, i32, u32); 3] = [(-400, -31, 21), (-30, -16, 25), (-15, 29, 33)];

/// Objective 1: which look-ahead is optimal in grids.
const RANGES_GRIDS: [(i32, i32, u32); 10] = [
    (-400, -9, 1),
    (-8, 14, 3),
    (15, 106, 5),
    (107, 107, 7),
    (108, 124, 11),
    (125, 143, 13),
    (144, 171, 15),
    (172, 186, 19),
    (187, 207, 21),
    (208, 215, 25),
];

/// Objective 1: the exponent, in hundredths, beyond which D* Lite is to be preferred in mazes.
pub const LRTA_UNTIL: i32 = -27;

/// Look-aheads at which breadth-first search is also followed along its tree: the paper does not say
/// which path its robot takes.
pub const ALONG_TREE: [u32; 4] = [3, 5, 9, 29];

/// All agents that the paper lets walk in such worlds, with what it says of them.
pub fn figures(terrain: Terrain) -> Vec<Figures> {
    let lines = LINES.iter().filter(|line| line.terrain == terrain);
    let mut figures: Vec<Figures> = lines.map(Line::figures).collect();
    for place in 0..figures.len() {
        let mut along_tree = figures[place];
        if let Method::BreadthFirst(cells) = along_tree.contender.method
            && ALONG_TREE.contains(&cells)
        {
            along_tree.contender.method = Method::BreadthFirstTree(cells);
            figures.push(along_tree);
        }
    }
    figures
}

/// Objective 1: which look-ahead of LRTA* is optimal for which ratio of planning to moving.
pub fn ranges(terrain: Terrain) -> Vec<Range> {
    let ranges: &[_] = match terrain {
        Terrain::Mazes => &RANGES_MAZES,
        Terrain::Grids => &RANGES_GRIDS,
    };
    let range = |&(from, to, look_ahead): &_| Range {
        exponents: (from, to),
        look_ahead,
    };
    ranges.iter().map(range).collect()
}

/// The part of LRTA*'s planning time that does not depend on expansions: where a straight line
/// through the first and the last row of Table 3 begins.
pub fn fixed_us() -> f64 {
    let row = |line: &Line| Some((line.searches.and(line.expansions)?, line.runtime_us?));
    let table = || {
        let lines = LINES.iter().filter(|line| line.terrain == Terrain::Grids);
        lines.filter(|line| line.method == "astar").filter_map(row)
    };
    let (Some((few, short)), Some((many, long))) = (table().next(), table().next_back()) else {
        return 0.0;
    };
    short - few * (long - short) / (many - few)
}
