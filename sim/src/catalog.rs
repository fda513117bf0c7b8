//! Every planner by name: what it is, what it takes, and how to build one.

use clap::ValueEnum;
use planner_core::{
    BuildError, Cell, GoalsError, Inspect, InspectSearch, Navigator, Planner,
    explore::{MazeExplorer, Phase},
    graph::{Eight, Four, Moves as MoveKind},
    local::{Follow, LocalConfig, LocalPlanner, LookAhead, Lrta, LssLrta, SuccessorOrder},
    map::{CellMap, Map, Uniform, WallMap},
    queue::{Buckets, Entry, Fifo, Heap, Holds, LargerG, Lifo, Queue, SmallerG},
    rtd::{LocalRatio, NoOp, Rtd},
    search::{
        Adaptive, AnytimeDStar, AnytimeNode, Backward, DStarLite, DStarLiteNode, Epsilon, Forward,
        RepeatedAStar, Search, Strategy,
    },
    storage::{Allocate, BLOCK, Boxed, blocks},
    subgoal::{Branch, ExitRule, Grown, GrownNode, Rules, SubgoalLrta, Values},
    width::{Bits16, Bits32, Width},
};
use serde::Serialize;

use crate::world::{Grid, Maze};

/// Any planner, with its search state open to inspection.
pub trait AnyPlanner: Planner + Inspect {}
impl<P: Planner + Inspect> AnyPlanner for P {}

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
    /// Real-Time D*: D* Lite on buckets, and LSS-LRTA* around the robot.
    Rtd,
    /// Real-Time D* with LRTA* around the robot.
    RtdLrta,
    /// Real-Time D* over Anytime D*, with LSS-LRTA* around the robot.
    RtdAnytime,
    /// Real-Time D* that waits until D* Lite is done.
    RtdNoop,
    /// LRTA* that follows the subgoal tree of a known map.
    SubgoalLrta,
}

const SEARCH_PAPER: &str = "Fast Trajectory Replanning for Computer Games";
const BUCKETS_PAPER: &str = "Likhachev & Koenig 2006";
const LOCAL_PAPER: &str = "Koenig 2004";
const REAL_TIME_PAPER: &str = "Bond, Widger, Ruml & Sun 2010";
const ANYTIME_PAPER: &str = "Likhachev, Ferguson, Gordon, Stentz & Thrun 2005";
const SUBGOAL_PAPER: &str = "Hernández & Baier 2011";

/// Cells that a local search can hold: enough for look-aheads of 512, the papers' largest.
const LOCAL_CELLS: usize = 4096;
/// Changes that wait for Real-Time D*'s global search: more than a sensor of radius 7 sees at once.
const BACKLOG: usize = 256;
/// Values that subgoal LRTA* can learn on its way to one subgoal.
pub const SUBGOAL_VALUES: usize = 4096;
/// Cells of the map for each subgoal that a tree has room for; in mazes there is one for every six.
const CELLS_PER_SUBGOAL: usize = 4;

impl Name {
    /// All planners.
    #[must_use]
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The paper that the planner comes from.
    #[must_use]
    pub fn paper(self) -> &'static str {
        match self {
            Self::DstarLiteHeap
            | Self::DstarLiteHeapLargerG
            | Self::DstarLite
            | Self::DstarLiteLifo => BUCKETS_PAPER,
            Self::Lrta | Self::LssLrta | Self::LssLrtaReplan | Self::LssLrtaBfs => LOCAL_PAPER,
            Self::Rtd | Self::RtdLrta | Self::RtdAnytime | Self::RtdNoop => REAL_TIME_PAPER,
            Self::AnytimeDstar => ANYTIME_PAPER,
            Self::SubgoalLrta => SUBGOAL_PAPER,
            Self::ForwardAstar
            | Self::BackwardAstar
            | Self::AdaptiveAstar
            | Self::ForwardAstarSmallerG
            | Self::BackwardAstarSmallerG
            | Self::ForwardAstarBuckets => SEARCH_PAPER,
        }
    }

    /// Whether it repairs its last search instead of starting afresh.
    #[must_use]
    pub fn is_incremental(self) -> bool {
        [BUCKETS_PAPER, ANYTIME_PAPER, REAL_TIME_PAPER].contains(&self.paper())
            || self == Self::AdaptiveAstar
    }

    /// Whether it moves before its search is complete.
    #[must_use]
    pub fn is_real_time(self) -> bool {
        match self {
            Self::RtdNoop => false,
            _ => [LOCAL_PAPER, REAL_TIME_PAPER, SUBGOAL_PAPER].contains(&self.paper()),
        }
    }

    /// Whether it works only on a map that is known from the start.
    #[must_use]
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

