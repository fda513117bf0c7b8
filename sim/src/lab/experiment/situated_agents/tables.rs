//! The measured tables, and their rows beside the paper's.

use super::{
    contender::{AgentResult, Contender},
    paper::{Figures, Terrain},
};
use crate::lab::{
    experiment::row::{EXPANSIONS, MOVES, Metric, Paper, RUNTIME, Row, SEARCHES},
    stats::{Summary, ratio, summary},
};

/// Moves over searches.
pub const MOVES_PER_SEARCH: Metric = Metric::new("moves_per_search", "moves per search", 2);

/// Time for observations and planning, over searches.
pub const RUNTIME_PER_SEARCH: Metric = Metric::time(
    "runtime_per_search_us",
    "runtime per search (microseconds)",
    2,
);

/// Time for observations and planning, over moves.
pub const RUNTIME_PER_MOVE: Metric =
    Metric::time("runtime_per_move_us", "runtime per move (microseconds)", 2);

/// A number of an agent's run.
pub type Value = fn(&AgentResult) -> f64;

/// The agents of one kind of world: what the paper says of them and what they did.
pub struct Table {
    pub terrain: Terrain,
    pub figures: Vec<Figures>,
    /// Each as long as `figures`.
    runs: Vec<Vec<AgentResult>>,
}

impl Table {
    /// A table of runs, each with an outcome for each of the figures.
    pub fn new(terrain: Terrain, figures: Vec<Figures>, runs: Vec<Vec<AgentResult>>) -> Self {
        Self {
            terrain,
            figures,
            runs,
        }
    }

    /// The index of an agent of the paper.
    pub fn place(&self, contender: Contender) -> usize {
        let is_it = |figures: &Figures| figures.contender == contender;
        let place = self.figures.iter().position(is_it);
        place.expect("only agents of the paper are asked for")
    }

    /// A number of an agent, run by run.
    pub fn samples(&self, place: usize, value: Value) -> impl Iterator<Item = f64> {
        self.runs.iter().map(move |run| value(&run[place]))
    }

    /// The mean of a number of an agent.
    pub fn summary(&self, place: usize, value: Value) -> Summary {
        summary(self.samples(place, value))
    }

    fn ratio(&self, place: usize, above: Value, below: Value) -> Summary {
        let above = self.samples(place, above);
        let pairs: Vec<_> = above.zip(self.samples(place, below)).collect();
        ratio(&pairs)
    }

    /// The row name of an agent.
    pub fn row(&self, place: usize) -> String {
        format!("{}, {}", self.terrain.name(), self.figures[place].contender)
    }
}

/// A metric: its mean over a table's runs, and the paper's.
type Column = (
    Metric,
    fn(&Table, usize) -> Summary,
    fn(&Figures) -> Option<f64>,
);

/// The tables' columns that are counted or timed, and those that follow from them.
const COLUMNS: [Column; 7] = [
    (
        EXPANSIONS,
        |table, place| table.summary(place, |run| run.expansions),
        |paper| paper.expansions,
    ),
    (
        SEARCHES,
        |table, place| table.summary(place, |run| run.searches),
        |paper| paper.searches,
    ),
    (
        MOVES,
        |table, place| table.summary(place, |run| run.moves),
        |paper| paper.moves,
    ),
    (
        MOVES_PER_SEARCH,
        |table, place| table.ratio(place, |run| run.moves, |run| run.searches),
        |paper| Some(paper.moves? / paper.searches?),
    ),
    (
        RUNTIME,
        |table, place| table.summary(place, |run| run.runtime_us),
        |paper| paper.runtime_us,
    ),
    (
        RUNTIME_PER_SEARCH,
        |table, place| table.ratio(place, |run| run.runtime_us, |run| run.searches),
        |paper| Some(paper.runtime_us? / paper.searches?),
    ),
    (
        RUNTIME_PER_MOVE,
        |table, place| table.ratio(place, |run| run.runtime_us, |run| run.moves),
        |paper| Some(paper.runtime_us? / paper.moves?),
    ),
];

/// All rows, metric by metric.
pub fn rows(experiment: &'static str, tables: &[Table]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (metric, measured, figure) in COLUMNS {
        for table in tables {
            for (place, figures) in table.figures.iter().enumerate() {
                let paper = figure(figures).map(Paper::mean);
                let (row, measured) = (table.row(place), measured(table, place));
                rows.push(Row::new(experiment, row, metric, measured, paper));
            }
        }
    }
    rows
}
