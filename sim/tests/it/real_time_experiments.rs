//! Real-Time D* under a limit: every contender is measured in the same worlds at every limit.

use std::{fs, path::Path, sync::LazyLock};

use clap::ValueEnum;
use sim::{
    catalog::{Moves, Name},
    environment::Sensor,
    lab::experiment::{
        real_time::{
            Contender, Trial, Unit, curves, door_rates, dynamic_world,
            unknown_world::{self, Kind},
        },
        report::Report,
        sweep::Sweep,
    },
    world::{Grid, adversarial, rng},
};

use crate::experiments::flat;

const LIMITS: [u32; 8] = Unit::Expansions.limits();

fn unknown(runs: u32, seed: u64) -> Report {
    unknown_world::measure(
        Sweep { runs, seed },
        Unit::Expansions,
        Kind::Caves,
        &[],
        &[],
    )
    .unwrap()
}

fn dynamic(runs: u32, seed: u64) -> Report {
    dynamic_world::measure(
        Sweep { runs, seed },
        Unit::Expansions,
        dynamic_world::RATE,
        &[],
    )
    .unwrap()
}

/// A report in each experiment, measured once for all claims about reports.
static UNKNOWN: LazyLock<Report> = LazyLock::new(|| unknown(2, 3));
static DYNAMIC: LazyLock<Report> = LazyLock::new(|| dynamic(2, 3));

fn mean(report: &Report, row: &str, metric: &str) -> f64 {
    let mut rows = report.rows();
    let found = rows.find(|found| found.row == row && found.metric.name == metric);
    found
        .unwrap_or_else(|| panic!("no row {row} {metric}"))
        .mean
}

#[test]
fn a_row_for_every_contender_and_limit_the_same_for_the_same_seed() {
    for (report, measure) in [
        (&UNKNOWN, unknown as fn(u32, u64) -> _),
        (&DYNAMIC, dynamic),
    ] {
        let rows: Vec<_> = report.rows().collect();
        assert_eq!(rows, measure(2, 3).rows().collect::<Vec<_>>());
        assert_ne!(rows, measure(2, 4).rows().collect::<Vec<_>>());

        let contenders = report.charts[0].curves.len();
        let ticks = rows.iter().filter(|row| row.metric.name == "steps_ratio");
        assert_eq!(ticks.count(), contenders * LIMITS.len());
        // Whoever waits for ever goes no distance.
        let distances = rows
            .iter()
            .filter(|row| row.metric.name == "distance_ratio");
        assert!(distances.clone().count() > (contenders - 1) * LIMITS.len());
        assert!(distances.map(|row| row.mean).all(|mean| mean >= 1.0));
        for limit in LIMITS {
            for contender in ["lrta", "lss-lrta", "rtd 25 %", "rtd-lrta 75 %", "rtd-noop"] {
                let row = format!("{contender} limit {limit}");
                assert!(mean(report, &row, "steps_ratio") >= 1.0);
            }
        }
        assert!(rows.iter().all(|row| row.runs == 2 && row.mean.is_finite()));
    }
}

#[test]
fn the_unlimited_curve_is_flat_and_a_lower_bound() {
    let report = &UNKNOWN;
    let unlimited = |limit| mean(report, &format!("unlimited limit {limit}"), "steps_ratio");
    for limit in LIMITS {
        assert_eq!(unlimited(limit), unlimited(1));
        let noop = |metric| mean(report, &format!("rtd-noop limit {limit}"), metric);
        // Whoever waits walks as far as the one who need not, and takes longer.
        assert!(noop("steps_ratio") >= unlimited(limit));
        let walked = mean(report, "unlimited limit 1", "distance_ratio");
        assert!((noop("distance_ratio") / walked - 1.0).abs() < 0.5);
    }
    assert!(
        mean(report, "rtd-noop limit 1", "steps_ratio")
            > 2.0 * mean(report, "rtd 50 % limit 16", "steps_ratio")
    );
}

