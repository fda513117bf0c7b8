//! The longest path through a program whose loops are bounded: each by itself, or several by a common budget.
//!
//! A loop with a bound of its own repeats its longest iteration as often as that allows. A loop that is paid from a
//! *budget* has no bound of its own: each iteration is charged some units, and all iterations of all such loops
//! together spend at most so many. To bound their time, a unit gets a *price* in cycles at which no iteration costs
//! more than it pays. Then all of them together cost at most the price times the budget, and what remains of the
//! program is bounded as if such loops ended at once. This is the dual of the linear program of implicit path
//! enumeration: every price at which the loops pay for themselves gives a bound, and the cheapest gives the best.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use anyhow::{Error, anyhow};

use super::cfg::Cfg;

/// Cycles of a path, and the units that it is charged, by budget.
#[derive(Clone, Debug)]
pub struct Cost {
    pub cycles: i64,
    pub units: Vec<i64>,
    /// The path, where it is asked for.
    pub trace: Option<Rc<Trace>>,
}

/// A path.
#[derive(Debug)]
pub enum Trace {
    /// Executions of a block, by its address.
    Block(u32),
    /// One after the other.
    Both(Rc<Self>, Rc<Self>),
    Times(Rc<Self>, i64),
}

impl Trace {
    /// Executions of each block, by its address.
    pub fn counts(&self) -> BTreeMap<u32, i64> {
        let mut counts = BTreeMap::new();
        let mut open = vec![(self, 1)];
        while let Some((trace, times)) = open.pop() {
            match trace {
                Self::Block(at) => *counts.entry(*at).or_default() += times,
                Self::Both(first, second) => open.extend([(&**first, times), (&**second, times)]),
                Self::Times(repeated, n) => open.push((repeated, times * n)),
            }
        }
        counts
    }
}

impl Cost {
    pub fn zero(budgets: usize) -> Self {
        Self {
            cycles: 0,
            units: vec![0; budgets],
            trace: None,
        }
    }

    pub fn add(&mut self, other: &Self, times: i64) {
        if times == 0 {
            return;
        }
        if let Some(trace) = &other.trace {
            let repeated = match times {
                1 => trace.clone(),
                _ => Rc::new(Trace::Times(trace.clone(), times)),
            };
            self.trace = Some(match self.trace.take() {
                Some(before) => Rc::new(Trace::Both(before, repeated)),
                None => repeated,
            });
        }
        self.cycles += other.cycles * times;
        for (sum, units) in self.units.iter_mut().zip(&other.units) {
            *sum += units * times;
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(other, 1);
        sum
    }

    /// Cycles less what the units pay.
    pub fn rest(&self, prices: &[i64]) -> i64 {
        let paid: i64 = self
            .units
            .iter()
            .zip(prices)
            .map(|(units, price)| units * price)
            .sum();
        self.cycles - paid
    }
}

/// Bound on how often the back edges of a loop are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most so often each time it is entered.
    Times(i64),
    /// As often as the budgets pay for.
    Budget,
}

/// Facts about the control flow of a function.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By loop.
    pub bounds: HashMap<usize, Bound>,
    /// By loop: the numbers of the facts that its bound is from.
    pub sources: HashMap<usize, Vec<usize>>,
    /// Units that the execution of a block is charged: budget and units.
    pub charges: HashMap<usize, Vec<(usize, i64)>>,
    /// Units that going from a block to another is charged.
    pub edge_charges: HashMap<(usize, usize), Vec<(usize, i64)>>,
    /// Blocks that are never executed.
    pub never: Vec<usize>,
    /// Budgets that each call of the function has for itself: budget and units.
    pub scoped: Vec<(usize, i64)>,
    /// The same charges one by one.
    pub charged: Vec<Charged>,
}

