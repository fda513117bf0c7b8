//! A walk in colour, redrawn in place: two cells in each character, one above the other.

use std::{
    fmt::Write,
    io, thread,
    time::{Duration, Instant},
};

use console::{Alignment, Style, Term};
use planner_core::Cell;

use super::{Look, Scene};

/// However long the walk, no more pictures than this are shown of it.
const MOST_FRAMES: u64 = 160;
/// However long the walk, it is shown in about this time.
const WHOLE: Duration = Duration::from_millis(4_000);
/// However short the walk, a picture does not stay longer than this.
const LONGEST_FRAME: Duration = Duration::from_millis(80);

/// Lines of the terminal kept for the legend, the summary and the prompt that follow.
const LINES_BELOW: u16 = 5;
/// A terminal smaller than this shows nothing worth watching.
const SMALLEST: (u16, u16) = (20, 10);

/// The moving picture of one walk.
#[derive(Debug)]
pub struct Animation {
    term: Term,
    /// Columns of the terminal.
    columns: u16,
    /// Columns and rows of the map that are shown at once.
    window: (u16, u16),
    /// Ticks from one frame to the next.
    stride: u64,
    delay: Duration,
    ticks: u64,
    /// The last tick of the walk, which is always shown.
    last: u64,
    /// When the picture on the screen was drawn.
    drawn: Option<Instant>,
    /// What is said below it.
    caption: Option<String>,
    /// Lines of the frame on the screen.
    lines: usize,
}

impl Animation {
    /// An animation of a walk of so many ticks on a map of this size, or `None` when standard
    /// output is no terminal with colours, or too small a one.
    #[must_use]
    pub fn new(map: (u16, u16), ticks: u64) -> Option<Self> {
        let term = Term::stdout();
        if !term.is_term() || !console::colors_enabled() {
            return None;
        }
        let size = term.size_checked()?;
        Self::on(term, size, map, ticks)
    }

    fn on(term: Term, (lines, columns): (u16, u16), map: (u16, u16), ticks: u64) -> Option<Self> {
        if columns < SMALLEST.0 || lines < SMALLEST.1 {
            return None;
        }
        let stride = ticks.div_ceil(MOST_FRAMES).max(1);
        let frames = ticks.div_ceil(stride).max(1);
        Some(Self {
            term,
            columns,
            window: (
                map.0.min(columns),
                map.1.min(2 * (lines.saturating_sub(LINES_BELOW))),
            ),
            stride,
            delay: (WHOLE / frames as u32).min(LONGEST_FRAME),
            ticks: 0,
            last: ticks,
            drawn: None,
            caption: None,
            lines: 0,
        })
    }

    /// Counts a tick; `true` when its turn to be shown has come.
    pub fn tick(&mut self) -> bool {
        self.ticks += 1;
        self.ticks.is_multiple_of(self.stride) || self.ticks == self.last
    }

    /// Says something below the pictures that follow, in a line.
    pub fn caption(&mut self, text: String) {
        self.caption = Some(text);
    }

    /// Shows the scene after the last tick counted, once the picture before has stayed for long enough.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn show(&mut self, scene: &Scene<'_>) -> io::Result<()> {
        let mut frame = picture(scene, self.window);
        let legend = legend();
        frame.push_str(&console::truncate_str(&legend, self.columns.into(), ""));
        frame.push('\n');
        if let Some(caption) = &self.caption {
            // As long as the line, so that nothing is left of a longer one.
            let width = self.columns.into();
            let line = console::pad_str(caption, width, Alignment::Left, Some(""));
            frame.push_str(&line);
            frame.push('\n');
        }
        if let Some(drawn) = self.drawn {
            thread::sleep(self.delay.saturating_sub(drawn.elapsed()));
        }
        self.term.move_cursor_up(self.lines)?;
        self.term.write_str(&frame)?;
        self.lines = frame.lines().count();
        self.drawn = Some(Instant::now());
        Ok(())
    }
}

/// The part of the scene around the robot that fits a window.
fn picture(scene: &Scene<'_>, window: (u16, u16)) -> String {
    let left = edge(scene.robot.x, window.0, scene.size.0);
    let top = edge(scene.robot.y, window.1, scene.size.1);
    let bottom = top + window.1;
    let mut text = String::new();
    for y in (top..bottom).step_by(2) {
        let pair = |x| {
            let lower = (y + 1 < bottom).then(|| scene.look(Cell::new(x, y + 1)));
            (scene.look(Cell::new(x, y)), lower)
        };
        let pairs: Vec<_> = (left..left + window.0).map(pair).collect();
        for run in pairs.chunk_by(PartialEq::eq) {
            let (upper, lower) = run[0];
            let style = Style::new().color256(colour(upper));
            let style = match lower {
                Some(lower) => style.on_color256(colour(lower)),
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

fn legend() -> String {
    let mut text = String::new();
    // Where the walk began is seen at once, and a line has no room for all.
    for look in Look::ALL.into_iter().filter(|&look| look != Look::Start) {
        let style = Style::new().color256(colour(look)).force_styling(true);
        let name = match look {
            Look::UnknownSearched | Look::FreeSearched => "searched",
            _ => look.name(),
        };
        let _ = write!(text, "{} {name}  ", style.apply_to("█"));
    }
    text.truncate(text.trim_end().len());
    text
}

/// A colour of the 256 that terminals share.
fn colour(look: Look) -> u8 {
    match look {
        Look::Unknown => 240,
        Look::UnknownSearched => 67,
        Look::Free => 255,
        Look::FreeSearched => 153,
        Look::Blocked => 16,
        Look::Walked => 214,
        Look::Start => 33,
        Look::Goal => 40,
        Look::Robot => 196,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_follows_the_robot_and_stays_on_the_map() {
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
    fn a_picture_is_drawn_over_the_last_and_a_caption_over_a_longer_one() {
        use planner_core::{Inspect, map::Occupancy};

        struct Blank;

        impl Inspect for Blank {
            fn fact(&self, _: Cell) -> Occupancy {
                Occupancy::Free
            }

            fn is_expanded(&self, _: Cell) -> bool {
                false
            }
        }

        let file = tempfile::NamedTempFile::new().unwrap();
        let term = Term::read_write_pair(file.reopen().unwrap(), file.reopen().unwrap());
        let mut animation = Animation::on(term, (24, 40), (3, 2), 0).unwrap();
        let walked = std::collections::HashSet::new();
        let scene = Scene {
            planner: &Blank,
            size: (3, 2),
            start: Cell::new(0, 0),
            goal: Cell::new(2, 0),
            robot: Cell::new(1, 1),
            walked: &walked,
        };
        for caption in ["on its way", "done"] {
            animation.caption(caption.to_owned());
            animation.show(&scene).unwrap();
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // One line of two rows, the legend and the caption.
        let (first, second) = text.split_once("\x1b[3A").unwrap();
        for (picture, caption) in [(first, "on its way"), (second, "done")] {
            assert_eq!(picture.matches('\n').count(), 3, "{picture:?}");
            let line = picture.lines().nth(2).unwrap();
            assert_eq!(line, format!("{caption:40}"));
        }
    }

    #[test]
    fn the_legend_fits_a_usual_terminal() {
        assert!(console::measure_text_width(&legend()) <= 80, "{}", legend());
    }
}
