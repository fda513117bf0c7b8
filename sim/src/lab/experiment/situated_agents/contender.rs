//! The paper's agents, built as it describes them.

use std::fmt;

use planner_core::{
    Navigator,
    graph::{ForFour, Four, Manhattan, MaxNorm},
    local::{Follow, LocalConfig, LocalPlanner, LookAhead, LssLrta, SuccessorOrder, entries},
    map::CellMap,
    queue::{Heap, SmallerG},
    search::DStarLite,
    storage::{BLOCK, Boxed},
    width::Bits32,
};
use serde::Deserialize;

use super::episodes::Episodes;
use crate::{
    catalog::{AnyPlanner, cell_map},
    lab::problem::{Measured, Problem},
};

/// The largest look-ahead: the paper's.
const LONGEST: usize = 241;

/// The heuristic of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heuristic {
    /// Columns plus rows.
    Strong,
    /// The larger of columns and rows.
    Weak,
}

/// The search of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// D* Lite on a binary heap, its keys as published: ties go to the smaller g.
    DStarLite,
    /// LSS-LRTA* that expands at most so many cells per search, by A*.
    AStar(u32),
    /// LSS-LRTA* that expands at most so many cells per search, breadth first. Its robot goes downhill
    /// along the learned values.
    BreadthFirst(u32),
    /// The same, but its robot follows the search tree to the best cell at the border.
    BreadthFirstTree(u32),
}

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    pub method: Method,
    pub heuristic: Heuristic,
}

/// The work of an agent until it arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentResult {
    /// Its searches are the ticks in which something was expanded.
    pub measured: Measured,
    /// Planning episodes, as the paper counts them.
    pub episodes: f64,
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heuristic = match self.heuristic {
            Heuristic::Strong => "strong",
            Heuristic::Weak => "weak",
        };
        match self.method {
            Method::DStarLite => write!(f, "dstar-lite-heap, {heuristic}"),
            Method::AStar(cells) => write!(f, "lss-lrta, {heuristic}, {cells}"),
            Method::BreadthFirst(cells) => write!(f, "lss-lrta-bfs, {heuristic}, {cells}"),
            Method::BreadthFirstTree(cells) => {
                write!(f, "lss-lrta-bfs along its tree, {heuristic}, {cells}")
            }
        }
    }
}

impl Contender {
    /// An agent with a search and its heuristic.
    pub fn new(method: Method, heuristic: Heuristic) -> Self {
        Self { method, heuristic }
    }

    /// Solves a problem; `seed` decides in which order LSS-LRTA* generates successors.
    pub fn solve(self, problem: &Problem, seed: u32) -> anyhow::Result<AgentResult> {
        match self.heuristic {
            Heuristic::Strong => self.solve_with::<Manhattan>(problem, seed),
            Heuristic::Weak => self.solve_with::<MaxNorm>(problem, seed),
        }
    }

    fn solve_with<H: ForFour>(self, problem: &Problem, seed: u32) -> anyhow::Result<AgentResult> {
        let size = problem.world.size();
        let map = cell_map::<Four<H>>(size, None)?;
        let blocks = CellMap::vertices(size.0, size.1).div_ceil(BLOCK);
        let (start, goals) = (problem.start, [problem.goal]);
        let (look_ahead, follow, cells) = match self.method {
            Method::DStarLite => {
                let queue = Heap::<Boxed, u128, SmallerG>::allocate(blocks);
                let search = DStarLite::<Boxed, Bits32, _>::allocate(queue, blocks);
                let mut planner = Navigator::from_parts(map, search);
                planner.restart(start, &goals)?;
                let mut episodes = Episodes::default();
                let record = |planner: &dyn AnyPlanner, at| episodes.record(planner, at);
                return Ok(AgentResult {
                    measured: problem.measure_watched(&mut planner, record)?,
                    episodes: episodes.count.into(),
                });
            }
            Method::AStar(cells) => (LookAhead::AStar, Follow::Path, cells),
            Method::BreadthFirst(cells) => (LookAhead::BreadthFirst, Follow::Descent, cells),
            Method::BreadthFirstTree(cells) => (LookAhead::BreadthFirst, Follow::Path, cells),
        };
        let config = LocalConfig {
            look_ahead,
            follow,
            order: SuccessorOrder::Random(seed),
        };
        let search = LssLrta::<Boxed, Bits32, { entries(LONGEST, 4) }>::allocate(blocks, config);
        let mut planner = Navigator::from_parts(map, LocalPlanner::new(search, cells));
        planner.restart(start, &goals)?;
        let measured = problem.measure(&mut planner)?;
        Ok(AgentResult {
            measured,
            episodes: measured.searches,
        })
    }
}
