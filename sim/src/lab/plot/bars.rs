//! Horizontal bars.

use std::path::Path;

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, VPos},
};

use super::{Area, DrawError, save, words};

/// The origin of a figure; decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
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
#[derive(Clone, Debug)]
pub struct Bar {
    pub series: Series,
    pub value: f64,
    /// Half the width of its 95 per cent interval.
    pub error: Option<f64>,
    /// The text behind the bar.
    pub text: String,
}

/// Bars that belong together.
#[derive(Clone, Debug)]
pub struct Group {
    pub label: String,
    pub bars: Vec<Bar>,
}

/// Groups on one scale.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    pub groups: Vec<Group>,
}

// All lengths are in pixels.
const WIDTH: u32 = 960;
const HEADER: u32 = 76;
const BAR: u32 = 18;
const GAP: u32 = 14;
const PANEL_TITLE: u32 = 34;
const AXIS: u32 = 34;
const LABELS: u32 = 300;
const MARGIN: u32 = 20;
/// Half the length of the stroke at either end of an interval.
const CAP: f64 = 4.0;
/// Part of a panel's width behind the longest bar and its interval, for the text there.
const FOR_TEXT: f64 = 0.3;

/// Draws horizontal bars with their intervals, a panel below the other.
pub fn bars(path: &Path, title: &str, panels: &[Panel]) -> anyhow::Result<()> {
    let heights: Vec<u32> = panels.iter().map(height).collect();
    let size = (WIDTH, HEADER + heights.iter().sum::<u32>() + MARGIN);
    save(path, size, |root| draw(root, title, panels, &heights))
}

fn height(panel: &Panel) -> u32 {
    let group = |group: &Group| BAR * group.bars.len() as u32 + GAP;
    PANEL_TITLE + panel.groups.iter().map(group).sum::<u32>() + AXIS
}

fn draw(root: &Area<'_>, title: &str, panels: &[Panel], heights: &[u32]) -> Result<(), DrawError> {
    let (header, mut rest) = root.split_vertically(HEADER);
    draw_header(&header, title, panels)?;
    for (panel, &height) in panels.iter().zip(heights) {
        let (area, below) = rest.split_vertically(height);
        draw_panel(&area, panel)?;
        rest = below;
    }
    Ok(())
}

fn draw_header(area: &Area<'_>, title: &str, panels: &[Panel]) -> Result<(), DrawError> {
    let centre = (WIDTH / 2) as i32;
    area.draw(&Text::new(
        title.to_owned(),
        (centre, 14),
        words(20, HPos::Center, VPos::Top),
    ))?;
    let bars = || panels.iter().flat_map(|p| &p.groups).flat_map(|g| &g.bars);
    let shown: Vec<Series> = [Series::Paper, Series::Measured]
        .into_iter()
        .filter(|&series| bars().any(|bar| bar.series == series))
        .collect();
    for (place, series) in (0..).zip(shown) {
        let (left, top) = (LABELS as i32 + place * 110, 50);
        area.draw(&Rectangle::new(
            [(left, top), (left + 14, top + 14)],
            series.color().filled(),
        ))?;
        area.draw(&Text::new(
            series.name(),
            (left + 20, top + 7),
            words(14, HPos::Left, VPos::Center),
        ))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Result<(), DrawError> {
    area.draw(&Text::new(
        panel.title.clone(),
        (LABELS as i32, 10),
        words(16, HPos::Left, VPos::Top),
    ))?;
    let reach = |bar: &Bar| bar.value + bar.error.unwrap_or(0.0);
    let bars = panel.groups.iter().flat_map(|group| &group.bars);
    let longest = bars.map(reach).fold(f64::MIN_POSITIVE, f64::max);
    let rows = height(panel) - PANEL_TITLE - AXIS;
    // One unit of the vertical axis is a pixel, counted downwards.
    let mut chart = ChartBuilder::on(area)
        .margin_top(PANEL_TITLE)
        .margin_right(MARGIN)
        .set_label_area_size(LabelAreaPosition::Left, LABELS)
        .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
        .build_cartesian_2d(0.0..longest / (1.0 - FOR_TEXT), f64::from(rows)..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_labels(8)
        .x_label_formatter(&|value| match longest {
            10.0.. => format!("{value:.0}"),
            _ => format!("{value:.1}"),
        })
        .light_line_style(WHITE)
        .label_style(words(13, HPos::Center, VPos::Top))
        .draw()?;

    let mut top = GAP / 2;
    for group in &panel.groups {
        let centre = top + BAR * group.bars.len() as u32 / 2;
        area.draw(&Text::new(
            group.label.clone(),
            (LABELS as i32 - 10, (PANEL_TITLE + centre) as i32),
            words(14, HPos::Right, VPos::Center),
        ))?;
        for bar in &group.bars {
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
            let behind = (reach(bar) + longest * 0.01, middle);
            let text = Text::new(
                bar.text.clone(),
                behind,
                words(13, HPos::Left, VPos::Center),
            );
            chart.draw_series([text])?;
            top += BAR;
        }
        top += GAP;
    }
    Ok(())
}
