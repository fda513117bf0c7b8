//! Every planner by name: its properties, its memory, and how it is assembled on a map.
//!
//! A crate of its own because the code of all planners on all maps takes longest to compile of all the simulator:
//! it is compiled once, and not again for a change elsewhere or for the simulator's tests.

mod about;
mod free_requeues;

use std::fmt::Debug;

use clap::ValueEnum;
use free_requeues::FreeRequeues;
use planner_core::{
    BuildError, Cell, GoalsError, Inspect, InspectSearch, Navigator, Planner,
    explore::{MazeExplorer, Phase},
    graph::{Eight, Four, Graph},
    local::{Follow, LocalConfig, LocalPlanner, LookAhead, Lrta, LssLrta, SuccessorOrder, Tba},
    map::{AsFree, CellMap, Map, WallMap},
    queue::{Buckets, Entry, Fifo, Heap, Holds, LargerG, Lifo, Queue, SmallerG},
    rtd::{LocalRatio, NoOp, Rtd},
    search::{
        AStarNode, Adaptive, AnytimeDStar, AnytimeNode, Backward, DStarLite, DStarLiteNode,
        Epsilon, Forward, GlobalSearch, RepeatedAStar, RunSearch, Search, Strategy,
    },
    storage::{BLOCK, Boxed},
    subgoal::{Branch, ExitRule, Grown, GrownNode, Rules, SubgoalLrta, Values},
    width::{Bits16, Bits32, Width},
};
use serde::Serialize;

/// Any planner, with its search state open to inspection.
pub trait AnyPlanner: Planner + Inspect {}
impl<P: Planner + Inspect> AnyPlanner for P {}

/// Any planner that explores a maze.
pub trait Explorer: AnyPlanner {
    /// The phase of the exploration.
    fn phase(&self) -> Phase;

    /// Returns whether the shortest path is proven.
    fn is_solved(&self) -> bool;

    /// Steps of the shortest known path from home, as of the last time it was computed.
    fn best_known(&self) -> Option<usize>;

    /// Runs once more, from home.
    ///
    /// # Errors
    /// Home is outside the maze.
    fn run_again(&mut self) -> Result<(), GoalsError>;
}

impl<M, R> Explorer for Navigator<M, MazeExplorer<R, Boxed, Bits32, Buckets<16>>>
where
    M: Map,
    R: Search + InspectSearch,
{
    fn phase(&self) -> Phase {
        self.search().phase()
    }

    fn is_solved(&self) -> bool {
        self.search().is_solved()
    }

    fn best_known(&self) -> Option<usize> {
        self.search().best_known()
    }

    fn run_again(&mut self) -> Result<(), GoalsError> {
        self.with_search(|explorer, map| explorer.run_again(map))
    }
}

/// The planners, by the names that scripts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Name {
    /// Repeated Forward A*, ties broken towards larger g.
    ForwardAstar,
    /// Repeated Backward A*, ties broken towards larger g.
    BackwardAstar,
    /// Repeated Forward A* that learns better heuristics.
    AdaptiveAstar,
    /// D* Lite on a heap, ties broken towards smaller g.
    DstarLiteHeap,
    /// D* Lite on a heap, ties broken towards larger g.
    #[value(name = "dstar-lite-heap-larger-g")]
    DstarLiteHeapLargerG,
    /// D* Lite on buckets.
    DstarLite,
    /// Repeated Forward A* with ties broken towards smaller g.
    #[value(name = "forward-astar-smaller-g")]
    ForwardAstarSmallerG,
    /// Repeated Backward A* with ties broken towards smaller g.
    #[value(name = "backward-astar-smaller-g")]
    BackwardAstarSmallerG,
    /// Repeated Forward A* on buckets.
    ForwardAstarBuckets,
    /// D* Lite on buckets that are emptied last in, first out.
    DstarLiteLifo,
    /// Anytime D*: a path early, a shortest one with time.
    AnytimeDstar,
    /// LRTA* with A* look-ahead.
    Lrta,
    /// LSS-LRTA*.
    LssLrta,
    /// LSS-LRTA* that searches in every step instead of following the path it found.
    LssLrtaReplan,
    /// LSS-LRTA* with breadth-first look-ahead.
    LssLrtaBfs,
    /// Time-bounded A* that learns.
    Tba,
    /// Real-Time D* with time-bounded A* around the robot: the robot's planner.
    #[value(alias = "rtd-tb")]
    RtdTba,
    /// Real-Time D*: D* Lite on buckets, and LSS-LRTA* around the robot.
    Rtd,
    /// Real-Time D* with LRTA* around the robot.
    RtdLrta,
    /// Real-Time D* over Anytime D*, with LSS-LRTA* around the robot.
    RtdAnytime,
    /// The same with an epsilon that stays at 3: nothing is spent on shorter paths.
    RtdAnytimeConstant,
    /// Real-Time D* that waits until D* Lite is done.
    RtdNoop,
    /// LRTA* that follows the subgoal tree of a known map.
    SubgoalLrta,
}

