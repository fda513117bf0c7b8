//! Construction of maps and planners. No other module knows what they are made of.

use std::{fmt::Debug, marker::PhantomData};

use planner_core::{
    BuildError, Cell, Inspect, InspectSearch, Navigator, Planner, Side,
    explore::MazeExplorer,
    graph::{
        Coarse, CornerRule, CutCorners, Eight, Fine, ForEight, ForFour, Four, Graph, Moves,
        NeverCut, OnePassable, Scale,
    },
    local::{
        Follow, Hashed, HashedValues, Learned, LearnedValues, Learning, LocalConfig, LocalPlanner,
        LocalSearch, LookAhead, Lrta, LssLrta, SuccessorOrder, Tba,
    },
    map::{AsBlocked, AsFree, CellMap, Map, Uniform, UnknownPolicy, WallMap, Weights},
    navigator::{self, GridNavigator},
    queue::{
        AuditQueue, Buckets, Entry, Fifo, Heap, Holds, LargerG, Lifo, Order, Queue, SmallerG, Tie,
    },
    rtd::{LocalRatio, NoOp, Rtd},
    search::{
        Adaptive, AnytimeDStar, Backward, DStarLite, Epsilon, Forward, RepeatedAStar, RunSearch,
        Search, Strategy, TurnAware, TurnCosts,
    },
    storage::{Allocate, Array, BLOCK, Boxed, Storage, blocks},
    subgoal::{ExitRule, Grown, Rules, Source, SubgoalLrta, Values},
    width::{Bits16, Bits32, Width},
};

use crate::world::{Connectivity, Corners, Terrain, Unknown, World};

/// A map of the crate, and the properties of a [`World`] that match it.
pub trait Kind: 'static {
    type Map: Map + 'static;

    const CONNECTIVITY: Connectivity;

    /// The largest weight of a cell.
    const HEAVIEST: u8 = 1;

    /// True if cells have weights.
    const WEIGHTED: bool = Self::HEAVIEST > 1;

    fn terrain() -> Terrain {
        Terrain {
            name: std::any::type_name::<Self>(),
            connectivity: Self::CONNECTIVITY,
            weighted: Self::WEIGHTED,
            heaviest: Self::HEAVIEST,
        }
    }

    fn vertices(width: u16, height: u16) -> usize {
        CellMap::vertices(width, height)
    }

    /// An empty map in so many blocks, with weights in so many.
    fn in_blocks(blocks: usize, weights: usize) -> Self::Map;

    /// A map of which nothing is known.
    fn unknown((width, height): (u16, u16)) -> Self::Map {
        let blocks = blocks(Self::vertices(width, height));
        let mut map = Self::in_blocks(blocks, blocks);
        map.resize(width, height).expect("the storage fits");
        map
    }

    /// A map that knows what a world does.
    fn knowing(world: &World) -> Self::Map {
        let mut map = Self::unknown((world.width, world.height));
        for seen in world.observations() {
            let _ = map.observe(seen).expect("the world is of this kind");
        }
        map
    }
}

/// Cells that all cost the same.
pub struct Plain<M>(PhantomData<M>);

/// Cells with weights up to `HEAVIEST`.
pub struct Weighted<M, const HEAVIEST: u8 = 9>(PhantomData<M>);

/// Walls on edges.
pub struct Walled<H>(PhantomData<H>);

impl<M: Described + Debug + 'static> Kind for Plain<M> {
    type Map = CellMap<Boxed, M>;

    const CONNECTIVITY: Connectivity = M::CONNECTIVITY;

    fn in_blocks(blocks: usize, _weights: usize) -> Self::Map {
        CellMap::in_storage(Boxed::allocate(blocks, 0), Uniform)
    }
}

impl<M: Described + Debug + 'static, const HEAVIEST: u8> Kind for Weighted<M, HEAVIEST> {
    type Map = CellMap<Boxed, M, Weights<Boxed, HEAVIEST>>;

    const CONNECTIVITY: Connectivity = M::CONNECTIVITY;
    const HEAVIEST: u8 = HEAVIEST;

    fn in_blocks(blocks: usize, weights: usize) -> Self::Map {
        let weights = Weights::in_storage(Boxed::allocate(weights, [0; BLOCK]));
        CellMap::in_storage(Boxed::allocate(blocks, 0), weights)
    }
}

