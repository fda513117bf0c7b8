//! Experiments give the rows that scripts read, the same ones for the same seed.

use std::collections::HashSet;

use sim::lab::experiment::{
    buckets, replanning,
    report::Report,
    row::Row,
    situated_agents,
    subgoals::{self, Plan},
    sweep::Sweep,
};

use crate::support::cli::{fields, sorted};

/// Experiments with three runs each, by seed.
const EXPERIMENTS: [fn(u64) -> Report; 4] = [buckets, replanning, situated_agents, subgoals];

fn few(seed: u64) -> Sweep {
    Sweep { runs: 3, seed }
}

fn buckets(seed: u64) -> Report {
    buckets::measure(few(seed)).unwrap()
}

fn replanning(seed: u64) -> Report {
    replanning::measure(few(seed)).unwrap()
}

/// In worlds of a side at which everything takes a moment.
pub fn situated_agents(seed: u64) -> Report {
    situated_agents::measure_in(15, few(seed)).unwrap()
}

/// Two runs on each of four maps.
pub fn subgoals(seed: u64) -> Report {
    let plan = Plan {
        maps: subgoals::maps(&[], seed).unwrap(),
        sweep: Sweep { runs: 2, seed },
        goals: 5,
    };
    subgoals::measure(&plan).unwrap()
}

/// Rows that do not depend on the clock.
fn counts(report: &Report) -> Vec<Row> {
    let is_time = |row: &Row| row.metric.of_machine || row.metric.name.starts_with("runtime");
    let rows = report.rows.iter().filter(|row| !is_time(row));
    rows.cloned().collect()
}

pub fn find<'a>(report: &'a Report, row: &str, metric: &str) -> &'a Row {
    let is_it = |found: &&Row| found.row == row && found.metric.name == metric;
    report.rows.iter().find(is_it).unwrap()
}

#[test]
fn counts_depend_on_the_seed_only() {
    for measure in EXPERIMENTS {
        let first = counts(&measure(7));
        assert_eq!(first, counts(&measure(7)));
        assert_ne!(first, counts(&measure(8)));
    }
}

#[test]
fn the_first_runs_of_a_longer_sweep_are_those_of_a_shorter_one() {
    let sweep = |runs| Sweep { runs, seed: 1 };
    let draw = |runs| {
        sweep(runs)
            .each("test", |index, mut rng| {
                Ok((index, rand::RngExt::random::<u64>(&mut rng)))
            })
            .unwrap()
    };
    assert_eq!(draw(50)[..20], draw(20)[..]);
}

#[test]
fn a_failed_run_fails_the_sweep() {
    let result = few(0).each("test", |index, _| {
        anyhow::ensure!(index != 1, "run {index} failed");
        Ok(index)
    });
    assert_eq!(result.unwrap_err().to_string(), "run 1 failed");
}

const FIELDS: &str = "experiment row metric paper paper_ci mean ci95 runs";

#[test]
fn json_rows_have_the_documented_fields() {
    for (index, measure) in EXPERIMENTS.into_iter().enumerate() {
        let report = measure(2);
        let mut seen = HashSet::new();
        for row in &report.rows {
            let json = serde_json::to_value(row).unwrap();
            assert_eq!(fields(&json), sorted(FIELDS));
            assert_eq!(json["experiment"], report.experiment);
            assert!(json["mean"].is_number(), "{json}");
            if index < 2 {
                assert!(row.mean > 0.0 && row.ci95.is_some(), "{json}");
            }
            let is_new = seen.insert((row.row.clone(), row.metric.name));
            assert!(is_new, "{json} is there twice");
        }
    }
}

#[test]
fn the_handouts_example_takes_23_and_20_expansions() {
    let report = replanning(0);
    for (name, expansions) in [("forward-astar", 23.0), ("adaptive-astar", 20.0)] {
        let row = find(&report, name, "example_expansions");
        assert_eq!((row.mean, row.paper), (expansions, Some(expansions)));
    }
}