const SEARCH_PAPER: &str = "Koenig, project handout";
const BUCKETS_PAPER: &str = "Likhachev & Koenig 2006";
const LOCAL_PAPER: &str = "Koenig 2004";
const REAL_TIME_PAPER: &str = "Bond et al. 2010";
const ANYTIME_PAPER: &str = "Likhachev et al. 2005";
const TIME_BOUNDED_PAPER: &str = "Björnsson et al. 2009";
const SUBGOAL_PAPER: &str = "Hernández & Baier 2011";

/// Cells that a local search can hold: enough for look-aheads of 512, the papers' largest.
pub const LOCAL_CELLS: usize = 4096;
/// Cells that the tree of time-bounded A* can hold.
pub const TREE_CELLS: usize = 1024;
/// Changes that wait for Real-Time D*'s global search: more than a sensor of radius 7 sees at once.
const BACKLOG: usize = 256;
/// Values that subgoal LRTA* can learn for one subgoal.
pub const SUBGOAL_VALUES: usize = 4096;
/// False in a browser, where the size of the page counts more than memory: it has all planners in one width only.
const HAS_16_BITS: bool = cfg!(not(target_arch = "wasm32"));
/// Cells of the map for each subgoal that a tree has room for; in mazes there is one for every six.
const CELLS_PER_SUBGOAL: usize = 4;

impl Name {
    /// All planners.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The paper that the planner comes from.
    pub fn paper(self) -> &'static str {
        match self {
            Self::DstarLiteHeap
            | Self::DstarLiteHeapLargerG
            | Self::DstarLite
            | Self::DstarLiteLifo => BUCKETS_PAPER,
            Self::Lrta | Self::LssLrta | Self::LssLrtaReplan | Self::LssLrtaBfs => LOCAL_PAPER,
            Self::Rtd
            | Self::RtdTba
            | Self::RtdLrta
            | Self::RtdAnytime
            | Self::RtdAnytimeConstant
            | Self::RtdNoop => REAL_TIME_PAPER,
            Self::AnytimeDstar => ANYTIME_PAPER,
            Self::Tba => TIME_BOUNDED_PAPER,
            Self::SubgoalLrta => SUBGOAL_PAPER,
            Self::ForwardAstar
            | Self::BackwardAstar
            | Self::AdaptiveAstar
            | Self::ForwardAstarSmallerG
            | Self::BackwardAstarSmallerG
            | Self::ForwardAstarBuckets => SEARCH_PAPER,
        }
    }

    /// Returns whether it repairs its last search instead of starting afresh.
    pub fn is_incremental(self) -> bool {
        [BUCKETS_PAPER, ANYTIME_PAPER, REAL_TIME_PAPER].contains(&self.paper())
            || self == Self::AdaptiveAstar
    }

    /// Returns whether it moves before its search is complete.
    pub fn is_real_time(self) -> bool {
        match self {
            Self::RtdNoop => false,
            Self::Tba => true,
            _ => [LOCAL_PAPER, REAL_TIME_PAPER, SUBGOAL_PAPER].contains(&self.paper()),
        }
    }

    /// The share of a tick that Real-Time D* keeps for its local search, in per cent.
    pub fn local_percent(self) -> u8 {
        match self {
            Self::RtdTba => LocalRatio::PRESET_PERCENT,
            _ => 50,
        }
    }

    /// Returns whether it works only on a map that is known from the start.
    pub fn is_known_map_only(self) -> bool {
        self == Self::SubgoalLrta
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => Ok(()),
        }
    }
}

