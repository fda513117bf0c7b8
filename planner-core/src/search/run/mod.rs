//! The path of least time for a robot that drives straights and smooth turns: a speed run.
//!
//! A robot is faster the longer a straight is, so time does not add up cell by cell. A *state* is therefore a robot
//! that enters a cell at the speed of a turn, with a heading: four for each cell. From there it drives straight
//! through some cells, turns left or right in the next, and is in another state. `g` of a state is the least time
//! from it to rest in the centre of a goal.
//!
//! The search runs from the goals to the robot. The last straights begin at the goals; a state that is expanded is the
//! end of two turns, and the straights before each of them are scanned cell by cell, away from the turn. The robot
//! stands where it starts: the first straight begins in the centre of its cell, after turns in place.
//!
//! OPEN has no queue, but a bit for each state. It is swept again and again, and all states are expanded whose `g` is
//! less than the least of the last sweep and a turn: a turn is the cheapest edge, so none of these can lower another. The
//! search ends when no open state has a lower `g` than the time of the path found. So a state takes two bytes and a bit,
//! a third of what a bucket queue takes; undirected edges between cells would be half the states, but a robot cannot
//! reverse on an edge, and paths would no longer be exact.
//!
//! A scan is dropped where it cannot lead to a shorter time: where the `g` of a state is not above what remains of the
//! scanned time if all of its cells were driven at top speed.

mod path;
mod times;

use core::fmt::Debug;

pub use self::{
    path::{RunPosition, RunStep},
    times::{RunLimits, RunTimes, RunTimesError},
};
use crate::{
    BuildError, Cell, Goals, Side,
    budget::Remaining,
    graph::{Graph, Grid, Trend, opposite},
    map::{AsBlocked, AsFree, Change, Map, Revision},
    planner::{Budget, Work},
    storage::{Allocate, Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
    width::{Bits16, Width, Word, infinity},
};

/// The state of a search for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RunProgress {
    /// The budget ran out first.
    Searching,
    /// The path of least time is known.
    Found,
    /// There is no path.
    NoPath,
    /// There is no path whose time fits the width of costs; there may be a longer one.
    TooLong,
}

/// The role of unknown space in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum UnknownAs {
    /// Only space that was observed to be free is free: what a robot drives.
    #[default]
    Blocked,
    /// Unknown space is free: a lower bound.
    Free,
}

/// A map as the search sees it: one copy of the code for both roles of unknown space.
#[derive(Clone, Copy)]
struct View<F, B> {
    free: F,
    blocked: B,
    unknown: UnknownAs,
}

fn view<M: Map>(
    map: &M,
    unknown: UnknownAs,
) -> View<M::Graph<'_, AsFree>, M::Graph<'_, AsBlocked>> {
    View {
        free: map.view(),
        blocked: map.view(),
        unknown,
    }
}

impl<F: Graph, B: Graph> View<F, B> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn grid(&self) -> &Grid {
        self.free.grid()
    }

    /// The vertex that move `m` from another leads to, if there is no wall.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn beyond(&self, from: usize, m: usize, into: usize) -> Option<usize> {
        let is_open = match self.unknown {
            UnknownAs::Blocked => {
                self.blocked.moves(from).contains(m) && self.blocked.is_passable(into)
            }
            UnknownAs::Free => self.free.moves(from).contains(m) && self.free.is_passable(into),
        };
        is_open.then_some(into)
    }

    fn is_passable(&self, vertex: usize) -> bool {
        match self.unknown {
            UnknownAs::Blocked => self.blocked.is_passable(vertex),
            UnknownAs::Free => self.free.is_passable(vertex),
        }
    }
}

/// The phase of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not begun.
    None,
    /// Values are cleared, up to this quarter of a block.
    Clear(u32),
    /// The straights to goals are scanned, up to this goal and heading.
    Goals(u8),
    /// Open states are expanded.
    Expand,
    /// The path is checked against the map.
    Check,
    /// The search is done.
    Done(RunProgress),
}

/// A straight that is scanned backwards, from a turn or a goal.
#[derive(Clone, Copy, Debug)]
struct Scan {
    /// The cell that is entered next.
    vertex: usize,
    /// From a vertex to the one behind it, wrapping.
    back: usize,
    /// Cells that were scanned.
    cells: usize,
    /// The time after the straight.
    rest: usize,
    /// The same and the shortest time of the scanned cells, in 256ths.
    least: usize,
    /// Heading of the robot.
    heading: usize,
    is_to_goal: bool,
}

