//! Sweep: the same run with many seeds, and the distribution of its results.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::{ModelRun, RunError, RunOutcome, RunReport};

/// Distribution of a number over the runs of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distribution {
    pub min: f64,
    pub p10: f64,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
    pub max: f64,
}

impl Distribution {
    /// Distribution of values by nearest rank; all zero without values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            let rank = (percent * values.len()).div_ceil(100).max(1);
            values.get(rank - 1).copied().unwrap_or_default()
        };
        Self {
            min: at(0),
            p10: at(10),
            median: at(50),
            p90: at(90),
            p99: at(99),
            max: at(100),
        }
    }
}

/// Results of the runs of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepReport {
    /// Number of runs.
    pub runs: usize,
    /// Runs that are done, without a collision and with a right map.
    pub clean: usize,
    /// Runs that are done.
    pub done: usize,
    /// Number of runs by their end.
    pub outcomes: BTreeMap<RunOutcome, usize>,
    /// Runs with a collision.
    pub collided: usize,
    /// Collisions of all runs.
    pub collisions: usize,
    /// Runs that end with a wrong wall on the map.
    pub wrong_maps: usize,
    /// Wrong walls of all runs.
    pub wrong_walls: usize,
    /// Number of runs by the code of their first fault.
    pub faults: BTreeMap<u8, usize>,
    /// Simulated time from the start of the first mission, of the runs that are done.
    pub seconds: Distribution,
    /// The same by cells.
    pub seconds_per_cell: Distribution,
    /// Mean of the same.
    pub mean_seconds_per_cell: f64,
    /// Time of the run from home to the goal by cells, with start and stop, of explorations that are done.
    pub run_seconds_per_cell: Distribution,
    /// Mean of the same.
    pub mean_run_seconds_per_cell: f64,
    /// Time of the run by that of its plan.
    pub driven_by_planned: Distribution,
    /// Time of the run by its lower bound.
    pub driven_by_lower_bound: Distribution,
    /// Runs that are done and took more than 600 s, the time of a competition.
    pub over_600_s: usize,
    /// Exits of routes that the robots decided on.
    pub decisions: u64,
    /// Those that came too late for a smooth turn.
    pub decisions_late: u64,
    /// Largest position error while standing, in millimetres.
    pub pose_error_mm: Distribution,
    /// Speed of the fastest collision, in millimetres per second.
    pub contact_mm_s: Distribution,
    /// Seeds of the runs that are not clean.
    pub failed: Vec<u64>,
    /// Seeds of the robots whose calibration failed.
    pub uncalibrated: Vec<u64>,
}

impl SweepReport {
    /// Executes runs, given with their seeds, in parallel, and gathers the results. With `calibrate`, each robot is
    /// calibrated first; one whose calibration fails is not run.
    ///
    /// # Errors
    /// The first error of a run.
    pub fn of(runs: Vec<(u64, ModelRun)>, calibrate: bool) -> Result<Self, RunError> {
        let results: Result<Vec<_>, _> = runs
            .into_par_iter()
            .map(|(seed, mut run)| {
                if calibrate && run.calibrate().is_err() {
                    return Ok((seed, None));
                }
                run.run().map(|report| (seed, Some(report)))
            })
            .collect();
        let (mut reports, mut uncalibrated) = (Vec::new(), Vec::new());
        for (seed, report) in results? {
            match report {
                Some(report) => reports.push((seed, report)),
                None => uncalibrated.push(seed),
            }
        }
        Ok(Self {
            uncalibrated,
            ..Self::summarise(&reports)
        })
    }

    /// Summary of reports with their seeds.
    pub fn summarise(reports: &[(u64, RunReport)]) -> Self {
        let count = |is: fn(&RunReport) -> bool| reports.iter().filter(|(_, r)| is(r)).count();
        let distribution = |of: fn(&RunReport) -> f64| {
            Distribution::of(reports.iter().map(|(_, report)| of(report)))
        };
        let (mut outcomes, mut faults) = (BTreeMap::new(), BTreeMap::new());
        for (_, report) in reports {
            *outcomes.entry(report.outcome).or_default() += 1;
            if let Some(&code) = report.faults.first() {
                *faults.entry(code).or_default() += 1;
            }
        }
        let done = reports.iter().map(|(_, report)| report);
        let done = done.filter(|report| report.outcome == RunOutcome::Done);
        let of_done = |of: fn(&RunReport) -> Option<f64>| -> Vec<f64> {
            done.clone().filter_map(of).collect()
        };
        let seconds = of_done(|report| Some(report.seconds));
        let per_cell = of_done(|report| Some(report.seconds_per_cell));
        let run_per_cell = of_done(|report| {
            let cells = report.run_cells.filter(|&cells| cells > 0)?;
            Some(report.run_seconds? / cells as f64)
        });
        let mean = |values: &[f64]| {
            let sum = values.iter().fold(0.0, |sum, value| sum + value);
            sum / values.len().max(1) as f64
        };
        let failed = reports.iter().filter(|(_, report)| !report.is_clean());
        Self {
            runs: reports.len(),
            clean: count(RunReport::is_clean),
            done: count(|report| report.outcome == RunOutcome::Done),
            outcomes,
            collided: count(|report| report.collisions > 0),
            collisions: reports.iter().map(|(_, report)| report.collisions).sum(),
            wrong_maps: count(|report| report.wrong_walls.is_some_and(|walls| walls > 0)),
            wrong_walls: reports.iter().filter_map(|(_, r)| r.wrong_walls).sum(),
            faults,
            over_600_s: seconds.iter().filter(|&&seconds| seconds > 600.0).count(),
            seconds: Distribution::of(seconds),
            mean_seconds_per_cell: mean(&per_cell),
            seconds_per_cell: Distribution::of(per_cell),
            mean_run_seconds_per_cell: mean(&run_per_cell),
            run_seconds_per_cell: Distribution::of(run_per_cell),
            driven_by_planned: Distribution::of(of_done(RunReport::driven_by_planned)),
            driven_by_lower_bound: Distribution::of(of_done(RunReport::driven_by_lower_bound)),
            decisions: reports.iter().map(|(_, report)| report.decisions).sum(),
            decisions_late: reports.iter().map(|(_, r)| r.decisions_late).sum(),
            pose_error_mm: distribution(|report| report.pose_error_mm),
            contact_mm_s: distribution(|report| report.contact_mm_s),
            failed: failed.map(|(seed, _)| *seed).collect(),
            uncalibrated: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_by_nearest_rank() {
        let all = Distribution::of((1..=100).rev().map(f64::from));
        assert_eq!((all.min, all.p10, all.median), (1.0, 10.0, 50.0));
        assert_eq!((all.p90, all.p99, all.max), (90.0, 99.0, 100.0));
        let one = Distribution::of([3.0]);
        assert_eq!((one.min, one.median, one.max), (3.0, 3.0, 3.0));
        assert_eq!(Distribution::of([]), Distribution::default());
    }
}