/// In how many directions the robot moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moves {
    /// Along rows and columns.
    #[default]
    Four,
    /// Also diagonally, never across a blocked corner.
    Eight,
}

/// What a planner is asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Task<'w> {
    /// Width and height of the map.
    pub size: (u16, u16),
    pub moves: Moves,
    pub start: Cell,
    pub goal: Cell,
    /// The map, when it is known from the start.
    pub known: Option<&'w Grid>,
    /// Expansions of a local search that is on its own, where the budget allows them.
    pub look_ahead: u32,
    /// The share of a tick that Real-Time D* keeps for its local search, in per cent.
    pub local_percent: u8,
}

impl Task<'_> {
    /// A task with four moves in a world that is not known, and nothing else asked for.
    #[must_use]
    pub fn new(size: (u16, u16), start: Cell, goal: Cell) -> Self {
        Self {
            size,
            moves: Moves::Four,
            start,
            goal,
            known: None,
            look_ahead: LOOK_AHEAD,
            local_percent: LOCAL_PERCENT,
        }
    }
}

/// The look-ahead that a [`Task`] has when nothing else is asked for.
pub const LOOK_AHEAD: u32 = 64;

/// The share of the local search that a [`Task`] has when nothing else is asked for.
pub const LOCAL_PERCENT: u8 = 50;

/// Memory of a planner on a map.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    /// Everything that grows with the map.
    pub bytes_per_cell: f64,
    /// The heads of the buckets, whatever the map.
    pub bucket_bytes: usize,
}

/// Builds a planner for a task, with the narrowest width that the map fits.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn build_planner(name: Name, task: Task<'_>) -> Result<Box<dyn AnyPlanner>, BuildError> {
    match task.moves {
        Moves::Four if fits_16(task.size) => build::<Bits16, Four, 16>(name, task),
        Moves::Four => build::<Bits32, Four, 16>(name, task),
        Moves::Eight => build::<Bits32, Eight, 256>(name, task),
    }
}

/// Builds a planner and calls a function with it.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn with_planner<R>(
    name: Name,
    task: Task<'_>,
    user: impl FnOnce(&mut dyn AnyPlanner) -> R,
) -> Result<R, BuildError> {
    Ok(user(&mut *build_planner(name, task)?))
}

/// Whether a map with four moves fits ids and costs of 16 bits.
fn fits_16((width, height): (u16, u16)) -> bool {
    CellMap::vertices(width, height) + <Buckets<16> as Queue<Bits16>>::HEADS
        <= usize::from(u16::MAX)
}

/// The memory of a planner on a `side` by `side` map with four moves.
///
/// # Errors
/// The map does not fit the width.
pub fn memory<W: Lean>(name: Name, side: u16) -> Result<Memory, BuildError>
where
    u128: Holds<W>,
{
    struct Weigh;
    impl Visit for Weigh {
        type Output = Bytes;
        fn visit<A: Search + InspectSearch + 'static>(self, _search: A, bytes: Bytes) -> Bytes {
            bytes
        }
    }
    let corner = Cell::new(0, 0);
    let task = Task::new((side, side), corner, corner);
    let vertices = CellMap::vertices(side, side);
    let bytes = search::<W, _, 16>(name, task, vertices, Weigh);
    let map = vertices.div_ceil(BLOCK) * size_of::<u32>();
    Ok(Memory {
        bytes_per_cell: (bytes.grows + map) as f64 / (f64::from(side) * f64::from(side)),
        bucket_bytes: bytes.heads,
    })
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