impl Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Memory of a planner on a map.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    /// Everything that grows with the map, the map included.
    pub bytes_per_cell: f64,
    /// Bucket heads, whatever the map.
    pub bucket_bytes: usize,
    /// The local search without its learned values: the table of generated cells, whatever the map.
    pub local_bytes: usize,
}

/// The memory of a planner on a `side` by `side` map with four moves.
pub fn memory<W: Lean>(name: Name, side: u16) -> Memory
where
    u128: Holds<W>,
{
    type Link<W, Q> = <Q as Queue<W>>::Link;
    type Heads<W> = Link<W, Buckets<16>>;
    type HeapLink<W> = Link<W, Heap<Boxed, <W as Lean>::Lean, SmallerG>>;
    let (lean, stable, value) = (
        size_of::<W::Lean>(),
        size_of::<u128>(),
        size_of::<W::Cost>(),
    );
    let dstar_lite = size_of::<DStarLiteNode<W, Heads<W>>>();
    let anytime = size_of::<AnytimeNode<W>>();
    // Bytes of a node, and of everything else for each vertex.
    let (node, other) = match name {
        Name::ForwardAstar
        | Name::BackwardAstar
        | Name::AdaptiveAstar
        | Name::ForwardAstarSmallerG
        | Name::BackwardAstarSmallerG => (size_of::<AStarNode<W, HeapLink<W>>>(), stable),
        Name::ForwardAstarBuckets => (size_of::<AStarNode<W, Heads<W>>>(), 0),
        Name::DstarLiteHeap | Name::DstarLiteHeapLargerG => {
            (size_of::<DStarLiteNode<W, HeapLink<W>>>(), lean)
        }
        Name::DstarLite | Name::DstarLiteLifo | Name::RtdNoop => (dstar_lite, 0),
        Name::Rtd | Name::RtdTba | Name::RtdLrta => (dstar_lite, value),
        Name::AnytimeDstar => (anytime, lean),
        Name::RtdAnytime | Name::RtdAnytimeConstant => (anytime, lean + value),
        Name::Lrta | Name::LssLrta | Name::LssLrtaReplan | Name::LssLrtaBfs | Name::Tba => {
            (0, value)
        }
        Name::SubgoalLrta => (size_of::<GrownNode<W, Heads<W>>>(), 0),
    };
    let has_buckets = matches!(
        name,
        Name::ForwardAstarBuckets
            | Name::DstarLite
            | Name::DstarLiteLifo
            | Name::Rtd
            | Name::RtdTba
            | Name::RtdLrta
            | Name::RtdNoop
            | Name::SubgoalLrta
    );
    let vertices = CellMap::vertices(side, side);
    let subgoals = match name {
        Name::SubgoalLrta => vertices.div_ceil(CELLS_PER_SUBGOAL),
        _ => 0,
    };
    let map = vertices.div_ceil(BLOCK) * size_of::<u32>();
    let grows = vertices * (node + other) + subgoals * size_of::<Branch<W>>() + map;
    let heads = <Buckets<16> as Queue<W>>::HEADS;
    let local_bytes = match name {
        Name::Tba | Name::RtdTba => size_of::<Tba<Boxed, W, TREE_CELLS>>(),
        Name::Lrta | Name::RtdLrta => size_of::<Lrta<Boxed, W, LOCAL_CELLS>>(),
        Name::LssLrta
        | Name::LssLrtaReplan
        | Name::LssLrtaBfs
        | Name::Rtd
        | Name::RtdAnytime
        | Name::RtdAnytimeConstant => size_of::<LssLrta<Boxed, W, LOCAL_CELLS>>(),
        _ => 0,
    };
    Memory {
        bytes_per_cell: grows as f64 / (f64::from(side) * f64::from(side)),
        bucket_bytes: usize::from(has_buckets) * heads * node,
        local_bytes,
    }
}

/// A width with the leanest heap entry that is wide enough for it.
pub trait Lean: Width {
    type Lean: Entry + Holds<Self>;
}

