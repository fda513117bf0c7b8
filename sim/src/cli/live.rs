//! `--watch`: live view of a robot, drawn from its telemetry.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use embassy_time::{Duration, Instant};
use planner_core::Cell;
use tinystar::{
    mission::Activity,
    telemetry::{Frame, State},
};

use crate::world::Scenario;
use crate::{
    telemetry::{RobotState, text},
    view::{Snapshot, maze, terminal::Animation},
    world::Maze,
};

/// The robot's time between two frames: as long as a frame stays.
const PICTURE: Duration = Duration::from_millis(80);

/// Live view of a robot.
pub struct Live<'a> {
    place: &'a Scenario,
    /// Columns and rows of the drawing.
    size: (u16, u16),
    robot: RobotState,
    screen: Screen,
}

/// The output of the view.
enum Screen {
    /// An animation, and the time of its next frame.
    Terminal(Animation, Instant),
    /// A line in a pipe or a log whenever the status changes; the last line.
    Lines(String),
}

impl<'a> Live<'a> {
    /// View before any telemetry.
    pub fn new(place: &'a Scenario, walls: &Maze) -> Self {
        let size = maze::size(walls);
        let screen = match Animation::new(size) {
            Some(animation) => Screen::Terminal(animation, Instant::MIN),
            None => Screen::Lines(String::new()),
        };
        Self {
            place,
            size,
            robot: RobotState::new((walls.width(), walls.height())),
            screen,
        }
    }

    /// Handles telemetry, in cells of the scenario, and updates the view.
    pub fn update(&mut self, frames: &[Frame], now: Instant) -> io::Result<()> {
        for frame in frames {
            self.robot.handle(frame);
        }
        let Some(state) = self.robot.state() else {
            return Ok(());
        };
        let status = status(state, self.robot.goal());
        match &mut self.screen {
            Screen::Terminal(animation, next) => {
                if now < *next {
                    return Ok(());
                }
                *next = now + PICTURE;
                let walked: HashSet<Cell> = maze::trail(self.robot.trail()).into_iter().collect();
                animation.caption(status);
                let goal = self.robot.goal().unwrap_or(self.place.goal);
                let cells = [self.place.start, goal, state.at].map(maze::drawn);
                animation.show(&Snapshot::of(&self.robot, self.size, cells, &walked))
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
