//! `sim send`: sends one command to a robot and prints its answer.

use std::io::{self, Write};

use anyhow::{Context, ensure};
use clap::{Subcommand, ValueEnum};
use planner_core::{Cell, Side};
use serde_json::json;
use tinystar::{
    settings::{GOALS, Settings},
    telemetry::Command,
};

use super::port::{ANSWER, RobotPort};
use crate::{
    error::BadInput,
    options::value::{self, Size},
    output,
    telemetry::{Answer, text},
};

const EXAMPLES: &str = "\
Examples:
  sim send /dev/ttyACM0 at-home                         it was put home, facing forward
  sim send /dev/ttyACM0 settings --size 16x16 --home 0,15 --goal 7,7 --goal 8,8
  sim send /dev/ttyACM0 settings --cell 250             cells of a taped grid
  sim send /dev/ttyACM0 bootloader                      restart as a USB drive to copy an image to";

/// Options of `send`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Serial port of the robot
    #[arg(value_name = "PORT")]
    port: String,

    #[command(subcommand)]
    order: Order,

    /// Print the answer as JSON
    #[arg(long, global = true)]
    json: bool,
}

/// Command to send.
#[derive(Subcommand, Clone, Debug)]
enum Order {
    /// Start the mission
    Start,
    /// Cut the motors
    Stop,
    /// Go home
    Home,
    /// The robot was put home, facing forward; clears a fault
    AtHome,
    /// Clear a fault
    ClearFault,
    /// Clear the map in RAM and flash
    Forget,
    /// Restart as a USB drive
    Bootloader,
    /// Set map size, cell size, home, goals and what is explored; the rest stays
    Settings(SettingsArgs),
}

#[derive(clap::Args, Clone, Debug)]
struct SettingsArgs {
    /// Columns and rows of the map
    #[arg(long, value_name = "WxH")]
    size: Option<Size>,
    /// Side of a cell in millimetres
    #[arg(long, value_name = "MM")]
    cell: Option<u16>,
    /// Cell in which the robot starts
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    home: Option<Cell>,
    /// Heading with which the robot starts
    #[arg(long, value_name = "SIDE")]
    heading: Option<Heading>,
    /// Goal cell; several for any of them
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    goal: Vec<Cell>,
    /// Path that an exploration must know when it ends
    #[arg(long, value_name = "PATH")]
    explore: Option<Exploration>,
}

/// Aim of an exploration.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Exploration {
    Shortest,
    Fastest,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Heading {
    North,
    East,
    South,
    West,
}

impl SettingsArgs {
    /// Settings with what was given changed.
    fn change(&self, mut settings: Settings) -> Result<Settings, BadInput> {
        let bad = |why: String| Err(BadInput(why));
        if let Some(size) = &self.size {
            (settings.field.width, settings.field.height) = (size.width, size.height);
        }
        settings.cell_mm = self.cell.unwrap_or(settings.cell_mm);
        settings.field.home = self.home.unwrap_or(settings.field.home);
        settings.field.heading = match self.heading {
            Some(Heading::North) => Side::North,
            Some(Heading::East) => Side::East,
            Some(Heading::South) => Side::South,
            Some(Heading::West) => Side::West,
            None => settings.field.heading,
        };
        if let Some(aim) = self.explore {
            settings.explores_by_time = aim == Exploration::Fastest;
        }
        if self.goal.len() > GOALS {
            return bad(format!("at most {GOALS} goals"));
        }
        if !self.goal.is_empty() {
            settings.goals = self.goal.iter().copied().collect();
        }
        if !settings.is_valid() {
            return bad(format!(
                "not a map of up to 64x64 cells of 60 to 500 mm with home and goals inside: {}x{} cells of {} mm, \
                 home {}, goals {}",
                settings.field.width,
                settings.field.height,
                settings.cell_mm,
                text::cell(settings.field.home),
                text::cells(&settings.goals),
            ));
        }
        Ok(settings)
    }
}

impl Order {
    /// Command for a robot with these settings.
    fn command(&self, settings: Settings) -> Result<Command, BadInput> {
        Ok(match self {
            Self::Start => Command::Start,
            Self::Stop => Command::Stop,
            Self::Home => Command::Home,
            Self::AtHome => Command::PlacedAtHome,
            Self::ClearFault => Command::ClearFault,
            Self::Forget => Command::ForgetMap,
            Self::Bootloader => Command::RestartToBootloader,
            Self::Settings(args) => Command::SetSettings(args.change(settings)?),
        })
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut robot = RobotPort::open(&args.port)?;
    let silent = || format!("no answer from the robot in {} s", ANSWER.as_secs());
    let settings = robot.wait_for(|monitor| monitor.robot.settings.clone())?;
    let command = args.order.command(settings.with_context(silent)?)?;
    let answer = robot.execute(&command)?.with_context(silent)?;
    let (sent, answer_text) = (text::command(&command), text::answer(answer));
    let is_accepted = answer == Answer::Accepted;
    if args.json {
        output::json_line(&json!({"sent": sent, "accepted": is_accepted, "answer": answer_text}))?;
    } else {
        writeln!(io::stdout(), "{sent}: {answer_text}")?;
    }
    ensure!(is_accepted, "the robot did not accept the command");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> SettingsArgs {
        SettingsArgs {
            size: None,
            cell: None,
            home: None,
            heading: None,
            goal: Vec::new(),
            explore: None,
        }
    }

    #[test]
    fn settings_that_are_not_given_stay() {
        let settings = Settings::default();
        assert_eq!(args().change(settings.clone()).unwrap(), settings);
        let changed = SettingsArgs {
            size: Some("16x8".parse().unwrap()),
            home: Some(Cell::new(0, 7)),
            goal: vec![Cell::new(7, 3), Cell::new(8, 4)],
            heading: Some(Heading::East),
            explore: Some(Exploration::Fastest),
            ..args()
        };
        let changed = changed.change(settings).unwrap();
        assert_eq!((changed.field.width, changed.field.height), (16, 8));
        assert_eq!(changed.field.heading, Side::East);
        assert_eq!((changed.goals.len(), changed.cell_mm), (2, 180));
        assert!(changed.explores_by_time);
    }

    #[test]
    fn settings_off_the_map_are_bad_input() {
        let goals = SettingsArgs {
            goal: vec![Cell::new(1, 1); GOALS + 1],
            ..args()
        };
        let outside = SettingsArgs {
            size: Some("16x16".parse().unwrap()),
            ..args()
        };
        for bad in [goals, outside] {
            assert!(bad.change(Settings::default()).is_err(), "{bad:?}");
        }
    }
}