#[test]
fn the_report_has_limits_side_by_side_and_a_verdict_on_every_claim() {
    for report in [&UNKNOWN, &DYNAMIC] {
        let text = report.to_string();
        let table = report.tables().next().unwrap();
        for curve in &report.charts[0].curves {
            assert!(table.rows.iter().any(|row| row[0] == curve.label));
        }
        let flat = flat(&text);
        assert!(report.findings.len() >= 10, "{text}");
        assert!(report.findings.iter().all(|finding| flat.contains(finding)));
        assert!(!text.contains("NaN"), "{text}");
    }
}

#[test]
fn curves_are_drawn_with_every_contender() {
    let folder = tempfile::tempdir().unwrap();
    let report = &DYNAMIC;
    let [csv, svg]: [_; 2] = report.write(folder.path()).unwrap().try_into().unwrap();
    assert_eq!(
        csv.file_name(),
        Some(Path::new("dynamic-world.csv").as_os_str())
    );
    let rows = csv::Reader::from_path(csv).unwrap().into_records().count();
    assert_eq!(rows, report.rows().count());
    let picture = fs::read_to_string(svg).unwrap();
    for curve in &report.charts[0].curves {
        assert!(picture.contains(&curve.label));
    }
    assert!(picture.contains("expansions per tick"));
}

#[test]
fn every_kind_of_world_has_its_verdicts() {
    for kind in Kind::value_variants() {
        let report = unknown_world::measure(
            Sweep { runs: 1, seed: 2 },
            Unit::Expansions,
            *kind,
            &[],
            &[],
        )
        .unwrap();
        let name = kind.to_possible_value().unwrap();
        assert!(report.title.contains(name.get_name()), "{}", report.title);
        for finding in [
            "over those of D* Lite without a limit",
            "never significantly worse",
        ] {
            assert!(report.findings.iter().any(|text| text.contains(finding)));
        }
    }
}

/// Dead ends side by side make a kept tree pace between two frontiers.
#[test]
fn in_combs_the_kept_tree_needs_at_most_twice_the_ticks_of_lss_lrta() {
    let world = adversarial::comb(61).unwrap();
    let sensor = Sensor::new(1, Moves::Four);
    let contenders = [Name::RtdTba, Name::LssLrtaReplan].map(Contender::plain);
    let at_8 = LIMITS.iter().position(|&limit| limit == 8).unwrap();
    let mut ticks = [0.0; 2];
    for seed in 0..12 {
        let (start, goal) = world.random_free_pair(&mut rng::seeded(seed)).unwrap();
        let trial = Trial {
            ideal: world.clone(),
            world: world.clone(),
            start,
            goal,
            moves: Moves::Four,
            sensor: Some(&sensor),
            doors: None,
            max_ratio: 20,
        };
        let results = trial.results(&contenders, Unit::Expansions).unwrap();
        for (ticks, results) in ticks.iter_mut().zip(results) {
            *ticks += results[at_8].steps;
        }
    }
    assert!(ticks[0] < 2.0 * ticks[1], "{ticks:?}");
}

#[test]
fn given_maps_are_used_and_a_solid_one_is_an_error() {
    let open = Grid::filled(40, 30, false).unwrap();
    let sweep = Sweep { runs: 2, seed: 0 };
    let report =
        unknown_world::measure(sweep, Unit::Expansions, Kind::Caves, &[open], &[]).unwrap();
    // Nothing stands in the way: even one expansion per tick goes straight to the goal.
    assert_eq!(mean(&report, "rtd 50 % limit 1", "distance_ratio"), 1.0);
    assert!(report.title.contains("a given map"));

    let solid = Grid::filled(40, 30, true).unwrap();
    let error =
        unknown_world::measure(sweep, Unit::Expansions, Kind::Caves, &[solid], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the world has no two connected free cells"
    );
}

