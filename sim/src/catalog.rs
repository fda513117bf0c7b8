//! Every planner by name: what it is, what it takes, and how to get one.

use std::{
    future, mem,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use clap::ValueEnum;
use planner_core::{
    BuildError, Cell, Inspect, Planner,
    local::{Agent, Follow, Learned, LookAhead, Lrta, LssLrta, SuccessorOrder},
    map::Unknown,
    queue::{Buckets, Entry, Fifo, Heap, Holds, LargerG, Lifo, Queue, SmallerG},
    rtd::{LocalRatio, NoOp, Rtd},
    search::{
        AStarNode, Adaptive, AnytimeDStar, AnytimeNode, Backward, DStarLite, DStarLiteNode,
        Epsilon, Forward, GlobalSearch, RepeatedAStar, Strategy,
    },
    subgoal::{ExitRule, Grown, GrownNode, Rules, SubgoalLrta, Value, Values},
    terrain::{Cells, Eight, Four, Manhattan, Moves as MoveKind, Terrain, Uniform, Walls},
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

/// A visitor of one planner, whatever its type.
pub trait Use {
    type Output;
    /// Called with the planner, and with the memory it was built in.
    fn with(self, planner: &mut dyn AnyPlanner, memory: Memory) -> Self::Output;
}

impl<R, F: FnOnce(&mut dyn AnyPlanner) -> R> Use for F {
    type Output = R;
    fn with(self, planner: &mut dyn AnyPlanner, _memory: Memory) -> R {
        self(planner)
    }
}

/// Whom a planner is lent to. It lives in memory that is not its own, so it cannot be handed over; but a
/// borrower that waits, as a future can, has it until it is done or dropped. This is how a
/// [`Kept`](crate::kept::Kept) planner is kept.
///
/// The planners are built for this one type, and not again for everybody who uses one.
pub(crate) trait Borrow {
    fn with<'a>(
        &'a mut self,
        planner: &'a mut dyn AnyPlanner,
        memory: Memory,
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>>;
}

/// A user that never waits, and then what comes of it.
enum AtOnce<U: Use> {
    Before(U),
    Meanwhile,
    After(U::Output),
}

impl<U: Use> Borrow for AtOnce<U> {
    fn with<'a>(
        &'a mut self,
        planner: &'a mut dyn AnyPlanner,
        memory: Memory,
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        if let Self::Before(user) = mem::replace(self, Self::Meanwhile) {
            *self = Self::After(user.with(planner, memory));
        }
        Box::pin(future::ready(()))
    }
}

impl<U: Use> AtOnce<U> {
    /// What comes of lending to it.
    fn output(self) -> U::Output {
        match self {
            Self::After(output) => output,
            Self::Before(_) | Self::Meanwhile => unreachable!("a planner that was built was lent"),
        }
    }
}

/// Lends to a user that never waits.
fn at_once(lent: impl Future<Output = Result<(), BuildError>>) -> Result<(), BuildError> {
    // Boxed, because the space of a local search is large and the stacks of threads are not.
    let mut lent = Box::pin(lent);
    match lent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(built) => built,
        Poll::Pending => unreachable!("it never waits"),
    }
}

/// Builds a planner for a task, with the narrowest width that the map fits, and lends it.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn with_planner<U: Use>(name: Name, task: Task<'_>, user: U) -> Result<U::Output, BuildError> {
    let mut user = AtOnce::Before(user);
    at_once(lend_planner(name, task, &mut user))?;
    Ok(user.output())
}

/// The same for a borrower that may take its time.
pub(crate) async fn lend_planner(
    name: Name,
    task: Task<'_>,
    user: &mut dyn Borrow,
) -> Result<(), BuildError> {
    match task.moves {
        Moves::Four if fits_16(task.size) => build::<Bits16, Four, 16>(name, task, user).await,
        Moves::Four => build::<Bits32, Four, 16>(name, task, user).await,
        Moves::Eight => build::<Bits32, Eight, 256>(name, task, user).await,
    }
}

