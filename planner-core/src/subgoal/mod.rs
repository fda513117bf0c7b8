//! Known maps: trees of subgoals, and the LRTA* that follows them.
//!
//! ```text
//!  graph, goal ---> Grown, by Algorithm 2 ---+--> Tree -> SubgoalLrta, Algorithm 3 -> the robot's move
//!                   a share of every tick    |             ^   |
//!                                            |             |   v
//!                   Packed, read in place ---+           Values of (cell, subgoal)
//! ```
//!
//! A real-time search loses time in heuristic depressions, where the heuristic is far below the true distance.
//! Hernández & Baier (2011) search once backward from a goal and keep the *exits* of the depressions as a tree
//! whose root is the goal. From exit to exit the heuristic is exact, and LRTA* goes nearly straight with one
//! expansion per move.
//!
//! # Repairs of the paper's algorithms
//!
//! Each can be switched off, to reproduce the paper's figures.
//!
//! | in the paper | the repair | its name |
//! |---|---|---|
//! | a cell reached before its parent became a subgoal keeps the old one (without lines 10, 11) | read again when it is expanded | [`ExitRule::Reached`] |
//! | the heuristic to the subgoal is exact, but steps off the path can look as good | a subgoal wherever a step could be wrong | [`ExitRule::Safe`] |
//! | the goal itself is not in the tree, and a tree without subgoals has no target | it is number 0 | [`FirstGoal::Nearest`] |
//! | the first subgoal is the nearest by heuristic (line 5), perhaps behind a wall | the true `Sub` of the robot's cell | [`FirstGoal::TrueSub`] |
//! | any subgoal that is passed changes the target (line 8), which can go on for ever | any one first, then only rootwards | [`Switching::Rootwards`] |
//! | distances are compared that were added up as real numbers (line 17) | integers, exact | always |
//!
//! Learned values are kept by cell *and* subgoal, and belong to one problem: a new goal, and a change of
//! the map, make them void.
//!
//! # The bound
//!
//! One tick under a [`Budget`](crate::Budget) of `E` expansions, on a graph with `M` moves, does at most
//!
//! | work | at most |
//! |---|---|
//! | expansions, of the tree's search and of the robot's step, and a quarter of the re-queues | `E` |
//! | queue operations | `E (M + 1) + 1` |
//! | nodes cleared for another tree | [`CLEARED`]` E` |
//! | subgoals looked at for the nearest one | [`SCANNED`]` E` |
//!
//! A new goal, a change of the map and a subgoal reached take constant time: nothing is cleared there
//! and then.

mod follow;
mod grown;
pub mod packed;
mod rules;
mod tree;
mod values;

pub use follow::{SCANNED, SubgoalLrta};
pub use grown::{Branch, CLEARED, Grown, GrownNode};
pub use rules::{ExitRule, FirstGoal, Meanwhile, Rules, Switching};
pub use tree::{Growth, Source, Sub, Subgoal, Tree};
pub use values::{Value, Values};
