//! Construction of maps and planners. No other module knows what they are made of.

use std::marker::PhantomData;

use planner_core::{
    BuildError, Cell, Inspect, Planner, Side,
    explore::MazeExplorer,
    local::{
        Agent, Follow, Learned, Learning, LocalSearch, LookAhead, Lrta, LssLrta, SuccessorOrder,
        entries,
    },
    map::Unknown,
    queue::{Buckets, Entry, Fifo, Heap, Holds, LargerG, Lifo, Order, Queue, SmallerG, Tie},
    rtd::{LocalRatio, NoOp, Rtd},
    search::{
        Adaptive, AnytimeDStar, Backward, DStarLite, DStarLiteNode, Epsilon, Forward, GlobalSearch,
        RepeatedAStar, Strategy, TurnAware, TurnCosts,
    },
    subgoal::{ExitRule, Grown, Rules, Source, SubgoalLrta, Value, Values},
    terrain::{
        Cells, Coarse, CornerRule, CutCorners, Eight, Fine, ForEight, ForFour, Four, Moves,
        NeverCut, OneOpen, Scale, Terrain, Uniform, Walls, Weights,
    },
    width::{Bits16, Bits32, Width},
};

use crate::world::{Corners, Field, Ground, World};

/// Storage to lend, of elements that are zero.
fn storage<T: Clone + Default>(count: usize) -> &'static mut [T] {
    vec![T::default(); count].leak()
}

/// A terrain of the crate, and the properties of a [`World`] that match it.
pub trait Kind: 'static {
    type Terrain: Terrain + 'static;

    const GROUND: Ground;

    /// Whether cells have weights.
    const WEIGHTED: bool = false;

    fn field() -> Field {
        Field {
            name: std::any::type_name::<Self>(),
            ground: Self::GROUND,
            weighted: Self::WEIGHTED,
        }
    }

    fn vertices(width: u16, height: u16) -> usize {
        Cells::<Four>::vertices(width, height)
    }

    fn words(width: u16, height: u16) -> usize {
        Cells::<Four>::words(width, height)
    }

    /// A terrain in storage of so many words and weights, all unknown.
    fn in_storage(
        size: (u16, u16),
        storage: (usize, usize),
        unknown: Unknown,
        heaviest: u8,
    ) -> Result<Self::Terrain, BuildError>;

    /// A terrain of which nothing is known.
    fn unknown((width, height): (u16, u16), unknown: Unknown, heaviest: u8) -> Self::Terrain {
        let storage = (Self::words(width, height), Self::vertices(width, height));
        Self::in_storage((width, height), storage, unknown, heaviest).expect("the storage fits")
    }

    /// A terrain that knows what a world does.
    fn knowing(world: &World, heaviest: u8) -> Self::Terrain {
        let size = (world.width, world.height);
        let mut terrain = Self::unknown(size, world.unknown, heaviest);
        for seen in world.observations() {
            terrain.observe(seen).expect("the world is of this kind");
        }
        terrain
    }
}

/// Cells that all cost the same.
pub struct Plain<M>(PhantomData<M>);

/// Cells with weights.
pub struct Weighted<M>(PhantomData<M>);

/// Walls on edges.
pub struct Walled<H>(PhantomData<H>);

impl<M: Described + 'static> Kind for Plain<M> {
    type Terrain = Cells<'static, M>;

    const GROUND: Ground = M::GROUND;

    fn in_storage(
        (width, height): (u16, u16),
        (words, _): (usize, usize),
        unknown: Unknown,
        _heaviest: u8,
    ) -> Result<Self::Terrain, BuildError> {
        Cells::new(width, height, storage(words), unknown, Uniform)
    }
}

impl<M: Described + 'static> Kind for Weighted<M> {
    type Terrain = Cells<'static, M, Weights<'static>>;

    const GROUND: Ground = M::GROUND;
    const WEIGHTED: bool = true;

    fn in_storage(
        (width, height): (u16, u16),
        (words, weights): (usize, usize),
        unknown: Unknown,
        heaviest: u8,
    ) -> Result<Self::Terrain, BuildError> {
        let weights = Weights::new(storage(weights), heaviest);
        Cells::new(width, height, storage(words), unknown, weights)
    }
}

