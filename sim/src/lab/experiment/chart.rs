//! A figure of curves: what is measured at each of several settings.

use super::row::{Metric, Row};
use crate::lab::{stats::Summary, table::Table};

/// Curves of one metric over one axis.
#[derive(Clone, Debug)]
pub struct Chart {
    pub metric: Metric,
    /// The label of the axis.
    pub axis: &'static str,
    /// The name of a point on the axis in a row's name.
    pub unit: &'static str,
    pub curves: Vec<Curve>,
}

/// One contender at all settings.
#[derive(Clone, Debug)]
pub struct Curve {
    pub label: String,
    pub points: Vec<(u32, Summary)>,
}

impl Chart {
    /// One row for each point.
    pub fn rows(&self, experiment: &'static str) -> impl Iterator<Item = Row> + '_ {
        let curves = self.curves.iter();
        let points = curves.flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
        points.map(move |(curve, (x, measured))| {
            let name = format!("{} {} {x}", curve.label, self.unit);
            Row::new(experiment, name, self.metric, *measured, None)
        })
    }

    /// The contenders below each other, the settings side by side.
    pub fn table(&self) -> Table {
        let mut settings: Vec<u32> = Vec::new();
        for &(x, _) in self.curves.iter().flat_map(|curve| &curve.points) {
            if !settings.contains(&x) {
                settings.push(x);
            }
        }
        let headings: Vec<String> = settings.iter().map(u32::to_string).collect();
        let first = format!("{}, by {}", self.metric.title, self.axis);
        let mut table = Table::new([&first].into_iter().chain(&headings).map(String::as_str));
        for curve in &self.curves {
            let at = |x: &u32| {
                let point = curve.points.iter().find(|point| point.0 == *x);
                point.map_or_else(String::new, |point| self.metric.text(point.1))
            };
            let cells = settings.iter().map(at);
            table.push([curve.label.clone()].into_iter().chain(cells));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{experiment::row::MOVES, stats::summary};

    #[test]
    fn settings_stand_side_by_side_and_rows_name_them() {
        let curve = |label: &str, points: &[(u32, f64)]| Curve {
            label: label.to_owned(),
            points: points.iter().map(|&(x, y)| (x, summary([y]))).collect(),
        };
        let chart = Chart {
            metric: MOVES,
            axis: "expansions per tick",
            unit: "limit",
            curves: vec![curve("a", &[(1, 9.0), (8, 3.0)]), curve("b", &[(8, 2.0)])],
        };
        let text = chart.table().to_string();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines[0],
            ["moves,", "by", "expansions", "per", "tick", "1", "8"]
        );
        assert_eq!(lines[lines.len() - 2], ["a", "9.0", "3.0"]);
        assert_eq!(lines[lines.len() - 1], ["b", "2.0"]);
        let rows: Vec<String> = chart.rows("test").map(|row| row.row).collect();
        assert_eq!(rows, ["a limit 1", "a limit 8", "b limit 8"]);
    }
}