impl Scan {
    const ZERO: Self = Self {
        vertex: 0,
        back: 0,
        cells: 0,
        rest: 0,
        least: 0,
        heading: 0,
        is_to_goal: false,
    };
}

/// The first straight of the best path.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The least time to a goal, turns in place included.
    time: usize,
    /// The same without them.
    driven: usize,
    heading: usize,
}

/// Price of a cell of a scanned straight, in trace steps.
const CELL: u32 = 3;
/// Price of an open state that is examined, and expanded if its turn has come.
const STATE: u32 = 2;
/// Price of [`WORDS`] words of the open states.
const SWEEP: u32 = 2;
/// Price of [`CLEARED`] states that are cleared.
const CLEAR: u32 = 2;
/// Price of a straight to a goal that is begun.
const GOAL: u32 = 2;
/// Price of a cell of the path that is checked.
const CHECK: u32 = 6;
/// States that are cleared at once.
const CLEARED: usize = 16;
/// Words of open states that are examined at once.
const WORDS: usize = 4;

/// States of a word.
const BITS: usize = u32::BITS as usize;

/// A search for the path of least time, in storage `S`; times have the width of costs of `W`.
///
/// It can be interrupted after any scanned cell. Changes of the map during a search or a run are taken in by
/// [`RunSearch::update`]: a wall that blocks the path makes it search again.
///
/// ```
/// use planner_core::{prelude::*, search::{RunLimits, RunProgress, RunSearch, RunStep, RunTimes, UnknownAs}};
///
/// const N: usize = maze_capacity(4, 4);
/// let mut map = WallMap::<Array<N>>::new();
/// map.resize(4, 4)?;
/// let times = RunTimes::new(RunLimits::MICROMOUSE)?;
/// let mut run = RunSearch::<Array<N>>::new();
/// run.set_times(times);
/// let (start, goal) = (Cell::new(0, 3), Cell::new(3, 0));
/// run.begin(&map, (start, Some(Side::North)), &[goal], UnknownAs::Free)?;
///
/// let mut work = Work::ZERO;
/// while run.advance(&map, Budget::limit(16), &mut work) == RunProgress::Searching {
///     work = Work::ZERO; // a tick each
/// }
/// let straights = times.from_rest(2) + times.turn() + times.from_rest(2);
/// assert_eq!(run.time(), Some(straights)); // a single turn
/// let mut at = run.start().expect("found");
/// while let RunStep::To(next) = run.follow(&map, at) {
///     at = next;
/// }
/// assert_eq!(at.cell(), goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RunSearch<S: Storage, W: Width = Bits16> {
    /// By cell entered and heading.
    g: S::Of<Block<[W::Cost; 4]>>,
    /// A bit for each state: its `g` fell after it was last expanded.
    open: S::Of<[u32; BLOCK * 4 / BITS]>,
    times: RunTimes,
    goals: Goals,
    unknown: UnknownAs,
    stage: Stage,
    /// Cell in which the robot rests before the run, and its heading if known.
    robot: (Cell, Option<Side>),
    /// The vertex of that cell.
    start_vertex: usize,
    start: Option<Start>,
    /// Last position of the robot on the path found.
    position: RunPosition,
    /// Up to where that path was checked.
    checked: RunPosition,
    scan: Scan,
    is_scanning: bool,
    /// The turn that is scanned when `scan` is done: its heading, vertex and the time after it.
    other_turn: Option<(usize, usize, usize)>,
    /// The next word of open states.
    word: usize,
    /// The open states of the last word that were not examined.
    states: u32,
    /// States whose `g` is lower are expanded in this sweep.
    bound: usize,
    /// The least `g` of the states that stay open after it.
    least: usize,
    /// True if a time did not fit.
    is_cut: bool,
    revision: Revision,
}

impl<W: Width, const N: usize> RunSearch<Array<N>, W> {
    /// A search in arrays, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([[[W::Cost::ZERO; 4]; BLOCK]; N], [[0; 2]; N])
    }
}

default_by_new!([W: Width, const N: usize] RunSearch<Array<N>, W>);

impl<S: Allocate, W: Width> RunSearch<S, W> {
    /// A search with memory for a number of [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize) -> Self {
        let g = S::allocate(blocks, [[W::Cost::ZERO; 4]; BLOCK]);
        Self::in_storage(g, S::allocate(blocks, [0; 2]))
    }
}

