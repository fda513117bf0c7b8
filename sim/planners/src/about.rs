//! Planners in words for people.

use crate::Name;

impl Name {
    /// The name as papers write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ForwardAstar => "Repeated Forward A*",
            Self::BackwardAstar => "Repeated Backward A*",
            Self::AdaptiveAstar => "Adaptive A*",
            Self::DstarLiteHeap => "D* Lite on a heap",
            Self::DstarLiteHeapLargerG => "D* Lite on a heap, larger g first",
            Self::DstarLite => "D* Lite",
            Self::ForwardAstarSmallerG => "Repeated Forward A*, smaller g first",
            Self::BackwardAstarSmallerG => "Repeated Backward A*, smaller g first",
            Self::ForwardAstarBuckets => "Repeated Forward A* on buckets",
            Self::DstarLiteLifo => "D* Lite, last in, first out",
            Self::AnytimeDstar => "Anytime D*",
            Self::Lrta => "LRTA*",
            Self::LssLrta => "LSS-LRTA*",
            Self::LssLrtaReplan => "LSS-LRTA*, searching in every step",
            Self::LssLrtaBfs => "LSS-LRTA*, breadth-first",
            Self::Tba => "Time-bounded A*",
            Self::RtdTba => "Real-Time D*",
            Self::Rtd => "Real-Time D* over LSS-LRTA*",
            Self::RtdLrta => "Real-Time D* over LRTA*",
            Self::RtdAnytime => "Real-Time D* over Anytime D*",
            Self::RtdAnytimeConstant => "Real-Time D* over Anytime D*, epsilon 3",
            Self::RtdNoop => "Real-Time D* that waits",
            Self::SubgoalLrta => "Subgoal LRTA*",
        }
    }

    /// When to use the planner, in one line that follows "use it when".
    pub fn use_when(self) -> &'static str {
        match self {
            Self::ForwardAstar => "you need a baseline: a new search from the robot",
            Self::BackwardAstar => "you need a baseline: a new search from the goal",
            Self::AdaptiveAstar => "the goal stays and costs only rise",
            Self::DstarLiteHeap => "costs are too large for buckets",
            Self::DstarLiteHeapLargerG => "you compare buckets with the paper's heap",
            Self::DstarLite => "the world is unknown and a tick may take its time",
            Self::ForwardAstarSmallerG => "you compare how ties are broken",
            Self::BackwardAstarSmallerG => "you compare how ties are broken",
            Self::ForwardAstarBuckets => "you need a baseline without a heap",
            Self::DstarLiteLifo => "you compare orders within a bucket",
            Self::AnytimeDstar => "a long path now is better than none",
            Self::Lrta => "memory is scarce and moves are cheap",
            Self::LssLrta => "ticks are short, memory is scarce, dead ends small",
            Self::LssLrtaReplan => "as lss-lrta, and the world changes often",
            Self::LssLrtaBfs => "you compare look-aheads",
            Self::Tba => "ticks are short and memory is scarce",
            Self::RtdTba => "ticks are short; the robot runs it",
            Self::Rtd => "you want the local search of the paper",
            Self::RtdLrta => "you compare local searches",
            Self::RtdAnytime => "you compare global searches",
            Self::RtdAnytimeConstant => "you compare global searches",
            Self::RtdNoop => "you compare with a robot that waits for D* Lite",
            Self::SubgoalLrta => "the map is known and a move has one expansion",
        }
    }
}
