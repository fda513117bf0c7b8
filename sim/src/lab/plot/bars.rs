//! Horizontal bars.

use std::path::Path;

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{Area, DrawError, MARGIN, TEXT, TITLE, WIDTH, draw_title, header, save, words};
use crate::lab::experiment::row::Row;

/// The origin of a figure; decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Series {
    Paper,
    Measured,
}

impl Series {
    fn color(self) -> RGBColor {
        match self {
            Self::Paper => RGBColor(176, 184, 193),
            Self::Measured => RGBColor(38, 112, 181),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Measured => "measured",
        }
    }
}

/// A figure.
struct Bar {
    series: Series,
    value: f64,
    /// Half the width of its 95 per cent interval.
    error: Option<f64>,
    /// The text behind the bar.
    text: String,
}

impl Bar {
    /// The end of the bar and its interval.
    fn reach(&self) -> f64 {
        self.value + self.error.unwrap_or(0.0)
    }
}

/// Rows on one scale, under a title.
pub type Panel<'r> = (&'r str, Vec<&'r Row>);

/// The bars of a row: the paper's, where it can be compared, above the measured one.
fn bars_of(row: &Row) -> Vec<Bar> {
    let paper = row.paper.filter(|_| !row.metric.of_machine);
    let paper = paper.map(|value| Bar {
        series: Series::Paper,
        value,
        error: row.paper_ci,
        text: row.paper_text().unwrap_or_default(),
    });
    let measured = Bar {
        series: Series::Measured,
        value: row.mean,
        error: row.ci95,
        text: row.measured_text(),
    };
    paper.into_iter().chain([measured]).collect()
}

// All lengths are in pixels.
const LEGEND: u32 = 36;
/// The name of a row, above its bars.
const NAME: u32 = 28;
const BAR: u32 = 22;
const GAP: u32 = 10;
const PANEL_TITLE: u32 = 44;
const AXIS: u32 = 40;
/// Half the length of the stroke at either end of an interval.
const CAP: f64 = 5.0;
/// Part of a panel's width behind the longest bar and its interval, for the text there.
const FOR_TEXT: f64 = 0.36;

/// Draws horizontal bars with their intervals, a panel below the other.
pub fn bars(path: &Path, title: &str, panels: &[Panel<'_>]) -> anyhow::Result<()> {
    let heights: Vec<u32> = panels.iter().map(height).collect();
    let (title, header) = header(title);
    let size = (
        WIDTH,
        header + LEGEND + heights.iter().sum::<u32>() + MARGIN,
    );
    save(path, size, |root| {
        let (header, mut rest) = root.split_vertically(header + LEGEND);
        draw_title(&header, &title)?;
        draw_legend(&header, panels)?;
        for (panel, &height) in panels.iter().zip(&heights) {
            let (area, below) = rest.split_vertically(height);
            draw_panel(&area, panel)?;
            rest = below;
        }
        Ok(())
    })
}

fn height((_, rows): &Panel<'_>) -> u32 {
    let group = |row: &&Row| NAME + BAR * bars_of(row).len() as u32 + GAP;
    PANEL_TITLE + rows.iter().map(group).sum::<u32>() + AXIS
}

/// The colors, at the lower end of the header.
fn draw_legend(area: &Area<'_>, panels: &[Panel<'_>]) -> Result<(), DrawError> {
    let top = area.dim_in_pixel().1 as i32 - LEGEND as i32 + 10;
    let rows = || panels.iter().flat_map(|(_, rows)| rows);
    let bars = || rows().flat_map(|row| bars_of(row));
    let shown: Vec<Series> = [Series::Paper, Series::Measured]
        .into_iter()
        .filter(|&series| bars().any(|bar| bar.series == series))
        .collect();
    for (place, series) in (0..).zip(shown) {
        let left = MARGIN as i32 + place * 140;
        area.draw(&Rectangle::new(
            [(left, top), (left + 18, top + 18)],
            series.color().filled(),
        ))?;
        area.draw(&Text::new(
            series.name(),
            (left + 26, top + 9),
            words(TEXT, HPos::Left, VPos::Center),
        ))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel<'_>) -> Result<(), DrawError> {
    let (title, rows) = panel;
    area.draw(&Text::new(
        (*title).to_owned(),
        (MARGIN as i32, 14),
        words(TITLE, HPos::Left, VPos::Top),
    ))?;
    let bars = rows.iter().flat_map(|row| bars_of(row));
    let longest = bars
        .map(|bar| bar.reach())
        .fold(f64::MIN_POSITIVE, f64::max);
    let depth = height(panel) - PANEL_TITLE - AXIS;
    // One unit of the vertical axis is a pixel, counted downwards.
    let mut chart = ChartBuilder::on(area)
        .margin_top(PANEL_TITLE)
        .margin_right(MARGIN)
        .margin_left(MARGIN)
        .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
        .build_cartesian_2d(0.0..longest / (1.0 - FOR_TEXT), f64::from(depth)..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_labels(5)
        .x_label_formatter(&|value| match longest {
            10.0.. => format!("{value:.0}"),
            _ => format!("{value:.1}"),
        })
        .light_line_style(WHITE)
        .label_style(words(TEXT, HPos::Center, VPos::Top))
        .draw()?;

    let mut top = GAP / 2;
    for row in rows {
        let bars = bars_of(row);
        let middle = PANEL_TITLE + top + NAME / 2;
        area.draw(&Text::new(
            row.row.clone(),
            (MARGIN as i32, middle as i32),
            words(TEXT, HPos::Left, VPos::Center),
        ))?;
        top += NAME;
        for bar in bars {
            let (upper, lower) = (f64::from(top + 1), f64::from(top + BAR - 1));
            let middle = f64::from(top + BAR / 2);
            chart.draw_series([Rectangle::new(
                [(0.0, upper), (bar.value, lower)],
                bar.series.color().filled(),
            )])?;
            if let Some(error) = bar.error.filter(|&error| error > 0.0) {
                let ends = [bar.value - error, bar.value + error];
                let line = PathElement::new(ends.map(|end| (end, middle)), BLACK);
                let caps = ends.map(|end| {
                    let cap = [(end, middle - CAP), (end, middle + CAP)];
                    PathElement::new(cap, BLACK)
                });
                chart.draw_series([line].into_iter().chain(caps))?;
            }
            let behind = (bar.reach() + longest * 0.01, middle);
            let text = Text::new(bar.text, behind, words(TEXT, HPos::Left, VPos::Center));
            chart.draw_series([text])?;
            top += BAR;
        }
        top += GAP;
    }
    Ok(())
}
