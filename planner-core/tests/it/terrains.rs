//! Terrains by name, and macros that run a claim on several.

use planner_core::graph::{Coarse, Eight, Fine, Four, Manhattan, MaxNorm, NeverCut, Octile};

use crate::build::{Plain, Walled, Weighted};

pub type Plain4 = Plain<Four<Manhattan>>;
pub type Weighted4 = Weighted<Four<Manhattan>>;
pub type Plain8 = Plain<Eight<NeverCut, Coarse, Octile>>;
pub type Fine8 = Plain<Eight<NeverCut, Fine, Octile>>;
pub type Weighted8 = Weighted<Eight<NeverCut, Coarse, Octile>>;
pub type Walled4 = Walled<Manhattan>;
pub type WalledMaxNorm = Walled<MaxNorm>;

/// Evaluates an expression with a type name bound to each of several types.
macro_rules! on_each {
    ([$($terrain:ty),* $(,)?] $kind:ident => $body:expr) => {{
        $({
            type $kind = $terrain;
            $body;
        })*
    }};
}

/// The three terrains that all planners are tested on.
macro_rules! on_main_terrains {
    ($kind:ident => $body:expr) => {
        on_each!([
            $crate::terrains::Plain4,
            $crate::terrains::Weighted8,
            $crate::terrains::Walled4,
        ] $kind => $body)
    };
}

/// The other corner rules, scales, heuristics and costs.
macro_rules! on_other_terrains {
    ($kind:ident => $body:expr) => {{
        use planner_core::graph::*;
        use $crate::build::{Plain, Walled, Weighted};
        on_each!([
            Plain<Four<Zero>>,
            Weighted<Four<MaxNorm>, 255>,
            Plain<Eight<NeverCut, Fine, Octile>>,
            Weighted<Eight<OnePassable, Fine, MaxNorm>, 40>,
            Plain<Eight<OnePassable, Coarse, Octile>>,
            Plain<Eight<CutCorners, Coarse, Zero>>,
            Weighted<Eight<CutCorners, Fine, Octile>, 2>,
            Walled<Octile>,
        ] $kind => $body)
    }};
}
