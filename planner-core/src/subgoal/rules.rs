//! Options: the paper's algorithms as printed, or repaired. The defaults are zero, for statics.

/// The rule by which the backward search makes a cell a subgoal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ExitRule {
    /// When a neighbor is expanded, and on none of its shortest paths LRTA* is sure to go straight: its distance
    /// to the subgoal differs from the heuristic, or a step that looks as good as the best leads to where
    /// another subgoal has to be pursued. Where all cells cost the same, a robot that begins
    /// with the [true `Sub`](FirstGoal::TrueSub) then follows a shortest path and learns nothing. Trees
    /// are about three times as large.
    #[default]
    Safe,
    /// Algorithm 2 without its lines 10 and 11: when a neighbor is reached whose distance to the
    /// subgoal differs from the heuristic. A neighbor keeps the subgoal that its parent had at that moment, even
    /// if the parent becomes one itself because of it.
    Stale,
    /// Algorithm 2 as printed: a cell takes its parent's subgoal again when it is expanded.
    Reached,
}

/// The subgoal that a robot pursues first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum FirstGoal {
    /// `Sub` of the robot's cell: the next one on a shortest path; the nearest one if the tree does
    /// not keep `Sub`.
    #[default]
    TrueSub,
    /// Line 5 of Algorithm 3 as printed: the one with the smallest heuristic; the goal only when there
    /// is no other.
    NearestExit,
    /// The one with the smallest heuristic, the goal included.
    Nearest,
}

/// The reaction to a subgoal that the robot passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Switching {
    /// Pursues the parent of the first one, whichever it is, and from then on only parents that are
    /// nearer to the root of the tree than what it pursues. That can happen only so often, so the robot
    /// arrives. With [safe exits](ExitRule::Safe) nothing is lost by it; with those of the paper a robot
    /// that strays passes subgoals by that might have led it out sooner.
    #[default]
    Rootwards,
    /// Line 8 of Algorithm 3 as printed: pursues the parent of any subgoal. The robot may be led in
    /// circles for ever.
    Any,
}

/// The behaviour while the tree has not yet grown as far as the robot's cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Meanwhile {
    /// Stays; the whole budget goes to the tree.
    #[default]
    Wait,
    /// Moves towards the goal by LRTA*; the tree gets the rest of the budget.
    Walk,
}

/// Options of Algorithm 3.
///
/// ```
/// use planner_core::subgoal::{FirstGoal, Rules, Switching};
///
/// assert_eq!(Rules::default().first, FirstGoal::TrueSub);
/// assert_eq!(Rules::AS_PRINTED.switching, Switching::Any);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rules {
    /// The subgoal to begin with.
    pub first: FirstGoal,
    /// The reaction to a subgoal that the robot passes.
    pub switching: Switching,
    /// The behaviour without a tree.
    pub meanwhile: Meanwhile,
}

impl Rules {
    /// The default, as a constant. All zero, for statics.
    pub const DEFAULT: Self = Self {
        first: FirstGoal::TrueSub,
        switching: Switching::Rootwards,
        meanwhile: Meanwhile::Wait,
    };

    /// Algorithm 3 as the paper prints it.
    pub const AS_PRINTED: Self = Self {
        first: FirstGoal::NearestExit,
        switching: Switching::Any,
        meanwhile: Meanwhile::Wait,
    };
}