/// Builds a planner for a robot in a maze with walls between cells, known from the start or not.
///
/// # Errors
/// The maze does not fit 32 bits.
pub fn build_mouse(
    name: Name,
    maze: &Maze,
    is_known: bool,
    task: Task<'_>,
) -> Result<Box<dyn AnyPlanner>, BuildError> {
    let goals: &[Cell] = match name {
        // A tree of subgoals has one goal.
        Name::SubgoalLrta => &maze.goals[..1],
        _ => &maze.goals,
    };
    let map = wall_map(maze, is_known)?;
    build_in_maze(
        name,
        maze,
        task,
        Plain {
            map,
            start: task.start,
            goals,
        },
    )
}

/// Builds a planner for a maze and calls a function with it.
///
/// # Errors
/// The maze does not fit 32 bits.
pub fn with_mouse<R>(
    name: Name,
    maze: &Maze,
    is_known: bool,
    task: Task<'_>,
    user: impl FnOnce(&mut dyn AnyPlanner) -> R,
) -> Result<R, BuildError> {
    Ok(user(&mut *build_mouse(name, maze, is_known, task)?))
}

/// A planner that explores a maze.
pub trait Explorer: Planner + Inspect {
    /// Returns the phase of the mission.
    fn phase(&self) -> Phase;

    /// Returns whether the shortest path is proven.
    fn is_solved(&self) -> bool;

    /// Runs once more, from home.
    ///
    /// # Errors
    /// Home is outside the maze.
    fn run_again(&mut self) -> Result<(), GoalsError>;
}

/// Any explorer that owns its memory.
pub type AnyExplorer = dyn Explorer + 'static;

impl<M: Map, A: Search + InspectSearch, W: Width, Q: Queue<W>> Explorer
    for Navigator<M, MazeExplorer<A, Boxed, W, Q>>
{
    fn phase(&self) -> Phase {
        self.search().phase()
    }

    fn is_solved(&self) -> bool {
        self.search().is_solved()
    }

    fn run_again(&mut self) -> Result<(), GoalsError> {
        self.with_search(|search, map| search.run_again(map))
    }
}

/// Builds an explorer of a maze of which only the size, the start and the goals are known; its robot is moved
/// by a planner of the catalog.
///
/// # Errors
/// The maze does not fit 32 bits, or the planner takes only one goal.
pub fn build_explorer(
    name: Name,
    maze: &Maze,
    task: Task<'_>,
) -> Result<Box<dyn Explorer>, BuildError> {
    struct Explores<'w> {
        map: WallMap<Boxed>,
        maze: &'w Maze,
    }
    impl Visit for Explores<'_> {
        type Output = Result<Box<dyn Explorer>, BuildError>;
        fn visit<A: Search + InspectSearch + 'static>(
            self,
            search: A,
            _bytes: Bytes,
        ) -> Self::Output {
            let blocks = blocks(WallMap::vertices(self.maze.width(), self.maze.height()));
            type Proof<U> = DStarLite<Boxed, Bits32, Buckets<16>, U>;
            let optimistic = Proof::allocate(Buckets::new(), blocks);
            let known = Proof::allocate(Buckets::new(), blocks);
            let explorer = MazeExplorer::new(search, optimistic, known);
            let mut navigator = Box::new(Navigator::from_parts(self.map, explorer));
            navigator.restart(self.maze.start, &self.maze.goals)?;
            Ok(navigator)
        }
    }
    let map = wall_map(maze, false)?;
    build_in_maze(name, maze, task, Explores { map, maze })
}

