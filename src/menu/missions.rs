//! Missions that the menu starts.

use heapless::Vec;

use super::{Commands, Lines, line};
use crate::{mission::Mission, settings::Settings, telemetry::Command};

/// Mission of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissionPage {
    /// Goes to the first goal.
    GoTo,
    /// Finds a goal, explores, returns and runs.
    Explore,
    /// Returns home.
    Home,
}

impl MissionPage {
    /// Sets and starts the mission.
    pub fn commands(self, settings: &Settings) -> Commands {
        let mission = match self {
            // Settings have a goal; home is one that is always there.
            Self::GoTo => {
                let goal = settings.goals.first().copied();
                Mission::GoTo(goal.unwrap_or(settings.field.home))
            }
            Self::Explore => Mission::Explore(settings.mission_goals()),
            Self::Home => Mission::Home,
        };
        Vec::from_array([Command::SetMission(mission), Command::Start])
    }

    /// Shows the page.
    pub fn show(self, settings: &Settings, [title, goal, _, hint]: &mut Lines) {
        line!(
            title,
            "{}",
            match self {
                Self::GoTo => "go to goal",
                Self::Explore => "explore and run",
                Self::Home => "go home",
            }
        );
        match (self, settings.goals.first()) {
            (Self::GoTo | Self::Explore, Some(cell)) => line!(goal, "goal {},{}", cell.x, cell.y),
            _ => line!(goal, "{},{}", settings.field.home.x, settings.field.home.y),
        }
        line!(hint, "A start   C next");
    }
}
