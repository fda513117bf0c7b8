//! Pictures of results, as SVG.

mod bars;
mod lines;

pub use bars::{Panel, bars};
pub use lines::lines;

use std::path::Path;

use anyhow::anyhow;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

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

fn words(size: u32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", size)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(horizontal, vertical))
}
