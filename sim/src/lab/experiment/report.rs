//! Results of an experiment: as text, as JSON and as files.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{
    chart::Chart,
    claim,
    row::{Agreement, Metric, Row},
};
use crate::{
    error::BadInput,
    lab::{
        plot::{self, Panel},
        table::{Table, note, sentence},
    },
    output,
};

/// The rows of an experiment and what follows from them.
#[derive(Clone, Debug)]
pub struct Report {
    /// The experiment's name, also that of its files.
    pub experiment: &'static str,
    pub title: String,
    pub rows: Vec<Row>,
    pub charts: Vec<Chart>,
    /// Sentences for people, made from the rows.
    pub findings: Vec<String>,
}

impl Report {
    /// All rows, with those of the charts.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let charts = self
            .charts
            .iter()
            .flat_map(|chart| chart.rows(self.experiment));
        self.rows.iter().cloned().chain(charts)
    }

    /// The metrics in the order in which rows have them.
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for row in &self.rows {
            if !metrics.contains(&row.metric) {
                metrics.push(row.metric);
            }
        }
        metrics
    }

    fn of(&self, metric: Metric) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.metric == metric)
    }

    /// The rows of a metric, beside the paper's where it has any.
    fn table(&self, metric: Metric) -> Table {
        if self.of(metric).all(|row| row.paper.is_none()) {
            let mut table = Table::new([metric.title, "measured"]);
            for row in self.of(metric) {
                table.push([row.row.clone(), row.measured_text()]);
            }
            return table;
        }
        let headings = [metric.title, "paper", "measured", "measured / paper", ""];
        let mut table = Table::new(headings);
        for row in self.of(metric) {
            let quotient = row.paper.map(|paper| format!("{:.3}", row.mean / paper));
            table.push([
                row.row.clone(),
                row.paper_text().unwrap_or_default(),
                row.measured_text(),
                quotient.unwrap_or_default(),
                verdict(row).to_owned(),
            ]);
        }
        table
    }

    /// Writes the charts' tables, then one for each metric.
    pub fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        let charts = self.charts.iter().map(Chart::table);
        let metrics = self.metrics().into_iter().map(|metric| self.table(metric));
        charts.chain(metrics)
    }

    /// Says how many of the claims hold; `None` where none is checked.
    fn verdict_on_claims(&self) -> Option<String> {
        let verdicts = self.findings.iter();
        let verdicts: Vec<_> = verdicts
            .map(|finding| claim::WORDS.map(|word| finding.contains(word)))
            .filter(|is| is.contains(&true))
            .collect();
        let all = verdicts.len();
        let count = |verdict| verdicts.iter().filter(|is| **is == verdict).count();
        let (hold, fail) = (count([true, false, false]), count([false, true, false]));
        (all > 0).then(|| {
            format!(
                "Claims: {hold} of {all} hold, {fail} do not, {} hold in part or are not decided by these runs.",
                all - hold - fail
            )
        })
    }

    /// Says whether the paper's figures are reproduced, and how far off they are, or how many of its claims hold;
    /// `None` where there are neither.
    pub fn verdict(&self) -> Option<String> {
        let compared: Vec<(&Row, Agreement)> = self
            .rows
            .iter()
            .filter_map(|row| Some((row, row.agreement()?)))
            .collect();
        let all = compared.len();
        let apart = compared
            .iter()
            .filter(|(_, agreement)| *agreement == Agreement::Apart);
        let off = |row: &Row| Some((row.mean / row.paper? - 1.0).abs() * 100.0);
        let reproduced = all - apart.clone().count();
        let word = match (all, reproduced) {
            (0, _) => return self.verdict_on_claims(),
            _ if reproduced == all => "Reproduced",
            (_, 0) => "Not reproduced",
            _ => "Partly reproduced",
        };
        let farthest = apart
            .filter_map(|(row, _)| off(row).map(|off| (row, off)))
            .filter(|(_, off)| off.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let farthest = farthest.map_or_else(String::new, |(row, off)| {
            format!(
                "; the farthest is off by {off:.1} % ({}, {})",
                row.row, row.metric.title
            )
        });
        Some(format!(
            "{word}: {reproduced} of {all} figures of the paper agree within 95 % intervals{farthest}."
        ))
    }

    /// Prints one JSON object per row.
    pub fn print_json(&self) -> anyhow::Result<()> {
        for row in self.rows() {
            output::json_line(&row)?;
        }
        Ok(())
    }

    /// Writes the rows as CSV and as pictures into a folder, and returns the files' paths.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, BadInput> {
        output::create_folder(folder)?;
        let unwritable = |path: &Path, error: anyhow::Error| {
            output::unwritable(path, &format_args!("{error:#}"))
        };
        let csv = folder.join(self.experiment).with_extension("csv");
        self.write_csv(&csv)
            .map_err(|error| unwritable(&csv, error))?;
        let mut written = vec![csv];
        let mut picture = |suffix, draw: &dyn Fn(&Path) -> anyhow::Result<()>| {
            let path = folder.join(format!("{}{suffix}.svg", self.experiment));
            draw(&path).map_err(|error| unwritable(&path, error))?;
            written.push(path);
            Ok(())
        };
        if !self.rows.is_empty() {
            picture("", &|path| plot::bars(path, &self.title, &self.panels()))?;
        }
        if !self.charts.is_empty() {
            picture("-curves", &|path| {
                plot::lines(path, &self.title, &self.charts)
            })?;
        }
        Ok(written)
    }

    fn write_csv(&self, path: &Path) -> anyhow::Result<()> {
        let mut writer = csv::Writer::from_path(path)?;
        for row in self.rows() {
            writer.serialize(row)?;
        }
        Ok(writer.flush()?)
    }

    /// A panel for each metric.
    fn panels(&self) -> Vec<Panel<'_>> {
        let panel = |metric: Metric| (metric.title, self.of(metric).collect());
        self.metrics().into_iter().map(panel).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(verdict) = self.verdict() {
            writeln!(f, "{}", sentence(&verdict))?;
        }
        writeln!(f, "{}", sentence(&self.title))?;
        for table in self.tables() {
            write!(f, "\n{table}")?;
        }
        if !self.findings.is_empty() {
            writeln!(f)?;
        }
        for finding in &self.findings {
            writeln!(f, "{}", note(finding))?;
        }
        Ok(())
    }
}

fn verdict(row: &Row) -> &'static str {
    let is_exact = row.ci95 == Some(0.0);
    match (row.agreement(), row.paper_ci) {
        (None, _) if row.paper.is_some() => "not compared",
        (None, _) => "",
        (Some(_), None) if row.paper == Some(row.mean) => "the same",
        (Some(_), None) if is_exact => "not the same",
        (Some(Agreement::Apart), None) if row.ci95.is_none() => "no interval",
        (Some(Agreement::Apart), None) => "outside",
        (Some(_), None) => "inside",
        (Some(Agreement::Inside), Some(_)) => "inside",
        (Some(Agreement::Overlap), Some(_)) => "overlap",
        (Some(Agreement::Apart), Some(_)) => "apart",
    }
}
