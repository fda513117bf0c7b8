//! The paper's three objectives: which look-ahead, and when D* Lite instead.
//!
//! 1. The least sum of planning time and `x` times the moves ([`ranges`], [`lasts_until`]).
//! 2. The shortest path within a planning time per search, and
//! 3. the same per move ([`largest_within`]).

use std::ops::RangeInclusive;

/// Mean costs of an agent until it arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Planning time.
    pub planning: f64,
    pub searches: f64,
    pub moves: f64,
}

impl Cost {
    /// Planning time and movement together, when a move takes `x` units of planning time.
    pub fn sum(&self, x: f64) -> f64 {
        self.planning + x * self.moves
    }

    /// Planning time per search.
    pub fn per_search(&self) -> f64 {
        self.planning / self.searches
    }

    /// Planning time per move.
    pub fn per_move(&self) -> f64 {
        self.planning / self.moves
    }
}

/// The quantity that a limit applies to.
pub type Measure = fn(&Cost) -> f64;

/// An agent by its look-ahead.
pub type Agent = (u32, Cost);

/// A look-ahead that is optimal for all `x` from one power of ten to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first and the last exponent, in hundredths as in the paper.
    pub exponents: (i32, i32),
    pub look_ahead: u32,
}

/// Ten to the power of so many hundredths.
pub fn x(hundredths: i32) -> f64 {
    10_f64.powf(f64::from(hundredths) / 100.0)
}

/// The agent with the least sum; the first of equals, `None` of none.
pub fn optimal(agents: &[Agent], x: f64) -> Option<Agent> {
    let sum = |agent: &&Agent| agent.1.sum(x);
    let least = agents.iter().min_by(|a, b| sum(a).total_cmp(&sum(b)));
    least.copied()
}

/// Which look-ahead is optimal for which `x`, over a range of exponents in hundredths.
///
/// ```
/// use sim::lab::experiment::situated_agents::objectives::{Cost, Range, ranges};
///
/// let cost = |planning, moves| Cost { planning, searches: 1.0, moves };
/// // Equal at x = 1.
/// let agents = [(1, cost(10.0, 30.0)), (3, cost(20.0, 20.0))];
/// assert_eq!(ranges(&agents, -2..=2), [
///     Range { exponents: (-2, 0), look_ahead: 1 },
///     Range { exponents: (1, 2), look_ahead: 3 },
/// ]);
/// ```
pub fn ranges(agents: &[Agent], exponents: RangeInclusive<i32>) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for exponent in exponents {
        let Some((look_ahead, _)) = optimal(agents, x(exponent)) else {
            break;
        };
        match ranges.last_mut() {
            Some(last) if last.look_ahead == look_ahead => last.exponents.1 = exponent,
            _ => ranges.push(Range {
                exponents: (exponent, exponent),
                look_ahead,
            }),
        }
    }
    ranges
}

/// Up to which exponent, in hundredths, the best of the agents needs no more than a rival; `None`
/// when the rival is better from the first one on.
pub fn lasts_until(agents: &[Agent], rival: Cost, exponents: RangeInclusive<i32>) -> Option<i32> {
    let is_better = |&exponent: &i32| {
        let x = x(exponent);
        optimal(agents, x).is_some_and(|(_, best)| best.sum(x) <= rival.sum(x))
    };
    exponents.take_while(is_better).last()
}

/// The largest look-ahead that stays within a limit on `of` its cost, read off a straight line
/// between the two next to the limit; the largest of all when they all stay below, `None` when none
/// does. Agents come in the order of their look-aheads.
pub fn largest_within(agents: &[Agent], limit: f64, of: Measure) -> Option<u32> {
    let last = agents.iter().rposition(|agent| of(&agent.1) <= limit)?;
    let (look_ahead, cost) = agents[last];
    let Some((beyond, dearer)) = agents.get(last + 1) else {
        return Some(look_ahead);
    };
    let share = (limit - of(&cost)) / (of(dearer) - of(&cost));
    Some(look_ahead + (share * f64::from(beyond - look_ahead)) as u32)
}
