//! Settings that the menu changes.

use super::{Lines, line};
use crate::{boards::BoardConfig, settings::Settings};

/// Setting of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsPage {
    /// Size of the map.
    Size,
    /// Size of a cell.
    Cell,
    /// Home and heading.
    Start,
    /// Goal cells.
    Goal,
    /// Aim of an exploration.
    Exploration,
    /// Applies and saves what was changed.
    Apply,
}

impl SettingsPage {
    /// Settings with the next choice of this page.
    pub fn changed(self, settings: &Settings, board: &BoardConfig) -> Settings {
        match self {
            Self::Size => settings.with_next_size(),
            Self::Cell => settings.with_next_cell(board),
            Self::Start => settings.with_next_start(),
            Self::Goal => settings.with_next_goal(),
            Self::Exploration => settings.with_next_exploration(),
            Self::Apply => settings.clone(),
        }
    }

    /// Shows the page.
    pub fn show(self, settings: &Settings, [title, value, detail, hint]: &mut Lines) {
        let field = &settings.field;
        match self {
            Self::Size => {
                line!(title, "map size");
                line!(value, "{}x{} cells", field.width, field.height);
            }
            Self::Cell => {
                line!(title, "cell size");
                line!(value, "{} mm", settings.cell_mm);
            }
            Self::Start => {
                line!(title, "start");
                line!(value, "{}", settings.start().text());
                line!(
                    detail,
                    "{},{} {:?}",
                    field.home.x,
                    field.home.y,
                    field.heading
                );
            }
            Self::Goal => {
                line!(title, "goal");
                line!(value, "{}", settings.goal().text());
                if let Some(goal) = settings.goals.first() {
                    line!(detail, "{},{}", goal.x, goal.y);
                }
            }
            Self::Exploration => {
                line!(title, "explore until");
                let path = if settings.explores_by_time {
                    "fastest"
                } else {
                    "shortest"
                };
                line!(value, "{} path", path);
                line!(detail, "is known");
            }
            Self::Apply => {
                line!(title, "save settings?");
                line!(value, "a new size");
                line!(detail, "clears the map");
            }
        }
        match self {
            Self::Apply => line!(hint, "A save  C cancel"),
            _ => line!(hint, "A change  C next"),
        }
    }
}
