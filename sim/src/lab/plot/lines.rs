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

/// Steps of the lines across a chart, in tenths of a decade's first value, from fine to coarse.
const STEPS: [&[u32]; 6] = [
    &[
        10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 45, 50,
        55, 60, 65, 70, 75, 80, 85, 90, 95,
    ],
    &[10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90],
    &[10, 15, 20, 30, 40, 50, 70],
    &[10, 20, 30, 50],
    &[10, 30],
    &[10],
];
/// Least distance of two lines across a chart, so that their labels have room.
const LINE_DISTANCE: f64 = 28.0;

/// Values of the lines across a chart from `least` to `most`: as many as have room.
fn y_lines(least: f64, most: f64) -> Vec<f64> {
    let decades = least.log10().floor() as i32..=most.log10().floor() as i32;
    let lines = |steps: &[u32]| -> Vec<f64> {
        let of_decade = |decade| {
            steps
                .iter()
                .map(move |&tenths| f64::from(tenths) * 10_f64.powi(decade - 1))
        };
        let lines = decades.clone().flat_map(of_decade);
        lines.filter(|y| (least..=most).contains(y)).collect()
    };
    let nearest = f64::exp((most / least).ln() * LINE_DISTANCE / f64::from(PANEL - X_LABELS));
    let has_room = |lines: &Vec<f64>| lines.windows(2).all(|pair| pair[1] / pair[0] >= nearest);
    let all = STEPS.map(lines);
    all.into_iter().find(has_room).unwrap_or_default()
}

/// The label of a line across a chart, with two digits at least.
fn y_label(y: f64) -> String {
    let decimals = 1 + (-y.log10().floor()).max(0.0) as usize;
    format!("{y:.decimals$}")
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
            (y_least * 0.9..y_most * 1.1)
                .log_scale()
                .with_key_points(y_lines(y_least * 0.9, y_most * 1.1)),
        )?;
    context
        .configure_mesh()
        .x_desc(chart.axis)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|&y| y_label(y))
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
    fn every_chart_has_labels_with_room_between_them() {
        let height = f64::from(PANEL - X_LABELS);
        for (least, most) in [
            (0.9, 1.1),
            (6.0, 7.4),
            (1.1, 1.9),
            (2.1, 8.7),
            (1.0, 31.0),
            (0.2, 900.0),
        ] {
            let lines = y_lines(least, most);
            assert!(lines.len() >= 2, "{least} to {most}: {lines:?}");
            assert!(lines[0] >= least && lines[lines.len() - 1] <= most);
            for pair in lines.windows(2) {
                let distance = (pair[1] / pair[0]).ln() / (most / least).ln() * height;
                assert!(distance >= 20.0, "{lines:?}");
            }
        }
        assert_eq!(y_lines(1.0, 31.0), [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0]);
        assert_eq!(
            [0.95, 1.0, 1.5, 30.0].map(y_label),
            ["0.95", "1.0", "1.5", "30.0"]
        );
    }
}