impl<S: Storage, W: Width> RunSearch<S, W> {
    /// A search in `g` and `open`, which have the same length. Without memory it refuses to begin.
    #[must_use]
    pub const fn in_storage(g: S::Of<Block<[W::Cost; 4]>>, open: S::Of<[u32; 2]>) -> Self {
        Self {
            g,
            open,
            times: RunTimes::ZERO,
            goals: Goals::NONE,
            unknown: UnknownAs::Blocked,
            stage: Stage::None,
            robot: (Cell::new(0, 0), Some(Side::South)), // all zero
            start_vertex: 0,
            start: None,
            position: RunPosition::ZERO,
            checked: RunPosition::ZERO,
            scan: Scan::ZERO,
            is_scanning: false,
            other_turn: None,
            word: 0,
            states: 0,
            bound: 0,
            least: 0,
            is_cut: false,
            revision: Revision::ZERO,
        }
    }

    /// Sets the times of motion, which count from the next [`RunSearch::begin`] on.
    pub fn set_times(&mut self, times: RunTimes) {
        self.times = times;
        self.stage = Stage::None;
    }

    /// Returns the times of motion, if they were set.
    pub fn times(&self) -> Option<&RunTimes> {
        self.times.is_some().then_some(&self.times)
    }

    /// Returns the time of the path found, in ticks.
    pub fn time(&self) -> Option<usize> {
        match self.stage {
            Stage::Done(RunProgress::Found) => self.start.map(|start| start.time),
            _ => None,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn g(&self, state: usize) -> usize {
        let g = flat(&self.g).as_flattened();
        g.get(state).map_or(infinity::<W>(), |g| g.get())
    }
}

impl<S: Storage, W: Width> RunSearch<S, W> {
    /// Begins a search for a robot that rests in a cell, perhaps with a known heading, and is to go to the nearest in
    /// time of `goals`. Takes constant time.
    ///
    /// # Errors
    /// There are more cells than memory, or a cell is outside the map. No times were set: `Empty`.
    pub fn begin<M: Map>(
        &mut self,
        map: &M,
        robot: (Cell, Option<Side>),
        goals: &[Cell],
        unknown: UnknownAs,
    ) -> Result<(), BuildError> {
        let goals = Goals::new(map.view::<AsFree>().grid(), goals)?;
        self.begin_to(map, robot, &goals, unknown)
    }

    /// Like [`RunSearch::begin`], to goals on the map.
    pub(crate) fn begin_to<M: Map>(
        &mut self,
        map: &M,
        robot: (Cell, Option<Side>),
        goals: &Goals,
        unknown: UnknownAs,
    ) -> Result<(), BuildError> {
        self.stage = Stage::None;
        let graph = map.view::<AsFree>();
        let vertices = graph.grid().vertices();
        let given = flat(&self.g).len().min(self.open.as_ref().len() * BLOCK);
        if given < vertices {
            let needed = vertices;
            return Err(BuildError::TooLittleMemory { needed, given });
        }
        if !self.times.is_some() {
            return Err(BuildError::Empty);
        }
        self.start_vertex = graph.grid().vertex(robot.0)?;
        (self.robot, self.goals, self.unknown) = (robot, *goals, unknown);
        self.revision = Revision::of(map);
        self.restart();
        if self.goals.contains(robot.0) {
            self.start = Some(Start {
                time: 0,
                driven: 0,
                heading: robot.1.map_or(0, |side| side as usize),
            });
            self.position = self.first();
            self.stage = Stage::Done(RunProgress::Found);
        }
        Ok(())
    }

    /// Searches from the beginning.
    fn restart(&mut self) {
        self.stage = Stage::Clear(0);
        (self.start, self.is_scanning, self.other_turn) = (None, false, None);
        (self.least, self.is_cut) = (infinity::<W>(), false);
    }

    /// Searches from the beginning, for a robot that stops where it is on its path.
    fn restart_from_robot(&mut self, graph: &View<impl Graph, impl Graph>) {
        let at = self.position;
        if !at.is_start()
            && let Ok(vertex) = graph.grid().vertex(at.cell())
        {
            (self.robot, self.start_vertex) = ((at.cell(), Some(at.heading())), vertex);
        }
        self.restart();
    }

    /// Takes in a change of the map: a wall that appears may block the path, one that disappears may be on a shorter
    /// one if unknown space is free. Newly observed free space is left for the next search.
    pub fn update(&mut self, change: Change) {
        self.revision.advance();
        let change = match self.unknown {
            UnknownAs::Blocked => change.seen_as::<AsBlocked>(),
            UnknownAs::Free => change.seen_as::<AsFree>(),
        };
        match (change.map(|change| change.trend()), self.stage) {
            (None, _) | (_, Stage::None) => {}
            (Some(Trend::Fall), _) if self.unknown == UnknownAs::Free => self.restart(),
            (Some(Trend::Fall), Stage::Done(RunProgress::NoPath)) => self.restart(),
            // The path is checked after every search.
            (Some(Trend::Rise), Stage::Check | Stage::Done(RunProgress::Found)) => {
                (self.checked, self.stage) = (self.position, Stage::Check);
            }
            _ => {}
        }
    }

    /// Searches as far as the budget goes and adds its work to `work`. There is no path before the search has begun.
    pub fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> RunProgress {
        if self.stage == Stage::None {
            return RunProgress::NoPath;
        }
        self.revision.check(map);
        let graph = &view(map, self.unknown);
        let mut left = Remaining::new(budget);
        let progress = loop {
            if self.is_scanning {
                if !left.take(CELL) {
                    break RunProgress::Searching;
                }
                if self.scan_cell(graph).is_none() {
                    self.is_scanning = false;
                    if let Some((heading, turn, rest)) = self.other_turn.take() {
                        self.scan_straight(graph, turn, heading, rest, false);
                    }
                }
                continue;
            }
            match self.stage {
                Stage::Expand if self.states != 0 => {
                    if !left.take(STATE) {
                        break RunProgress::Searching;
                    }
                    self.examine(graph);
                }
                Stage::Expand => {
                    if !left.take(SWEEP) {
                        break RunProgress::Searching;
                    }
                    self.sweep(graph);
                }
                Stage::Check => {
                    if !left.take(CHECK) {
                        break RunProgress::Searching;
                    }
                    match self.follow_in(graph, self.checked) {
                        RunStep::To(next) => self.checked = next,
                        RunStep::Arrived => self.stage = Stage::Done(RunProgress::Found),
                        RunStep::Blocked => self.restart_from_robot(graph),
                    }
                }
                Stage::Clear(number) => {
                    if !left.take(CLEAR) {
                        break RunProgress::Searching;
                    }
                    self.clear(graph, number);
                }
                Stage::Goals(number) => {
                    if !left.take(GOAL) {
                        break RunProgress::Searching;
                    }
                    self.scan_goal(graph, number);
                }
                Stage::None => break RunProgress::NoPath,
                Stage::Done(progress) => break progress,
            }
        };
        work.trace_steps = work.trace_steps.saturating_add(left.spent());
        progress
    }

    /// Clears some states, by number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clear(&mut self, graph: &View<impl Graph, impl Graph>, number: u32) {
        let first = number as usize * CLEARED;
        if first >= graph.grid().vertices() * 4 {
            self.stage = Stage::Goals(0);
            return;
        }
        let states = flat_mut(&mut self.g).as_flattened_mut().get_mut(first..);
        if let Some(states) = states.and_then(|states| states.first_chunk_mut::<CLEARED>()) {
            *states = [W::Cost::new(infinity::<W>()); CLEARED];
        }
        let words = self.open.as_mut().as_flattened_mut();
        if let Some(word) = words.get_mut(first / BITS) {
            *word = 0;
        }
        self.stage = Stage::Clear(number.wrapping_add(1));
    }

    /// Begins to scan the straights to a goal, by number of the goal and heading.
    fn scan_goal(&mut self, graph: &View<impl Graph, impl Graph>, number: u8) {
        match self.goals.cells().get(usize::from(number / 4)) {
            Some(&goal) => {
                self.stage = Stage::Goals(number.wrapping_add(1));
                if let Ok(vertex) = graph.grid().vertex(goal)
                    && graph.is_passable(vertex)
                {
                    self.scan_straight(graph, vertex, usize::from(number % 4), 0, true);
                }
            }
            None => {
                (self.stage, self.states) = (Stage::Expand, 0);
                self.end_sweep();
            }
        }
    }

    /// Begins to scan the straights that end where a vertex is entered: there the robot turns, or stops.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scan_straight(
        &mut self,
        graph: &View<impl Graph, impl Graph>,
        vertex: usize,
        heading: usize,
        rest: usize,
        is_to_goal: bool,
    ) {
        self.is_scanning = true;
        self.scan = Scan {
            vertex,
            back: graph.grid().neighbor(0, opposite(heading)),
            cells: 0,
            rest,
            least: rest.saturating_mul(256),
            heading,
            is_to_goal,
        };
    }