impl Lean for Bits16 {
    type Lean = u64;
}

impl Lean for Bits32 {
    type Lean = u128;
}

/// A robot at the start, and its planner's options.
#[derive(Clone, Copy, Debug)]
pub struct Robot<'g> {
    pub start: Cell,
    /// It goes to the nearest.
    pub goals: &'g [Cell],
    /// Most expansions per search of a planner that is a local search only.
    pub look_ahead: u32,
    /// Share of a tick that Real-Time D* keeps for its local search, in per cent; `None` is the
    /// [planner's own](Name::local_percent).
    pub local_percent: Option<u8>,
    /// True if re-queues of Anytime D* in Real-Time D* are not charged: an experiment, not a planner for robots.
    pub free_requeues: bool,
}

/// Builds a planner on cells with four moves, with the narrowest width that the map fits.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn with_four_moves(
    name: Name,
    robot: &Robot<'_>,
    map: CellMap<Boxed, Four>,
) -> Result<Box<dyn AnyPlanner>, BuildError> {
    let slots = vertices(&map) + <Buckets<16> as Queue<Bits16>>::HEADS;
    match HAS_16_BITS && slots <= usize::from(u16::MAX) {
        true => build_on::<Bits16, _, _, 16>(name, robot, map, Plain),
        false => build_on::<Bits32, _, _, 16>(name, robot, map, Plain),
    }
}

/// Builds a planner on cells with eight moves.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn with_eight_moves(
    name: Name,
    robot: &Robot<'_>,
    map: CellMap<Boxed, Eight>,
) -> Result<Box<dyn AnyPlanner>, BuildError> {
    build_on::<Bits32, _, _, 256>(name, robot, map, Plain)
}

/// Builds a planner on walls, with the narrowest width that the map fits.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn in_maze(
    name: Name,
    robot: &Robot<'_>,
    map: WallMap<Boxed>,
) -> Result<Box<dyn AnyPlanner>, BuildError> {
    build_in_maze(name, robot, map, Plain)
}

/// Builds an explorer of a maze whose robot is driven by a planner, with the narrowest width that the map fits.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside, or the planner needs a known map.
pub fn explorer(
    name: Name,
    robot: &Robot<'_>,
    map: WallMap<Boxed>,
) -> Result<Box<dyn Explorer>, BuildError> {
    build_in_maze(name, robot, map, Exploring)
}

fn build_in_maze<A: Assemble>(
    name: Name,
    robot: &Robot<'_>,
    map: WallMap<Boxed>,
    assemble: A,
) -> Result<Box<A::Planner>, BuildError> {
    match HAS_16_BITS && vertices(&map) <= usize::from(u16::MAX / 2) {
        true => build_on::<Bits16, _, _, 16>(name, robot, map, assemble),
        false => build_on::<Bits32, _, _, 16>(name, robot, map, assemble),
    }
}

fn vertices(map: &impl Map) -> usize {
    map.view::<AsFree>().grid().vertices()
}

/// Makes a planner of a map and a search, whatever its type.
trait Assemble {
    type Planner: ?Sized;

    fn assemble<M, A>(
        self,
        robot: &Robot<'_>,
        map: M,
        search: A,
    ) -> Result<Box<Self::Planner>, BuildError>
    where
        M: Map + 'static,
        A: Search + InspectSearch + 'static;
}

/// A robot that goes to the nearest goal.
struct Plain;

impl Assemble for Plain {
    type Planner = dyn AnyPlanner;

    fn assemble<M, A>(
        self,
        robot: &Robot<'_>,
        map: M,
        search: A,
    ) -> Result<Box<dyn AnyPlanner>, BuildError>
    where
        M: Map + 'static,
        A: Search + InspectSearch + 'static,
    {
        let mut planner = Box::new(Navigator::from_parts(map, search));
        planner.restart(robot.start, robot.goals)?;
        Ok(planner)
    }
}

/// A robot that explores a maze.
struct Exploring;

impl Assemble for Exploring {
    type Planner = dyn Explorer;

