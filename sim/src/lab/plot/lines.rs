//! Curves over a logarithmic axis.

use std::path::Path;

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{Area, DrawError, save, words};
use crate::lab::experiment::chart::{Chart, Curve};

// All lengths are in pixels.
const WIDTH: u32 = 960;
const HEADER: u32 = 50;
const PANEL: u32 = 420;
const MARGIN: u32 = 20;
const LEGEND: u32 = 230;
const LEGEND_LINE: i32 = 22;
const Y_LABELS: u32 = 64;
const X_LABELS: u32 = 44;
/// Half the length of the stroke at either end of an interval, as a factor on the axis.
const CAP: f64 = 1.03;

/// Draws charts one below the other, each curve with its 95 per cent intervals.
pub fn lines(path: &Path, title: &str, charts: &[Chart]) -> anyhow::Result<()> {
    let size = (WIDTH, HEADER + PANEL * charts.len() as u32 + MARGIN);
    save(path, size, |root| {
        let (header, mut rest) = root.split_vertically(HEADER);
        let centre = (WIDTH / 2) as i32;
        header.draw(&Text::new(
            title.to_owned(),
            (centre, 14),
            words(20, HPos::Center, VPos::Top),
        ))?;
        for chart in charts {
            let (area, below) = rest.split_vertically(PANEL);
            draw_chart(&area, chart)?;
            rest = below;
        }
        Ok(())
    })
}

fn color(place: usize) -> HSLColor {
    // The golden section keeps neighbors apart, however many curves there are.
    HSLColor((place as f64 * 0.618).fract(), 0.65, 0.42)
}

/// The smallest and the largest of what `values` yields.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    (least, values.fold(f64::NEG_INFINITY, f64::max))
}

fn draw_chart(area: &Area<'_>, chart: &Chart) -> Result<(), DrawError> {
    let (left, legend) = area.split_horizontally(WIDTH - LEGEND);
    let points = chart.curves.iter().flat_map(|curve| &curve.points);
    let (x_least, x_most) = range(points.clone().map(|point| f64::from(point.0)));
    let (y_least, y_most) = range(points.map(|point| point.1.mean));
    let mut context = ChartBuilder::on(&left)
        .caption(chart.metric.title, words(16, HPos::Left, VPos::Top))
        .margin_left(MARGIN)
        .margin_right(MARGIN)
        .set_label_area_size(LabelAreaPosition::Left, Y_LABELS)
        .set_label_area_size(LabelAreaPosition::Bottom, X_LABELS)
        .build_cartesian_2d(
            (x_least / CAP..x_most * CAP).log_scale().base(2.0),
            (y_least * 0.9..y_most * 1.1).log_scale(),
        )?;
    context
        .configure_mesh()
        .x_desc(chart.axis)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.1}"))
        .light_line_style(WHITE)
        .label_style(words(13, HPos::Center, VPos::Top))
        .draw()?;
    for (place, curve) in chart.curves.iter().enumerate() {
        let style = color(place).stroke_width(2);
        let line = curve.points.iter().map(|&(x, y)| (f64::from(x), y.mean));
        context.draw_series(LineSeries::new(line, style))?;
        context.draw_series(intervals(curve, color(place)))?;
        let top = MARGIN as i32 + LEGEND_LINE * place as i32;
        legend.draw(&PathElement::new(vec![(0, top), (24, top)], style))?;
        legend.draw(&Text::new(
            curve.label.clone(),
            (32, top),
            words(13, HPos::Left, VPos::Center),
        ))?;
    }
    Ok(())
}

/// A stroke from end to end of each point's interval, with a cap on either.
fn intervals(curve: &Curve, color: HSLColor) -> Vec<PathElement<(f64, f64)>> {
    let mut strokes = Vec::new();
    for &(x, summary) in &curve.points {
        let Some(ci) = summary.ci95.filter(|&ci| ci > 0.0 && ci < summary.mean) else {
            continue;
        };
        let x = f64::from(x);
        let ends = [summary.mean - ci, summary.mean + ci];
        let style = color.stroke_width(1);
        strokes.push(PathElement::new(ends.map(|y| (x, y)).to_vec(), style));
        for y in ends {
            strokes.push(PathElement::new(vec![(x / CAP, y), (x * CAP, y)], style));
        }
    }
    strokes
}
