//! The measured tables, and their rows beside the paper's.

use super::{
    contender::{AgentResult, Contender, Heuristic, Method},
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
    pub runs: Vec<Vec<AgentResult>>,
}

impl Table {
    /// The index of an agent of the paper.
    pub fn place(&self, method: Method, heuristic: Heuristic) -> usize {
        let contender = Contender::new(method, heuristic);
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

/// A metric: what it is, or what it is over something else, in a run and in the paper.
type Column = (Metric, Number, Option<Number>);
type Number = (Value, fn(&Figures) -> Option<f64>);

const EXPANDED: Number = (|run| run.measured.expansions, |paper| paper.expansions);
const SEARCHED: Number = (|run| run.episodes, |paper| paper.searches);
const MOVED: Number = (|run| run.measured.moves, |paper| paper.moves);
const TIME: Number = (|run| run.measured.runtime_us, |paper| paper.runtime_us);

/// The tables' columns that are counted or timed, and those that follow from them.
const COLUMNS: [Column; 7] = [
    (EXPANSIONS, EXPANDED, None),
    (SEARCHES, SEARCHED, None),
    (MOVES, MOVED, None),
    (MOVES_PER_SEARCH, MOVED, Some(SEARCHED)),
    (RUNTIME, TIME, None),
    (RUNTIME_PER_SEARCH, TIME, Some(SEARCHED)),
    (RUNTIME_PER_MOVE, TIME, Some(MOVED)),
];

/// All rows, metric by metric.
pub fn rows(experiment: &'static str, tables: &[Table]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (metric, (value, figure), per) in COLUMNS {
        for table in tables {
            for (place, figures) in table.figures.iter().enumerate() {
                let (measured, paper) = match per {
                    None => (table.summary(place, value), figure(figures)),
                    Some((below, of)) => {
                        let paper = figure(figures).zip(of(figures));
                        let paper = paper.map(|(above, below)| above / below);
                        (table.ratio(place, value, below), paper)
                    }
                };
                let paper = paper.map(Paper::mean);
                rows.push(Row::new(
                    experiment,
                    table.row(place),
                    metric,
                    measured,
                    paper,
                ));
            }
        }
    }
    rows
}
