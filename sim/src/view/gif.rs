//! A walk to show around, as an animated GIF.
//!
//! A frame holds only what has changed since the one before, so that a long walk is a small file.

use std::{fs::File, io::BufWriter, path::Path};

use anyhow::Context;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use planner_core::Cell;

use super::{Look, Scene};

/// However long the walk, no more pictures than this are shown of it.
const MOST_FRAMES: u64 = 180;
/// How long a picture stays, and the last one, in hundredths of a second.
const DELAY: u16 = 4;
const LAST_DELAY: u16 = 200;
/// The longer side is about so many pixels.
const LONGER_SIDE: u16 = 640;
const LARGEST_CELL: u16 = 16;
/// The robot and the ends of its way are at least so many pixels wide.
const SMALLEST_MARK: u16 = 7;

/// In the order of [`Look::ALL`]; those of the pictures to keep, see [`svg`](super::svg).
const COLOURS: [[u8; 3]; Look::ALL.len()] = [
    [0xc9, 0xce, 0xd6],
    [0xa3, 0xbc, 0xdc],
    [0xf6, 0xf8, 0xfa],
    [0xcf, 0xe4, 0xfb],
    [0x24, 0x29, 0x2f],
    [0xf5, 0xa9, 0x4b],
    [0x1f, 0x6f, 0xeb],
    [0x1a, 0x9c, 0x46],
    [0xd1, 0x24, 0x2f],
];

/// The moving picture of one walk, frame by frame.
pub struct Film {
    encoder: Encoder<BufWriter<File>>,
    /// Columns and rows of the map.
    size: (u16, u16),
    /// Pixels for a cell.
    cell: u16,
    /// Ticks from one frame to the next.
    stride: u64,
    ticks: u64,
    /// The last tick of the walk, which is always shown.
    last: u64,
    /// The colour of each cell in the frame before; none before the first.
    before: Vec<u8>,
}

impl Film {
    /// A film in a file, of a walk of so many ticks on a map of this size.
    ///
    /// # Errors
    /// The file cannot be written, or the map is larger than a GIF can be.
    pub fn new(path: &Path, size: (u16, u16), ticks: u64) -> anyhow::Result<Self> {
        let cell = (LONGER_SIDE / size.0.max(size.1)).clamp(1, LARGEST_CELL);
        let side = |cells: u16| cells.checked_mul(cell).context("too large for a GIF");
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = Encoder::new(file, side(size.0)?, side(size.1)?, &COLOURS.concat())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self {
            encoder,
            size,
            cell,
            stride: ticks.div_ceil(MOST_FRAMES).max(1),
            ticks: 0,
            last: ticks,
            before: Vec::new(),
        })
    }

    /// Counts a tick; `true` when its turn to be shown has come.
    pub fn tick(&mut self) -> bool {
        self.ticks += 1;
        self.ticks == 1 || self.ticks.is_multiple_of(self.stride) || self.ticks == self.last
    }

    /// Shows the scene after the last tick counted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn show(&mut self, scene: &Scene<'_>) -> anyhow::Result<()> {
        let now = self.cells(scene);
        let (columns, rows) = match self.before.len() == now.len() {
            true => changed(&self.before, &now, self.size),
            false => ((0, self.size.0), (0, self.size.1)),
        };
        let (width, height) = (columns.1 - columns.0, rows.1 - rows.0);
        let mut pixels = Vec::with_capacity(
            usize::from(width) * usize::from(height) * usize::from(self.cell).pow(2),
        );
        for y in rows.0..rows.1 {
            let begin = usize::from(y) * usize::from(self.size.0) + usize::from(columns.0);
            let row = &now[begin..begin + usize::from(width)];
            for _ in 0..self.cell {
                let wide = row
                    .iter()
                    .flat_map(|&colour| std::iter::repeat_n(colour, usize::from(self.cell)));
                pixels.extend(wide);
            }
        }
        let mut frame =
            Frame::from_indexed_pixels(width * self.cell, height * self.cell, pixels, None);
        (frame.left, frame.top) = (columns.0 * self.cell, rows.0 * self.cell);
        frame.dispose = DisposalMethod::Keep;
        frame.delay = match self.ticks == self.last {
            true => LAST_DELAY,
            false => DELAY,
        };
        self.encoder.write_frame(&frame)?;
        self.before = now;
        Ok(())
    }

    /// The colour of each cell, row by row, with marks that are large enough to be seen.
    fn cells(&self, scene: &Scene<'_>) -> Vec<u8> {
        let colour = |look: Look| {
            Look::ALL
                .iter()
                .position(|&other| other == look)
                .unwrap_or(0) as u8
        };
        let (width, height) = self.size;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
        let mut cells: Vec<u8> = places.map(|cell| colour(scene.ground(cell))).collect();
        let radius = SMALLEST_MARK.div_ceil(self.cell) / 2;
        for (at, look) in [
            (scene.start, Look::Start),
            (scene.goal, Look::Goal),
            (scene.robot, Look::Robot),
        ] {
            for y in at.y.saturating_sub(radius)..=at.y.saturating_add(radius).min(height - 1) {
                for x in at.x.saturating_sub(radius)..=at.x.saturating_add(radius).min(width - 1) {
                    cells[usize::from(y) * usize::from(width) + usize::from(x)] = colour(look);
                }
            }
        }
        cells
    }
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
    use std::collections::HashSet;

    use planner_core::{Inspect, map::Occupancy};

    use super::*;

    struct Blank;

    impl Inspect for Blank {
        fn fact(&self, cell: Cell) -> Occupancy {
            match cell.x {
                2 => Occupancy::Blocked,
                _ => Occupancy::Free,
            }
        }

        fn is_expanded(&self, _: Cell) -> bool {
            false
        }
    }

    /// Shows a robot that walks down the first column, and reads the file again.
    #[test]
    fn frames_hold_what_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk.gif");
        let mut film = Film::new(&path, (5, 4), 3).unwrap();
        let mut walked = HashSet::new();
        for y in 1..4 {
            walked.insert(Cell::new(0, y));
            assert!(film.tick());
            film.show(&Scene {
                planner: &Blank,
                size: (5, 4),
                start: Cell::new(0, 0),
                goal: Cell::new(4, 3),
                robot: Cell::new(0, y),
                walked: &walked,
            })
            .unwrap();
        }
        drop(film);

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut read = options.read_info(File::open(&path).unwrap()).unwrap();
        assert_eq!(
            (read.width(), read.height()),
            (5 * LARGEST_CELL, 4 * LARGEST_CELL)
        );
        let mut frames = Vec::new();
        while let Some(frame) = read.read_next_frame().unwrap() {
            frames.push((
                frame.left,
                frame.top,
                frame.width,
                frame.height,
                frame.delay,
            ));
        }
        let side = LARGEST_CELL;
        assert_eq!(frames[0], (0, 0, 5 * side, 4 * side, DELAY));
        assert_eq!(frames[1], (0, side, side, 2 * side, DELAY));
        assert_eq!(frames[2], (0, 2 * side, side, 2 * side, LAST_DELAY));
        assert_eq!(frames.len(), 3);
    }

    #[test]
    fn a_map_that_is_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Film::new(&folder.path().join("large.gif"), (640, 640), 1).is_ok());
        assert!(Film::new(&folder.path().join("none/large.gif"), (9, 9), 1).is_err());
    }
}