impl<H: ForFour + Debug + 'static> Kind for Walled<H> {
    type Map = WallMap<Boxed, H>;

    const CONNECTIVITY: Connectivity = Connectivity::Walled;

    fn vertices(width: u16, height: u16) -> usize {
        WallMap::vertices(width, height)
    }

    fn in_blocks(blocks: usize, _weights: usize) -> Self::Map {
        WallMap::in_storage(Boxed::allocate(blocks, [0; BLOCK]))
    }
}

/// Moves that the tests' own model describes too.
pub trait Described: Moves {
    const CONNECTIVITY: Connectivity;
}

impl<H: ForFour> Described for Four<H> {
    const CONNECTIVITY: Connectivity = Connectivity::Four;
}

impl<R: DescribedRule, S: DescribedScale, H: ForEight> Described for Eight<R, S, H> {
    const CONNECTIVITY: Connectivity = Connectivity::Eight {
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

impl DescribedRule for OnePassable {
    const CORNERS: Corners = Corners::OnePassable;
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
    const STEPS: (u64, u64) = (169, 239);
}

/// Report of a search on its last tick.
#[derive(Clone, Copy)]
pub struct SearchReport {
    /// The cost of the path found, if it is reported: `Some(None)` for no path.
    pub path_cost: Option<Option<usize>>,
    /// The bound on that cost, in tenths of the shortest path's; `None` when nothing is proven.
    pub epsilon: Option<u32>,
    /// The epsilon that Anytime D* works on.
    pub target: u32,
    /// The most expansions of one cell, if there is a bound.
    pub expansions_per_cell: Option<usize>,
    /// True if the decision was the global search's.
    pub is_informed: bool,
    /// True if the global search has absorbed every change.
    pub is_up_to_date: bool,
}

impl SearchReport {
    /// Those of an exact search that reports no path cost.
    const EXACT: Self = Self {
        path_cost: None,
        epsilon: Some(10),
        target: 10,
        expansions_per_cell: None,
        is_informed: true,
        is_up_to_date: true,
    };
}

/// Access to the internals that tests check.
pub trait InspectInternals {
    fn report(&self) -> SearchReport {
        SearchReport::EXACT
    }

    /// Checks its invariants.
    fn audit(&self, _map: &impl Map) -> Result<(), String> {
        Ok(())
    }

    /// The heuristic that the next search uses for a cell, if it is learned.
    fn h(&self, _map: &impl Map, _cell: Cell) -> Option<usize> {
        None
    }

    /// The cells that the last A* search expanded.
    fn expanded(&self, _map: &impl Map) -> Vec<Cell> {
        Vec::new()
    }
}

impl<S: Storage, W: Width, Q: AuditQueue<W>, U: UnknownPolicy> InspectInternals
    for DStarLite<S, W, Q, U>
{
    fn report(&self) -> SearchReport {
        SearchReport {
            path_cost: Some(self.distance()),
            expansions_per_cell: Some(2),
            ..SearchReport::EXACT
        }
    }

    fn audit(&self, map: &impl Map) -> Result<(), String> {
        DStarLite::audit(self, map).map_err(|violation| format!("{violation:?}"))
    }
}

impl<W, Q, St, U> InspectInternals for RepeatedAStar<Boxed, W, Q, St, U>
where
    W: Width,
    Q: Queue<W>,
    St: Strategy,
    U: UnknownPolicy,
{
    fn report(&self) -> SearchReport {
        SearchReport {
            expansions_per_cell: Some(1),
            ..SearchReport::EXACT
        }
    }

    fn h(&self, map: &impl Map, cell: Cell) -> Option<usize> {
        RepeatedAStar::h(self, map, cell).ok()
    }

    fn expanded(&self, map: &impl Map) -> Vec<Cell> {
        // A cell that is in the list twice would make it endless.
        let limit = 2 * map.view::<U>().grid().vertices();
        RepeatedAStar::expanded(self, map).take(limit).collect()
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> InspectInternals
    for AnytimeDStar<S, W, E, U>
{
    fn report(&self) -> SearchReport {
        SearchReport {
            path_cost: Some(self.distance()),
            epsilon: self.epsilon(),
            target: self.target(),
            ..SearchReport::EXACT
        }
    }

    fn audit(&self, map: &impl Map) -> Result<(), String> {
        AnytimeDStar::audit(self, map).map_err(|violation| format!("{violation:?}"))
    }
}

impl<L: Learning> InspectInternals for LocalPlanner<L> {
    fn h(&self, map: &impl Map, cell: Cell) -> Option<usize> {
        LocalPlanner::h(self, map, cell).ok()
    }
}

impl<G: InspectInternals, L, const N: usize> InspectInternals for Rtd<G, L, N> {
    fn report(&self) -> SearchReport {
        SearchReport {
            expansions_per_cell: None,
            is_informed: self.is_informed(),
            is_up_to_date: self.is_up_to_date(),
            ..self.global().report()
        }
    }

    fn audit(&self, map: &impl Map) -> Result<(), String> {
        self.global().audit(map)
    }
}

/// A planner under test, of whatever type; see [`InspectInternals`].
pub trait PlannerUnderTest: Planner + Inspect {
    fn report(&self) -> SearchReport;
    fn audit(&self) -> Result<(), String>;
    fn h(&self, cell: Cell) -> Option<u64>;
    fn expanded(&self) -> Vec<Cell>;
}

impl<M: Map, A: Search + InspectSearch + InspectInternals> PlannerUnderTest for Navigator<M, A> {
    fn report(&self) -> SearchReport {
        self.search().report()
    }

    fn audit(&self) -> Result<(), String> {
        self.search().audit(self.map())
    }

    fn h(&self, cell: Cell) -> Option<u64> {
        self.search().h(self.map(), cell).map(|h| h as u64)
    }

    fn expanded(&self) -> Vec<Cell> {
        self.search().expanded(self.map())
    }
}

/// The problem that a planner is built for.
#[derive(Clone, Copy)]
pub struct Setup<'w> {
    /// The part of the world that is known from the start.
    pub known: &'w World,
    pub start: Cell,
    pub goal: Cell,
    /// The share of Real-Time D*'s local search.
    pub ratio: LocalRatio,
}

impl<'w> Setup<'w> {
    pub fn new(known: &'w World, start: Cell, goal: Cell) -> Self {
        Self {
            known,
            start,
            goal,
            ratio: LocalRatio::HALF,
        }
    }

    pub fn map<K: Kind>(&self) -> K::Map {
        K::knowing(self.known)
    }

    fn blocks<K: Kind>(&self) -> usize {
        blocks(K::vertices(self.known.width, self.known.height))
    }

    /// A search on the map of this problem.
    fn boxed<K: Kind>(
        &self,
        search: impl Search + InspectSearch + InspectInternals + 'static,
    ) -> Built {
        let mut navigator = Navigator::from_parts(self.map::<K>(), search);
        navigator.restart(self.start, &[self.goal])?;
        Ok(Box::new(navigator))
    }
}

pub type Built = Result<Box<dyn PlannerUnderTest>, BuildError>;

/// A queue that is built with room for so many blocks of entries.
pub trait Open {
    fn open(blocks: usize) -> Self;
}

impl<const WORDS: usize, O: Order> Open for Buckets<WORDS, O> {
    fn open(_blocks: usize) -> Self {
        Self::new()
    }
}

pub type BoxedHeap<E, T> = Heap<Boxed, E, T>;

impl<E: Entry, T: Tie> Open for BoxedHeap<E, T> {
    fn open(blocks: usize) -> Self {
        Self::allocate(blocks)
    }
}

/// D* Lite that has not begun.
pub fn lite<K: Kind, W: Width, Q: Queue<W> + Open, U>(setup: &Setup) -> DStarLite<Boxed, W, Q, U> {
    let blocks = setup.blocks::<K>();
    DStarLite::allocate(Q::open(blocks), blocks)
}

pub fn dstar_lite<K: Kind, W, Q, U>(setup: &Setup) -> Built
where
    W: Width,
    Q: AuditQueue<W> + Open + Debug + 'static,
    U: UnknownPolicy,
{
    setup.boxed::<K>(lite::<K, W, Q, U>(setup))
}

pub fn repeated_astar<K: Kind, W, Q, U, S>(setup: &Setup) -> Built
where
    W: Width,
    Q: Queue<W> + Open + Debug + 'static,
    U: UnknownPolicy,
    S: Strategy + 'static,
{
    let blocks = setup.blocks::<K>();
    let search = RepeatedAStar::<Boxed, W, Q, S, U>::allocate(Q::open(blocks), blocks);
    setup.boxed::<K>(search)
}

/// Anytime D* that has not begun.
pub fn anytime<K: Kind, W: Width, E: Entry + Holds<W>, U>(
    setup: &Setup,
    schedule: Epsilon,
) -> AnytimeDStar<Boxed, W, E, U> {
    let mut search = AnytimeDStar::allocate(setup.blocks::<K>());
    search.set_schedule(schedule);
    search
}

pub fn anytime_dstar<K: Kind, W, E, U>(setup: &Setup, schedule: Epsilon) -> Built
where
    W: Width,
    E: Entry + Holds<W> + 'static,
    U: UnknownPolicy,
{
    setup.boxed::<K>(anytime::<K, W, E, U>(setup, schedule))
}

/// Anytime D* in so many blocks of entries and of nodes.
pub fn anytime_in<K: Kind>(setup: &Setup, entries: usize, nodes: usize) -> Built {
    type Anytime = AnytimeDStar<Boxed>;
    let nodes = Boxed::allocate(nodes, [Anytime::NODE; BLOCK]);
    setup.boxed::<K>(Anytime::in_storage(Heap::allocate(entries), nodes))
}

/// A local search, and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    Lss(LookAhead, Follow, SuccessorOrder),
    Lrta(LookAhead, SuccessorOrder),
    /// Time-bounded A*.
    Tba,
    /// Time-bounded A* that keeps 16 learned values.
    TbaHashed,
    NoOp,
}

impl Local {
    fn config(self) -> LocalConfig {
        match self {
            Self::Lss(look_ahead, follow, order) => LocalConfig {
                look_ahead,
                follow,
                order,
            },
            Self::Lrta(look_ahead, order) => LocalConfig {
                look_ahead,
                order,
                ..LocalConfig::DEFAULT
            },
            Self::Tba | Self::TbaHashed | Self::NoOp => LocalConfig::DEFAULT,
        }
    }
}

/// Learned values on a map, in so many blocks.
pub fn learned_in<W: Width>(
    map: &impl Map,
    blocks: usize,
) -> Result<Learned<Boxed, W>, BuildError> {
    let mut learned = Learned::allocate(blocks);
    learned.begin(&map.view::<AsFree>())?;
    Ok(learned)
}

pub fn learned<W: Width>(map: &impl Map) -> Result<Learned<Boxed, W>, BuildError> {
    learned_in(map, blocks(map.view::<AsFree>().grid().vertices()))
}

/// A robot that has nothing but LSS-LRTA* or LRTA*, with room for `N` generated cells.
pub fn agent<K: Kind, W: Width, const N: usize>(
    setup: &Setup,
    local: Local,
    look_ahead: u32,
) -> Built {
    let (blocks, config) = (setup.blocks::<K>(), local.config());
    match local {
        Local::Lrta(..) => {
            let search = Lrta::<Boxed, W, N>::allocate(blocks, config);
            setup.boxed::<K>(LocalPlanner::new(search, look_ahead))
        }
        _ => {
            let search = LssLrta::<Boxed, W, N>::allocate(blocks, config);
            setup.boxed::<K>(LocalPlanner::new(search, look_ahead))
        }
    }
}

/// Expansions of [`tba`] in a tick, at most.
pub const TBA_LOOK_AHEAD: u32 = 20;

/// A robot that has nothing but time-bounded A*.
pub fn tba<K: Kind>(setup: &Setup) -> Built {
    let search = Tba::<Boxed, Bits32, 128>::allocate(setup.blocks::<K>());
    setup.boxed::<K>(LocalPlanner::new(search, TBA_LOOK_AHEAD))
}

/// The global search of Real-Time D*.
#[derive(Clone, Copy, Debug)]
pub enum Global {
    Lite,
    Anytime,
}

/// Real-Time D* with room for `BACKLOG` changes.
pub fn rtd<K: Kind, W: Width, const BACKLOG: usize>(
    setup: &Setup,
    (global, local): (Global, Local),
) -> Built
where
    u128: Holds<W>,
{
    let (blocks, config) = (setup.blocks::<K>(), local.config());
    match local {
        Local::Lss(..) => {
            let local = LssLrta::<Boxed, W, 512>::allocate(blocks, config);
            rtd_with::<K, W, _, BACKLOG>(setup, global, local)
        }
        Local::Lrta(..) => {
            let local = Lrta::<Boxed, W, 512>::allocate(blocks, config);
            rtd_with::<K, W, _, BACKLOG>(setup, global, local)
        }
        Local::Tba => {
            let local = Tba::<Boxed, W, 512>::allocate(blocks);
            rtd_with::<K, W, _, BACKLOG>(setup, global, local)
        }
        Local::TbaHashed => {
            let local = Tba::<Hashed<16>, W, 512>::with_learned(HashedValues::new());
            rtd_with::<K, W, _, BACKLOG>(setup, global, local)
        }
        Local::NoOp => rtd_with::<K, W, _, BACKLOG>(setup, global, NoOp),
    }
}

fn rtd_with<K: Kind, W: Width, L: LocalSearch + Learning + Debug + 'static, const BACKLOG: usize>(
    setup: &Setup,
    global: Global,
    local: L,
) -> Built
where
    u128: Holds<W>,
{
    match global {
        Global::Lite => {
            let global = lite::<K, W, Buckets<8, Lifo>, AsFree>(setup);
            setup.boxed::<K>(Rtd::<_, _, BACKLOG>::new(global, local, setup.ratio))
        }
        Global::Anytime => {
            let global = anytime::<K, W, u128, AsFree>(setup, Epsilon::DEFAULT);
            setup.boxed::<K>(Rtd::<_, _, BACKLOG>::new(global, local, setup.ratio))
        }
    }
}

type ExplorerRobot = Rtd<DStarLite<Boxed, Bits16, Buckets<4>>, LssLrta<Boxed, Bits16, 200>>;
pub type Explorer<K> =
    Navigator<<K as Kind>::Map, MazeExplorer<ExplorerRobot, Boxed, Bits16, Buckets<4>>>;

/// An explorer of a maze of which nothing is known.
pub fn explorer<K: Kind>(size: (u16, u16), home: Cell, goals: &[Cell]) -> Explorer<K> {
    let known = World::new(size.0, size.1, K::CONNECTIVITY, Unknown::AsFree);
    let setup = &Setup::new(&known, home, home);
    let local = LssLrta::allocate(setup.blocks::<K>(), LocalConfig::DEFAULT);
    let robot = Rtd::new(lite::<K, _, _, AsFree>(setup), local, LocalRatio::HALF);
    let (optimistic, known) = (lite::<K, _, _, _>(setup), lite::<K, _, _, _>(setup));
    let run = RunSearch::allocate(setup.blocks::<K>());
    let search = MazeExplorer::new(robot, optimistic, known, run);
    let mut explorer = Navigator::from_parts(setup.map::<K>(), search);
    explorer.restart(home, goals).expect("the maze fits");
    explorer
}

pub type Turns<W = Bits16> = Navigator<WallMap<Boxed>, TurnAware<Boxed, W, Buckets<4, Fifo>>>;

/// A planner that counts turns, in so many blocks, or as many as it needs.
pub fn turn_aware<W: Width>(
    size: (u16, u16),
    lent: Option<usize>,
    costs: TurnCosts,
    (at, heading): (Cell, Side),
    goal: Cell,
) -> Result<Turns<W>, BuildError> {
    let needed = blocks(WallMap::vertices(size.0, size.1));
    let map = WallMap::in_storage(Boxed::allocate(needed, [0; BLOCK]));
    let mut search = TurnAware::allocate(Buckets::new(), lent.unwrap_or(needed));
    search.set_costs(costs);
    let mut planner = Navigator::from_parts(map, search);
    planner.begin(size, at, &[goal])?;
    planner.search_mut().turn_to(heading);
    Ok(planner)
}

pub type GrownTree<W, Q = Buckets<1, Fifo>> = Grown<Boxed, Boxed, W, Q>;

/// A tree of subgoals that has not begun to grow, for a map.
pub fn tree<W: Width, Q: Queue<W> + Open>(
    map: &impl Map,
    rule: ExitRule,
    capacity: usize,
    goal: Cell,
) -> GrownTree<W, Q> {
    let graph = map.view::<AsFree>();
    let blocks = blocks(graph.grid().vertices());
    let mut tree = GrownTree::<W, Q>::allocate(Q::open(blocks), blocks, capacity, rule);
    tree.begin(&graph).expect("the map fits");
    tree.change_goal(goal);
    tree
}

pub type Follower<K, W, S = GrownTree<W>> = Navigator<<K as Kind>::Map, SubgoalLrta<S, Boxed, W>>;

/// A robot that takes its subgoals from a source and has room for so many learned values.
pub fn follower<K: Kind, W: Width, S: Source>(
    map: K::Map,
    source: S,
    values: usize,
    (rules, order): (Rules, SuccessorOrder),
    goal: Cell,
) -> Follower<K, W, S> {
    let search = SubgoalLrta::new(source, Values::allocate(values), rules, order);
    let mut planner = Navigator::from_parts(map, search);
    planner.restart(goal, &[goal]).expect("the map fits");
    planner
}

/// A planner and its name in messages.
pub struct NamedPlanner {
    pub name: &'static str,
    pub planner: Box<dyn PlannerUnderTest>,
}

/// Builds a selection of planners for one problem.
pub type BuildPlanners<'f> = &'f dyn Fn(&Setup) -> Vec<NamedPlanner>;

/// Lists planners; those of 16 bits are left out where a map is too costly for them.
macro_rules! planners {
    ($setup:ident: $($build:ident::<$kind:ty, $width:ident, $($type:ty),+>),* $(,)?) => {{
        let mut planners = Vec::new();
        $(match $build::<$kind, $width, $($type),+>($setup) {
            Ok(planner) => planners.push(NamedPlanner {
                name: concat!(
                    stringify!($build), " ", stringify!($width), $(" ", stringify!($type)),+
                ),
                planner,
            }),
            Err(BuildError::TooCostly { .. }) => assert_eq!(stringify!($width), "Bits16"),
            Err(other) => panic!("{other}"),
        })*
        planners
    }};
}

/// D* Lite with every queue at both widths, down to a ring of 32 buckets.
pub fn dstar_lites<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    match setup.known.unknown {
        Unknown::AsFree => planners![setup:
            dstar_lite::<K, Bits16, Buckets<16, Lifo>, AsFree>,
            dstar_lite::<K, Bits16, Buckets<1, Lifo>, AsFree>,
            dstar_lite::<K, Bits16, BoxedHeap<u64, SmallerG>, AsFree>,
            dstar_lite::<K, Bits16, BoxedHeap<u64, LargerG>, AsFree>,
            dstar_lite::<K, Bits32, Buckets<2, Fifo>, AsFree>,
            dstar_lite::<K, Bits32, BoxedHeap<u128, SmallerG>, AsFree>,
            dstar_lite::<K, Bits32, BoxedHeap<u128, LargerG>, AsFree>,
        ],
        Unknown::AsBlocked => some_dstar_lites::<K>(setup),
    }
}

