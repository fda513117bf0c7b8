//! Map size, cell size, start and goals: set over USB or in the menu, saved in flash.

use heapless::Vec;
use planner_core::{Cell, Side};
use serde::{Deserialize, Serialize};

use crate::{
    boards::BoardConfig,
    config::{CELL_MM, FIELD, GOAL, HALF_WALL_MM, LATERAL_TOLERANCE_UM, SIDE},
    mission::{Field, STOPS},
};

/// Maximum number of goal cells: the middle of a maze with even sides.
pub const GOALS: usize = 4;

/// Smallest and largest cell, in millimetres.
const CELLS_MM: (u16, u16) = (60, 500);

/// Sides of a map that the menu offers.
const SIDES: [u16; 4] = [SIDE, 32, 16, 8];
/// Cell sizes that the menu offers, in millimetres: a micromouse maze, a half-size maze, taped grids.
const CELL_SIZES_MM: [u16; 5] = [CELL_MM as u16, 90, 200, 250, 300];

/// Settings of the map, the same for every robot on the same floor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Size of the map and home pose.
    pub field: Field,
    /// Side of a cell, in millimetres.
    pub cell_mm: u16,
    /// Goal cells of the missions that the menu starts.
    pub goals: Vec<Cell, GOALS>,
    /// True if a maze is explored until the fastest path is known, not only the shortest.
    pub explores_by_time: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

/// Side of the smallest cell in which a robot can turn, in millimetres.
#[must_use]
pub const fn smallest_cell_mm(board: &BoardConfig) -> i32 {
    2 * (board.turning_radius_mm + HALF_WALL_MM + LATERAL_TOLERANCE_UM / 1000 + 1)
}

impl Settings {
    /// Settings of a robot that was never set up.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            field: FIELD,
            cell_mm: CELL_MM as u16,
            goals: Vec::from_array([GOAL]),
            explores_by_time: false,
        }
    }

    /// Settings of a field, with cells of the default size and the goal in its home.
    #[must_use]
    pub fn of_field(field: Field) -> Self {
        Self {
            field,
            goals: Vec::from_array([field.home]),
            ..Self::new()
        }
    }

    /// Returns whether the home and all goals are on the map, there is a goal, and the cell size is plausible.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.field.is_valid()
            && (CELLS_MM.0..=CELLS_MM.1).contains(&self.cell_mm)
            && !self.goals.is_empty()
            && self.goals.iter().all(|&goal| self.field.contains(goal))
    }

    /// Returns whether a robot can turn in a cell, off its centre by [`LATERAL_TOLERANCE_UM`].
    #[must_use]
    pub fn fits(&self, board: &BoardConfig) -> bool {
        i32::from(self.cell_mm) >= smallest_cell_mm(board)
    }

    /// Goals as those of a mission.
    #[must_use]
    pub fn mission_goals(&self) -> Vec<Cell, STOPS> {
        self.goals.iter().copied().collect()
    }

    /// With the next map size that the menu offers; start and goals keep their kind.
    #[must_use]
    pub fn with_next_size(&self) -> Self {
        let (start, goal) = (self.start(), self.goal());
        let side = next_of(&SIDES, self.field.width);
        let mut next = self.clone();
        (next.field.width, next.field.height) = (side, side);
        next.placed(start, goal)
    }

    /// With the next cell size that the menu offers and a board fits into.
    #[must_use]
    pub fn with_next_cell(&self, board: &BoardConfig) -> Self {
        let mut next = self.clone();
        for _ in CELL_SIZES_MM {
            next.cell_mm = next_of(&CELL_SIZES_MM, next.cell_mm);
            if next.fits(board) {
                break;
            }
        }
        next
    }

    /// With the next start.
    #[must_use]
    pub fn with_next_start(&self) -> Self {
        let start = next_of(&Start::ALL, self.start());
        self.clone().placed(start, self.goal())
    }

    /// With the next goal.
    #[must_use]
    pub fn with_next_goal(&self) -> Self {
        let goal = next_of(&Goal::ALL, self.goal());
        self.clone().placed(self.start(), goal)
    }

    /// With the other aim of an exploration.
    #[must_use]
    pub fn with_next_exploration(&self) -> Self {
        Self {
            explores_by_time: !self.explores_by_time,
            ..self.clone()
        }
    }

    /// Kind of the start: the first that has this home and heading.
    #[must_use]
    pub fn start(&self) -> Start {
        let pose = (self.field.home, self.field.heading);
        let mut starts = Start::ALL.into_iter();
        starts
            .find(|start| start.pose(&self.field) == pose)
            .unwrap_or(Start::Custom)
    }

    /// Kind of the goals: the first that has these cells.
    #[must_use]
    pub fn goal(&self) -> Goal {
        let mut goals = Goal::ALL.into_iter();
        goals
            .find(|goal| goal.cells(&self.field) == self.goals)
            .unwrap_or(Goal::Custom)
    }

    /// With start and goals of a kind; what is custom or off the map becomes the middle.
    fn placed(mut self, start: Start, goal: Goal) -> Self {
        let is_on = start != Start::Custom || self.field.contains(self.field.home);
        let start = if is_on { start } else { Start::Middle };
        (self.field.home, self.field.heading) = start.pose(&self.field);
        let goals = goal.cells(&self.field);
        if goal != Goal::Custom && !goals.is_empty() {
            self.goals = goals;
        }
        if !self.is_valid() {
            self.goals = Goal::Middle.cells(&self.field);
        }
        self
    }
}

