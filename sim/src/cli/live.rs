//! `--watch`: live view of a robot, drawn from its telemetry.

use std::{
    collections::HashSet,
    fmt,
    io::{self, IsTerminal, Write},
    time,
};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal,
};
use embassy_time::{Duration, Instant};
use planner_core::Cell;
use tinystar::{
    mission::Activity,
    telemetry::{Frame, State},
};

use crate::world::Scenario;
use crate::{
    telemetry::{PlannedRoute, RobotState, text},
    view::{Snapshot, maze, terminal::Animation},
    world::Maze,
};

/// The robot's time between two frames at the speed of real time: as long as a frame stays.
const PICTURE: Duration = Duration::from_millis(80);

/// Live view of a robot.
pub struct Live<'a> {
    place: &'a Scenario,
    /// Columns and rows of the drawing.
    size: (u16, u16),
    robot: RobotState,
    screen: Screen,
    keys: Option<Keys>,
    pace: Pace,
}

/// The output of the view.
enum Screen {
    /// An animation, and the time of its next frame.
    Terminal(Animation, Instant),
    /// A line in a pipe or a log whenever the status changes; the last line.
    Lines(String),
}

impl<'a> Live<'a> {
    /// View before any telemetry, at a factor of real time.
    ///
    /// # Errors
    /// The terminal cannot be set up to read keys.
    pub fn new(place: &'a Scenario, walls: &Maze, speed: f64) -> io::Result<Self> {
        let size = maze::size(walls);
        let (screen, keys) = match Animation::new(size) {
            Some(animation) => (Screen::Terminal(animation, Instant::MIN), Keys::open()?),
            None => (Screen::Lines(String::new()), None),
        };
        Ok(Self {
            place,
            size,
            robot: RobotState::new((walls.width(), walls.height())),
            screen,
            keys,
            pace: Pace {
                speed,
                is_paused: false,
            },
        })
    }

    /// Handles telemetry, in cells of the scenario, and updates the view.
    pub fn update(&mut self, frames: &[Frame], now: Instant) -> io::Result<()> {
        for frame in frames {
            self.robot.handle(frame);
        }
        let Some(state) = &self.robot.state else {
            return Ok(());
        };
        let status = status(state, self.robot.goal());
        match &mut self.screen {
            Screen::Terminal(animation, next) => {
                if now < *next {
                    return Ok(());
                }
                *next = now + self.pace.picture();
                let walked: HashSet<Cell> = maze::trail(&self.robot.trail).into_iter().collect();
                let goal = self.robot.goal().unwrap_or(self.place.goal);
                let cells = [self.place.start, goal, state.at].map(maze::drawn);
                let snapshot = Snapshot::of(&self.robot, self.size, cells, &walked);
                let route = PlannedRoute::of(&self.robot);
                let route =
                    route.map_or(String::new(), |route| format!(", {}", text::route(&route)));
                let moves = format!("{} mm/s{route}", state.speed_mm_s);
                loop {
                    let keys = self.keys.as_ref().map(|_| self.pace.to_string());
                    let status = [status.clone(), keys.unwrap_or_default()];
                    animation.caption([status.join("   "), moves.clone()]);
                    animation.show(&snapshot)?;
                    if let Some(keys) = &self.keys {
                        keys.pressed(&mut self.pace)?;
                    }
                    if !self.pace.is_paused {
                        return Ok(());
                    }
                }
            }
            Screen::Lines(last) => {
                if *last != status {
                    let seconds = now.as_millis() as f64 / 1e3;
                    writeln!(io::stdout(), "{seconds:6.1} s: {status}")?;
                    *last = status;
                }
                Ok(())
            }
        }
    }
}

/// The pace of a live view.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    /// Factor of real time.
    speed: f64,
    is_paused: bool,
}

/// The slowest and the fastest view.
const SPEEDS: (f64, f64) = (0.1, 100.0);

impl Pace {
    /// The robot's time between two frames.
    fn picture(self) -> Duration {
        Duration::from_micros((PICTURE.as_micros() as f64 * self.speed) as u64)
    }

