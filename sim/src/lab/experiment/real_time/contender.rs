//! The contenders, and their limits per tick.

use std::fmt;

use crate::catalog::Name;

/// A planner with its setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    pub name: Name,
    /// The per cent of a tick that Real-Time D* keeps for its local search.
    pub local_percent: Option<u8>,
    /// True if the limit holds for it.
    pub is_limited: bool,
    /// True if re-queues of the global search are not charged, as in Bond et al. (2010). Its ticks have no bound.
    pub free_requeues: bool,
}

impl Contender {
    /// A planner without a setting.
    pub const fn plain(name: Name) -> Self {
        Self {
            name,
            local_percent: None,
            is_limited: true,
            free_requeues: false,
        }
    }

    /// Real-Time D* that keeps so much for its local search.
    pub const fn keeping(local_percent: u8, name: Name) -> Self {
        Self {
            local_percent: Some(local_percent),
            ..Self::plain(name)
        }
    }
}

/// LRTA*, searching as far as the limit goes.
pub const LRTA: Contender = Contender::plain(Name::Lrta);
/// LSS-LRTA* that searches in every step.
pub const LSS: Contender = Contender::plain(Name::LssLrtaReplan);
/// LSS-LRTA* that follows its path while it can.
pub const LSS_PATH: Contender = Contender::plain(Name::LssLrta);
/// Real-Time D* over LRTA*.
pub const RTD_LRTA: [Contender; 3] = shares(Name::RtdLrta);
/// Real-Time D* over LSS-LRTA*.
pub const RTD_LSS: [Contender; 3] = shares(Name::Rtd);
/// Time-bounded A* that learns, on its own.
pub const TBA: Contender = Contender::plain(Name::Tba);
/// Real-Time D* over time-bounded A*: the robot's planner.
pub const RTD_TBA: Contender = Contender::plain(Name::RtdTba);
/// Real-Time D* over Anytime D* and LSS-LRTA*.
pub const RTD_ANYTIME: Contender = Contender::keeping(50, Name::RtdAnytime);
/// Real-Time D* over Anytime D* with a constant epsilon, and LSS-LRTA*.
pub const RTD_ANYTIME_CONSTANT: Contender = Contender::keeping(50, Name::RtdAnytimeConstant);
/// The same with a larger share for Anytime D*.
pub const RTD_ANYTIME_MORE: Contender = Contender::keeping(25, Name::RtdAnytimeConstant);
/// The same with an epsilon that stays, re-queues not charged.
pub const RTD_ANYTIME_FREE: Contender = Contender {
    free_requeues: true,
    ..RTD_ANYTIME_CONSTANT
};
/// D* Lite, waiting until it is done.
pub const NOOP: Contender = Contender::plain(Name::RtdNoop);
/// The best a robot can do with what it knows: D* Lite without a limit.
pub const UNLIMITED: Contender = Contender {
    is_limited: false,
    ..Contender::plain(Name::DstarLite)
};

const fn shares(name: Name) -> [Contender; 3] {
    [
        Contender::keeping(25, name),
        Contender::keeping(50, name),
        Contender::keeping(75, name),
    ]
}

/// All of them; or those of some names, beside the robot's planner and D* Lite without a limit.
pub fn all(names: &[Name]) -> Vec<Contender> {
    let plain = [LRTA, LSS, LSS_PATH, TBA];
    let all = [
        &plain[..],
        &RTD_LRTA,
        &RTD_LSS,
        &[RTD_TBA, RTD_ANYTIME, RTD_ANYTIME_CONSTANT],
        &[RTD_ANYTIME_MORE, RTD_ANYTIME_FREE],
        &[NOOP, UNLIMITED],
    ]
    .concat();
    let is_asked = |contender: &Contender| {
        names.is_empty()
            || names.contains(&contender.name)
            || [RTD_TBA, UNLIMITED].contains(contender)
    };
    all.into_iter().filter(is_asked).collect()
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.local_percent {
            _ if !self.is_limited => f.write_str("unlimited"),
            Some(percent) if self.free_requeues => {
                write!(f, "{} {percent} %, re-queues free", self.name)
            }
            Some(percent) => write!(f, "{} {percent} %", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}
