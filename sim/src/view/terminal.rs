//! Animations in the terminal, redrawn in place: two cells in each character, one above the other.

use std::{
    fmt::Write,
    io, thread,
    time::{Duration, Instant},
};

use console::{Alignment, Style, Term};
use planner_core::Cell;

use super::{Recording, Snapshot, Tile};

/// Duration of the animation of a long run.
const WHOLE: Duration = Duration::from_millis(4_000);
/// The longest that a frame stays.
const LONGEST_FRAME: Duration = Duration::from_millis(80);

/// Lines of the terminal kept for the legend, the summary and the prompt that follow.
const LINES_BELOW: u16 = 5;
/// The smallest terminal that is drawn on, in columns and lines.
const SMALLEST: (u16, u16) = (20, 10);

/// The animation of one run.
#[derive(Debug)]
pub struct Animation {
    term: Term,
    /// Columns of the terminal.
    columns: u16,
    /// Columns and rows of the map that are shown at once.
    window: (u16, u16),
    delay: Duration,
    /// When the picture on the screen was drawn.
    drawn: Option<Instant>,
    /// Lines below the picture.
    caption: Vec<String>,
    /// Lines of the frame on the screen.
    lines: usize,
}

impl Animation {
    /// An animation of a map of this size; `None` when standard output is no terminal with colors, or
    /// too small a one.
    pub fn new(map: (u16, u16)) -> Option<Self> {
        let term = Term::stdout();
        if !term.is_term() || !console::colors_enabled() {
            return None;
        }
        let size = term.size_checked()?;
        Self::on(term, size, map)
    }

    fn on(term: Term, (lines, columns): (u16, u16), map: (u16, u16)) -> Option<Self> {
        if columns < SMALLEST.0 || lines < SMALLEST.1 {
            return None;
        }
        Some(Self {
            term,
            columns,
            window: (
                map.0.min(columns),
                map.1.min(2 * (lines.saturating_sub(LINES_BELOW))),
            ),
            delay: LONGEST_FRAME,
            drawn: None,
            caption: Vec::new(),
            lines: 0,
        })
    }

    /// Shows a recording, no longer than a few seconds.
    pub fn play(&mut self, recording: &Recording) -> io::Result<()> {
        let frames = recording.len().max(1) as u32;
        self.delay = (WHOLE / frames).min(LONGEST_FRAME);
        recording.frames().try_for_each(|frame| self.show(&frame))
    }

    /// Sets the lines below the pictures.
    pub fn caption(&mut self, lines: impl Into<Vec<String>>) {
        self.caption = lines.into();
    }

    /// Shows a snapshot once the one before has stayed for long enough.
    pub fn show(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let mut frame = picture(snapshot, self.window);
        let legend = legend();
        frame.push_str(&console::truncate_str(&legend, self.columns.into(), ""));
        frame.push('\n');
        for line in &self.caption {
            // As long as the line, so that nothing is left of a longer one.
            let width = self.columns.into();
            let line = console::pad_str(line, width, Alignment::Left, Some(""));
            frame.push_str(&line);
            frame.push('\n');
        }
        if let Some(drawn) = self.drawn {
            thread::sleep(self.delay.saturating_sub(drawn.elapsed()));
        }
        self.term.move_cursor_up(self.lines)?;
        // A terminal whose keys are read does not return at the end of a line by itself.
        self.term.write_str(&frame.replace('\n', "\r\n"))?;
        self.lines = frame.lines().count();
        self.drawn = Some(Instant::now());
        Ok(())
    }
}