/// Element after `current`; the first if it is the last, or none of them.
fn next_of<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current);
    let next = at.map_or(0, |at| (at + 1) % all.len());
    all.get(next).copied().unwrap_or(current)
}

/// Place where the robot starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Middle of the map, heading north.
    Middle,
    /// South-west corner, heading north, as in a micromouse maze.
    SouthWest,
    /// South-east corner, heading north.
    SouthEast,
    /// North-east corner, heading south.
    NorthEast,
    /// North-west corner, heading south.
    NorthWest,
    /// Any other, set over USB.
    Custom,
}

impl Start {
    const ALL: [Self; 5] = [
        Self::Middle,
        Self::SouthWest,
        Self::SouthEast,
        Self::NorthEast,
        Self::NorthWest,
    ];

    /// Text on the display.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Middle => "middle",
            Self::SouthWest => "south-west",
            Self::SouthEast => "south-east",
            Self::NorthEast => "north-east",
            Self::NorthWest => "north-west",
            Self::Custom => "custom",
        }
    }

    /// Home and heading on a field.
    fn pose(self, field: &Field) -> (Cell, Side) {
        let (east, south) = (field.width - 1, field.height - 1);
        match self {
            Self::Middle => (Cell::new(field.width / 2, field.height / 2), Side::North),
            Self::SouthWest => (Cell::new(0, south), Side::North),
            Self::SouthEast => (Cell::new(east, south), Side::North),
            Self::NorthEast => (Cell::new(east, 0), Side::South),
            Self::NorthWest => (Cell::new(0, 0), Side::South),
            Self::Custom => (field.home, field.heading),
        }
    }
}

/// Goal cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Four cells ahead of the start, two to the right.
    Ahead,
    /// Middle of the map: four cells if both sides are even, as in a micromouse maze.
    Middle,
    /// Corner opposite to the start.
    Opposite,
    /// Any others, set over USB.
    Custom,
}

impl Goal {
    const ALL: [Self; 3] = [Self::Ahead, Self::Middle, Self::Opposite];

    /// Text on the display.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ahead => "4 ahead 2 right",
            Self::Middle => "middle",
            Self::Opposite => "opposite corner",
            Self::Custom => "custom",
        }
    }

    /// Cells on a field; empty if they are not on it.
    fn cells(self, field: &Field) -> Vec<Cell, GOALS> {
        let Field {
            width,
            height,
            home,
            heading,
        } = *field;
        let mut cells = Vec::new();
        // There is room for four.
        match self {
            Self::Ahead => {
                let steps = [heading; 4].into_iter().chain([heading.right(); 2]);
                let cell = steps
                    .into_iter()
                    .try_fold(home, |cell, side| cell.neighbor(side))
                    .filter(|&cell| field.contains(cell));
                cells.extend(cell);
            }
            Self::Middle => {
                for y in (height - 1) / 2..=height / 2 {
                    cells.extend(((width - 1) / 2..=width / 2).map(|x| Cell::new(x, y)));
                }
            }
            Self::Opposite => {
                let far = |at: u16, side: u16| if at < side / 2 { side - 1 } else { 0 };
                cells.extend([Cell::new(far(home.x, width), far(home.y, height))]);
            }
            Self::Custom => {}
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn the_defaults_are_valid_and_those_of_config() {
        let settings = Settings::default();
        assert!(settings.is_valid() && settings.fits(&ZUMO2040));
        assert_eq!(
            (settings.start(), settings.goal()),
            (Start::Middle, Goal::Ahead)
        );
    }

    #[test]
    fn the_menu_reaches_a_micromouse_maze_and_every_choice_is_valid() {
        let mut settings = Settings::default();
        while settings.field.width != 16 {
            settings = settings.with_next_size();
        }
        settings = settings.with_next_start();
        while settings.goal() != Goal::Middle {
            settings = settings.with_next_goal();
        }
        let field = Field {
            width: 16,
            height: 16,
            home: Cell::new(0, 15),
            heading: Side::North,
        };
        assert_eq!(settings.field, field);
        let middle = [(7, 7), (8, 7), (7, 8), (8, 8)].map(|(x, y)| Cell::new(x, y));
        assert_eq!(settings.goals[..], middle);
        for _ in 0..5 {
            for _ in 0..6 {
                for _ in 0..4 {
                    assert!(settings.is_valid(), "{settings:?}");
                    settings = settings.with_next_goal();
                }
                settings = settings.with_next_start();
            }
            settings = settings.with_next_size();
        }
    }

    #[test]
    fn cells_too_small_for_the_robot_are_not_offered() {
        let mut settings = Settings::default();
        for _ in 0..8 {
            settings = settings.with_next_cell(&ZUMO2040);
            assert!(settings.is_valid() && settings.fits(&ZUMO2040));
        }
        settings.cell_mm = 90;
        assert!(settings.is_valid() && !settings.fits(&ZUMO2040));
    }

    #[test]
    fn implausible_settings_are_invalid() {
        let valid = Settings::default();
        let with = |change: fn(&mut Settings)| {
            let mut settings = valid.clone();
            change(&mut settings);
            settings.is_valid()
        };
        assert!(with(|_| ()));
        assert!(!with(|s| s.goals.clear()));
        assert!(!with(|s| s.goals[0] = Cell::new(64, 0)));
        assert!(!with(|s| s.cell_mm = 59));
        assert!(!with(|s| s.cell_mm = 501));
        assert!(!with(|s| s.field.home = Cell::new(0, 64)));
        assert!(!with(|s| s.field.width = 0));
        assert!(!with(|s| s.field.height = SIDE + 1));
    }
}
