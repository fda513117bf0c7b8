//! A planner that is kept from one frame to the next, as a window needs it.

use std::fmt;

use planner_core::{BuildError, Cell};

use crate::{
    catalog::{AnyPlanner, Moves, Name, Task, build_mouse, build_planner},
    world::{Grid, Maze},
};

/// A planner.
pub struct Kept(Box<dyn AnyPlanner>);

/// What a planner that is kept is asked to do; see [`Task`].
#[derive(Clone, Debug)]
pub struct Errand {
    pub planner: Name,
    pub ground: Ground,
    pub start: Cell,
    pub goal: Cell,
    pub moves: Moves,
    /// See [`Task::look_ahead`].
    pub look_ahead: u32,
    /// See [`Task::local_percent`].
    pub local_percent: u8,
}

/// What a robot walks on, as far as its planner has to be told.
#[derive(Clone, Debug)]
pub enum Ground {
    /// Width and height of a map of cells; the map itself, when it is known from the start.
    Cells((u16, u16), Option<Grid>),
    /// A maze, and whether it is known from the start.
    Walls(Maze, bool),
}

impl Kept {
    /// Builds a planner.
    ///
    /// # Errors
    /// The map does not fit 32 bits, or start or goal is outside.
    pub fn new(errand: Errand) -> Result<Self, BuildError> {
        let size = match &errand.ground {
            Ground::Cells(size, _) => *size,
            Ground::Walls(maze, _) => (maze.width(), maze.height()),
        };
        let task = Task {
            moves: errand.moves,
            look_ahead: errand.look_ahead,
            local_percent: errand.local_percent,
            ..Task::new(size, errand.start, errand.goal)
        };
        Ok(Self(match &errand.ground {
            Ground::Cells(_, known) => {
                let known = known.as_ref();
                build_planner(errand.planner, Task { known, ..task })?
            }
            Ground::Walls(maze, is_known) => build_mouse(errand.planner, maze, *is_known, task)?,
        }))
    }

    /// Calls a function with the planner.
    pub fn with<R>(&mut self, user: impl FnOnce(&mut dyn AnyPlanner) -> R) -> R {
        user(&mut *self.0)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

#[cfg(test)]
mod tests {
    use planner_core::{Budget, Decision};

    use super::*;

    fn errand(planner: Name, goal: Cell) -> Errand {
        Errand {
            planner,
            ground: Ground::Cells((9, 9), None),
            start: Cell::new(0, 0),
            goal,
            moves: Moves::Four,
            look_ahead: 8,
            local_percent: 50,
        }
    }

    #[test]
    fn every_planner_can_be_kept_and_walked_to_its_goal() {
        let goal = Cell::new(8, 5);
        for &name in Name::all() {
            let mut kept = Kept::new(errand(name, goal)).unwrap();
            let mut at = Cell::new(0, 0);
            let mut moves = 0;
            while let Decision::Step(next) = kept
                .with(move |mind| mind.tick(at, Budget::UNLIMITED))
                .unwrap()
            {
                (at, moves) = (next, moves + 1);
                assert!(moves <= 13, "{name}");
            }
            assert_eq!((at, moves), (goal, 13), "{name}");
        }
    }

    #[test]
    fn a_planner_that_cannot_be_built_says_why() {
        let error = Kept::new(errand(Name::DstarLite, Cell::new(9, 0))).unwrap_err();
        assert!(matches!(error, BuildError::OffMap(_)), "{error}");
    }
}
