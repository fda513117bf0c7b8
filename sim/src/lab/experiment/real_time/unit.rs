//! The unit of a limit: expansions, or cycles of the chip.

use serde::Deserialize;

use super::Contender;
use crate::catalog::Name;

/// Cycles of each kind of work, written by `cargo xtask bench-chip --costs`.
const COSTS: &str = include_str!("costs.json");

/// The unit in which the limit of a tick is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Unit {
    /// Expansions, and other work at its price
    #[default]
    Expansions,
    /// Cycles of the RP2040: a dearer search has fewer expansions
    Cycles,
}

/// Mean cycles of the work of a search, in worlds of all kinds. The table also has those of each kind of work.
#[derive(Clone, Debug, Deserialize)]
struct Costs {
    search: String,
    /// One expansion of the budget: an expansion, or other work at its price, as they occurred.
    unit: f64,
}

impl Unit {
    /// The limits per tick that are compared.
    #[must_use]
    pub const fn limits(self) -> [u32; 8] {
        match self {
            Self::Expansions => [1, 8, 16, 32, 64, 128, 256, 512],
            // 0.032 to 4 ms at 125 MHz.
            Self::Cycles => [
                4_000, 8_000, 16_000, 32_000, 64_000, 125_000, 250_000, 500_000,
            ],
        }
    }

    /// The label of an axis.
    #[must_use]
    pub const fn axis(self) -> &'static str {
        match self {
            Self::Expansions => "expansions per tick",
            Self::Cycles => "cycles per tick",
        }
    }

    /// The expansions per tick of a contender under a limit, at least one.
    ///
    /// # Errors
    /// The table has no costs of one of its searches.
    pub fn expansions(self, contender: Contender, limit: u32) -> anyhow::Result<u32> {
        match self {
            Self::Expansions => Ok(limit),
            Self::Cycles => {
                let cycles = cycles_per_unit(contender)?;
                Ok(((f64::from(limit) / cycles) as u32).max(1))
            }
        }
    }
}

/// Cycles for one expansion of a contender's budget. Searches that share it count by their shares.
pub fn cycles_per_unit(contender: Contender) -> anyhow::Result<f64> {
    let table: Vec<Costs> = serde_json::from_str(COSTS)?;
    let of = |search: &str| {
        let costs = table.iter().find(|costs| costs.search == search);
        let costs = costs.map(|costs| costs.unit);
        costs.ok_or_else(|| anyhow::anyhow!("the table of costs has no {search}"))
    };
    let name = contender.name;
    let local = match name {
        Name::Lrta | Name::RtdLrta => Some("lrta"),
        Name::Tba | Name::RtdTba => Some("tba"),
        Name::RtdNoop | Name::DstarLite => None,
        _ => Some("lss-lrta"),
    };
    let percent = match name {
        Name::Lrta | Name::LssLrta | Name::LssLrtaReplan | Name::LssLrtaBfs | Name::Tba => 100,
        _ => contender.local_percent.unwrap_or(name.local_percent()),
    };
    let share = f64::from(percent) / 100.0;
    match local {
        None => of("dstar-lite"),
        Some(local) => Ok(share * of(local)? + (1.0 - share) * of("dstar-lite")?),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::contender::{LSS, NOOP, RTD_TBA, TBA, all},
        *,
    };

    #[test]
    fn every_contender_has_costs_and_one_expansion_at_least() {
        for contender in all(&[]) {
            for limit in Unit::Cycles.limits() {
                let expansions = Unit::Cycles.expansions(contender, limit).unwrap();
                assert!((1..=limit).contains(&expansions), "{contender}");
                assert_eq!(
                    Unit::Expansions.expansions(contender, limit).unwrap(),
                    limit
                );
            }
        }
    }

    #[test]
    fn a_local_expansion_is_dearer_than_one_of_dstar_lite() {
        let cycles = |contender| cycles_per_unit(contender).unwrap();
        assert!(cycles(NOOP) < cycles(LSS));
        assert!(cycles(NOOP) < cycles(RTD_TBA) && cycles(RTD_TBA) <= cycles(TBA));
    }
}