/// Whether a map with four moves fits ids and costs of 16 bits.
fn fits_16((width, height): (u16, u16)) -> bool {
    Cells::<Four>::vertices(width, height) + <Buckets<16> as Queue<Bits16>>::HEADS
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
    impl Use for Weigh {
        type Output = Memory;
        fn with(self, _planner: &mut dyn AnyPlanner, memory: Memory) -> Memory {
            memory
        }
    }
    let corner = Cell::new(0, 0);
    let task = Task::new((side, side), corner, corner);
    let mut user = AtOnce::Before(Weigh);
    at_once(build::<W, Four, 16>(name, task, &mut user))?;
    Ok(user.output())
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

/// Builds a planner for a robot in a maze with walls between cells, which it knows or does not, and
/// lends it.
///
/// # Errors
/// The maze does not fit 32 bits.
pub fn with_mouse<U: Use>(
    name: Name,
    maze: &Maze,
    is_known: bool,
    task: Task<'_>,
    user: U,
) -> Result<U::Output, BuildError> {
    let mut user = AtOnce::Before(user);
    at_once(lend_mouse(name, maze, is_known, task, &mut user))?;
    Ok(user.output())
}

/// The same for a borrower that may take its time.
pub(crate) async fn lend_mouse(
    name: Name,
    maze: &Maze,
    is_known: bool,
    task: Task<'_>,
    user: &mut dyn Borrow,
) -> Result<(), BuildError> {
    let (width, height) = (maze.width(), maze.height());
    let (vertices, words) = (Walls::vertices(width, height), Walls::words(width, height));
    let mut bits = vec![0; words];
    let mut terrain = Walls::<Manhattan>::new(width, height, &mut bits, Unknown::AsFree)?;
    if is_known {
        for observation in maze.cells().flat_map(|cell| maze.observe_around(cell)) {
            // A maze has no walls outside itself.
            let _ = terrain.observe(observation);
        }
    }
    let goals = maze.goals.clone();
    let user = &mut Sent { goals, user };
    if vertices <= usize::from(u16::MAX / 2) {
        build_on::<Bits16, _, 16>(name, task, terrain, words, user).await
    } else {
        build_on::<Bits32, _, 16>(name, task, terrain, words, user).await
    }
}

/// A user of a planner that is to go to several goals.
struct Sent<'u> {
    goals: Vec<Cell>,
    user: &'u mut dyn Borrow,
}

impl Borrow for Sent<'_> {
    fn with<'a>(
        &'a mut self,
        planner: &'a mut dyn AnyPlanner,
        memory: Memory,
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        // The goals are in the maze. Who can have only one was built for the first.
        let _ = planner.set_goals(&self.goals);
        self.user.with(planner, memory)
    }
}

/// A terrain of cells of which what `known` shows is known, or nothing.
///
/// # Errors
/// The size is zero, or `memory` holds fewer words than the map needs.
pub fn terrain<'m, M: MoveKind>(
    (width, height): (u16, u16),
    memory: &'m mut [u32],
    known: Option<&Grid>,
) -> Result<Cells<'m, M>, BuildError> {
    let mut terrain = Cells::new(width, height, memory, Unknown::AsFree, Uniform)?;
    if let Some(grid) = known {
        for cell in grid.cells() {
            // Sizes that differ are the caller's mistake; what is outside stays unknown.
            let _ = terrain.observe(grid.observe(cell));
        }
    }
    Ok(terrain)
}

async fn build<W: Lean, M: MoveKind, const WORDS: usize>(
    name: Name,
    task: Task<'_>,
    user: &mut dyn Borrow,
) -> Result<(), BuildError>
where
    u128: Holds<W>,
{
    let (width, height) = task.size;
    let words = Cells::<Four>::words(width, height);
    let mut bits = vec![0; words];
    let terrain = terrain::<M>(task.size, &mut bits, task.known)?;
    build_on::<W, _, WORDS>(name, task, terrain, words, user).await
}