/// The part of the snapshot around the robot that fits a window.
fn picture(snapshot: &Snapshot, window: (u16, u16)) -> String {
    let left = edge(snapshot.robot.x, window.0, snapshot.size.0);
    let top = edge(snapshot.robot.y, window.1, snapshot.size.1);
    let bottom = top + window.1;
    let mut text = String::new();
    for y in (top..bottom).step_by(2) {
        let pair = |x| {
            let lower = (y + 1 < bottom).then(|| snapshot.tile(Cell::new(x, y + 1)));
            (snapshot.tile(Cell::new(x, y)), lower)
        };
        let pairs: Vec<_> = (left..left + window.0).map(pair).collect();
        for run in pairs.chunk_by(PartialEq::eq) {
            let (upper, lower) = run[0];
            let style = Style::new().color256(upper.look().ansi);
            let style = match lower {
                Some(lower) => style.on_color256(lower.look().ansi),
                None => style,
            };
            let blocks = "▀".repeat(run.len());
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", style.force_styling(true).apply_to(blocks));
        }
        text.push('\n');
    }
    text
}

/// The first of `window` columns, out of `map`, that has `robot` in its middle or is at the edge.
fn edge(robot: u16, window: u16, map: u16) -> u16 {
    robot.saturating_sub(window / 2).min(map - window)
}

/// Tiles with their names, each once.
const LEGEND: [(&[Tile], &str); 8] = [
    (&[Tile::Unknown], "unknown"),
    (&[Tile::Free], "free"),
    (&[Tile::UnknownSearched, Tile::FreeSearched], "searched"),
    (&[Tile::Blocked], "blocked"),
    (&[Tile::Walked], "walked"),
    (&[Tile::Start], "start"),
    (&[Tile::Goal], "goal"),
    (&[Tile::Robot], "robot"),
];

fn legend() -> String {
    let names = LEGEND.map(|(tiles, name)| {
        let swatch = |tile: &Tile| {
            let style = Style::new().color256(tile.look().ansi).force_styling(true);
            style.apply_to("█").to_string()
        };
        let swatches: String = tiles.iter().map(swatch).collect();
        format!("{swatches} {name}")
    });
    names.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_visible_part_follows_the_robot_and_stays_on_the_map() {
        for (robot, window, map, left) in [
            (0, 10, 100, 0),
            (4, 10, 100, 0),
            (50, 10, 100, 45),
            (99, 10, 100, 90),
            (7, 10, 10, 0),
        ] {
            assert_eq!(edge(robot, window, map), left);
        }
    }

    #[cfg(unix)]
    #[test]
    fn frames_and_captions_are_drawn_over_the_last() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let term = Term::read_write_pair(file.reopen().unwrap(), file.reopen().unwrap());
        let mut animation = Animation::on(term, (24, 40), (3, 2)).unwrap();
        let snapshot = Snapshot {
            size: (3, 2),
            ground: vec![Tile::Free; 6],
            start: Cell::new(0, 0),
            goal: Cell::new(2, 0),
            robot: Cell::new(1, 1),
        };
        for caption in ["on its way", "done"] {
            animation.caption([caption.to_owned()]);
            animation.show(&snapshot).unwrap();
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // One line of two rows, the legend and the caption.
        let (first, second) = text.split_once("\x1b[3A").unwrap();
        for (picture, caption) in [(first, "on its way"), (second, "done")] {
            assert_eq!(picture.matches('\n').count(), 3, "{picture:?}");
            let line = picture.lines().nth(2).unwrap();
            assert_eq!(line.trim_end_matches('\r'), format!("{caption:40}"));
        }
    }

    #[test]
    fn the_legend_fits_80_columns_and_names_every_tile_once() {
        assert!(console::measure_text_width(&legend()) <= 80, "{}", legend());
        for tile in Tile::ALL {
            let named = LEGEND.iter().filter(|(tiles, _)| tiles.contains(&tile));
            assert_eq!(named.count(), 1, "{tile:?}");
        }
        let text = console::strip_ansi_codes(&legend()).into_owned();
        for (_, name) in LEGEND {
            assert_eq!(text.matches(name).count(), 1, "{text}");
        }
    }

    #[test]
    fn blocked_cells_differ_from_a_black_and_from_a_white_terminal() {
        // Grays 232 to 255 rise from black to white; 16 is black.
        let (blocked, unknown) = (Tile::Blocked.look().ansi, Tile::Unknown.look().ansi);
        assert!((236..250).contains(&blocked), "{blocked}");
        assert!(unknown >= blocked + 5, "{unknown} on {blocked}");
    }
}