impl<H: ForFour + 'static> Kind for Walled<H> {
    type Terrain = Walls<'static, H>;

    const GROUND: Ground = Ground::Walled;

    fn vertices(width: u16, height: u16) -> usize {
        Walls::vertices(width, height)
    }

    fn words(width: u16, height: u16) -> usize {
        Walls::words(width, height)
    }

    fn in_storage(
        (width, height): (u16, u16),
        (words, _): (usize, usize),
        unknown: Unknown,
        _heaviest: u8,
    ) -> Result<Self::Terrain, BuildError> {
        Walls::new(width, height, storage(words), unknown)
    }
}

/// Moves that the tests' own model describes too.
pub trait Described: Moves {
    const GROUND: Ground;
}

impl<H: ForFour> Described for Four<H> {
    const GROUND: Ground = Ground::Four;
}

impl<R: DescribedRule, S: DescribedScale, H: ForEight> Described for Eight<R, S, H> {
    const GROUND: Ground = Ground::Eight {
        corners: R::CORNERS,
        straight: S::STEPS.0,
        diagonal: S::STEPS.1,
    };
}

pub trait DescribedRule: CornerRule {
    const CORNERS: Corners;
}

impl DescribedRule for NeverCut {
    const CORNERS: Corners = Corners::NeverCut;
}

impl DescribedRule for OneOpen {
    const CORNERS: Corners = Corners::OneOpen;
}

impl DescribedRule for CutCorners {
    const CORNERS: Corners = Corners::Cut;
}

pub trait DescribedScale: Scale {
    const STEPS: (u64, u64);
}

impl DescribedScale for Coarse {
    const STEPS: (u64, u64) = (5, 7);
}

impl DescribedScale for Fine {
    const STEPS: (u64, u64) = (408, 577);
}

/// A planner under test, and what it reports about itself.
pub trait Subject: Planner + Inspect {
    /// Checks its invariants.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }

    /// The cost of the path that the last tick found, if the planner reports it: `Some(None)` for no path.
    fn path_cost(&self) -> Option<Option<usize>> {
        None
    }

    /// The most expansions of one cell in one tick, if there is a bound.
    fn expansions_per_cell(&self) -> Option<usize> {
        None
    }

    /// The bound on the cost of the path, in tenths of the shortest path's; `None` when nothing is proven.
    fn epsilon(&self) -> Option<u32> {
        Some(10)
    }

    /// The epsilon that Anytime D* works on.
    fn target(&self) -> u32 {
        10
    }

    /// The path that Anytime D* shows.
    fn path(&self) -> Vec<Cell> {
        Vec::new()
    }

    /// The heuristic that the next search uses for a cell, where the planner learns it.
    fn h(&self, _cell: Cell) -> Option<u64> {
        None
    }

    /// The cells that the last A* search expanded.
    fn expanded(&self) -> Vec<Cell> {
        Vec::new()
    }

    /// Whether the last decision was the global search's.
    fn is_informed(&self) -> bool {
        true
    }