#[test]
fn table_1_is_quoted_as_printed() {
    let report = buckets(0);
    let paper = |row, metric| {
        let row = find(&report, row, metric);
        (row.paper.unwrap(), row.paper_ci)
    };
    let heap = "dstar-lite-heap-larger-g";
    assert_eq!(paper(heap, "expansions"), (11_416.4, Some(229.1)));
    assert_eq!(paper(heap, "runtime_us"), (10_439.7, Some(210.9)));
    for buckets in ["dstar-lite", "dstar-lite-lifo"] {
        assert_eq!(paper(buckets, "expansions"), (11_632.5, Some(232.7)));
        assert_eq!(paper(buckets, "runtime_us"), (4_448.8, Some(89.2)));
        for (metric, quotient) in [("expansions_ratio", "1.019"), ("runtime_ratio", "0.426")] {
            let (ratio, interval) = paper(buckets, metric);
            assert_eq!((format!("{ratio:.3}").as_str(), interval), (quotient, None));
        }
    }
}

#[test]
fn a_ratio_is_that_of_the_means() {
    let report = buckets(5);
    for (ratio, of) in [
        ("expansions_ratio", "expansions"),
        ("runtime_ratio", "runtime_us"),
    ] {
        let heap = find(&report, "dstar-lite-heap-larger-g", of).mean;
        for buckets in ["dstar-lite", "dstar-lite-lifo"] {
            let quotient = find(&report, buckets, of).mean / heap;
            assert!((find(&report, buckets, ratio).mean - quotient).abs() < 1e-9);
        }
    }
}

/// A text without its line breaks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_table_has_every_row_and_finding() {
    for measure in EXPERIMENTS {
        let report = measure(3);
        let text = report.to_string();
        let tables: Vec<_> = report.tables().collect();
        for row in &report.rows {
            let mut rows = tables.iter().flat_map(|table| &table.rows);
            assert!(rows.any(|cells| cells[0] == row.row), "{}", row.row);
            assert!(text.contains(&row.measured_text()));
        }
        let flat = flat(&text);
        assert!(report.findings.iter().all(|finding| flat.contains(finding)));
        assert!(!text.contains("NaN"), "{text}");
        // The smallest tree of the subgoals' paper has none, which nothing can be compared with.
        assert!(
            report.experiment == "subgoals" || !text.contains("inf"),
            "{text}"
        );
    }
}

#[test]
fn csv_and_picture_hold_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    // Folders on the way are made.
    let folder = folder.path().join("results").join("new");
    for measure in EXPERIMENTS {
        let report = measure(4);
        let [csv, svg] = report.write(&folder).unwrap().try_into().unwrap();
        assert_eq!(csv, folder.join(format!("{}.csv", report.experiment)));
        assert_eq!(svg, folder.join(format!("{}.svg", report.experiment)));

        let mut lines = csv::Reader::from_path(csv).unwrap();
        let headers: Vec<&str> = FIELDS.split(' ').collect();
        assert_eq!(lines.headers().unwrap(), headers);
        let records: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), report.rows.len());
        for (record, row) in records.iter().zip(&report.rows) {
            assert_eq!(&record[1], row.row);
            assert_eq!(record[5].parse::<f64>().unwrap(), row.mean);
            assert_eq!(record[3].is_empty(), row.paper.is_none());
        }

        let picture = std::fs::read_to_string(svg).unwrap();
        let document = roxmltree::Document::parse(&picture).unwrap();
        let texts = document.descendants().filter_map(|node| node.text());
        let texts: HashSet<&str> = texts.map(str::trim).collect();
        for row in &report.rows {
            assert!(texts.contains(&*row.row), "{}", row.row);
            assert!(texts.contains(&*row.measured_text()), "{row:?}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_that_names_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = file.path().join("below");
    let report = replanning(0);
    let error = report.write(&folder).unwrap_err().to_string();
    assert!(error.contains(folder.to_str().unwrap()), "{error}");
}
