//! Results of an experiment: as text, as JSON and as files.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{
    chart::Chart,
    row::{Agreement, Metric, Row},
};
use crate::{
    error::BadInput,
    lab::{
        plot::{self, Panel},
        table::Table,
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
        writeln!(f, "{}", self.title)?;
        for table in self.tables() {
            write!(f, "\n{table}")?;
        }
        if !self.findings.is_empty() {
            writeln!(f)?;
        }
        for finding in &self.findings {
            writeln!(f, "- {finding}")?;
        }
        Ok(())
    }
}

fn verdict(row: &Row) -> &'static str {
    let is_exact = row.ci95 == Some(0.0);
    match (row.agreement(), row.paper_ci) {
        (None, _) if row.paper.is_some() => "another machine",
        (None, _) => "",
        (Some(_), None) if row.paper == Some(row.mean) => "the same",
        (Some(_), None) if is_exact => "not the same",
        (Some(Agreement::Apart), None) if row.ci95.is_none() => "no interval to compare",
        (Some(Agreement::Apart), None) => "the paper's is outside this interval",
        (Some(_), None) => "the paper's is inside this interval",
        (Some(Agreement::Inside), Some(_)) => "inside the paper's interval",
        (Some(Agreement::Overlap), Some(_)) => "the intervals overlap",
        (Some(Agreement::Apart), Some(_)) => "the intervals do not meet",
    }
}
