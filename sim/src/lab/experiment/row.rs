//! A figure of a paper beside what was measured.

use serde::{Serialize, Serializer};

use crate::lab::stats::Summary;

/// A measured quantity, and its presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name in JSON and CSV.
    pub name: &'static str,
    /// The words in tables and pictures.
    pub title: &'static str,
    pub decimals: usize,
    /// True if the figure depends on the machine, so that a paper's cannot be compared with ours.
    pub of_machine: bool,
}

impl Metric {
    /// A quantity that is the same on every machine.
    pub const fn new(name: &'static str, title: &'static str, decimals: usize) -> Self {
        let of_machine = false;
        Self {
            name,
            title,
            decimals,
            of_machine,
        }
    }

    /// A time, which depends on the machine.
    pub const fn time(name: &'static str, title: &'static str, decimals: usize) -> Self {
        let of_machine = true;
        Self {
            of_machine,
            ..Self::new(name, title, decimals)
        }
    }

    /// A measured figure, in words.
    pub fn text(&self, measured: Summary) -> String {
        text(measured.mean, measured.ci95, self.decimals)
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// Cells expanded until the robot arrives.
pub const EXPANSIONS: Metric = Metric::new("expansions", "expansions", 1);

/// Searches until the robot arrives.
pub const SEARCHES: Metric = Metric::new("searches", "searches", 1);

/// Cells entered until the robot arrives.
pub const MOVES: Metric = Metric::new("moves", "moves", 1);

/// Time for observations and planning until the robot arrives.
pub const RUNTIME: Metric = Metric::time("runtime_us", "runtime (microseconds)", 1);

/// Expansions over those of another planner in the same worlds.
pub const EXPANSIONS_RATIO: Metric =
    Metric::new("expansions_ratio", "expansions over those of the heap", 3);

/// A runtime over that of another planner in the same worlds.
pub const RUNTIME_RATIO: Metric = Metric::new("runtime_ratio", "runtime over that of the heap", 3);

/// Ticks until the robot arrives, over the steps of a shortest path.
pub const STEPS_RATIO: Metric =
    Metric::new("steps_ratio", "ticks over the steps of a shortest path", 2);

/// The length of the trail, over that of a shortest path.
pub const DISTANCE_RATIO: Metric =
    Metric::new("distance_ratio", "distance over that of a shortest path", 2);

/// A figure of a paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    pub mean: f64,
    /// Half the width of the 95 per cent interval, where the paper gives one.
    pub ci: Option<f64>,
}

impl Paper {
    /// A mean with the 95 per cent interval that the paper gives.
    pub const fn new(mean: f64, ci: f64) -> Self {
        let ci = Some(ci);
        Self { mean, ci }
    }

    /// A figure without an interval.
    pub const fn mean(mean: f64) -> Self {
        Self { mean, ci: None }
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub experiment: &'static str,
    /// The contender.
    pub row: String,
    pub metric: Metric,
    pub paper: Option<f64>,
    /// Half the width of the paper's 95 per cent interval.
    pub paper_ci: Option<f64>,
    pub mean: f64,
    /// Half the width of the 95 per cent interval; `None` for a single run.
    pub ci95: Option<f64>,
    pub runs: u64,
}

/// Comparison of a measured figure with a paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The measured mean is the paper's, or lies in its interval.
    Inside,
    /// It does not, but the two intervals overlap.
    Overlap,
    /// The two intervals do not meet.
    Apart,
}

impl Row {
    /// A row.
    pub fn new(
        experiment: &'static str,
        row: impl ToString,
        metric: Metric,
        measured: Summary,
        paper: Option<Paper>,
    ) -> Self {
        Self {
            experiment,
            row: row.to_string(),
            metric,
            paper: paper.map(|paper| paper.mean),
            paper_ci: paper.and_then(|paper| paper.ci),
            mean: measured.mean,
            ci95: measured.ci95,
            runs: measured.runs,
        }
    }

    /// Comparison with the paper's figure; `None` when there is none, or it depends on the machine.
    pub fn agreement(&self) -> Option<Agreement> {
        let paper = self.paper.filter(|_| !self.metric.of_machine)?;
        let distance = (self.mean - paper).abs();
        let paper_ci = self.paper_ci.unwrap_or(0.0);
        Some(if distance <= paper_ci {
            Agreement::Inside
        } else if distance <= paper_ci + self.ci95.unwrap_or(0.0) {
            Agreement::Overlap
        } else {
            Agreement::Apart
        })
    }

    /// The paper's figure, in words.
    pub fn paper_text(&self) -> Option<String> {
        let decimals = self.metric.decimals;
        self.paper.map(|mean| text(mean, self.paper_ci, decimals))
    }

    /// The measured figure, in words.
    pub fn measured_text(&self) -> String {
        text(self.mean, self.ci95, self.metric.decimals)
    }
}

fn text(mean: f64, ci: Option<f64>, decimals: usize) -> String {
    match ci {
        Some(ci) if ci > 0.0 => format!("{mean:.decimals$} ± {ci:.decimals$}"),
        // Exact numbers are counts.
        Some(_) => format!("{mean}"),
        None => format!("{mean:.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mean: f64, ci95: Option<f64>) -> Row {
        let runs = 9;
        let measured = Summary { mean, ci95, runs };
        Row::new(
            "test",
            "a",
            EXPANSIONS,
            measured,
            Some(Paper::new(100.0, 5.0)),
        )
    }

    #[test]
    fn intervals_decide_whether_figures_agree() {
        assert_eq!(row(104.0, Some(1.0)).agreement(), Some(Agreement::Inside));
        assert_eq!(row(104.0, None).agreement(), Some(Agreement::Inside));
        assert_eq!(row(93.0, Some(3.0)).agreement(), Some(Agreement::Overlap));
        assert_eq!(row(93.0, Some(1.0)).agreement(), Some(Agreement::Apart));
        assert_eq!(row(93.0, None).agreement(), Some(Agreement::Apart));
    }

    #[test]
    fn times_of_another_machine_are_not_compared() {
        let row = Row {
            metric: RUNTIME,
            ..row(100.0, None)
        };
        assert_eq!(row.agreement(), None);
    }
}
