//! The README's picture: the robot's planner and five others in unknown and in changing worlds, by expansions and by
//! cycles of the chip.

use super::{
    Contender, Unit,
    contender::{LRTA, LSS, NOOP, RTD_LSS, RTD_TBA, UNLIMITED},
    dynamic_world, unknown_world, worlds_of,
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
    let worlds = [
        [
            (Unit::Expansions, "expansions per tick, unknown worlds"),
            (Unit::Cycles, "cycles per tick, unknown worlds"),
        ],
        [
            (Unit::Expansions, "expansions per tick, changing worlds"),
            (Unit::Cycles, "cycles per tick, changing worlds"),
        ],
    ];
    for (place, units) in worlds.into_iter().enumerate() {
        for (unit, axis) in units {
            let measured = match place {
                0 => unknown_world::run(sweep, unit, unknown_world::Kind::Caves, &[], &SHOWN)?,
                _ => dynamic_world::run(sweep, unit, dynamic_world::RATE, &SHOWN)?,
            };
            let ticks = measured.charts().into_iter().next();
            charts.extend(ticks.map(|chart| Chart {
                axis,
                unit: axis,
                ..chart
            }));
            findings.push(format!("{axis}: {}", measured.never_worse(RTD_TBA)));
        }
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
