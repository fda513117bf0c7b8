//! Rooms whose doors change rarely or all the time: the robot's planner and its rivals by the rate of the doors.

use super::{
    Contender, Unit,
    contender::{LSS, RTD_LSS, RTD_TBA, UNLIMITED},
    dynamic_world::{self, SIDE},
    worlds_of,
};
use crate::lab::experiment::{
    chart::{Chart, Curve},
    report::Report,
    row::STEPS_RATIO,
    sweep::Sweep,
};

pub const NAME: &str = "door-rates";
/// Doors tried in a hundred ticks.
const RATES: [u32; 5] = [10, 20, 50, 100, 200];
/// Expansions per tick.
const SHOWN: [u32; 3] = [8, 32, 128];

/// Runs the experiment.
///
/// # Errors
/// A planner failed.
pub fn measure(sweep: Sweep) -> anyhow::Result<Report> {
    let contenders = [RTD_TBA, RTD_LSS[1], LSS, UNLIMITED];
    let mut findings = vec![worlds_of(sweep)];
    let mut all = Vec::new();
    for rate in RATES {
        let doors = f64::from(rate) / 100.0;
        let measured = dynamic_world::run(sweep, Unit::Expansions, doors, &contenders)?;
        let verdicts = [
            measured.over_unlimited(RTD_TBA),
            measured.never_worse(RTD_TBA),
        ];
        findings.extend(verdicts.map(|verdict| format!("{doors} doors a tick: {verdict}")));
        all.push((rate, measured));
    }
    let curve = |contender: Contender, limit: u32| Curve {
        label: match contender.is_limited {
            true => format!("{contender} limit {limit}"),
            false => contender.to_string(),
        },
        points: all
            .iter()
            .map(|(rate, measured)| (*rate, measured.ticks(contender, limit)))
            .collect(),
    };
    let mut curves = vec![curve(UNLIMITED, SHOWN[0])];
    for limit in SHOWN {
        curves.extend([RTD_TBA, RTD_LSS[1], LSS].map(|contender| curve(contender, limit)));
    }
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Real-Time D* by the rate of the doors: {} sequences each in rooms of {SIDE}x{SIDE}, seed {}",
            sweep.runs, sweep.seed
        ),
        rows: Vec::new(),
        charts: vec![Chart {
            metric: STEPS_RATIO,
            axis: "doors tried in 100 ticks",
            unit: "doors",
            curves,
        }],
        findings,
    })
}