    /// Handles a key.
    ///
    /// # Errors
    /// It is one that ends the run.
    fn press(&mut self, key: KeyEvent) -> io::Result<()> {
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Err(quit()),
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(quit());
            }
            KeyCode::Char(' ') => self.is_paused = !self.is_paused,
            KeyCode::Char('+' | '=') => self.speed = (self.speed * 2.0).min(SPEEDS.1),
            KeyCode::Char('-') => self.speed = (self.speed / 2.0).max(SPEEDS.0),
            _ => {}
        }
        Ok(())
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.is_paused { "go on" } else { "pause" };
        write!(f, "[{}x: + -, space {space}, q quit]", self.speed)
    }
}

/// Error of a live view that the user has quit.
const QUIT: &str = "ended by the user";

/// The error that ends a run when the user quits.
pub fn quit() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, QUIT)
}

/// Returns whether an error is that the user has ended the view.
pub fn is_quit(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted && error.to_string() == QUIT
}

/// Keys of the terminal, read one by one; the terminal is reset when this is dropped.
struct Keys;

impl Keys {
    /// `None` when standard input is no terminal.
    fn open() -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() {
            return Ok(None);
        }
        terminal::enable_raw_mode()?;
        Ok(Some(Self))
    }

    /// Handles all keys that have been pressed.
    fn pressed(&self, pace: &mut Pace) -> io::Result<()> {
        while event::poll(time::Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                pace.press(key)?;
            }
        }
        Ok(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // A terminal that cannot be reset cannot be reported on either.
        let _ = terminal::disable_raw_mode();
    }
}

/// Position, activity and fault of a robot.
fn status(state: &State, goal: Option<Cell>) -> String {
    let does = match (state.fault, goal) {
        (Some(fault), _) => format!("stopped by {}", text::fault(fault)),
        (None, Some(goal)) if state.activity == Activity::Going => {
            format!("{} to {}", text::activity(state.activity), text::cell(goal))
        }
        _ => text::activity(state.activity).to_owned(),
    };
    format!("at {}: {does}", text::cell(state.at))
}

#[cfg(test)]
mod tests {
    use planner_core::Side;
    use tinystar::fault::Fault;

    use super::*;

    #[test]
    fn keys_change_the_pace_and_end_the_run() {
        let mut pace = Pace {
            speed: 1.0,
            is_paused: false,
        };
        let mut press = |code| {
            let pressed = pace.press(KeyEvent::new(code, KeyModifiers::NONE));
            (pressed, pace)
        };
        assert!(press(KeyCode::Char(' ')).1.is_paused);
        assert!(!press(KeyCode::Char(' ')).1.is_paused);
        assert_eq!(press(KeyCode::Char('+')).1.speed, 2.0);
        assert_eq!(press(KeyCode::Char('+')).1.picture(), PICTURE * 4);
        assert_eq!(press(KeyCode::Char('-')).1.speed, 2.0);
        for _ in 0..20 {
            press(KeyCode::Char('-')).0.unwrap();
        }
        assert_eq!(press(KeyCode::Char('x')).1.speed, SPEEDS.0);
        assert!(is_quit(&press(KeyCode::Char('q')).0.unwrap_err()));
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(pace.press(interrupt).is_err());
    }

    #[test]
    fn the_status_is_the_cell_and_the_activity_or_fault() {
        let mut state = State::new(Cell::new(3, 4), Side::North);
        let goal = Some(Cell::new(5, 6));
        assert_eq!(status(&state, goal), "at 3,4: idle");
        state.activity = Activity::Going;
        assert_eq!(status(&state, goal), "at 3,4: on its way to 5,6");
        assert_eq!(status(&state, None), "at 3,4: on its way");
        state.activity = Activity::NoPath;
        assert_eq!(status(&state, goal), "at 3,4: no path; waiting");
        state.activity = Activity::Faulty;
        state.fault = Some(Fault::Gyro);
        assert_eq!(status(&state, goal), "at 3,4: stopped by fault 8: gyro");
    }
}