/// Builds a planner over a terrain whose map takes so many words.
async fn build_on<W: Lean, T: Terrain, const WORDS: usize>(
    name: Name,
    task: Task<'_>,
    terrain: T,
    words: usize,
    user: &mut dyn Borrow,
) -> Result<(), BuildError>
where
    u128: Holds<W>,
{
    let vertices = terrain.grid().vertices();
    // What a search looks at first among equals decides how the robot walks, so A*'s heaps are
    // stable; D* Lite's are as lean as they can be.
    let (mut stable, mut lean) = (Vec::<u128>::new(), Vec::<W::Lean>::new());
    match name {
        Name::DstarLiteHeap
        | Name::DstarLiteHeapLargerG
        | Name::AnytimeDstar
        | Name::RtdAnytime => lean.resize(vertices, W::Lean::default()),
        Name::ForwardAstar
        | Name::BackwardAstar
        | Name::AdaptiveAstar
        | Name::ForwardAstarSmallerG
        | Name::BackwardAstarSmallerG => stable.resize(vertices, 0),
        _ => {}
    }
    let job = Job {
        task,
        terrain,
        vertices,
        map_bytes: words * size_of::<u32>(),
        entry_bytes: size_of_val(&*stable) + size_of_val(&*lean),
        user,
    };
    match name {
        Name::ForwardAstar => {
            repeated::<W, T, _, Forward>(job, Heap::<_, LargerG>::new(&mut stable)).await
        }
        Name::BackwardAstar => {
            repeated::<W, T, _, Backward>(job, Heap::<_, LargerG>::new(&mut stable)).await
        }
        Name::AdaptiveAstar => {
            repeated::<W, T, _, Adaptive>(job, Heap::<_, LargerG>::new(&mut stable)).await
        }
        Name::ForwardAstarSmallerG => {
            repeated::<W, T, _, Forward>(job, Heap::<_, SmallerG>::new(&mut stable)).await
        }
        Name::BackwardAstarSmallerG => {
            repeated::<W, T, _, Backward>(job, Heap::<_, SmallerG>::new(&mut stable)).await
        }
        Name::ForwardAstarBuckets => {
            repeated::<W, T, _, Forward>(job, Buckets::<WORDS, Lifo>::new()).await
        }
        Name::DstarLiteHeap => {
            dstar_lite::<W, T, _>(job, Heap::<_, SmallerG>::new(&mut lean)).await
        }
        Name::DstarLiteHeapLargerG => {
            dstar_lite::<W, T, _>(job, Heap::<_, LargerG>::new(&mut lean)).await
        }
        Name::DstarLite => dstar_lite::<W, T, _>(job, Buckets::<WORDS, Fifo>::new()).await,
        Name::DstarLiteLifo => dstar_lite::<W, T, _>(job, Buckets::<WORDS, Lifo>::new()).await,
        Name::AnytimeDstar => anytime::<W, T>(job, &mut lean).await,
        Name::RtdAnytime => real_time_anytime::<W, T>(job, &mut lean).await,
        Name::Lrta | Name::LssLrta | Name::LssLrtaReplan | Name::LssLrtaBfs => {
            local::<W, T>(name, job).await
        }
        Name::Rtd | Name::RtdLrta | Name::RtdNoop => real_time::<W, T, WORDS>(name, job).await,
        Name::SubgoalLrta => subgoal::<W, T, WORDS>(job).await,
    }
}

/// A task with the parts that all planners are made of.
struct Job<'w, T> {
    task: Task<'w>,
    terrain: T,
    vertices: usize,
    map_bytes: usize,
    entry_bytes: usize,
    user: &'w mut dyn Borrow,
}

impl<T> Job<'_, T> {
    fn memory<N>(&self, heads: usize) -> Memory {
        let (width, height) = self.task.size;
        let grows = self.vertices * size_of::<N>() + self.entry_bytes + self.map_bytes;
        Memory {
            bytes_per_cell: grows as f64 / (f64::from(width) * f64::from(height)),
            bucket_bytes: heads * size_of::<N>(),
        }
    }
}