/// Builds a search for a maze, with the narrowest width that it fits.
fn build_in_maze<V: Visit>(name: Name, maze: &Maze, task: Task<'_>, visit: V) -> V::Output {
    let vertices = WallMap::vertices(maze.width(), maze.height());
    if vertices <= usize::from(u16::MAX / 2) {
        search::<Bits16, _, 16>(name, task, vertices, visit)
    } else {
        search::<Bits32, _, 16>(name, task, vertices, visit)
    }
}

/// A map of a maze, of which all walls are known or only the outer ones.
///
/// # Errors
/// The maze is empty.
pub fn wall_map(maze: &Maze, is_known: bool) -> Result<WallMap<Boxed>, BuildError> {
    let (width, height) = (maze.width(), maze.height());
    let blocks = blocks(WallMap::vertices(width, height));
    let mut map = WallMap::in_storage(Boxed::allocate(blocks, [0; BLOCK]));
    map.resize(width, height)?;
    if is_known {
        for observation in maze.cells().flat_map(|cell| maze.observe_around(cell)) {
            // A maze has no walls outside itself.
            let _ = map.observe(observation);
        }
    }
    Ok(map)
}

/// A map of cells, of which those of `known` are known, or none.
///
/// # Errors
/// The size is zero.
pub fn cell_map<M: MoveKind>(
    (width, height): (u16, u16),
    known: Option<&Grid>,
) -> Result<CellMap<Boxed, M>, BuildError> {
    let blocks = blocks(CellMap::vertices(width, height));
    let mut map = CellMap::in_storage(Boxed::allocate(blocks, 0), Uniform);
    map.resize(width, height)?;
    if let Some(grid) = known {
        for cell in grid.cells() {
            // Sizes that differ are the caller's mistake; what is outside stays unknown.
            let _ = map.observe(grid.observe(cell));
        }
    }
    Ok(map)
}

fn build<W: Lean, M: MoveKind + 'static, const WORDS: usize>(
    name: Name,
    task: Task<'_>,
) -> Result<Box<dyn AnyPlanner>, BuildError>
where
    u128: Holds<W>,
{
    let map = cell_map::<M>(task.size, task.known)?;
    let vertices = CellMap::vertices(task.size.0, task.size.1);
    let (start, goals) = (task.start, &[task.goal][..]);
    search::<W, _, WORDS>(name, task, vertices, Plain { map, start, goals })
}

/// Bytes of a search: those that grow with the map, and those of bucket heads.
struct Bytes {
    grows: usize,
    heads: usize,
}

/// A function of one search, whatever its type.
trait Visit {
    type Output;
    fn visit<A: Search + InspectSearch + 'static>(self, search: A, bytes: Bytes) -> Self::Output;
}

/// Makes a planner of a search.
struct Plain<'w, M> {
    map: M,
    start: Cell,
    goals: &'w [Cell],
}

impl<M: Map + 'static> Visit for Plain<'_, M> {
    type Output = Result<Box<dyn AnyPlanner>, BuildError>;
    fn visit<A: Search + InspectSearch + 'static>(self, search: A, _bytes: Bytes) -> Self::Output {
        let mut navigator = Box::new(Navigator::from_parts(self.map, search));
        navigator.restart(self.start, self.goals)?;
        Ok(navigator)
    }
}