#[test]
fn limits_in_cycles_are_named_and_give_a_dear_search_fewer_expansions() {
    let sweep = Sweep { runs: 2, seed: 1 };
    let report = dynamic_world::measure(sweep, Unit::Cycles, dynamic_world::RATE, &[]).unwrap();
    let text = report.to_string();
    assert!(text.contains("cycles per tick"), "{text}");
    let [first, ..] = Unit::Cycles.limits();
    assert!(mean(&report, &format!("rtd-tba limit {first}"), "steps_ratio") >= 1.0);
    let costs = "Mean cycles on the chip per expansion";
    assert!(report.findings.iter().any(|text| text.contains(costs)));
}

#[test]
fn seeds_that_rules_were_chosen_on_and_held_out_ones_are_told_apart() {
    assert!(dynamic(1, 8_999).findings[0].contains("among those"));
    assert!(dynamic(1, 9_000).findings[0].starts_with("Worlds: seed 9000, runs 0 to 0; held out"));
}

#[test]
fn named_planners_run_beside_the_robots_without_the_papers_claims() {
    let sweep = Sweep { runs: 2, seed: 3 };
    let (unit, rate) = (Unit::Expansions, dynamic_world::RATE);
    let report = dynamic_world::measure(sweep, unit, rate, &[Name::Tba, Name::Rtd]).unwrap();
    let labels: Vec<&str> = report.charts[0]
        .curves
        .iter()
        .map(|curve| curve.label.as_str())
        .collect();
    assert_eq!(
        labels,
        [
            "tba",
            "rtd 25 %",
            "rtd 50 %",
            "rtd 75 %",
            "rtd-tba",
            "unlimited"
        ]
    );
    // The same worlds as in a run of all.
    for row in ["tba limit 8", "rtd 25 % limit 64"] {
        assert_eq!(
            mean(&report, row, "steps_ratio"),
            mean(&DYNAMIC, row, "steps_ratio")
        );
    }
    let [worlds, over, verdict, nearest] = &report.findings[..] else {
        panic!("{:?}", report.findings);
    };
    assert!(worlds.starts_with("Worlds") && over.starts_with("Ticks of rtd-tba over"));
    assert!(verdict.contains("32 paired comparisons"), "{verdict}");
    assert!(
        nearest.starts_with("Ticks of the best other planner"),
        "{nearest}"
    );
}

#[test]
fn free_requeues_are_a_contender_that_does_not_decide_who_is_worse() {
    let report = &DYNAMIC;
    let free = "rtd-anytime-constant 50 %, re-queues free";
    assert!(mean(report, &format!("{free} limit 8"), "steps_ratio") >= 1.0);
    let verdict = |text: &&String| text.contains("never significantly worse");
    let verdict = report.findings.iter().find(verdict).unwrap();
    assert!(!verdict.contains("free"), "{verdict}");
}

#[test]
fn door_rates_stand_in_one_table_with_a_verdict_each() {
    let report = door_rates::measure(Sweep { runs: 1, seed: 2 }).unwrap();
    let [chart] = &report.charts[..] else {
        panic!("{report}");
    };
    assert!(chart.curves.iter().all(|curve| curve.points.len() == 5));
    for rate in ["0.1", "0.2", "0.5", "1", "2"] {
        let verdict = format!("{rate} doors a tick: rtd-tba is never significantly worse");
        assert!(
            report
                .findings
                .iter()
                .any(|text| text.starts_with(&verdict))
        );
    }
}

#[test]
fn the_picture_shows_six_planners_in_both_worlds_and_both_units() {
    let report = curves::measure(Sweep { runs: 1, seed: 2 }).unwrap();
    let axes: Vec<_> = report.charts.iter().map(|chart| chart.axis).collect();
    for (unit, world) in [
        ("expansions", "unknown"),
        ("cycles", "unknown"),
        ("expansions", "changing"),
        ("cycles", "changing"),
    ] {
        let axis = format!("{unit} per tick, {world} worlds");
        assert!(axes.contains(&axis.as_str()), "{axes:?}");
    }
    assert!(report.charts.iter().all(|chart| chart.curves.len() == 6));
}