/// D* Lite with a heap and with a tiny ring.
pub fn some_dstar_lites<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    match setup.known.unknown {
        Unknown::AsFree => planners![setup:
            dstar_lite::<K, Bits16, BoxedHeap<u64, SmallerG>, AsFree>,
            dstar_lite::<K, Bits32, Buckets<1, Lifo>, AsFree>,
        ],
        Unknown::AsBlocked => {
            planners![setup: dstar_lite::<K, Bits32, Buckets<1, Lifo>, AsBlocked>]
        }
    }
}

/// Repeated A* by each strategy, and with every queue at both widths.
pub fn repeated_astars<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    match setup.known.unknown {
        Unknown::AsFree => planners![setup:
            repeated_astar::<K, Bits16, BoxedHeap<u128, LargerG>, AsFree, Forward>,
            repeated_astar::<K, Bits16, BoxedHeap<u64, SmallerG>, AsFree, Adaptive>,
            repeated_astar::<K, Bits16, Buckets<16, Lifo>, AsFree, Backward>,
            repeated_astar::<K, Bits32, Buckets<1, Fifo>, AsFree, Forward>,
            repeated_astar::<K, Bits32, Buckets<1, Lifo>, AsFree, Adaptive>,
        ],
        Unknown::AsBlocked => some_repeated_astars::<K>(setup),
    }
}

