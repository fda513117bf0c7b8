//! Animated GIFs of runs.
//!
//! A frame holds only the rectangle that has changed, so that a long run is a small file.

use std::path::Path;

use anyhow::Context;
use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::{Recording, Snapshot, Tile};
use crate::output;

/// Durations of a frame and of the last one, in hundredths of a second.
const DELAY: u16 = 4;
const LAST_DELAY: u16 = 200;
/// Length of the longer side in pixels, about.
const LONGER_SIDE: u16 = 640;
const LARGEST_CELL: u16 = 16;
/// Least width of robot, start and goal in pixels.
const SMALLEST_MARK: u16 = 7;

/// The color of a tile: that of [`svg`](super::svg), but stronger where the robot has walked, as no line shows
/// the trail here.
fn rgb(tile: Tile) -> [u8; 3] {
    let rgb = match tile {
        Tile::Walked => 0xf5_a9_4b,
        _ => tile.look().rgb,
    };
    let [_, color @ ..] = rgb.to_be_bytes();
    color
}

/// Writes a recording of a map of this size.
///
/// # Errors
/// The map is too large for a GIF, or the file cannot be written.
pub fn write(path: &Path, size: (u16, u16), recording: &Recording) -> anyhow::Result<()> {
    Ok(output::write_file(path, encode(size, recording)?)?)
}

/// Encodes a recording of a map of this size.
///
/// # Errors
/// The map is too large for a GIF.
pub fn encode(size: (u16, u16), recording: &Recording) -> anyhow::Result<Vec<u8>> {
    let scale = (LONGER_SIDE / size.0.max(size.1)).clamp(1, LARGEST_CELL);
    let side = |cells: u16| cells.checked_mul(scale).context("too large for a GIF");
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(
        &mut bytes,
        side(size.0)?,
        side(size.1)?,
        &Tile::ALL.map(rgb).concat(),
    )?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut before = Vec::new();
    recording.play(|snapshot, is_last| {
        let now = pixels(snapshot, scale);
        let mut frame = frame(&before, &now, size, scale);
        frame.delay = if is_last { LAST_DELAY } else { DELAY };
        encoder.write_frame(&frame)?;
        before = now;
        anyhow::Ok(())
    })?;
    drop(encoder);
    Ok(bytes)
}

/// The part of the cells that differs from the frame before.
fn frame(before: &[u8], now: &[u8], size: (u16, u16), scale: u16) -> Frame<'static> {
    let (columns, rows) = match before.len() == now.len() {
        true => changed(before, now, size),
        false => ((0, size.0), (0, size.1)),
    };
    let (width, height) = (columns.1 - columns.0, rows.1 - rows.0);
    let mut pixels = Vec::new();
    for y in rows.0..rows.1 {
        let begin = usize::from(y) * usize::from(size.0) + usize::from(columns.0);
        let row = &now[begin..begin + usize::from(width)];
        for _ in 0..scale {
            let wide = row
                .iter()
                .flat_map(|&color| std::iter::repeat_n(color, scale.into()));
            pixels.extend(wide);
        }
    }
    let mut frame = Frame::from_indexed_pixels(width * scale, height * scale, pixels, None);
    (frame.left, frame.top) = (columns.0 * scale, rows.0 * scale);
    frame.dispose = DisposalMethod::Keep;
    frame
}

/// The color of each cell, row by row, with marks that are large enough to be seen.
fn pixels(snapshot: &Snapshot, scale: u16) -> Vec<u8> {
    let color = |tile: Tile| tile as u8;
    let (width, height) = snapshot.size;
    let mut cells: Vec<u8> = snapshot.ground.iter().copied().map(color).collect();
    let radius = SMALLEST_MARK.div_ceil(scale) / 2;
    for (at, tile) in [
        (snapshot.start, Tile::Start),
        (snapshot.goal, Tile::Goal),
        (snapshot.robot, Tile::Robot),
    ] {
        for y in at.y.saturating_sub(radius)..=at.y.saturating_add(radius).min(height - 1) {
            for x in at.x.saturating_sub(radius)..=at.x.saturating_add(radius).min(width - 1) {
                cells[usize::from(y) * usize::from(width) + usize::from(x)] = color(tile);
            }
        }
    }
    cells
}

/// The columns and rows, each from the first to behind the last, in which two frames differ; one cell
/// where they do not.
fn changed(before: &[u8], now: &[u8], (width, height): (u16, u16)) -> ((u16, u16), (u16, u16)) {
    let (mut columns, mut rows) = ((width, 0), (height, 0));
    let differs = before.iter().zip(now).map(|(before, now)| before != now);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for ((x, y), _) in places.zip(differs).filter(|(_, differs)| *differs) {
        columns = (columns.0.min(x), columns.1.max(x + 1));
        rows = (rows.0.min(y), rows.1.max(y + 1));
    }
    match columns.1 {
        0 => ((0, 1), (0, 1)),
        _ => (columns, rows),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use planner_core::Cell;

    use super::*;

    /// A robot that walks down the first column.
    fn recording(size: (u16, u16), ticks: u16) -> Recording {
        let mut recording = Recording::default();
        for y in 1..=ticks {
            recording.tick(y == ticks, || {
                let mut ground = vec![Tile::Free; usize::from(size.0) * usize::from(size.1)];
                for y in 1..=y {
                    ground[usize::from(y) * usize::from(size.0)] = Tile::Walked;
                }
                Snapshot {
                    size,
                    ground,
                    start: Cell::new(0, 0),
                    goal: Cell::new(size.0 - 1, size.1 - 1),
                    robot: Cell::new(0, y),
                }
            });
        }
        recording
    }

    #[test]
    fn frames_hold_what_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.gif");
        write(&path, (5, 4), &recording((5, 4), 3)).unwrap();

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut read = options.read_info(File::open(&path).unwrap()).unwrap();
        let side = LARGEST_CELL;
        assert_eq!((read.width(), read.height()), (5 * side, 4 * side));
        let mut frames = Vec::new();
        while let Some(frame) = read.read_next_frame().unwrap() {
            let place = (frame.left, frame.top);
            frames.push((place, (frame.width, frame.height), frame.delay));
        }
        assert_eq!(frames[0], ((0, 0), (5 * side, 4 * side), DELAY));
        assert_eq!(frames[1], ((0, side), (side, 2 * side), DELAY));
        assert_eq!(frames[2], ((0, 2 * side), (side, 2 * side), LAST_DELAY));
        assert_eq!(frames.len(), 3);
        write(&path, (640, 640), &recording((640, 640), 1)).unwrap();
    }
}