    /// Whether the global search has absorbed every change.
    fn is_up_to_date(&self) -> bool {
        true
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Subject for DStarLite<'_, W, T, Q> {
    fn audit(&self) -> Result<(), String> {
        DStarLite::audit(self).map_err(|violation| format!("{violation:?}"))
    }

    fn path_cost(&self) -> Option<Option<usize>> {
        Some(self.distance())
    }

    fn expansions_per_cell(&self) -> Option<usize> {
        Some(2)
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, S: LearnedH> Subject for RepeatedAStar<'_, W, T, Q, S> {
    fn expansions_per_cell(&self) -> Option<usize> {
        Some(1)
    }

    fn h(&self, cell: Cell) -> Option<u64> {
        S::h(self, cell)
    }

    fn expanded(&self) -> Vec<Cell> {
        // A cell that is in the list twice would make it endless.
        let limit = 2 * self.terrain().grid().vertices();
        RepeatedAStar::expanded(self).take(limit).collect()
    }
}

/// A strategy of A* and the heuristic that it learns.
pub trait LearnedH: Strategy + Sized {
    /// Whether it searches from the goal to the robot.
    const BACKWARD: bool = false;

    fn h<W: Width, T: Terrain, Q: Queue<W>>(
        _search: &RepeatedAStar<'_, W, T, Q, Self>,
        _cell: Cell,
    ) -> Option<u64> {
        None
    }
}

impl LearnedH for Forward {}

impl LearnedH for Backward {
    const BACKWARD: bool = true;
}

impl LearnedH for Adaptive {
    fn h<W: Width, T: Terrain, Q: Queue<W>>(
        search: &RepeatedAStar<'_, W, T, Q, Self>,
        cell: Cell,
    ) -> Option<u64> {
        search.h(cell).ok().map(|h| h as u64)
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Subject for AnytimeDStar<'_, W, T, E> {
    fn audit(&self) -> Result<(), String> {
        AnytimeDStar::audit(self).map_err(|violation| format!("{violation:?}"))
    }

    fn path_cost(&self) -> Option<Option<usize>> {
        Some(self.distance())
    }

    fn epsilon(&self) -> Option<u32> {
        AnytimeDStar::epsilon(self)
    }

    fn target(&self) -> u32 {
        AnytimeDStar::target(self)
    }

    fn path(&self) -> Vec<Cell> {
        AnytimeDStar::path(self).collect()
    }
}

impl<T: Terrain, L: LocalSearch<T> + Learning> Subject for Agent<T, L> {
    fn h(&self, cell: Cell) -> Option<u64> {
        Agent::h(self, cell).ok().map(|h| h as u64)
    }
}

impl<G, L, const N: usize> Subject for Rtd<G, L, N>
where
    G: GlobalSearch + Inspect + Audited,
    L: LocalSearch<G::Terrain> + Learning,
{
    fn audit(&self) -> Result<(), String> {
        self.global().audited()
    }

    fn path_cost(&self) -> Option<Option<usize>> {
        Some(self.global().claim().0)
    }

    fn epsilon(&self) -> Option<u32> {
        self.global().claim().1
    }

    fn is_informed(&self) -> bool {
        Self::is_informed(self)
    }

    fn is_up_to_date(&self) -> bool {
        Self::is_up_to_date(self)
    }
}

/// A global search, and what it reports about itself.
pub trait Audited {
    fn audited(&self) -> Result<(), String>;

    /// The cost of its path and the bound on it, in tenths of the shortest path's.
    fn claim(&self) -> (Option<usize>, Option<u32>);
}

impl<W: Width, T: Terrain, Q: Queue<W>> Audited for DStarLite<'_, W, T, Q> {
    fn audited(&self) -> Result<(), String> {
        Subject::audit(self)
    }

    fn claim(&self) -> (Option<usize>, Option<u32>) {
        (self.distance(), Some(10))
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Audited for AnytimeDStar<'_, W, T, E> {
    fn audited(&self) -> Result<(), String> {
        Subject::audit(self)
    }

    fn claim(&self) -> (Option<usize>, Option<u32>) {
        (self.distance(), AnytimeDStar::epsilon(self))
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Subject for TurnAware<'_, W, T, Q> {
    fn path_cost(&self) -> Option<Option<usize>> {
        Some(self.cost())
    }
}

/// The problem that a planner is built for.
#[derive(Clone, Copy)]
pub struct Setup<'w> {
    /// What is known from the start.
    pub known: &'w World,
    /// The largest weight of a cell.
    pub heaviest: u8,
    pub start: Cell,
    pub goal: Cell,
}

impl<'w> Setup<'w> {
    /// A problem with weights up to 9.
    pub fn new(known: &'w World, start: Cell, goal: Cell) -> Self {
        Self {
            known,
            heaviest: 9,
            start,
            goal,
        }
    }

    fn vertices<K: Kind>(&self) -> usize {
        K::vertices(self.known.width, self.known.height)
    }
}

pub type Built = Result<Box<dyn Subject>, BuildError>;

fn boxed<P: Subject + 'static>(planner: Result<P, BuildError>) -> Built {
    planner.map(|planner| Box::new(planner) as Box<dyn Subject>)
}

/// A queue that is built with room for so many entries.
pub trait Open {
    fn open(entries: usize) -> Self;
}

impl<const WORDS: usize, O: Order> Open for Buckets<WORDS, O> {
    fn open(_entries: usize) -> Self {
        Self::new()
    }
}

impl<E: Entry, T: Tie> Open for Heap<'static, E, T> {
    fn open(entries: usize) -> Self {
        Self::new(storage(entries))
    }
}

pub type Lite<K, W = Bits16, Q = Buckets<8, Lifo>> = DStarLite<'static, W, <K as Kind>::Terrain, Q>;

/// D* Lite, by its own type.
pub fn lite<K: Kind, W: Width, Q: Queue<W> + Open>(
    setup: &Setup,
) -> Result<Lite<K, W, Q>, BuildError> {
    let vertices = setup.vertices::<K>();
    let terrain = K::knowing(setup.known, setup.heaviest);
    let nodes = storage(Lite::<K, W, Q>::nodes(vertices));
    DStarLite::new(terrain, Q::open(vertices), nodes, setup.start, setup.goal)
}

pub fn dstar_lite<K: Kind, W: Width, Q: Queue<W> + Open + 'static>(setup: &Setup) -> Built {
    boxed(lite::<K, W, Q>(setup))
}

