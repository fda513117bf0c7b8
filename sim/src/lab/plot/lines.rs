//! Curves over a logarithmic axis.

use std::path::Path;

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{Area, DrawError, MARGIN, TEXT, TITLE, WIDTH, draw_title, header, save, words};
use crate::lab::experiment::chart::{Chart, Curve};

// All lengths are in pixels.
const PANEL: u32 = 460;
/// Columns of the legend below a chart, and the height of its lines.
const LEGEND_COLUMNS: usize = 2;
const LEGEND_LINE: u32 = 30;
const Y_LABELS: u32 = 60;
const X_LABELS: u32 = 76;
/// Half the length of the stroke at either end of an interval, as a factor on the axis.
const CAP: f64 = 1.03;

/// Draws charts one below the other, each curve with its 95 per cent intervals.
pub fn lines(path: &Path, title: &str, charts: &[Chart]) -> anyhow::Result<()> {
    let (title, header) = header(title);
    let charts_below = charts.iter().map(|chart| PANEL + legend(chart));
    let size = (WIDTH, header + charts_below.sum::<u32>() + MARGIN);
    save(path, size, |root| {
        let (header, mut rest) = root.split_vertically(header);
        draw_title(&header, &title)?;
        for chart in charts {
            let (area, below) = rest.split_vertically(PANEL + legend(chart));
            draw_chart(&area, chart)?;
            rest = below;
        }
        Ok(())
    })
}

/// The height of a chart's legend.
fn legend(chart: &Chart) -> u32 {
    LEGEND_LINE * (chart.curves.len().div_ceil(LEGEND_COLUMNS) as u32) + MARGIN
}

/// Colors that are told apart by people who see fewer of them, too (Okabe and Ito).
const COLORS: [RGBColor; 7] = [
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0xe6, 0x9f, 0x00),
];

fn color(place: usize) -> RGBColor {
    COLORS[place % COLORS.len()]
}

/// The label of a line across a chart: on a long logarithmic axis, few of them have room for one.
fn y_label(y: f64, ratio: f64) -> String {
    let digit = (y / 10_f64.powf(y.log10().floor())).round();
    match ratio < 4.0 || [1.0, 2.0, 3.0, 5.0, 10.0].contains(&digit) {
        true => format!("{y:.1}"),
        false => String::new(),
    }
}

/// The smallest and the largest of what `values` yields.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    (least, values.fold(f64::NEG_INFINITY, f64::max))
}

fn draw_chart(area: &Area<'_>, chart: &Chart) -> Result<(), DrawError> {
    let (upper, legend) = area.split_vertically(PANEL);
    let points = chart.curves.iter().flat_map(|curve| &curve.points);
    let (x_least, x_most) = range(points.clone().map(|point| f64::from(point.0)));
    let (y_least, y_most) = range(points.map(|point| point.1.mean));
    let mut context = ChartBuilder::on(&upper)
        .caption(chart.metric.title, words(TITLE, HPos::Left, VPos::Top))
        .margin_left(MARGIN / 2)
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
        .y_label_formatter(&|&y| y_label(y, y_most / y_least))
        .light_line_style(WHITE)
        .label_style(words(TEXT, HPos::Center, VPos::Top))
        .draw()?;
    for (place, curve) in chart.curves.iter().enumerate() {
        let style = color(place).stroke_width(3);
        let line = curve.points.iter().map(|&(x, y)| (f64::from(x), y.mean));
        context.draw_series(LineSeries::new(line, style))?;
        context.draw_series(intervals(curve, color(place)))?;
        let (line, column) = (place / LEGEND_COLUMNS, place % LEGEND_COLUMNS);
        let left = (MARGIN + WIDTH / LEGEND_COLUMNS as u32 * column as u32) as i32;
        let top = (LEGEND_LINE * line as u32 + MARGIN / 2) as i32;
        legend.draw(&PathElement::new(
            vec![(left, top), (left + 30, top)],
            style,
        ))?;
        legend.draw(&Text::new(
            curve.label.clone(),
            (left + 40, top),
            words(TEXT, HPos::Left, VPos::Center),
        ))?;
    }
    Ok(())
}

/// A stroke from end to end of each point's interval, with a cap on either.
fn intervals(curve: &Curve, color: RGBColor) -> Vec<PathElement<(f64, f64)>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_long_axis_have_room() {
        let labels = |ratio| (1..=10).map(move |y| y_label(f64::from(y), ratio));
        assert_eq!(labels(3.0).filter(|label| !label.is_empty()).count(), 10);
        let long: Vec<String> = labels(30.0).filter(|label| !label.is_empty()).collect();
        assert_eq!(long, ["1.0", "2.0", "3.0", "5.0", "10.0"]);
        assert_eq!(y_label(1000.0, 1e4), "1000.0");
    }
}
