//! Work over time, against what is allowed.

use std::ops::RangeInclusive;

use egui::{Color32, Frame, Margin, Ui, Vec2b};
use egui_plot::{HLine, Legend, Line, LineStyle, Plot, PlotPoints, PlotUi};
use planner_core::{Budget, Work};

use crate::{
    palette::Palette,
    run::{HISTORY, Run},
};

/// One line of a plot.
pub struct Series {
    pub name: String,
    pub color: Color32,
    pub points: Vec<[f64; 2]>,
}

/// A plot with a title and a note beside it.
pub struct Chart {
    pub title: &'static str,
    pub note: String,
    pub x: RangeInclusive<f64>,
    pub series: Vec<Series>,
    /// The limit.
    pub bound: Option<u32>,
}

/// Room for the half of an axis's last label that reaches beyond the axis.
const LABEL_OVERHANG: i8 = 14;

impl Chart {
    /// Draws it in what is left of the room.
    pub fn show(self, ui: &mut Ui) {
        let palette = Palette::of(ui.visuals());
        ui.horizontal(|ui| {
            ui.strong(self.title);
            ui.weak(self.note);
        });
        let mut plot = Plot::new(self.title)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .show_x(false)
            .auto_bounds(Vec2b::new(false, true))
            .default_x_bounds(*self.x.start(), *self.x.end())
            .include_y(0.0)
            .include_y(1.0);
        if self.series.len() > 1 {
            plot = plot.legend(Legend::default());
        }
        let margin = Margin {
            right: LABEL_OVERHANG,
            ..Margin::ZERO
        };
        let frame = Frame::new().inner_margin(margin);
        let draw = |plot: &mut PlotUi<'_>| {
            plot.set_plot_bounds_x(self.x);
            for series in self.series {
                let points = PlotPoints::new(series.points);
                plot.line(
                    Line::new(series.name, points)
                        .color(series.color)
                        .width(1.5),
                );
            }
            if let Some(bound) = self.bound {
                let style = LineStyle::dashed_dense();
                plot.hline(HLine::new("limit", bound).color(palette.bound).style(style));
            }
        };
        frame.show(ui, |ui| plot.show(ui, draw));
    }
}

/// Expansions and re-queues of each tick, beside each other.
pub fn show(ui: &mut Ui, runs: &[&Run]) {
    let palette = Palette::of(ui.visuals());
    let limit = runs.first().and_then(|run| run.options.limit);
    let limit = limit.map(|limit| Budget::limit(limit).expansions);
    let requeues = limit.map(|limit| limit.saturating_mul(Budget::REQUEUES_PER_EXPANSION));
    let chart = |title, of, bound| chart(title, runs, palette, of, bound);
    ui.columns(2, |columns| {
        chart("expansions per tick", |work| work.expansions, limit).show(&mut columns[0]);
        chart("re-queues per tick", |work| work.requeues, requeues).show(&mut columns[1]);
    });
}

fn chart(
    title: &'static str,
    runs: &[&Run],
    palette: &Palette,
    of: fn(&Work) -> u32,
    bound: Option<u32>,
) -> Chart {
    let samples = runs.iter().flat_map(|run| &run.history);
    let most = samples.map(|sample| of(&sample.work)).max().unwrap_or(0);
    let last = runs.iter().map(|run| run.tick).max().unwrap_or(0);
    let first = last.saturating_sub(HISTORY as u64);
    let series = runs.iter().zip(palette.runs).map(|(run, color)| Series {
        name: run.options.planner.title().to_owned(),
        color,
        points: run
            .history
            .iter()
            .map(|sample| [sample.tick as f64, f64::from(of(&sample.work))])
            .collect(),
    });
    Chart {
        title,
        note: match bound {
            Some(bound) => format!("at most {most} of {bound} allowed"),
            None => format!("at most {most}, no limit"),
        },
        x: first as f64..=(first + HISTORY as u64) as f64,
        series: series.collect(),
        bound,
    }
}