pub fn repeated_astar<K: Kind, W, Q, S>(setup: &Setup) -> Built
where
    W: Width,
    Q: Queue<W> + Open + 'static,
    S: LearnedH + 'static,
{
    let vertices = setup.vertices::<K>();
    let terrain = K::knowing(setup.known, setup.heaviest);
    let nodes = storage(RepeatedAStar::<W, K::Terrain, Q, S>::nodes(vertices));
    let queue = Q::open(vertices);
    let search = RepeatedAStar::<W, _, _, S>::new(terrain, queue, nodes, setup.start, setup.goal);
    boxed(search)
}

pub type Anytime<K, W = Bits16, E = u64> = AnytimeDStar<'static, W, <K as Kind>::Terrain, E>;

/// Anytime D* in storage of so many entries and nodes.
pub fn anytime_in<K: Kind, W: Width, E: Entry + Holds<W> + 'static>(
    setup: &Setup,
    entries: usize,
    nodes: usize,
    schedule: Epsilon,
) -> Result<Anytime<K, W, E>, BuildError> {
    let terrain = K::knowing(setup.known, setup.heaviest);
    let (entries, nodes) = (storage(entries), storage(nodes));
    AnytimeDStar::new(terrain, entries, nodes, setup.start, setup.goal, schedule)
}

/// Anytime D*, by its own type.
pub fn anytime<K: Kind, W: Width, E: Entry + Holds<W> + 'static>(
    setup: &Setup,
    schedule: Epsilon,
) -> Result<Anytime<K, W, E>, BuildError> {
    let vertices = setup.vertices::<K>();
    anytime_in::<K, W, E>(setup, vertices, vertices, schedule)
}

pub fn anytime_dstar<K: Kind, W: Width, E: Entry + Holds<W> + 'static>(
    setup: &Setup,
    schedule: Epsilon,
) -> Built {
    boxed(anytime::<K, W, E>(setup, schedule))
}

/// A local search, and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    Lss(LookAhead, Follow, SuccessorOrder),
    Lrta(LookAhead, SuccessorOrder),
    NoOp,
}

/// Learned values in storage for so many.
pub fn learned_in<W: Width>(
    terrain: &impl Terrain,
    values: usize,
) -> Result<Learned<'static, W>, BuildError> {
    Learned::new(terrain, storage(values))
}

pub fn learned<W: Width>(terrain: &impl Terrain) -> Result<Learned<'static, W>, BuildError> {
    learned_in(terrain, terrain.grid().vertices())
}

