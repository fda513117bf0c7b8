//! The look-ahead, which chooses the cells of the local search space.

use super::{
    Learned, LearnedValues, SuccessorOrder,
    space::{ROBOT, Reached, Space, State, Table},
    steps::Steps,
};
use crate::{
    Goals,
    graph::{Graph, opposite},
    planner::Work,
    storage::Storage,
    width::{Width, Word, add},
};

/// The search that chooses the cells of the local search space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LookAhead {
    /// A*: towards the goal. The better one where the heuristic is good.
    #[default]
    AStar,
    /// Breadth-first search: the cells with the fewest steps. Needs no OPEN list and is the better one in mazes
    /// with small look-aheads.
    BreadthFirst,
}

/// The h-values of a look-ahead on a graph.
pub(super) struct Values<'s, S: Storage, W: Width, G> {
    pub(super) graph: G,
    pub(super) goals: &'s Goals,
    pub(super) learned: &'s mut Learned<S, W>,
    pub(super) steps: Steps,
}

impl<S: Storage, W: Width, G: Graph> Values<'_, S, W, G> {
    /// The h-value of a cell: the learned one, or else the graph's heuristic.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn h(&self, vertex: usize) -> usize {
        match self.learned.get(vertex) {
            Some(learned) => learned,
            None => heuristic(&self.graph, self.goals, vertex),
        }
    }

    /// Returns whether an entry is a goal's.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_goal<const N: usize>(&self, table: &Table<W, N>, number: usize) -> bool {
        let entry = table.entry(number);
        let index = || self.goals.index(self.graph.grid(), entry.vertex());
        // Nothing is learned about a goal, and the heuristic is a lower bound.
        entry.h.get() == 0 && index().is_some()
    }
}

/// The graph's heuristic of a vertex. A call, because most values are learned ones.
#[inline(never)]
fn heuristic<G: Graph>(graph: &G, goals: &Goals, vertex: usize) -> usize {
    goals.heuristic(graph, graph.grid().cell(vertex))
}

impl<W: Width, const N: usize> Space<W, N> {
    /// Step 1 of LSS-LRTA*: searches from the robot until `limit` cells are expanded or the goal is about to
    /// be expanded, or there is no room for the successors of another cell.
    ///
    /// Returns the frontier cell with the smallest f-value; `None` when there is none, so that every cell that
    /// can be reached has been expanded and the goal is not among them.
    pub(super) fn look_ahead<S: Storage, G: Graph>(
        &mut self,
        kind: LookAhead,
        problem: &Values<'_, S, W, G>,
        robot: usize,
        limit: u32,
        order: &mut SuccessorOrder,
        work: &mut Work,
    ) -> Option<usize> {
        const {
            assert!(
                N > G::MOVES,
                "no room for the robot's cell and those around"
            );
        }
        self.table.clear();
        self.table.add(robot, 0, problem.h(robot), None);
        match kind {
            LookAhead::AStar => self.a_star(problem, limit, order, work),
            LookAhead::BreadthFirst => self.breadth_first(problem, limit, order, work),
        }
    }

    // A call of its own leaves more registers to the loop.
    #[inline(never)]
    fn a_star<S: Storage, G: Graph>(
        &mut self,
        problem: &Values<'_, S, W, G>,
        limit: u32,
        order: &mut SuccessorOrder,
        work: &mut Work,
    ) -> Option<usize> {
        let Self { table, open } = self;
        open.clear();
        let mut queue_ops = 1;
        let f = table.entry(ROBOT).f();
        open.insert(&mut table.entries, ROBOT, f);
        let mut expansions = 0;
        let best = loop {
            let Some(first) = open.first() else {
                break None;
            };
            if expansions >= limit || !table.has_room_for(G::MOVES) || problem.is_goal(table, first)
            {
                break Some(first);
            }
            open.pop(&mut table.entries);
            expansions += 1;
            queue_ops += 1;
            let has_all = expand(table, problem, first, order, |table, reached| {
                queue_ops += open.take(table, reached);
            });
            if !has_all {
                break Some(first);
            }
        };
        work.expansions += expansions;
        work.queue_ops += queue_ops;
        best
    }

    fn breadth_first<S: Storage, G: Graph>(
        &mut self,
        problem: &Values<'_, S, W, G>,
        limit: u32,
        order: &mut SuccessorOrder,
        work: &mut Work,
    ) -> Option<usize> {
        let table = &mut self.table;
        // Entries are numbered as they are generated: the table is the queue.
        let mut next = ROBOT;
        while next < table.len()
            && next < limit as usize
            && table.has_room_for(G::MOVES)
            && !problem.is_goal(table, next)
        {
            let has_all = expand(table, problem, next, order, |_, _| {});
            if !has_all {
                break;
            }
            next += 1;
        }
        work.expansions += next as u32;
        // Of equals the one generated last: the robot stays in the local search space for longer.
        (next..table.len())
            .rev()
            .min_by_key(|&number| table.entry(number).f())
    }
}