/// A block that is charged.
#[derive(Clone, Copy, Debug)]
pub struct Charged {
    pub budget: usize,
    /// Number of the charge in the budget.
    pub part: usize,
    pub block: usize,
    /// The block that must be executed next; `None` if any.
    pub to: Option<usize>,
    pub units: i64,
}

/// Why there is no bound.
#[derive(Debug)]
pub enum Stop {
    /// An iteration of a loop costs more than it pays.
    Underpaid {
        iteration: Cost,
        location: String,
    },
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A function as the longest path sees it.
pub struct Body {
    pub cfg: Rc<Cfg>,
    pub facts: Rc<Facts>,
}

/// The longest paths of functions, at some prices.
pub struct Longest<'a> {
    pub prices: &'a [i64],
    /// True if costs have their paths.
    pub is_traced: bool,
    /// The costs of a block's calls.
    pub calls: &'a dyn Fn(usize) -> Result<Cost, Stop>,
}

/// A loop as a single step: the costs from its entry to each of its exits, and to the end of the function.
struct Summary {
    exits: BTreeMap<usize, Cost>,
    returns: Option<Cost>,
    /// The longest iteration.
    iteration: Option<Cost>,
}

impl Longest<'_> {
    /// The longest path from the entry of a function to its end; `None` if it has no end.
    pub fn function(&self, body: &Body) -> Result<Option<Cost>, Stop> {
        let mut summaries = Vec::new();
        for index in 0..body.cfg.loops.len() {
            let summary = self.region(body, Some(index), &summaries)?;
            summaries.push(summary);
        }
        let mut longest = self.region(body, None, &summaries)?.returns;
        if let Some(cost) = &mut longest {
            for &(budget, units) in &body.facts.scoped {
                let used = std::mem::take(&mut cost.units[budget]);
                cost.cycles += self.prices[budget] * (units - used);
            }
        }
        Ok(longest)
    }

    /// The longest iteration of a loop that executes one of some blocks, if there are any.
    pub fn iteration(
        &self,
        body: &Body,
        index: usize,
        via: &[usize],
    ) -> Result<Option<Cost>, Stop> {
        let mut summaries = Vec::new();
        for inner in 0..index {
            let summary = self.region(body, Some(inner), &summaries)?;
            summaries.push(summary);
        }
        Ok(self.walk(body, Some(index), &summaries, via)?.iteration)
    }

    fn region(
        &self,
        body: &Body,
        index: Option<usize>,
        inner: &[Summary],
    ) -> Result<Summary, Stop> {
        let mut summary = self.walk(body, index, inner, &[])?;
        let (Some(index), Some(iteration)) = (index, &summary.iteration) else {
            return Ok(summary);
        };
        let location = || {
            let start = body.cfg.blocks[body.cfg.loops[index].header].start();
            format!("the loop at {start:#x} in {}", body.cfg.name)
        };
        let rest = iteration.rest(self.prices);
        let times = match body.facts.bounds.get(&index) {
            None => return Err(anyhow!("{} has no bound", location()).into()),
            Some(Bound::Times(times)) if rest > 0 => *times,
            Some(Bound::Budget) if rest > 0 => {
                return Err(Stop::Underpaid {
                    iteration: iteration.clone(),
                    location: location(),
                });
            }
            // Each iteration pays for itself: fewer are not cheaper.
            Some(_) => 0,
        };
        let mut before = Cost::zero(self.prices.len());
        before.add(iteration, times);
        for cost in summary.exits.values_mut().chain(&mut summary.returns) {
            cost.add(&before, 1);
        }
        Ok(summary)
    }

    /// Longest paths from the beginning of a loop's iteration, or of the function, to where they leave it. With `via`
    /// only paths that use one of those blocks count.
    fn walk(
        &self,
        body: &Body,
        index: Option<usize>,
        inner: &[Summary],
        via: &[usize],
    ) -> Result<Summary, Stop> {
        let Body { cfg, facts } = body;
        let (start, within) = match index {
            Some(index) => (cfg.loops[index].header, Some(&cfg.loops[index].blocks)),
            None => (0, None),
        };
        let is_within = |block: usize| within.is_none_or(|blocks| blocks.contains(&block));
        // Index 1: the path has used one of the blocks.
        let mut reached: Vec<[Option<Cost>; 2]> = vec![[None, None]; cfg.blocks.len()];
        let zero = Cost::zero(self.prices.len());
        reached[start][usize::from(via.is_empty())] = Some(zero);
        let mut summary = Summary {
            exits: BTreeMap::new(),
            returns: None,
            iteration: None,
        };
        let longer = |old: &mut Option<Cost>, new: Cost| {
            let is_longer = |old: &Cost| new.rest(self.prices) > old.rest(self.prices);
            if old.as_ref().is_none_or(is_longer) {
                *old = Some(new);
            }
        };
        for &block in &cfg.order {
            if !is_within(block) || facts.never.contains(&block) {
                continue;
            }
            // The outermost loop in this one that the block is in.
            let mut nested = cfg.loop_of(block).filter(|_| index != cfg.loop_of(block));
            while let Some(parent) = nested.and_then(|l| cfg.loops[l].parent)
                && Some(parent) != index
            {
                nested = Some(parent);
            }
            for used in 0..2 {
                let Some(here) = reached[block][used].clone() else {
                    continue;
                };
                let mut leave = |to: Option<usize>, cost: Cost, used: usize| match to {
                    _ if used == 0 && to.is_none_or(|to| to == start || !is_within(to)) => {}
                    None => longer(&mut summary.returns, cost),
                    Some(to) if index.is_some() && to == start => {
                        longer(&mut summary.iteration, cost);
                    }
                    Some(to) if !is_within(to) => {
                        let mut exit = summary.exits.remove(&to);
                        longer(&mut exit, cost);
                        summary.exits.extend(exit.map(|exit| (to, exit)));
                    }
                    Some(to) => longer(&mut reached[to][used], cost),
                };
                if let Some(nested) = nested {
                    // Only its header is reached from outside.
                    let used = if cfg.loops[nested].blocks.iter().any(|b| via.contains(b)) {
                        1
                    } else {
                        used
                    };
                    for (&to, cost) in &inner[nested].exits {
                        leave(Some(to), here.plus(cost), used);
                    }
                    if let Some(cost) = &inner[nested].returns {
                        leave(None, here.plus(cost), used);
                    }
                    continue;
                }
                let used = if via.contains(&block) { 1 } else { used };
                let mut cost = here.plus(&(self.calls)(block)?);
                cost.add(
                    &Cost {
                        cycles: cfg.blocks[block].cycles().into(),
                        units: Vec::new(),
                        trace: self
                            .is_traced
                            .then(|| Rc::new(Trace::Block(cfg.blocks[block].start()))),
                    },
                    1,
                );
                for &(budget, units) in facts.charges.get(&block).into_iter().flatten() {
                    cost.units[budget] += units;
                }
                if cfg.blocks[block].returns {
                    leave(None, cost.clone(), used);
                }
                for edge in &cfg.blocks[block].edges {
                    if facts.never.contains(&edge.to) {
                        continue;
                    }
                    let mut cost = cost.clone();
                    cost.cycles += i64::from(edge.cycles);
                    let charges = facts.edge_charges.get(&(block, edge.to));
                    for &(budget, units) in charges.into_iter().flatten() {
                        cost.units[budget] += units;
                    }
                    leave(Some(edge.to), cost, used);
                }
            }
        }
        Ok(summary)
    }
}

