//! Pictures of results, as SVG.

mod bars;
mod lines;

pub use bars::{Panel, bars};
pub use lines::lines;

use std::{borrow::Cow, path::Path};

use anyhow::anyhow;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::table::whole_words;

/// Width of a picture in pixels: so narrow that its text can be read on a phone, where it is scaled down.
const WIDTH: u32 = 640;
const MARGIN: u32 = 20;
/// Sizes of text, of titles and of a line of them.
const TEXT: u32 = 22;
const TITLE: u32 = 24;
const TITLE_LINE: u32 = 30;
/// The most characters in a line of a title.
const TITLE_CHARACTERS: usize = 50;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

type DrawError = Box<dyn std::error::Error>;

/// Writes what `draw` draws on a white ground of `size` pixels.
fn save(
    path: &Path,
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), DrawError>,
) -> anyhow::Result<()> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root).map_err(|error| anyhow!("{error}"))?;
        root.present()?;
    }
    Ok(std::fs::write(path, svg)?)
}

/// The lines of a picture's title, and the height that they take.
fn header(title: &str) -> (Vec<String>, u32) {
    let lines = textwrap::wrap(title, whole_words(TITLE_CHARACTERS));
    let lines: Vec<String> = lines.into_iter().map(Cow::into_owned).collect();
    let height = MARGIN + TITLE_LINE * lines.len() as u32;
    (lines, height)
}

fn draw_title(area: &Area<'_>, lines: &[String]) -> Result<(), DrawError> {
    for (place, line) in (0..).zip(lines) {
        let at = ((WIDTH / 2) as i32, (MARGIN / 2 + TITLE_LINE * place) as i32);
        let style = words(TITLE, HPos::Center, VPos::Top);
        area.draw(&Text::new(line.clone(), at, style))?;
    }
    Ok(())
}

fn words(size: u32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", size)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(horizontal, vertical))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{
        experiment::{
            chart::{Chart, Curve},
            row::{EXPANSIONS, MOVES, Paper, Row},
        },
        stats::Summary,
    };

    const TITLE: &str = "Real-Time D* under a limit: 40 caves and 40 sequences of doors, seed 0";

    fn drawn(draw: impl FnOnce(&Path) -> anyhow::Result<()>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.svg");
        draw(&path).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    fn pictures() -> [String; 2] {
        let measured = Summary {
            mean: 212_873.6,
            ci95: Some(80_421.5),
            runs: 9,
        };
        let paper = Some(Paper::new(200_000.0, 5.0));
        let row = Row::new(
            "test",
            "dstar-lite-heap-larger-g",
            EXPANSIONS,
            measured,
            paper,
        );
        let curves = (0..6).map(|place| Curve {
            label: "rtd-anytime-constant".to_owned(),
            points: [1, 512]
                .map(|x| {
                    (
                        x,
                        Summary {
                            mean: 1.0 + f64::from(place),
                            ..measured
                        },
                    )
                })
                .to_vec(),
        });
        let chart = Chart {
            metric: MOVES,
            axis: "expansions per tick, unknown worlds",
            unit: "limit",
            curves: curves.collect(),
        };
        [
            drawn(|path| bars(path, TITLE, &[("expansions", vec![&row])])),
            drawn(|path| lines(path, TITLE, &[chart])),
        ]
    }

    /// Values of an attribute of all elements whose text begins so.
    fn attribute(svg: &str, element: &str, name: &str) -> Vec<f64> {
        let elements = svg.split(element).skip(1);
        let values = elements.map(|rest| {
            let (_, rest) = rest.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        });
        values.collect()
    }

    #[test]
    fn text_is_legible_on_a_phone() {
        // A page has margins of 20 pixels on a phone of 390.
        for svg in pictures() {
            let width = attribute(&svg, "<svg", "width")[0];
            let sizes = attribute(&svg, "<text", "font-size");
            assert!(sizes.len() > 5);
            for size in sizes {
                assert!(size * 350.0 / width >= 9.0, "{size} of {width}");
            }
        }
    }

    #[test]
    fn a_long_title_is_broken_into_lines() {
        let (lines, _) = header(TITLE);
        assert_eq!(lines.join(" "), TITLE);
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() <= TITLE_CHARACTERS));
    }
}