/// Expands a cell and generates its successors. When there is no room for one of them the cell stays on the
/// frontier: `false`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn expand<S: Storage, W: Width, G: Graph, const N: usize>(
    table: &mut Table<W, N>,
    problem: &Values<'_, S, W, G>,
    number: usize,
    order: &mut SuccessorOrder,
    mut reached: impl FnMut(&mut Table<W, N>, Reached),
) -> bool {
    let Some(entry) = table.entries.get_mut(number) else {
        return false;
    };
    entry.mark(State::Closed, entry.tree());
    let (vertex, g, closed) = (entry.vertex(), entry.g.get(), entry.around);
    let moves = problem.graph.moves(vertex);
    let mut around = closed;
    let mut has_all = true;
    // Closed ones stay as they are.
    for m in order.moves_but(G::MOVES, closed) {
        let next = problem.steps.step(vertex, m);
        if moves.contains(m) && problem.graph.is_passable(next) {
            around |= 1 << m;
            let g = add::<W>(g, problem.graph.cost(m, next));
            let h = || problem.h(next);
            let found = table.reach(next, g, opposite(m), h);
            has_all &= found != Reached::Refused;
            reached(table, found);
        }
    }
    if let Some(entry) = table.entries.get_mut(number) {
        entry.around = around;
        if !has_all {
            entry.mark(State::Open, entry.tree());
        }
    }
    has_all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cell,
        graph::{Coarse, Eight, Four, Moves, NeverCut},
        map::{AsFree, CellMap, Map},
        storage::Array,
        width::Bits16,
    };

    /// Looks ahead from the middle of a grid where the learned values are noise.
    fn look<M: Moves>(kind: LookAhead, seed: u32, limit: u32) -> (Table<Bits16, 300>, usize) {
        let mut map = CellMap::<Array<15>, M>::new();
        map.resize(15, 15).unwrap();
        let graph = map.view::<AsFree>();
        let mut learned = Learned::<Array<15>>::new();
        learned.begin(&graph).unwrap();
        let mut noise = seed.wrapping_mul(0x9e37_79b9) | 1;
        for vertex in 0..graph.grid().vertices() {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            learned.set(vertex, 1 + noise as usize % 90);
        }
        let problem = Values {
            graph,
            goals: &Goals::new(graph.grid(), &[Cell::new(0, 0)]).unwrap(),
            learned: &mut learned,
            steps: Steps::new(&graph),
        };
        let robot = graph.grid().vertex(Cell::new(7, 7)).unwrap();
        let mut space = Space::ZERO;
        let (order, work) = (&mut SuccessorOrder::Random(seed), &mut Work::default());
        let best = space.look_ahead(kind, &problem, robot, limit, order, work);
        (space.table, best.unwrap())
    }

    /// Pitfall: with inconsistent h-values a shorter path to a closed cell is found later.
    #[test]
    fn closed_cells_stay_as_they_are_even_if_values_are_inconsistent() {
        fn check<M: Moves>(kind: LookAhead) {
            for seed in 0..30 {
                let (mut before, _) = look::<M>(kind, seed, 1);
                for limit in 2..80 {
                    let (after, _) = look::<M>(kind, seed, limit);
                    for number in 0..before.len() {
                        let (old, new) = (before.entry(number), after.entry(number));
                        assert_eq!(old.vertex(), new.vertex());
                        if old.state() == State::Closed {
                            assert_eq!(new.state(), State::Closed);
                            assert_eq!((old.g, old.tree()), (new.g, new.tree()), "seed {seed}");
                        }
                    }
                    before = after;
                }
            }
        }
        for kind in [LookAhead::AStar, LookAhead::BreadthFirst] {
            check::<Four>(kind);
            check::<Eight<NeverCut, Coarse>>(kind);
        }
    }

    #[test]
    fn the_best_frontier_cell_has_the_smallest_f_value() {
        for kind in [LookAhead::AStar, LookAhead::BreadthFirst] {
            for seed in 0..100 {
                let (table, best) = look::<Four>(kind, seed, 1 + seed % 30);
                let open = (0..table.len()).map(|n| table.entry(n));
                let open = open.filter(|entry| entry.state() == State::Open);
                assert_eq!(
                    open.map(|entry| entry.f()).min(),
                    Some(table.entry(best).f())
                );
            }
        }
    }
}