/// A robot that has nothing but a local search, with room for `N` generated cells.
pub fn agent<K: Kind, W: Width, const N: usize>(
    setup: &Setup,
    local: Local,
    look_ahead: u32,
) -> Built {
    let terrain = K::knowing(setup.known, setup.heaviest);
    let learned = learned::<W>(&terrain)?;
    match local {
        Local::Lss(by, follow, order) => {
            let search = LssLrta::<W, N>::new(learned, by, follow, order);
            boxed(Agent::new(terrain, search, look_ahead, setup.goal))
        }
        Local::Lrta(by, order) => {
            let search = Lrta::<W, N>::new(learned, by, order);
            boxed(Agent::new(terrain, search, look_ahead, setup.goal))
        }
        Local::NoOp => unreachable!("it never moves"),
    }
}

/// The global search of Real-Time D*.
#[derive(Clone, Copy, Debug)]
pub enum Global {
    Lite,
    Anytime,
}

/// Real-Time D* with equal shares and room for `BACKLOG` changes.
pub fn rtd<K: Kind, W: Width, const BACKLOG: usize>(
    setup: &Setup,
    (global, local): (Global, Local),
) -> Built
where
    u128: Holds<W>,
{
    match global {
        Global::Lite => {
            let global = lite::<K, W, Buckets<8, Lifo>>(setup)?;
            with_local::<_, W, BACKLOG>(global, local)
        }
        Global::Anytime => {
            let global = anytime::<K, W, u128>(setup, Epsilon::DEFAULT)?;
            with_local::<_, W, BACKLOG>(global, local)
        }
    }
}

fn with_local<G, W: Width, const BACKLOG: usize>(global: G, local: Local) -> Built
where
    G: GlobalSearch + Inspect + Audited + 'static,
{
    let learned = learned::<W>(global.terrain())?;
    let ratio = LocalRatio::percent(50);
    match local {
        Local::Lss(by, follow, order) => {
            let local = LssLrta::<_, 512>::new(learned, by, follow, order);
            boxed(Ok(Rtd::<_, _, BACKLOG>::new(global, local, ratio)))
        }
        Local::Lrta(by, order) => {
            let local = Lrta::<_, 512>::new(learned, by, order);
            boxed(Ok(Rtd::<_, _, BACKLOG>::new(global, local, ratio)))
        }
        Local::NoOp => boxed(Ok(Rtd::<_, _, BACKLOG>::new(global, NoOp, ratio))),
    }
}

type ExplorerSearch<K> = Lite<K, Bits16, Buckets<4>>;
type ExplorerRobot<K> = Rtd<ExplorerSearch<K>, LssLrta<'static, Bits16, 200>>;
pub type Explorer<K> =
    MazeExplorer<'static, ExplorerRobot<K>, Bits16, <K as Kind>::Terrain, Buckets<4>>;