/// By how much prices are changed at first, in cycles.
const FIRST_STEP: i64 = 1 << 14;

/// Finds prices at which every loop pays for itself, and then those with the least bound. `bound` returns it for
/// given prices, that of the budgets' units included.
pub fn cheapest(
    budgets: usize,
    bound: &dyn Fn(&[i64]) -> Result<i64, Stop>,
) -> Result<(i64, Vec<i64>), Error> {
    let mut prices = vec![0; budgets];
    let mut best = loop {
        match bound(&prices) {
            Ok(best) => break best,
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Underpaid {
                iteration,
                location,
            }) => {
                // The first budget that the iteration is charged to pays.
                let Some(budget) = iteration.units.iter().position(|units| *units > 0) else {
                    return Err(anyhow!("{location}: an iteration is charged to no budget"));
                };
                let rest = iteration.rest(&prices);
                prices[budget] += rest.div_euclid(iteration.units[budget])
                    + i64::from(rest % iteration.units[budget] != 0);
            }
        }
    };
    // Convex: steps up and down, one price at a time, until none helps.
    let mut improved = true;
    while improved {
        improved = false;
        for budget in 0..budgets {
            let mut step = FIRST_STEP;
            while step > 0 {
                let mut helped = false;
                for by in [step, -step] {
                    let mut other = prices.clone();
                    other[budget] += by;
                    if other[budget] < 0 {
                        continue;
                    }
                    match bound(&other) {
                        Ok(cost) if cost < best => {
                            (prices, best) = (other, cost);
                            helped = true;
                        }
                        Ok(_) | Err(Stop::Underpaid { .. }) => {}
                        Err(Stop::Failed(error)) => return Err(error),
                    }
                }
                improved |= helped;
                if !helped {
                    step /= 4;
                }
            }
        }
    }
    Ok((best, prices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wcet::{cfg::Cfg, program::Program};

    const AT: u32 = 0x2000_0000;

    fn body(code: &[u16], facts: Facts) -> Body {
        let program = Program::assembled(AT, code);
        let cfg = Cfg::new(&program, program.function(AT).unwrap()).unwrap();
        Body {
            cfg: Rc::new(cfg),
            facts: Rc::new(facts),
        }
    }

    fn longest(body: &Body, prices: &[i64]) -> Result<i64, Stop> {
        let calls = |_| Ok(Cost::zero(prices.len()));
        let cost = Longest {
            prices,
            is_traced: false,
            calls: &calls,
        }
        .function(body)?;
        Ok(cost.unwrap().rest(prices))
    }

    /// `cmp r0, #0; beq 8; ldr r1, [r0]; b 10; 8: movs r1, #0; 10: bx lr`
    const FORK: [u16; 6] = [0x2800, 0xd001, 0x6801, 0xe000, 0x2100, 0x4770];

    #[test]
    fn the_longer_side_of_a_fork_counts() {
        let body = body(&FORK, Facts::default());
        // cmp, beq not taken, ldr, b, bx
        assert_eq!(longest(&body, &[]).unwrap(), 1 + 1 + 2 + 2 + 2);
    }

    #[test]
    fn a_side_that_is_never_taken_does_not_count() {
        let facts = Facts {
            never: vec![1],
            ..Facts::default()
        };
        // cmp, beq taken, movs, bx
        assert_eq!(longest(&body(&FORK, facts), &[]).unwrap(), 1 + 2 + 1 + 2);
    }

    /// `movs r0, #3; 2: movs r1, #5; 4: subs r1, #1; bne 4; subs r0, #1; bne 2; bx lr`
    const NESTED: [u16; 7] = [0x2003, 0x2105, 0x3901, 0xd1fd, 0x3801, 0xd1fa, 0x4770];

    #[test]
    fn nested_loops_multiply() {
        let bounds = HashMap::from([(0, Bound::Times(4)), (1, Bound::Times(2))]);
        let facts = Facts {
            bounds,
            ..Facts::default()
        };
        let inner = 4 * (1 + 2) + (1 + 1);
        let outer = 2 * (1 + inner + 1 + 2) + (1 + inner + 1 + 1);
        assert_eq!(longest(&body(&NESTED, facts), &[]).unwrap(), 1 + outer + 2);
    }

    #[test]
    fn a_path_counts_its_blocks() {
        let bounds = HashMap::from([(0, Bound::Times(4)), (1, Bound::Times(2))]);
        let facts = Facts {
            bounds,
            ..Facts::default()
        };
        let calls = |_| Ok(Cost::zero(0));
        let longest = Longest {
            prices: &[],
            is_traced: true,
            calls: &calls,
        };
        let cost = longest.function(&body(&NESTED, facts)).unwrap().unwrap();
        let counts = cost.trace.unwrap().counts();
        let expected = [(0, 1), (2, 3), (4, 15), (8, 3), (12, 1)];
        assert_eq!(counts, BTreeMap::from(expected.map(|(at, n)| (AT + at, n))));
    }

    #[test]
    fn a_loop_without_a_bound_is_refused() {
        let Err(Stop::Failed(error)) = longest(&body(&NESTED, Facts::default()), &[]) else {
            panic!("bounded");
        };
        assert!(error.to_string().contains("has no bound"), "{error}");
    }

    /// A total of 10 iterations of the inner loop over all of the outer one: not 10 each time.
    #[test]
    fn loops_share_a_budget() {
        let bounds = HashMap::from([(0, Bound::Budget), (1, Bound::Times(2))]);
        let facts = Facts {
            bounds,
            edge_charges: HashMap::from([((2, 2), vec![(0, 1)])]),
            ..Facts::default()
        };
        let body = body(&NESTED, facts);
        assert!(matches!(longest(&body, &[2]), Err(Stop::Underpaid { .. })));
        let bound = |prices: &[i64]| Ok(longest(&body, prices)? + prices[0] * 10);
        let (cycles, prices) = cheapest(1, &bound).unwrap();
        // An iteration takes three cycles. Three passes of the inner loop are not paid.
        let passes = 3 * (1 + (1 + 1) + 1) + 2 * 2 + 1;
        assert_eq!((cycles, prices), (1 + passes + 2 + 3 * 10, vec![3]));
    }

    /// Two kinds of iterations, of which one is charged twice as much.
    #[test]
    fn a_price_covers_the_dearest_iteration() {
        // 0: cmp r0, #0; beq 8; 4: ldr r1, [r0]; b 10; 8: movs r1, #0; 10: subs r2, #1; bne 0; bx lr
        let code = [
            0x2800, 0xd001, 0x6801, 0xe000, 0x2100, 0x3a01, 0xd1f8, 0x4770,
        ];
        let facts = |dear| Facts {
            bounds: HashMap::from([(0, Bound::Budget)]),
            charges: HashMap::from([(1, vec![(0, dear)]), (2, vec![(0, 1)])]),
            ..Facts::default()
        };
        // Either way: cmp, beq; ldr, b or movs; subs, bne.
        let (by_load, by_move) = (1 + 1 + 4 + 1 + 2, 1 + 2 + 1 + 1 + 2);
        for (dear, price) in [(1, by_load), (2, by_move)] {
            let body = body(&code, facts(dear));
            let bound = |prices: &[i64]| Ok(longest(&body, prices)? + prices[0] * 100);
            assert_eq!(cheapest(1, &bound).unwrap().1, [price]);
        }
    }

    #[test]
    fn an_iteration_via_a_block_is_not_the_longest() {
        let code = [
            0x2800, 0xd001, 0x6801, 0xe000, 0x2100, 0x3a01, 0xd1f8, 0x4770,
        ];
        let bounds = HashMap::from([(0, Bound::Times(1))]);
        let body = body(
            &code,
            Facts {
                bounds,
                ..Facts::default()
            },
        );
        let calls = |_| Ok(Cost::zero(0));
        let longest = Longest {
            prices: &[],
            is_traced: false,
            calls: &calls,
        };
        let cycles = |via: &[usize]| longest.iteration(&body, 0, via).unwrap().unwrap().cycles;
        assert_eq!((cycles(&[]), cycles(&[2])), (9, 7));
    }
}