    fn assemble<M, A>(
        self,
        robot: &Robot<'_>,
        map: M,
        search: A,
    ) -> Result<Box<dyn Explorer>, BuildError>
    where
        M: Map + 'static,
        A: Search + InspectSearch + 'static,
    {
        let blocks = blocks::<Bits32, Buckets<16>>(vertices(&map));
        let explorer = MazeExplorer::new(
            search,
            DStarLite::allocate(Buckets::<16>::new(), blocks),
            DStarLite::allocate(Buckets::<16>::new(), blocks),
            RunSearch::allocate(0), // runs are planned by cells
        );
        let mut planner = Box::new(Navigator::from_parts(map, explorer));
        planner.restart(robot.start, robot.goals)?;
        Ok(planner)
    }
}

/// Blocks of nodes for the vertices and the heads of a queue.
fn blocks<W: Width, Q: Queue<W>>(vertices: usize) -> usize {
    (vertices + Q::HEADS).div_ceil(BLOCK)
}

/// Builds a planner on a map, with bucket queues of `WORDS` words.
fn build_on<W: Lean, M: Map + 'static, A: Assemble, const WORDS: usize>(
    name: Name,
    robot: &Robot<'_>,
    map: M,
    assemble: A,
) -> Result<Box<A::Planner>, BuildError>
where
    u128: Holds<W>,
{
    // Ties decide the robot's path, so the heaps of A* are stable; those of D* Lite are lean.
    type Stable<T> = Heap<Boxed, u128, T>;
    type LeanHeap<W, T> = Heap<Boxed, <W as Lean>::Lean, T>;
    let vertices = vertices(&map);
    let entries = vertices.div_ceil(BLOCK);
    let parts = Parts {
        robot,
        map,
        vertices,
        assemble,
    };
    let ratio = LocalRatio::percent(robot.local_percent.unwrap_or(name.local_percent()));
    match name {
        Name::ForwardAstar => parts.repeated::<W, _, Forward>(Stable::<LargerG>::allocate(entries)),
        Name::BackwardAstar => {
            parts.repeated::<W, _, Backward>(Stable::<LargerG>::allocate(entries))
        }
        Name::AdaptiveAstar => {
            parts.repeated::<W, _, Adaptive>(Stable::<LargerG>::allocate(entries))
        }
        Name::ForwardAstarSmallerG => {
            parts.repeated::<W, _, Forward>(Stable::<SmallerG>::allocate(entries))
        }
        Name::BackwardAstarSmallerG => {
            parts.repeated::<W, _, Backward>(Stable::<SmallerG>::allocate(entries))
        }
        Name::ForwardAstarBuckets => parts.repeated::<W, _, Forward>(Buckets::<WORDS, Lifo>::new()),
        Name::DstarLiteHeap => parts.dstar_lite::<W, _>(LeanHeap::<W, SmallerG>::allocate(entries)),
        Name::DstarLiteHeapLargerG => {
            parts.dstar_lite::<W, _>(LeanHeap::<W, LargerG>::allocate(entries))
        }
        Name::DstarLite => parts.dstar_lite::<W, _>(Buckets::<WORDS, Fifo>::new()),
        Name::DstarLiteLifo => parts.dstar_lite::<W, _>(Buckets::<WORDS, Lifo>::new()),
        Name::AnytimeDstar => {
            let search = AnytimeDStar::<Boxed, W, W::Lean>::allocate(entries);
            parts.finish(search)
        }
        Name::Lrta => {
            let search = lrta::<W>(entries);
            parts.finish(LocalPlanner::new(search, robot.look_ahead))
        }
        Name::LssLrta | Name::LssLrtaReplan | Name::LssLrtaBfs => {
            let (look_ahead, follow) = match name {
                Name::LssLrtaBfs => (LookAhead::BreadthFirst, Follow::Path),
                Name::LssLrtaReplan => (LookAhead::AStar, Follow::ReplanEachStep),
                _ => (LookAhead::AStar, Follow::Path),
            };
            let search = lss_lrta::<W>(entries, look_ahead, follow);
            parts.finish(LocalPlanner::new(search, robot.look_ahead))
        }
        Name::Tba => parts.finish(LocalPlanner::new(tba::<W>(entries), robot.look_ahead)),
        Name::Rtd | Name::RtdTba | Name::RtdLrta | Name::RtdNoop => {
            let queue = Buckets::<WORDS, Fifo>::new();
            let blocks = blocks::<W, Buckets<WORDS, Fifo>>(vertices);
            let global = DStarLite::<Boxed, W, _>::allocate(queue, blocks);
            match name {
                Name::RtdNoop => parts.finish(rtd(global, NoOp, ratio)),
                Name::RtdTba => parts.finish(rtd(global, tba::<W>(entries), ratio)),
                Name::RtdLrta => parts.finish(rtd(global, lrta::<W>(entries), ratio)),
                _ => parts.finish(rtd(global, local::<W>(entries), ratio)),
            }
        }
        Name::RtdAnytime | Name::RtdAnytimeConstant => {
            let mut global = AnytimeDStar::<Boxed, W, W::Lean>::allocate(entries);
            if name == Name::RtdAnytimeConstant {
                global.set_schedule(Epsilon {
                    step_down: 0,
                    ..Epsilon::DEFAULT
                });
            }
            match robot.free_requeues {
                true => parts.finish(rtd(FreeRequeues(global), local::<W>(entries), ratio)),
                false => parts.finish(rtd(global, local::<W>(entries), ratio)),
            }
        }
        Name::SubgoalLrta => {
            let queue = Buckets::<WORDS, Fifo>::new();
            let blocks = blocks::<W, Buckets<WORDS, Fifo>>(vertices);
            let subgoals = vertices.div_ceil(CELLS_PER_SUBGOAL);
            let rule = ExitRule::default();
            let tree = Grown::<Boxed, Boxed, W, _>::allocate(queue, blocks, subgoals, rule);
            let values = Values::<Boxed, W>::allocate(SUBGOAL_VALUES);
            let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
            parts.finish(SubgoalLrta::<_, _, _>::new(tree, values, rules, order))
        }
    }
}

