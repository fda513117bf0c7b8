//! Animated GIFs of runs: the world, and beside it what the robot knows.
//!
//! A frame holds only the rectangle that has changed, so that a long run is a small file.

use std::path::Path;

use anyhow::Context;
use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::{Recording, Snapshot, Tile};
use crate::{output, world::World};

/// Durations of a frame and of the last one, in hundredths of a second.
const DELAY: u16 = 4;
const LAST_DELAY: u16 = 200;
/// Length of the longer side in pixels, about.
const LONGER_SIDE: u16 = 800;
const LARGEST_CELL: u16 = 16;
/// Least width of robot, start and goal in pixels.
const SMALLEST_MARK: u16 = 7;
/// The color of the border around the maps.
const BORDER: [u8; 3] = [0x8b, 0x94, 0x9e];

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

/// A run as it is recorded for a GIF.
#[derive(Clone, Debug, Default)]
pub struct Film {
    world: Recording,
    known: Recording,
}

impl Film {
    /// Counts a tick, and draws it if it is to be a frame: `draw` returns what the robot knows, and the world.
    pub fn tick<'w>(&mut self, is_last: bool, draw: impl FnOnce() -> (Snapshot, &'w World)) {
        let drawn = self.known.is_due(is_last).then(draw);
        let (known, world) = drawn.unzip();
        let in_world = known.as_ref().zip(world);
        self.world
            .record(in_world.map(|(known, world)| known.in_world(world)));
        self.known.record(known);
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The map is too large for a GIF, or the file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        Ok(output::write_file(path, self.encode()?)?)
    }

    /// Encodes the file.
    ///
    /// # Errors
    /// The map is too large for a GIF, or nothing was recorded.
    pub fn encode(&self) -> anyhow::Result<Vec<u8>> {
        const TOO_LARGE: &str = "too large for a GIF";
        let mut frames = self.world.frames().zip(self.known.frames()).peekable();
        let (width, height) = frames.peek().context("a run without a tick")?.0.size;
        // A frame of one cell around each map, shared between them.
        let width = width.checked_mul(2).and_then(|both| both.checked_add(3));
        let size = (
            width.context(TOO_LARGE)?,
            height.checked_add(2).context(TOO_LARGE)?,
        );
        let scale = (LONGER_SIDE / size.0.max(size.1)).clamp(1, LARGEST_CELL);
        let mut palette = Tile::ALL.map(rgb).concat();
        palette.extend(BORDER);
        let pictures = frames
            .map(|(world, known)| beside(&pixels(&world, scale), &pixels(&known, scale), size));
        encode(size, scale, &palette, pictures)
    }
}

/// Encodes pictures, each the colors of cells row by row; a cell is `scale` pixels wide.
pub(super) fn encode(
    size: (u16, u16),
    scale: u16,
    palette: &[u8],
    pictures: impl Iterator<Item = Vec<u8>>,
) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, size.0 * scale, size.1 * scale, palette)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut pictures = pictures.peekable();
    let mut before = Vec::new();
    while let Some(now) = pictures.next() {
        let mut frame = frame(&before, &now, size, scale);
        frame.delay = match pictures.peek() {
            Some(_) => DELAY,
            None => LAST_DELAY,
        };
        encoder.write_frame(&frame)?;
        before = now;
    }
    drop(encoder);
    Ok(bytes)
}

/// Two maps side by side with a border around each, `size` in all.
fn beside(left: &[u8], right: &[u8], (width, height): (u16, u16)) -> Vec<u8> {
    const BORDER: u8 = Tile::ALL.len() as u8;
    let map = usize::from(width - 3) / 2;
    let edge = || std::iter::repeat_n(BORDER, width.into());
    let mut cells: Vec<u8> = edge().collect();
    for (left, right) in left.chunks(map).zip(right.chunks(map)) {
        cells.push(BORDER);
        for row in [left, right] {
            cells.extend(row);
            cells.push(BORDER);
        }
    }
    cells.extend(edge());
    debug_assert_eq!(cells.len(), usize::from(width) * usize::from(height));
    cells
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
    use crate::world::Grid;

    /// A robot that walks down the first column of an open floor of which it knows nothing else.
    fn film(size: (u16, u16), ticks: u16) -> Film {
        let mut film = Film::default();
        let grid = Grid::filled(size.0, size.1, false).unwrap();
        let world = World::Cells(grid);
        for y in 1..=ticks {
            film.tick(y == ticks, || {
                let mut ground = vec![Tile::Unknown; usize::from(size.0) * usize::from(size.1)];
                for y in 1..=y {
                    ground[usize::from(y) * usize::from(size.0)] = Tile::Walked;
                }
                let snapshot = Snapshot {
                    size,
                    ground,
                    start: Cell::new(0, 0),
                    goal: Cell::new(size.0 - 1, size.1 - 1),
                    robot: Cell::new(0, y),
                };
                (snapshot, &world)
            });
        }
        film
    }

    #[test]
    fn frames_hold_what_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.gif");
        film((5, 4), 3).write(&path).unwrap();

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut read = options.read_info(File::open(&path).unwrap()).unwrap();
        let side = LARGEST_CELL;
        assert_eq!((read.width(), read.height()), (13 * side, 6 * side));
        let mut frames = Vec::new();
        while let Some(frame) = read.read_next_frame().unwrap() {
            let place = (frame.left, frame.top);
            frames.push((place, (frame.width, frame.height), frame.delay));
        }
        // The robot is in both maps, six columns apart.
        assert_eq!(frames[0], ((0, 0), (13 * side, 6 * side), DELAY));
        let size = (7 * side, 2 * side);
        assert_eq!(frames[1], ((side, 2 * side), size, DELAY));
        assert_eq!(frames[2], ((side, 3 * side), size, LAST_DELAY));
        assert_eq!(frames.len(), 3);
        film((640, 640), 1).write(&path).unwrap();
        assert!(film((40_000, 2), 1).write(&path).is_err());
    }

    #[test]
    fn the_world_is_beside_what_the_robot_knows() {
        let frame = |recording: &Recording| recording.frames().last().unwrap().ground;
        let film = film((5, 4), 3);
        let (world, known) = (frame(&film.world), frame(&film.known));
        assert_eq!(world[1], Tile::Free);
        assert_eq!(known[1], Tile::Unknown);
        assert_eq!((world[5], known[5]), (Tile::Walked, Tile::Walked));
        let cells = beside(&[1, 2, 3, 4], &[5, 6, 7, 8], (7, 4));
        assert_eq!(cells[7..14], [9, 1, 2, 9, 5, 6, 9]);
        assert_eq!(cells[14..21], [9, 3, 4, 9, 7, 8, 9]);
        assert!(cells[..7].iter().chain(&cells[21..]).all(|&cell| cell == 9));
    }
}