async fn repeated<W: Width, T: Terrain, Q: Queue<W>, S: Strategy>(
    job: Job<'_, T>,
    queue: Q,
) -> Result<(), BuildError> {
    let memory = job.memory::<AStarNode<W, Q::Link>>(Q::HEADS);
    let mut nodes = vec![AStarNode::default(); job.vertices + Q::HEADS];
    let (start, goal) = (job.task.start, job.task.goal);
    let mut planner =
        RepeatedAStar::<W, _, Q, S>::new(job.terrain, queue, &mut nodes, start, goal)?;
    job.user.with(&mut planner, memory).await;
    Ok(())
}

async fn dstar_lite<W: Width, T: Terrain, Q: Queue<W>>(
    job: Job<'_, T>,
    queue: Q,
) -> Result<(), BuildError> {
    let memory = job.memory::<DStarLiteNode<W, Q::Link>>(Q::HEADS);
    let mut nodes = vec![DStarLiteNode::default(); job.vertices + Q::HEADS];
    let (start, goal) = (job.task.start, job.task.goal);
    let mut planner = DStarLite::<W, _, Q>::new(job.terrain, queue, &mut nodes, start, goal)?;
    job.user.with(&mut planner, memory).await;
    Ok(())
}

async fn anytime<W: Lean, T: Terrain>(
    job: Job<'_, T>,
    entries: &mut [W::Lean],
) -> Result<(), BuildError> {
    let memory = job.memory::<AnytimeNode<W>>(0);
    let mut nodes = vec![AnytimeNode::<W>::default(); job.vertices];
    let (start, goal) = (job.task.start, job.task.goal);
    let schedule = Epsilon::DEFAULT;
    let mut planner =
        AnytimeDStar::<W, _, _>::new(job.terrain, entries, &mut nodes, start, goal, schedule)?;
    job.user.with(&mut planner, memory).await;
    Ok(())
}

async fn local<W: Width, T: Terrain>(name: Name, mut job: Job<'_, T>) -> Result<(), BuildError> {
    let mut values = vec![W::Cost::default(); job.vertices];
    job.entry_bytes += size_of_val(&*values);
    let memory = job.memory::<()>(0);
    let learned = Learned::<W>::new(&job.terrain, &mut values)?;
    let (terrain, goal) = (job.terrain, job.task.goal);
    if name == Name::Lrta {
        let search = Lrta::<_, LOCAL_CELLS>::new(learned, LookAhead::AStar, SuccessorOrder::Fixed);
        let mut planner = Agent::new(terrain, search, job.task.look_ahead, goal)?;
        job.user.with(&mut planner, memory).await;
        Ok(())
    } else {
        let (by, follow) = match name {
            Name::LssLrtaBfs => (LookAhead::BreadthFirst, Follow::Path),
            Name::LssLrtaReplan => (LookAhead::AStar, Follow::ReplanEachStep),
            _ => (LookAhead::AStar, Follow::Path),
        };
        let search = lss_lrta(learned, by, follow);
        let mut planner = Agent::new(terrain, search, job.task.look_ahead, goal)?;
        job.user.with(&mut planner, memory).await;
        Ok(())
    }
}

fn lss_lrta<W: Width>(
    learned: Learned<'_, W>,
    by: LookAhead,
    follow: Follow,
) -> LssLrta<'_, W, LOCAL_CELLS> {
    LssLrta::new(learned, by, follow, SuccessorOrder::Fixed)
}

/// The values that the local search of Real-Time D* learns, counted as memory of the job.
fn values<W: Width, T>(job: &mut Job<'_, T>) -> Vec<W::Cost> {
    let values = vec![W::Cost::default(); job.vertices];
    job.entry_bytes += size_of_val(&*values);
    values
}