/// Builds a search for so many vertices.
fn search<W: Lean, V: Visit, const WORDS: usize>(
    name: Name,
    task: Task<'_>,
    vertices: usize,
    visit: V,
) -> V::Output
where
    u128: Holds<W>,
{
    // The order among equal keys decides how the robot moves, so A*'s heaps are stable; D* Lite's are as lean as
    // possible.
    type Stable<T> = Heap<Boxed, u128, T>;
    type Leanest<W, T> = Heap<Boxed, <W as Lean>::Lean, T>;
    let job = Job {
        vertices,
        blocks: vertices.saturating_add(WORDS * 32).div_ceil(BLOCK),
        visit,
    };
    let look_ahead = task.look_ahead;
    match name {
        Name::ForwardAstar => job.repeated::<W, Stable<LargerG>, Forward>(Heap::allocate),
        Name::BackwardAstar => job.repeated::<W, Stable<LargerG>, Backward>(Heap::allocate),
        Name::AdaptiveAstar => job.repeated::<W, Stable<LargerG>, Adaptive>(Heap::allocate),
        Name::ForwardAstarSmallerG => job.repeated::<W, Stable<SmallerG>, Forward>(Heap::allocate),
        Name::BackwardAstarSmallerG => {
            job.repeated::<W, Stable<SmallerG>, Backward>(Heap::allocate)
        }
        Name::ForwardAstarBuckets => {
            job.repeated::<W, Buckets<WORDS, Lifo>, Forward>(|_| Buckets::new())
        }
        Name::DstarLiteHeap => job.dstar_lite::<W, Leanest<W, SmallerG>>(Heap::allocate),
        Name::DstarLiteHeapLargerG => job.dstar_lite::<W, Leanest<W, LargerG>>(Heap::allocate),
        Name::DstarLite => job.dstar_lite::<W, Buckets<WORDS, Fifo>>(|_| Buckets::new()),
        Name::DstarLiteLifo => job.dstar_lite::<W, Buckets<WORDS, Lifo>>(|_| Buckets::new()),
        Name::AnytimeDstar => {
            let bytes = job.bytes::<AnytimeNode<W>>(0, size_of::<W::Lean>());
            job.visit.visit(anytime::<W>(job.blocks), bytes)
        }
        Name::Lrta => {
            let bytes = job.bytes::<()>(0, size_of::<W::Cost>());
            let local = lrta::<W>(job.blocks);
            job.visit.visit(LocalPlanner::new(local, look_ahead), bytes)
        }
        Name::LssLrta | Name::LssLrtaReplan | Name::LssLrtaBfs => {
            let (by, follow) = match name {
                Name::LssLrtaBfs => (LookAhead::BreadthFirst, Follow::Path),
                Name::LssLrtaReplan => (LookAhead::AStar, Follow::ReplanEachStep),
                _ => (LookAhead::AStar, Follow::Path),
            };
            let bytes = job.bytes::<()>(0, size_of::<W::Cost>());
            let local = lss_lrta::<W>(job.blocks, by, follow);
            job.visit.visit(LocalPlanner::new(local, look_ahead), bytes)
        }
        Name::Rtd | Name::RtdLrta | Name::RtdNoop | Name::RtdAnytime => {
            job.real_time::<W, WORDS>(name, LocalRatio::percent(task.local_percent))
        }
        Name::SubgoalLrta => job.subgoal::<W, WORDS>(),
    }
}

/// A search to be built.
struct Job<V> {
    vertices: usize,
    blocks: usize,
    visit: V,
}

impl<V: Visit> Job<V> {
    /// Bytes of a search with a node `N` and some `more` per vertex.
    fn bytes<N>(&self, heads: usize, more: usize) -> Bytes {
        Bytes {
            grows: self.vertices * (size_of::<N>() + more),
            heads: heads * size_of::<N>(),
        }
    }

    fn repeated<W: Width, Q: Queue<W> + 'static, St: Strategy + 'static>(
        self,
        queue: fn(usize) -> Q,
    ) -> V::Output {
        let entry = if Q::HEADS == 0 { size_of::<u128>() } else { 0 };
        let bytes = self.bytes::<planner_core::search::AStarNode<W, Q::Link>>(Q::HEADS, entry);
        let search = RepeatedAStar::<Boxed, W, Q, St>::allocate(queue(self.blocks), self.blocks);
        self.visit.visit(search, bytes)
    }

