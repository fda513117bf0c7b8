//! The README's picture: the robot's planner and five others in unknown and in changing worlds, by expansions and by
//! cycles of the chip.

use super::{
    Contender, Unit,
    contender::{LRTA, LSS, NOOP, RTD_LSS, RTD_TBA, UNLIMITED},
    dynamic_world::{self, RATE},
    unknown_world::{self, Kind},
    worlds_of,
};
use crate::lab::experiment::{chart::Chart, report::Report, sweep::Sweep};

pub const NAME: &str = "real-time";
/// Problems in each kind of world.
pub const RUNS: u32 = 100;

const SHOWN: [Contender; 6] = [RTD_TBA, LSS, RTD_LSS[1], LRTA, NOOP, UNLIMITED];

/// Runs the experiment.
///
/// # Errors
/// A planner failed.
pub fn measure(sweep: Sweep) -> anyhow::Result<Report> {
    let mut charts = Vec::new();
    let mut findings = vec![worlds_of(sweep)];
    let unknown = |unit| unknown_world::run(sweep, unit, Kind::Caves, &[], &SHOWN);
    let changing = |unit| dynamic_world::run(sweep, unit, RATE, &SHOWN);
    let (expansions, cycles) = (Unit::Expansions, Unit::Cycles);
    for (axis, measured) in [
        ("expansions per tick, unknown worlds", unknown(expansions)?),
        ("cycles per tick, unknown worlds", unknown(cycles)?),
        (
            "expansions per tick, changing worlds",
            changing(expansions)?,
        ),
        ("cycles per tick, changing worlds", changing(cycles)?),
    ] {
        let ticks = measured.charts().into_iter().next();
        charts.extend(ticks.map(|chart| Chart {
            axis,
            unit: axis,
            ..chart
        }));
        findings.push(format!("{axis}: {}", measured.never_worse(RTD_TBA)));
    }
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Real-Time D* under a limit: {} caves and {} sequences of doors, seed {}",
            sweep.runs, sweep.runs, sweep.seed
        ),
        rows: Vec::new(),
        charts,
        findings,
    })
}
