//! Floor with walls between cells, and obstacles that come and go.

use planner_core::{Cell, Side};

use super::{
    geometry::{Hit, Pose, Solid, Vector, direction},
    parameters::{CELL, HALF_WALL},
};
use crate::world::{Grid, Maze, SizeError};

/// Temporary obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Shape and position.
    pub kind: ObstacleKind,
    /// Time of arrival, in microseconds; later if the robot is too near.
    pub from: u64,
    /// Time of departure, in microseconds.
    pub until: u64,
    /// Smallest distance to the robot on arrival, in millimetres: no robot could stop in time for less.
    pub clearance: f64,
}

/// Shape and position of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObstacleKind {
    /// Wall on a side of a cell.
    Door(Cell, Side),
    /// Leg in the centre of a cell.
    InCell(Cell),
}

impl ObstacleKind {
    /// Radius of a leg in a cell, in millimetres: blocks the cell.
    const IN_CELL: f64 = 60.0;

    fn solid(self, cells: CellGrid) -> Solid {
        match self {
            Self::Door(cell, side) => cells.wall(cell, side),
            Self::InCell(cell) => Solid::Disc {
                at: cells.middle(cell),
                radius: Self::IN_CELL,
            },
        }
    }
}

/// Square cells of one size.
#[derive(Clone, Copy, Debug)]
struct CellGrid {
    /// Side of a cell, in millimetres.
    side: f64,
}

impl CellGrid {
    fn middle(self, cell: Cell) -> Vector {
        [cell.x, cell.y].map(|index| (f64::from(index) + 0.5) * self.side)
    }

    /// Wall on a side of a cell, with its posts.
    fn wall(self, cell: Cell, side: Side) -> Solid {
        let half = self.side / 2.0;
        let ([x, y], [dx, dy]) = (self.middle(cell), direction(side));
        let at = [x + dx * half, y + dy * half];
        let extent = |across: f64| HALF_WALL + (1.0 - across.abs()) * half;
        let (width, height) = (extent(dx), extent(dy));
        Solid::Block {
            min: [at[0] - width, at[1] - height],
            max: [at[0] + width, at[1] + height],
        }
    }
}

/// Floor with walls and obstacles.
#[derive(Clone, Debug)]
pub struct Floor {
    walls: Maze,
    cells: CellGrid,
    /// Walls on the north and the west side of each cell, row by row, with a column and a row beyond the last for the
    /// outer walls. Made once, not for each ray.
    solids: Vec<[Option<Solid>; 2]>,
    /// Each with whether it is present.
    obstacles: Vec<(Obstacle, bool)>,
    revision: u64,
}

impl Floor {
    /// Floor with the walls of a maze, in cells of the usual size.
    pub fn new(walls: Maze) -> Self {
        let cells = CellGrid { side: CELL };
        Self {
            solids: solids(&walls, cells),
            walls,
            cells,
            obstacles: Vec::new(),
            revision: 0,
        }
    }

    /// Floor with walls around the blocked cells of a grid.
    pub fn around(grid: &Grid) -> Result<Self, SizeError> {
        let mut walls = Maze::open(grid.width().into(), grid.height().into())?;
        for cell in grid.cells() {
            for side in Side::ALL {
                let stands = grid.is_free(cell)
                    != cell
                        .neighbor(side)
                        .is_some_and(|beyond| grid.is_free(beyond));
                walls.set_wall(cell, side, stands);
            }
        }
        Ok(Self::new(walls))
    }

    /// The same floor with cells of a size in millimetres.
    #[must_use]
    pub fn with_cells_of(mut self, mm: u16) -> Self {
        self.cells.side = mm.into();
        self.solids = solids(&self.walls, self.cells);
        self
    }

    /// Side of a cell, in millimetres.
    pub fn cell_mm(&self) -> f64 {
        self.cells.side
    }

    /// Centre of a cell.
    pub fn middle(&self, cell: Cell) -> Vector {
        self.cells.middle(cell)
    }

    /// Cell of a point; the nearest one outside the floor.
    pub fn cell(&self, [x, y]: Vector) -> Cell {
        // A cast keeps within its bounds.
        let index = |at: f64| (at / self.cells.side) as u16;
        Cell::new(index(x), index(y))
    }