fn rtd<G: GlobalSearch, L>(global: G, local: L, ratio: LocalRatio) -> Rtd<G, L, BACKLOG> {
    Rtd::new(global, local, ratio)
}

fn lrta<W: Width>(blocks: usize) -> Lrta<Boxed, W, LOCAL_CELLS> {
    Lrta::allocate(blocks, LocalConfig::DEFAULT)
}

fn tba<W: Width>(blocks: usize) -> Tba<Boxed, W, TREE_CELLS> {
    Tba::allocate(blocks)
}

fn lss_lrta<W: Width>(
    blocks: usize,
    look_ahead: LookAhead,
    follow: Follow,
) -> LssLrta<Boxed, W, LOCAL_CELLS> {
    let config = LocalConfig {
        look_ahead,
        follow,
        ..LocalConfig::DEFAULT
    };
    LssLrta::allocate(blocks, config)
}

/// The local search of Real-Time D*.
fn local<W: Width>(blocks: usize) -> LssLrta<Boxed, W, LOCAL_CELLS> {
    lss_lrta(blocks, LookAhead::AStar, Follow::ReplanEachStep)
}

/// A map that waits for its search.
struct Parts<'r, M, A> {
    robot: &'r Robot<'r>,
    map: M,
    vertices: usize,
    assemble: A,
}

impl<M: Map + 'static, A: Assemble> Parts<'_, M, A> {
    fn finish(
        self,
        search: impl Search + InspectSearch + 'static,
    ) -> Result<Box<A::Planner>, BuildError> {
        self.assemble.assemble(self.robot, self.map, search)
    }

    fn repeated<W: Width, Q: Queue<W> + Debug + 'static, S: Strategy + 'static>(
        self,
        queue: Q,
    ) -> Result<Box<A::Planner>, BuildError> {
        let blocks = blocks::<W, Q>(self.vertices);
        self.finish(RepeatedAStar::<Boxed, W, Q, S>::allocate(queue, blocks))
    }

    fn dstar_lite<W: Width, Q: Queue<W> + Debug + 'static>(
        self,
        queue: Q,
    ) -> Result<Box<A::Planner>, BuildError> {
        let blocks = blocks::<W, Q>(self.vertices);
        self.finish(DStarLite::<Boxed, W, Q>::allocate(queue, blocks))
    }
}
