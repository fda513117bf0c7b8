//! The work of the last ticks, against what is allowed.

use egui::{Color32, Ui, Vec2b};
use egui_plot::{HLine, Legend, Line, LineStyle, Plot, PlotPoints};

use crate::{
    palette::Palette,
    run::{HISTORY, Run, Sample},
};

/// Expansions and re-queues of each tick, beside each other.
pub fn show(ui: &mut Ui, runs: &[&Run]) {
    let palette = Palette::of(ui.visuals());
    let budget = runs.first().and_then(|run| {
        let budget = run.options().budget();
        run.options().limit.map(|_| budget)
    });
    ui.columns(2, |columns| {
        plot(
            &mut columns[0],
            "expansions",
            runs,
            palette,
            |sample| sample.work.expansions,
            budget.map(|budget| budget.expansions),
        );
        plot(
            &mut columns[1],
            "re-queues",
            runs,
            palette,
            |sample| sample.work.requeues,
            budget.map(|budget| budget.requeues),
        );
    });
}

fn plot(
    ui: &mut Ui,
    what: &'static str,
    runs: &[&Run],
    palette: &Palette,
    of: impl Fn(&Sample) -> u32,
    bound: Option<u32>,
) {
    let most = runs
        .iter()
        .flat_map(|run| run.history())
        .map(&of)
        .max()
        .unwrap_or(0);
    ui.horizontal(|ui| {
        ui.strong(format!("{what} per tick"));
        let text = match bound {
            Some(bound) => format!("at most {most} of {bound} allowed"),
            None => format!("at most {most}, no limit"),
        };
        ui.weak(text);
    });
    let last = runs.iter().map(|run| run.tick()).max().unwrap_or(0);
    let first = last.saturating_sub(HISTORY as u64);
    let mut plot = Plot::new(what)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_x(false)
        .auto_bounds(Vec2b::new(false, true))
        .default_x_bounds(first as f64, (first + HISTORY as u64) as f64)
        .include_y(0.0)
        .include_y(1.0);
    if runs.len() > 1 {
        plot = plot.legend(Legend::default());
    }
    plot.show(ui, |plot| {
        plot.set_plot_bounds_x(first as f64..=(first + HISTORY as u64) as f64);
        for (run, colour) in runs.iter().zip(palette.runs) {
            plot.line(line(run, &of, colour));
        }
        if let Some(bound) = bound {
            let style = LineStyle::dashed_dense();
            plot.hline(HLine::new("limit", bound).color(palette.bound).style(style));
        }
    });
}

fn line<'a>(run: &Run, of: impl Fn(&Sample) -> u32, colour: Color32) -> Line<'a> {
    let points: PlotPoints<'_> = run
        .history()
        .iter()
        .map(|sample| [sample.tick as f64, f64::from(of(sample))])
        .collect();
    Line::new(run.options().planner.to_string(), points)
        .color(colour)
        .width(1.5)
}