/// Repeated A* backward and adaptive.
pub fn some_repeated_astars<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    match setup.known.unknown {
        Unknown::AsFree => planners![setup:
            repeated_astar::<K, Bits32, Buckets<1, Fifo>, AsFree, Backward>,
            repeated_astar::<K, Bits32, BoxedHeap<u128, LargerG>, AsFree, Adaptive>,
        ],
        Unknown::AsBlocked => planners![setup:
            repeated_astar::<K, Bits32, BoxedHeap<u128, LargerG>, AsBlocked, Adaptive>,
        ],
    }
}

/// Blocks lent to a planner; `None` is as many as needed.
#[derive(Clone, Copy, Default)]
pub struct Lent {
    pub map: Option<usize>,
    pub weights: Option<usize>,
    pub nodes: Option<usize>,
    /// Of a heap.
    pub entries: Option<usize>,
}

/// Builds D* Lite and Repeated A*, which must agree.
pub fn in_blocks<W: Width, K: Kind, Q: Queue<W> + Open>(
    (width, height): (u16, u16),
    (start, goal): (Cell, Cell),
    lent: Lent,
) -> Result<(), BuildError> {
    let vertices = K::vertices(width, height);
    let slots = (vertices + Q::HEADS).div_ceil(BLOCK);
    let nodes = lent.nodes.unwrap_or(slots);
    let queue = || Q::open(lent.entries.unwrap_or(slots));
    let begin = |search: &mut dyn FnMut(&K::Map) -> Result<(), BuildError>| {
        let mut map = K::in_blocks(lent.map.unwrap_or(slots), lent.weights.unwrap_or(slots));
        map.resize(width, height)?;
        search(&map)
    };
    let mut dstar_lite = DStarLite::<Boxed, W, Q, AsFree>::allocate(queue(), nodes);
    let dstar_lite = begin(&mut |map| dstar_lite.begin(map, start, &[goal]));
    let mut astar = RepeatedAStar::<Boxed, W, Q, Forward, AsFree>::allocate(queue(), nodes);
    let astar = begin(&mut |map| astar.begin(map, start, &[goal]));
    assert_eq!(astar, dstar_lite);
    dstar_lite
}

/// Blocks of a square map, without the heads of buckets.
const fn square(side: u16) -> usize {
    CellMap::vertices(side, side).div_ceil(BLOCK)
}

type LiteIn<const N: usize, const WORDS: usize> =
    Navigator<CellMap<Array<N>>, DStarLite<Array<N>, Bits16, Buckets<WORDS>>>;

/// Sides of square maps, and bytes of D* Lite on buckets for them.
pub const DSTAR_LITE_BYTES: [(u16, usize); 2] = [
    (64, size_of::<LiteIn<{ square(64) }, 8>>()),
    (101, size_of::<LiteIn<{ square(101) }, 8>>()),
];

/// Bytes of the preset for a map of 101 by 101 cells, without the table of its local search.
pub const GRID_NAVIGATOR_BYTES: usize =
    size_of::<GridNavigator<{ square(101) }>>() - 18 * navigator::ENTRIES;