    /// Reaches the state of a robot that enters the cell of the scan, and the robot's if it rests in the cell before. `None`
    /// when the scan is done.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scan_cell(&mut self, graph: &View<impl Graph, impl Graph>) -> Option<()> {
        let scan = self.scan;
        let behind = scan.vertex.wrapping_add(scan.back);
        let (vertex, heading) = (scan.vertex, scan.heading);
        graph.beyond(vertex, opposite(heading), behind)?;
        let ticks = match scan.is_to_goal {
            true => self.times.from_rest(scan.cells),
            false => self.times.straight(scan.cells),
        };
        let time = scan.rest.saturating_add(ticks);
        if behind == self.start_vertex {
            self.reach_start(scan);
        }
        if time >= infinity::<W>() {
            self.is_cut = true;
            return None;
        }
        let g = flat_mut(&mut self.g).as_flattened_mut();
        let state = vertex.wrapping_mul(4) + heading;
        let g = g.get_mut(state)?;
        let before = g.get();
        if time < before {
            *g = W::Cost::new(time);
            let words = self.open.as_mut().as_flattened_mut();
            *words.get_mut(state / BITS)? |= 1 << (state % BITS);
            self.least = self.least.min(time);
        } else if before.saturating_add(ROUNDING) <= scan.least / 256 {
            return None;
        }
        self.scan.vertex = behind;
        self.scan.cells = scan.cells.wrapping_add(1);
        self.scan.least = scan.least.saturating_add(self.times.cell_256ths());
        Some(())
    }

    /// Takes the straight of a scan for the first one of the run, if that is faster.
    fn reach_start(&mut self, scan: Scan) {
        let driven = scan.rest.saturating_add(match scan.is_to_goal {
            true => self.times.rest_to_rest(scan.cells.wrapping_add(1)),
            false => self.times.from_rest(scan.cells),
        });
        let quarters = match self.robot.1 {
            Some(side) => [0, 1, 2, 1][(scan.heading.wrapping_sub(side as usize)) & 3],
            None => 0,
        };
        let time = driven.saturating_add(self.times.pivot(quarters));
        if time < self.start.map_or(infinity::<W>(), |start| start.time) {
            self.start = Some(Start {
                time,
                driven,
                heading: scan.heading,
            });
        } else if self.start.is_none() {
            self.is_cut = true;
        }
    }

    /// Expands the first of the open states if its turn has come.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn examine(&mut self, graph: &View<impl Graph, impl Graph>) {
        let bit = self.states.trailing_zeros() as usize;
        let state = (self.word * BITS).wrapping_add(bit).wrapping_sub(BITS);
        self.states &= self.states.wrapping_sub(1);
        let g = self.g(state);
        if g >= self.bound {
            self.least = self.least.min(g);
            return;
        }
        let words = self.open.as_mut().as_flattened_mut();
        if let Some(word) = words.get_mut(state / BITS) {
            *word &= !(1 << bit);
        }
        // The robot has come out of a turn in the cell behind, from the left or from the right.
        let (vertex, heading) = (state / 4, state % 4);
        let turn = graph.grid().neighbor(vertex, opposite(heading));
        let rest = g.wrapping_add(self.times.turn());
        self.scan_straight(graph, turn, (heading + 1) % 4, rest, false);
        self.other_turn = Some(((heading + 3) % 4, turn, rest));
    }

    /// Loads the next open states, or ends the sweep.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sweep(&mut self, graph: &View<impl Graph, impl Graph>) {
        let words = self.open.as_ref().as_flattened();
        let count = (graph.grid().vertices() * 4).div_ceil(BITS);
        for _ in 0..WORDS {
            let word = self.word;
            self.word = word.wrapping_add(1);
            if word >= count {
                self.end_sweep();
                return;
            }
            self.states = words.get(word).copied().unwrap_or(0);
            if self.states != 0 {
                return;
            }
        }
    }

    /// Puts the robot at the start of the path found, which is then checked.
    fn end_search(&mut self) {
        self.stage = match (self.start, self.is_cut) {
            (Some(_), _) => Stage::Check,
            (None, true) => Stage::Done(RunProgress::TooLong),
            (None, false) => Stage::Done(RunProgress::NoPath),
        };
        self.position = self.first();
        self.checked = self.position;
    }

    /// Begins the next sweep, unless no open state can lead to a shorter time.
    fn end_sweep(&mut self) {
        let found = self.start.map_or(infinity::<W>(), |start| start.time);
        if self.least >= found {
            self.end_search();
            return;
        }
        self.bound = self.least.saturating_add(self.times.turn());
        self.bound = self.bound.min(found);
        (self.least, self.word) = (infinity::<W>(), 0);
    }
}

/// Ticks by which rounded times may contradict that a longer straight takes less per cell.
const ROUNDING: usize = 4;