    fn dstar_lite<W: Lean, Q: Queue<W> + 'static>(self, queue: fn(usize) -> Q) -> V::Output {
        let entry = if Q::HEADS == 0 {
            size_of::<W::Lean>()
        } else {
            0
        };
        let bytes = self.bytes::<DStarLiteNode<W, Q::Link>>(Q::HEADS, entry);
        let search = DStarLite::<Boxed, W, Q>::allocate(queue(self.blocks), self.blocks);
        self.visit.visit(search, bytes)
    }

    fn real_time<W: Lean, const WORDS: usize>(self, name: Name, ratio: LocalRatio) -> V::Output {
        type Open<const WORDS: usize> = Buckets<WORDS, Fifo>;
        let heads = <Open<WORDS> as Queue<W>>::HEADS;
        let learned = match name {
            Name::RtdNoop => 0,
            _ => size_of::<W::Cost>(),
        };
        type Node<W, const WORDS: usize> = DStarLiteNode<W, <Open<WORDS> as Queue<W>>::Link>;
        let bytes = self.bytes::<Node<W, WORDS>>(heads, learned);
        let blocks = self.blocks;
        let global = || DStarLite::<Boxed, W, Open<WORDS>>::allocate(Open::new(), blocks);
        let lss_lrta = || lss_lrta::<W>(blocks, LookAhead::AStar, Follow::ReplanEachStep);
        match name {
            Name::RtdNoop => {
                let search = Rtd::<_, _, BACKLOG>::new(global(), NoOp, ratio);
                self.visit.visit(search, bytes)
            }
            Name::RtdLrta => {
                let search = Rtd::<_, _, BACKLOG>::new(global(), lrta::<W>(blocks), ratio);
                self.visit.visit(search, bytes)
            }
            Name::RtdAnytime => {
                let more = size_of::<W::Lean>() + size_of::<W::Cost>();
                let bytes = self.bytes::<AnytimeNode<W>>(0, more);
                let search = Rtd::<_, _, BACKLOG>::new(anytime::<W>(blocks), lss_lrta(), ratio);
                self.visit.visit(search, bytes)
            }
            _ => {
                let search = Rtd::<_, _, BACKLOG>::new(global(), lss_lrta(), ratio);
                self.visit.visit(search, bytes)
            }
        }
    }

    /// A planner that grows the tree itself, in its first tick unless it is limited.
    fn subgoal<W: Width, const WORDS: usize>(self) -> V::Output {
        type Open<const WORDS: usize> = Buckets<WORDS, Fifo>;
        let heads = <Open<WORDS> as Queue<W>>::HEADS;
        let subgoals = self.vertices.div_ceil(CELLS_PER_SUBGOAL);
        type Node<W, const WORDS: usize> = GrownNode<W, <Open<WORDS> as Queue<W>>::Link>;
        let mut bytes = self.bytes::<Node<W, WORDS>>(heads, 0);
        bytes.grows += subgoals * size_of::<Branch<W>>();
        type Tree<W, const WORDS: usize> = Grown<Boxed, Boxed, W, Open<WORDS>>;
        let (queue, rule) = (Open::new(), ExitRule::default());
        let tree = Tree::<W, WORDS>::allocate(queue, self.blocks, subgoals, rule);
        let values = Values::allocate(SUBGOAL_VALUES);
        let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
        let search = SubgoalLrta::<_, Boxed, W>::new(tree, values, rules, order);
        self.visit.visit(search, bytes)
    }
}

fn anytime<W: Lean>(blocks: usize) -> AnytimeDStar<Boxed, W, W::Lean> {
    AnytimeDStar::allocate(blocks, Epsilon::DEFAULT)
}

fn lrta<W: Width>(blocks: usize) -> Lrta<Boxed, W, LOCAL_CELLS> {
    Lrta::allocate(blocks, LocalConfig::DEFAULT)
}

fn lss_lrta<W: Width>(
    blocks: usize,
    look_ahead: LookAhead,
    follow: Follow,
) -> LssLrta<Boxed, W, LOCAL_CELLS> {
    let order = SuccessorOrder::Fixed;
    LssLrta::allocate(
        blocks,
        LocalConfig {
            look_ahead,
            follow,
            order,
        },
    )
}
