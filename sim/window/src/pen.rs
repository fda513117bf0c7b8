//! Drawing with the mouse or a finger: walls, and the goal.

use egui::Pos2;
use planner_core::{Cell, Side};
use sim::world::World;

use crate::{
    app::App,
    map::{Touch, stroke},
    run::Change,
};

/// The effect of the left button, or of a finger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    #[default]
    Walls,
    Goal,
    /// Moves the map.
    Move,
}

impl Tool {
    /// All tools, with their names.
    pub const ALL: [(Self, &str); 3] = [
        (Self::Walls, "walls"),
        (Self::Goal, "goal"),
        (Self::Move, "move"),
    ];
}

impl App {
    /// Applies a stroke of the left button.
    pub(crate) fn touch(&mut self, touch: Touch) {
        self.hovered = touch.hovered.or(self.hovered);
        let Some((place, is_new)) = touch.held else {
            return;
        };
        let Some(world) = self.lines().next().map(|line| line.run().world().clone()) else {
            return;
        };
        if self.tool == Tool::Goal {
            if is_new && let Some(cell) = cell_at(place) {
                self.send_to(cell);
            }
            return;
        }
        let (from, builds) = match self.pen {
            Some(pen) if !is_new => pen,
            _ => match wall_at(&world, place) {
                Some(change) => (place, change_builds(&change)),
                None => return,
            },
        };
        self.pen = Some((place, builds));
        // A stroke through a maze comes near many walls; only a click means one of them.
        if matches!(world, World::Walls(_)) && !is_new {
            return;
        }
        let mut last = None;
        let places = std::iter::once(from).chain(stroke(from, place));
        for change in places.filter_map(|place| wall_at(&world, place)) {
            if change_builds(&change) == builds && last.as_ref() != Some(&change) {
                self.change(&change);
                last = Some(change);
            }
        }
    }
}

fn cell_at(place: Pos2) -> Option<Cell> {
    let inside = |place: f32| (0.0..65_535.0).contains(&place).then_some(place as u16);
    Some(Cell::new(inside(place.x)?, inside(place.y)?))
}

/// The change by a click: toggles the cell, or the nearest wall of a maze.
fn wall_at(world: &World, place: Pos2) -> Option<Change> {
    let cell = cell_at(place)?;
    match world {
        World::Cells(grid) => grid
            .contains(cell)
            .then(|| Change::Block(cell, grid.is_free(cell))),
        World::Walls(maze) => {
            let (x, y) = (place.x.fract(), place.y.fract());
            let distance = |side: &Side| match side {
                Side::North => y,
                Side::East => 1.0 - x,
                Side::South => 1.0 - y,
                Side::West => x,
            };
            let side = Side::ALL
                .into_iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            let is_inner =
                maze.contains(cell) && cell.neighbor(side).is_some_and(|c| maze.contains(c));
            (is_inner && distance(&side) < 0.35)
                .then(|| Change::Wall(cell, side, !maze.has_wall(cell, side)))
        }
    }
}

fn change_builds(change: &Change) -> bool {
    matches!(change, Change::Block(_, true) | Change::Wall(_, _, true))
}