    pub fn add_obstacle(&mut self, obstacle: Obstacle) {
        self.obstacles.push((obstacle, false));
    }

    /// Permanent walls.
    pub fn walls(&self) -> &Maze {
        &self.walls
    }

    /// Obstacles that are present.
    pub fn obstacles(&self) -> impl Iterator<Item = ObstacleKind> {
        self.obstacles
            .iter()
            .filter(|(_, is_present)| *is_present)
            .map(|(obstacle, _)| obstacle.kind)
    }

    /// Adds and removes obstacles that are due at a time in microseconds; `half` is half the robot's side.
    pub fn update(&mut self, now: u64, robot: &Pose, half: f64) {
        let cells = self.cells;
        for (obstacle, is_present) in &mut self.obstacles {
            let is_due = obstacle.from <= now && now < obstacle.until;
            let is_clear = || {
                let solid = obstacle.kind.solid(cells);
                !solid.overlaps_square(robot, half + obstacle.clearance)
            };
            let was_present = *is_present;
            *is_present = is_due && (was_present || is_clear());
            self.revision += u64::from(was_present != *is_present);
        }
    }

    /// Number of changes so far: what was seen at an earlier revision may be different now.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns whether a robot with half its side `half` overlaps anything at a pose.
    pub fn touches(&self, robot: &Pose, half: f64) -> bool {
        let [sin, cos] = robot.direction(0.0);
        let extent = half * (sin.abs() + cos.abs());
        let middle = self.middle(self.cell(robot.at));
        let face = self.cells.side / 2.0 - HALF_WALL;
        // Inside the walls of its cell, a robot can only touch obstacles.
        let is_inside = |axis: usize| (robot.at[axis] - middle[axis]).abs() + extent < face;
        let touches = |solid: Solid| solid.overlaps_square(robot, half);
        let hits_wall = || {
            let [x, y] = robot.at;
            self.walls_in([x - extent, y - extent], [x + extent, y + extent])
                .flat_map(|row| row.iter().flatten().flatten())
                .any(|&wall| touches(wall))
        };
        self.obstacle_solids().any(touches) || !(is_inside(0) && is_inside(1)) && hits_wall()
    }

    /// First intersection of a ray within `reach`; `direction` has length one.
    pub fn hit(&self, from: Vector, direction: Vector, reach: f64) -> Option<Hit> {
        /// Distance from the line between two cells within which their wall is, with a margin for rounding.
        const MARGIN: f64 = HALF_WALL + 1.0;
        let mut nearest: Option<Hit> = None;
        let within = |nearest: Option<Hit>| nearest.map_or(reach, |hit| hit.distance);
        // Returns how far the search goes on.
        let mut meet = |solid: &Solid| {
            let is_nearer = |hit: &Hit| hit.distance <= within(nearest);
            nearest = solid.hit(from, direction).filter(is_nearer).or(nearest);
            within(nearest)
        };
        let mut reach = self.obstacle_solids().fold(reach, |_, solid| meet(&solid));
        // Along the longer axis, a column or row of cells at a time: the first that is hit ends the search.
        let along = usize::from(direction[1].abs() > direction[0].abs());
        let across = 1 - along;
        let counts = [self.walls.width(), self.walls.height()];
        let per_mm = 1.0 / self.cells.side;
        // A cast keeps within its bounds.
        let index = |at: f64, axis: usize| ((at * per_mm) as u16).min(counts[axis]);
        let sign = 1.0_f64.copysign(direction[along]);
        let first = index(from[along] - sign * MARGIN, along);
        let last = index(from[along] + sign * (reach + MARGIN), along);
        let distance_per_mm = 1.0 / direction[along];
        for step in 0..=first.abs_diff(last) {
            let slice = if first < last {
                first + step
            } else {
                first - step
            };
            let middle = (f64::from(slice) + 0.5) * self.cells.side;
            let half = sign * (self.cells.side / 2.0 + MARGIN);
            let enter = (middle - half - from[along]) * distance_per_mm;
            let leave = (middle + half - from[along]) * distance_per_mm;
            if enter > reach {
                break;
            }
            let ends =
                [enter.max(0.0), leave].map(|distance| from[across] + distance * direction[across]);
            let min = index(ends[0].min(ends[1]) - MARGIN, across);
            let max = index(ends[0].max(ends[1]) + MARGIN, across);
            for other in min..=max {
                let (x, y) = if along == 0 {
                    (slice, other)
                } else {
                    (other, slice)
                };
                let walls =
                    &self.solids[usize::from(y) * (usize::from(counts[0]) + 1) + usize::from(x)];
                for wall in walls.iter().flatten() {
                    reach = meet(wall);
                }
            }
        }
        nearest
    }

