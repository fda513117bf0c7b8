//! Planning time by the paper's prices and by this machine's, and the best choice for each.
//!
//! The objectives weigh planning time against moves, and planning time depends on the machine and the
//! implementation. To compare choices with the paper's, what was expanded here is therefore paid for
//! at the paper's prices: row by row, its planning time per expansion. What this machine's own times
//! lead to is a matter of its own.

use std::ops::RangeInclusive;

use super::{
    contender::{Heuristic, Method},
    objectives::{self, Agent, Cost, Measure, largest_within, lasts_until, optimal, x},
    paper::{self, Figures, Terrain},
    tables::Table,
};
use crate::lab::{
    experiment::row::{Metric, Paper, Row},
    stats::{Summary, summary},
};

/// Exponents of ten, in hundredths, that `x` is tried with: the paper's smallest, and to where larger
/// look-aheads than it tabulates take over.
pub const EXPONENTS: RangeInclusive<i32> = -400..=215;

/// The look-ahead to choose.
pub const LOOK_AHEAD: Metric = Metric::new(
    "best_look_ahead",
    "best look-ahead at the paper's prices",
    0,
);

/// Planning times of a move up to which LRTA* is the better choice.
pub const LRTA_UNTIL: Metric = Metric::new(
    "lrta_until_x",
    "LRTA* needs no more than D* Lite up to x",
    3,
);

/// Prices of planning time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prices {
    /// Expansions at the paper's prices.
    Papers,
    /// Microseconds of this machine.
    Machines,
}

impl Prices {
    /// Planning time of an agent, run by run.
    fn planning(self, table: &Table, place: usize) -> impl Iterator<Item = f64> {
        let figures = table.figures[place];
        let times = table.samples(place, |run| run.measured.runtime_us);
        let expansions = table.samples(place, |run| run.measured.expansions);
        times
            .zip(expansions)
            .map(move |(time, expansions)| match self {
                Self::Papers => paid(&figures, expansions),
                Self::Machines => time,
            })
    }
}

/// Planning time of an agent's expansions by the paper's prices.
///
/// A part of the paper's planning time does not depend on expansions: in grids most of it. That part
/// stays as it is.
fn paid(figures: &Figures, expansions: f64) -> f64 {
    match (figures.runtime_us, figures.expansions) {
        (Some(time), Some(of)) => {
            let fixed = paper::fixed_us();
            fixed + (time - fixed) * expansions / of
        }
        _ => paper::FAR_US_PER_EXPANSION * expansions,
    }
}

/// The best choices in one kind of world.
pub struct Choices {
    pub terrain: Terrain,
    runs: u64,
    /// At the paper's prices, then by this machine's clock.
    pub by: [Offers; 2],
}

/// The candidates, by one kind of prices.
pub struct Offers {
    /// LRTA* in the order of look-aheads.
    pub agents: Vec<Agent>,
    pub dstar_lite: Cost,
    /// Look-aheads that these runs cannot tell from the one that plans least.
    pub as_good: Vec<u32>,
}

impl Choices {
    /// The choices that a table leaves.
    pub fn new(table: &Table) -> Self {
        let place = table.place(Method::DStarLite, Heuristic::Strong);
        Self {
            terrain: table.terrain,
            runs: table.summary(place, |run| run.measured.moves).runs,
            by: [Prices::Papers, Prices::Machines].map(|prices| offers(table, prices, place)),
        }
    }

    /// The paper's choices beside those at its prices. Where there is no choice the row says 0.
    pub fn rows(&self, experiment: &'static str) -> Vec<Row> {
        let offers = &self.by[0];
        let row = |what: String, metric, mean, figure| {
            let row = format!("{}, {what}", self.terrain.name());
            let measured = Summary {
                mean,
                ci95: None,
                runs: self.runs,
            };
            let paper = Paper::mean(figure);
            Row::new(experiment, row, metric, measured, Some(paper))
        };
        let mut rows = Vec::new();
        for range in paper::ranges(self.terrain) {
            let middle = range.exponents.0.midpoint(range.exponents.1);
            let best = optimal(&offers.agents, x(middle)).map_or(0, |agent| agent.0);
            let what = format!("x = 10^{:.2}", f64::from(middle) / 100.0);
            rows.push(row(what, LOOK_AHEAD, best.into(), range.look_ahead.into()));
        }
        if self.terrain == Terrain::Mazes {
            for limit in &LIMITS {
                let best = offers.within(limit.of).unwrap_or(0);
                let what = format!("within D* Lite's time per {}", limit.per);
                rows.push(row(what, LOOK_AHEAD, best.into(), limit.papers.into()));
            }
            let last = lasts_until(&offers.agents, offers.dstar_lite, EXPONENTS);
            let (what, figure) = ("x".to_owned(), x(paper::LRTA_UNTIL));
            rows.push(row(what, LRTA_UNTIL, last.map_or(0.0, x), figure));
        }
        rows
    }
}

/// An objective with a limit on planning time: D* Lite's own.
pub struct Limit {
    /// Its number in the paper.
    pub objective: u32,
    pub per: &'static str,
    pub of: Measure,
    /// The largest look-ahead that the paper finds to keep the limit in mazes.
    pub papers: u32,
}

/// The objectives with a limit.
pub const LIMITS: [Limit; 2] = [
    Limit {
        objective: 2,
        per: "search",
        of: Cost::per_search,
        papers: 75,
    },
    Limit {
        objective: 3,
        per: "move",
        of: Cost::per_move,
        papers: 165,
    },
];

impl Offers {
    /// The largest look-ahead that plans no longer than D* Lite, by this measure.
    pub fn within(&self, of: Measure) -> Option<u32> {
        largest_within(&self.agents, of(&self.dstar_lite), of)
    }

    /// Which look-ahead is optimal for which x.
    pub fn ranges(&self) -> Vec<objectives::Range> {
        objectives::ranges(&self.agents, EXPONENTS)
    }
}

fn offers(table: &Table, prices: Prices, dstar_lite: usize) -> Offers {
    let cost = |place| Cost {
        planning: summary(prices.planning(table, place)).mean,
        searches: table.summary(place, |run| run.episodes).mean,
        moves: table.summary(place, |run| run.measured.moves).mean,
    };
    let heuristic = table.terrain.heuristic();
    let contenders = table.figures.iter().map(|figures| figures.contender);
    let lrta = contenders
        .enumerate()
        .filter(|(_, c)| c.heuristic == heuristic);
    let places: Vec<(u32, usize)> = lrta
        .filter_map(|(place, contender)| match contender.method {
            Method::AStar(look_ahead) => Some((look_ahead, place)),
            _ => None,
        })
        .collect();
    let agents: Vec<Agent> = places.iter().map(|&(n, place)| (n, cost(place))).collect();
    let least = optimal(&agents, 0.0)
        .and_then(|(best, _)| places.iter().find(|(look_ahead, _)| *look_ahead == best));
    let is_as_good = |place: usize| {
        let Some(&(_, best)) = least else {
            return false;
        };
        let pairs = prices
            .planning(table, place)
            .zip(prices.planning(table, best));
        let more = summary(pairs.map(|(this, best)| this - best));
        more.ci95.is_none_or(|ci| more.mean <= ci)
    };
    let as_good = places.iter().filter(|&&(_, place)| is_as_good(place));
    Offers {
        as_good: as_good.map(|&(look_ahead, _)| look_ahead).collect(),
        agents,
        dstar_lite: cost(dstar_lite),
    }
}