async fn real_time<W: Width, T: Terrain, const WORDS: usize>(
    name: Name,
    mut job: Job<'_, T>,
) -> Result<(), BuildError> {
    type Link<W, const WORDS: usize> = <Buckets<WORDS, Fifo> as Queue<W>>::Link;
    let heads = <Buckets<WORDS, Fifo> as Queue<W>>::HEADS;
    let mut values = match name {
        Name::RtdNoop => Vec::new(),
        _ => values::<W, T>(&mut job),
    };
    let memory = job.memory::<DStarLiteNode<W, Link<W, WORDS>>>(heads);
    let mut nodes = vec![DStarLiteNode::default(); job.vertices + heads];
    let (start, goal) = (job.task.start, job.task.goal);
    let queue = Buckets::<WORDS, Fifo>::new();
    let global = DStarLite::<W, _, _>::new(job.terrain, queue, &mut nodes, start, goal)?;
    let ratio = LocalRatio::percent(job.task.local_percent);
    match name {
        Name::RtdNoop => {
            let mut planner = Rtd::<_, _, BACKLOG>::new(global, NoOp, ratio);
            job.user.with(&mut planner, memory).await;
        }
        Name::RtdLrta => {
            let learned = Learned::<W>::new(global.terrain(), &mut values)?;
            let local =
                Lrta::<_, LOCAL_CELLS>::new(learned, LookAhead::AStar, SuccessorOrder::Fixed);
            let mut planner = Rtd::<_, _, BACKLOG>::new(global, local, ratio);
            job.user.with(&mut planner, memory).await;
        }
        _ => {
            let learned = Learned::<W>::new(global.terrain(), &mut values)?;
            let local = lss_lrta(learned, LookAhead::AStar, Follow::ReplanEachStep);
            let mut planner = Rtd::<_, _, BACKLOG>::new(global, local, ratio);
            job.user.with(&mut planner, memory).await;
        }
    }
    Ok(())
}

async fn real_time_anytime<W: Lean, T: Terrain>(
    mut job: Job<'_, T>,
    entries: &mut [W::Lean],
) -> Result<(), BuildError> {
    let mut values = values::<W, T>(&mut job);
    let memory = job.memory::<AnytimeNode<W>>(0);
    let mut nodes = vec![AnytimeNode::<W>::default(); job.vertices];
    let learned = Learned::<W>::new(&job.terrain, &mut values)?;
    let (start, goal, schedule) = (job.task.start, job.task.goal, Epsilon::DEFAULT);
    let global =
        AnytimeDStar::<W, _, _>::new(job.terrain, entries, &mut nodes, start, goal, schedule)?;
    let local = lss_lrta(learned, LookAhead::AStar, Follow::ReplanEachStep);
    let ratio = LocalRatio::percent(job.task.local_percent);
    let mut planner = Rtd::<_, _, BACKLOG>::new(global, local, ratio);
    job.user.with(&mut planner, memory).await;
    Ok(())
}

/// A planner that grows the tree itself, in its first tick unless it is limited.
async fn subgoal<W: Width, T: Terrain, const WORDS: usize>(
    mut job: Job<'_, T>,
) -> Result<(), BuildError> {
    type Link<W, const WORDS: usize> = <Buckets<WORDS, Fifo> as Queue<W>>::Link;
    let heads = <Buckets<WORDS, Fifo> as Queue<W>>::HEADS;
    let mut branches = vec![Default::default(); job.vertices.div_ceil(CELLS_PER_SUBGOAL)];
    job.entry_bytes += size_of_val(&*branches);
    let memory = job.memory::<GrownNode<W, Link<W, WORDS>>>(heads);
    let mut nodes = vec![GrownNode::default(); job.vertices + heads];
    let mut values = vec![Value::default(); SUBGOAL_VALUES];
    let (terrain, goal) = (job.terrain, job.task.goal);
    let (queue, rule) = (Buckets::<WORDS, Fifo>::new(), ExitRule::default());
    let tree = Grown::<W, _>::new(&terrain, queue, &mut nodes, &mut branches, rule, goal)?;
    let values = Values::<W>::new(&mut values);
    let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
    let mut planner = SubgoalLrta::new(terrain, tree, values, rules, order, goal)?;
    job.user.with(&mut planner, memory).await;
    Ok(())
}