    fn obstacle_solids(&self) -> impl Iterator<Item = Solid> {
        self.obstacles().map(|kind| kind.solid(self.cells))
    }

    /// Rows of walls in a rectangle, and some around it.
    fn walls_in(&self, min: Vector, max: Vector) -> impl Iterator<Item = &[[Option<Solid>; 2]]> {
        let (width, height) = (self.walls.width(), self.walls.height());
        // A cast keeps within its bounds.
        let index = |at: f64| (at / self.cells.side) as u16;
        let cells = |axis: usize, side: u16| {
            let last = index(max[axis] + HALF_WALL).min(side);
            (index(min[axis] - HALF_WALL).into(), usize::from(last) + 1)
        };
        let ((first, end), (top, bottom)) = (cells(0, width), cells(1, height));
        let rows = self.solids.chunks_exact(usize::from(width) + 1);
        let rows = rows.take(bottom).skip(top);
        rows.map(move |row| row.get(first..end).unwrap_or_default())
    }
}

/// Walls of a maze on the north and the west side of each cell, and of cells beyond the last column and row.
fn solids(walls: &Maze, cells: CellGrid) -> Vec<[Option<Solid>; 2]> {
    let (width, height) = (walls.width(), walls.height());
    let rows = (0..=height).flat_map(|y| (0..=width).map(move |x| Cell::new(x, y)));
    let solid = |cell, side| walls.has_wall(cell, side).then(|| cells.wall(cell, side));
    rows.map(|cell| {
        [
            solid(cell, Side::North).filter(|_| cell.x < width),
            solid(cell, Side::West).filter(|_| cell.y < height),
        ]
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::world::rng;

    const HALF: f64 = 49.0;
    const CELLS: CellGrid = CellGrid { side: 180.0 };

    fn standing(cell: Cell) -> Pose {
        Pose {
            at: CELLS.middle(cell),
            heading: 0.0,
        }
    }

    #[test]
    fn walls_are_centred_on_edges_with_the_thickness_of_a_maze() {
        let mut walls = Maze::open(3, 3).unwrap();
        walls.set_wall(Cell::new(1, 1), Side::North, true);
        let floor = Floor::new(walls);
        let from = CELLS.middle(Cell::new(1, 1));
        let hit = |direction| floor.hit(from, direction, 400.0).unwrap().distance;
        assert_eq!(hit([0.0, -1.0]), 84.0);
        // The outer walls are a cell further.
        for direction in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]] {
            assert_eq!(hit(direction), 264.0);
        }
        assert_eq!(floor.hit(from, [1.0, 0.0], 263.0), None);
    }

    #[test]
    fn walls_of_larger_cells_are_further_apart_and_as_thick() {
        let floor = Floor::new(Maze::open(3, 3).unwrap()).with_cells_of(200);
        let (cell, from) = (Cell::new(1, 1), [300.0, 300.0]);
        assert_eq!((floor.middle(cell), floor.cell(from)), (from, cell));
        let hit = floor.hit(from, [0.0, -1.0], 400.0).unwrap();
        assert_eq!(hit.distance, 294.0);
    }

    #[test]
    fn walls_end_with_a_post() {
        let mut walls = Maze::open(3, 3).unwrap();
        walls.set_wall(Cell::new(0, 1), Side::North, true);
        let floor = Floor::new(walls);
        let past = |x| floor.hit([x, 270.0], [0.0, -1.0], 400.0).unwrap().distance;
        assert_eq!((past(185.9), past(186.1)), (84.0, 264.0));
    }

    #[test]
    fn a_ray_hits_the_nearest_of_all_solids() {
        let mut rng = rng::seeded(1);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..50 {
            let mut walls = Maze::open(5, 4).unwrap();
            for _ in 0..12 {
                let cell = Cell::new(rng.random_range(0..5), rng.random_range(0..4));
                walls.set_wall(cell, Side::ALL[rng.random_range(0..4)], rng.random());
            }
            let mut floor = Floor::new(walls);
            let leg = ObstacleKind::InCell(Cell::new(rng.random_range(0..5), 2));
            let always = Obstacle {
                kind: leg,
                from: 0,
                until: u64::MAX,
                clearance: 0.0,
            };
            floor.add_obstacle(always);
            floor.update(0, &standing(Cell::new(0, 0)), 0.0);
            let solids: Vec<Solid> = floor.solids.iter().flatten().flatten().copied().collect();
            for _ in 0..200 {
                // Also from outside.
                let from = [
                    rng.random_range(-200.0..1100.0),
                    rng.random_range(-200.0..920.0),
                ];
                let angle = match rng.random_range(0..4) {
                    0 => f64::from(rng.random_range(0..8)) * std::f64::consts::FRAC_PI_4,
                    _ => rng.random_range(0.0..std::f64::consts::TAU),
                };
                let direction = [angle.sin(), -angle.cos()];
                let all = solids.iter().copied().chain([leg.solid(CELLS)]);
                let distances = all.filter_map(|solid| Some(solid.hit(from, direction)?.distance));
                let nearest = distances
                    .filter(|&distance| distance <= 700.0)
                    .reduce(f64::min);
                let hit = floor.hit(from, direction, 700.0).map(|hit| hit.distance);
                assert_eq!(hit, nearest, "{from:?} {direction:?}");
                *if hit.is_some() {
                    &mut hits
                } else {
                    &mut misses
                } += 1;
            }
        }
        assert!(hits > 1000 && misses > 1000, "{hits} {misses}");
    }

    #[test]
    fn a_robot_fits_a_cell_and_can_turn_in_it() {
        let mut grid = Grid::filled(3, 3, true).unwrap();
        let cell = Cell::new(1, 1);
        grid.set_blocked(cell, false);
        let floor = Floor::around(&grid).unwrap();
        for eighth in 0..8 {
            let heading = f64::from(eighth) * std::f64::consts::FRAC_PI_4;
            let mut pose = standing(cell);
            pose.heading = heading;
            assert!(!floor.touches(&pose, HALF));
            pose.at[0] += 36.0;
            assert!(floor.touches(&pose, HALF));
        }
    }

    #[test]
    fn blocked_cells_have_walls_around_them_but_not_between_them() {
        let mut grid = Grid::filled(4, 3, false).unwrap();
        grid.set_blocked(Cell::new(1, 1), true);
        grid.set_blocked(Cell::new(2, 1), true);
        let floor = Floor::around(&grid).unwrap();
        let walls = floor.walls();
        let count = |cell| {
            Side::ALL
                .iter()
                .filter(|&&s| walls.has_wall(cell, s))
                .count()
        };
        assert_eq!(count(Cell::new(1, 1)), 3);
        assert!(!walls.has_wall(Cell::new(1, 1), Side::East));
        assert_eq!(count(Cell::new(0, 1)), 2);
    }

    #[test]
    fn a_door_closes_and_opens_but_never_on_the_robot() {
        let mut floor = Floor::new(Maze::open(3, 1).unwrap());
        let (door, robot) = (Cell::new(1, 0), standing(Cell::new(0, 0)));
        floor.add_obstacle(Obstacle {
            kind: ObstacleKind::Door(door, Side::West),
            from: 1000,
            until: 5000,
            clearance: 20.0,
        });
        let mut distance = |now, robot: &Pose| {
            floor.update(now, robot, HALF);
            floor
                .hit(CELLS.middle(Cell::new(2, 0)), [-1.0, 0.0], 500.0)
                .unwrap()
                .distance
        };
        assert_eq!(distance(999, &robot), 444.0);
        let mut under = robot;
        under.at[0] += 60.0;
        assert_eq!(distance(1000, &under), 444.0);
        assert_eq!(distance(2000, &robot), 264.0);
        // Once closed it stays, even with the robot near.
        assert_eq!(distance(3000, &under), 264.0);
        assert_eq!(distance(5000, &robot), 444.0);
    }

    #[test]
    fn a_leg_in_a_cell_does_not_touch_a_robot_in_the_next_one() {
        let leg = ObstacleKind::InCell(Cell::new(1, 1)).solid(CELLS);
        assert!(!leg.overlaps_square(&standing(Cell::new(1, 2)), HALF));
    }
}