/// An explorer of a maze of which nothing is known.
pub fn explorer<K: Kind>(size: (u16, u16), home: Cell, goals: &[Cell]) -> Explorer<K> {
    let search = |unknown| {
        let known = World::new(size.0, size.1, K::GROUND, unknown);
        lite::<K, _, _>(&Setup::new(&known, home, goals[0])).expect("the maze fits")
    };
    let (global, best) = (search(Unknown::AsFree), search(Unknown::AsFree));
    let learned = learned(global.terrain()).expect("the maze fits");
    let (by, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
    let local = LssLrta::new(learned, by, Follow::ReplanEachStep, order);
    let robot = Rtd::new(global, local, LocalRatio::percent(50));
    MazeExplorer::new(robot, best, search(Unknown::AsBlocked), home, goals).expect("on the map")
}

pub type Turns<W = Bits16> = TurnAware<'static, W, Walls<'static>, Buckets<4, Fifo>>;

/// A planner that counts turns, with so many nodes, or as many as it needs.
pub fn turn_aware<W: Width>(
    (width, height): (u16, u16),
    nodes: Option<usize>,
    costs: TurnCosts,
    robot: (Cell, Side),
    goal: Cell,
) -> Result<Turns<W>, BuildError> {
    let walls = Walls::new(
        width,
        height,
        storage(Walls::words(width, height)),
        Unknown::AsFree,
    )?;
    let nodes = nodes.unwrap_or(Turns::<W>::nodes(Walls::vertices(width, height)));
    TurnAware::new(walls, Buckets::new(), storage(nodes), costs, robot, goal)
}

pub type GrownTree<W, Q = Buckets<1, Fifo>> = Grown<'static, W, Q>;

/// A tree of subgoals that has not begun to grow, for a terrain.
pub fn tree<W: Width, Q: Queue<W> + Open>(
    terrain: &impl Terrain,
    rule: ExitRule,
    capacity: usize,
    goal: Cell,
) -> GrownTree<W, Q> {
    let vertices = terrain.grid().vertices();
    let nodes = storage(GrownTree::<W, Q>::nodes(vertices));
    let queue = Q::open(vertices);
    let tree = Grown::new(terrain, queue, nodes, storage(capacity), rule, goal);
    tree.expect("the map fits")
}

pub type Follower<K, W, S = GrownTree<W>> = SubgoalLrta<'static, W, <K as Kind>::Terrain, S>;

/// A robot that takes its subgoals from a source and has room for so many learned values.
pub fn follower<K: Kind, W: Width, S: Source<K::Terrain>>(
    terrain: K::Terrain,
    source: S,
    values: usize,
    (rules, order): (Rules, SuccessorOrder),
    goal: Cell,
) -> Follower<K, W, S> {
    let values = Values::new(storage::<Value<W>>(values));
    let planner = SubgoalLrta::new(terrain, source, values, rules, order, goal);
    planner.expect("the map fits")
}

/// A planner and its name in messages.
pub struct Member {
    pub name: &'static str,
    pub planner: Box<dyn Subject>,
}

/// Builds a selection of planners for one problem.
pub type Fleet<'f> = &'f dyn Fn(&Setup) -> Vec<Member>;

/// Lists planners; those of 16 bits are left out where a map is too costly for them.
macro_rules! fleet {
    ($setup:ident: $($build:ident::<$kind:ty, $width:ident, $($type:ty),+>),* $(,)?) => {{
        let mut fleet = Vec::new();
        $(match $build::<$kind, $width, $($type),+>($setup) {
            Ok(planner) => fleet.push(Member {
                name: concat!(
                    stringify!($build), " ", stringify!($width), $(" ", stringify!($type)),+
                ),
                planner,
            }),
            Err(BuildError::TooCostly { .. }) => assert_eq!(stringify!($width), "Bits16"),
            Err(other) => panic!("{other}"),
        })*
        fleet
    }};
}

/// D* Lite with every queue at both widths, down to a ring of 32 buckets.
pub fn dstar_lites<K: Kind>(setup: &Setup) -> Vec<Member> {
    fleet![setup:
        dstar_lite::<K, Bits16, Buckets<16, Lifo>>,
        dstar_lite::<K, Bits16, Buckets<1, Lifo>>,
        dstar_lite::<K, Bits16, Heap<u64, SmallerG>>,
        dstar_lite::<K, Bits16, Heap<u64, LargerG>>,
        dstar_lite::<K, Bits32, Buckets<2, Fifo>>,
        dstar_lite::<K, Bits32, Heap<u128, SmallerG>>,
        dstar_lite::<K, Bits32, Heap<u128, LargerG>>,
    ]
}

/// D* Lite with a heap and with a tiny ring.
pub fn some_dstar_lites<K: Kind>(setup: &Setup) -> Vec<Member> {
    fleet![setup:
        dstar_lite::<K, Bits16, Heap<u64, SmallerG>>,
        dstar_lite::<K, Bits32, Buckets<1, Lifo>>,
    ]
}

/// Repeated A* by each strategy, with every queue at both widths.
pub fn repeated_astars<K: Kind>(setup: &Setup) -> Vec<Member> {
    fleet![setup:
        repeated_astar::<K, Bits16, Heap<u128, LargerG>, Forward>,
        repeated_astar::<K, Bits16, Heap<u128, LargerG>, Backward>,
        repeated_astar::<K, Bits16, Heap<u128, LargerG>, Adaptive>,
        repeated_astar::<K, Bits16, Heap<u64, SmallerG>, Forward>,
        repeated_astar::<K, Bits16, Heap<u64, SmallerG>, Adaptive>,
        repeated_astar::<K, Bits16, Buckets<16, Lifo>, Backward>,
        repeated_astar::<K, Bits32, Buckets<1, Fifo>, Forward>,
        repeated_astar::<K, Bits32, Buckets<1, Lifo>, Adaptive>,
    ]
}

/// Repeated A* backward and adaptive.
pub fn some_repeated_astars<K: Kind>(setup: &Setup) -> Vec<Member> {
    fleet![setup:
        repeated_astar::<K, Bits32, Buckets<1, Fifo>, Backward>,
        repeated_astar::<K, Bits32, Heap<u128, LargerG>, Adaptive>,
    ]
}

/// Sizes of the storage lent to a planner; `None` is as much as needed.
#[derive(Clone, Copy, Default)]
pub struct Storage {
    pub words: Option<usize>,
    pub weights: Option<usize>,
    pub nodes: Option<usize>,
}

/// Builds D* Lite and Repeated A* on a ring of `32 * WORDS` buckets, which must agree.
pub fn in_storage<W: Width, K: Kind, const WORDS: usize>(
    size: (u16, u16),
    heaviest: u8,
    (start, goal): (Cell, Cell),
    lent: Storage,
) -> Result<(), BuildError> {
    let vertices = K::vertices(size.0, size.1);
    let words = lent.words.unwrap_or(K::words(size.0, size.1));
    let map = (words, lent.weights.unwrap_or(vertices));
    let nodes = lent.nodes.unwrap_or(vertices + 32 * WORDS);
    let ring = Buckets::<WORDS, Lifo>::new;
    let terrain = || K::in_storage(size, map, Unknown::AsFree, heaviest);
    let dstar_lite = terrain()
        .and_then(|map| DStarLite::<W, _, _>::new(map, ring(), storage(nodes), start, goal))
        .map(|_| ());
    let repeated = terrain()
        .and_then(|map| {
            RepeatedAStar::<W, _, _, Forward>::new(map, ring(), storage(nodes), start, goal)
        })
        .map(|_| ());
    assert_eq!(repeated, dstar_lite);
    dstar_lite
}

/// Builds D* Lite and Repeated A* on a heap with room for so many entries, which must agree.
pub fn with_heap_of<K: Kind>(
    size: (u16, u16),
    room: usize,
    (start, goal): (Cell, Cell),
) -> Result<(), BuildError> {
    let nodes = K::vertices(size.0, size.1);
    let terrain = || K::unknown(size, Unknown::AsFree, 1);
    let heap = || Heap::<u64, LargerG>::new(storage(room));
    let dstar_lite = DStarLite::<Bits16, _, _>::new(terrain(), heap(), storage(nodes), start, goal);
    let dstar_lite = dstar_lite.map(|_| ());
    let repeated =
        RepeatedAStar::<Bits16, _, _, Forward>::new(terrain(), heap(), storage(nodes), start, goal);
    assert_eq!(repeated.map(|_| ()), dstar_lite);
    dstar_lite
}

/// Bytes of D* Lite on buckets for a square map, without the heads of the buckets.
pub fn dstar_lite_bytes(side: u16) -> usize {
    type Ring = Buckets<8, Lifo>;
    type Node = DStarLiteNode<Bits16, <Ring as Queue<Bits16>>::Link>;
    let nodes = Cells::<Four>::vertices(side, side) * size_of::<Node>();
    nodes + Cells::<Four>::words(side, side) * size_of::<u32>()
}

/// The robot's planner: a quarter of 64 expansions a tick around the robot, and up to 16 changes waiting.
type RobotPlanner = Rtd<
    DStarLite<'static, Bits16, Cells<'static, Four>, Buckets<16, Fifo>>,
    LssLrta<'static, Bits16, { entries(16, 4) }>,
    16,
>;

/// Bytes of the robot's planner for a square map, and those that any map takes.
pub fn rtd_bytes(side: u16) -> (usize, usize) {
    let values = Cells::<Four>::vertices(side, side) * size_of::<<Bits16 as Width>::Cost>();
    let fixed = size_of::<RobotPlanner>();
    (dstar_lite_bytes(side) + values + fixed, fixed)
}
