//! Matches the walls around a lost robot with the known map.
//!
//! The robot has looked to its four sides, along three parallel lines each. A cell matches if all of that could be
//! seen from somewhere in it. Walls that are unknown match everything, and so does what a post may hide: the true cell
//! is never excluded, as long as the map is right.

use planner_core::{Cell, Side, map::Occupancy};

use crate::{
    config::{LOOK_SHIFT_UM, LOST_STEPS},
    motion::CellSize,
    robot::Interval,
    signals::turned,
};

/// Distances from the centre of the robot to one side: along the line through its centre, and along lines at
/// [`Views::beside_um`] to the left and to the right of it.
pub type View = [Interval; 3];

/// Distances measured on the four sides of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Views {
    /// Ahead, to the right, behind, to the left.
    pub sides: [View; 4],
    /// Distance between the lines of a view, in micrometres.
    pub beside_um: i32,
}

impl Views {
    /// Views without any knowledge.
    #[must_use]
    pub const fn new(beside_um: i32) -> Self {
        Self {
            sides: [[Interval::beyond(0); 3]; 4],
            beside_um,
        }
    }
}

/// Values from `low` to `high`, in micrometres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub low: i32,
    /// Largest value.
    pub high: i32,
}

impl Range {
    /// Range from one value to another.
    #[must_use]
    pub const fn new(low: i32, high: i32) -> Self {
        Self { low, high }
    }

    /// Half its width.
    #[must_use]
    pub const fn half(self) -> i32 {
        (self.high - self.low) / 2
    }

    /// Its middle.
    #[must_use]
    pub const fn middle(self) -> i32 {
        self.low + self.half()
    }

    /// The range, moved by a distance.
    const fn shifted(self, um: i32) -> Self {
        Self::new(self.low + um, self.high + um)
    }

    fn negated(self) -> Self {
        Self::new(-self.high, -self.low)
    }

    /// Values that are in both.
    fn intersection(self, other: Self) -> Option<Self> {
        let both = Self::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// Least range that contains both.
    fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }
}

/// Places where the robot may be, relative to the centre of a cell in the frame of its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Forward of the centre.
    pub forward: Range,
    /// Right of the centre.
    pub lateral: Range,
}

impl Area {
    /// Half its larger side.
    pub(super) fn half(&self) -> i32 {
        self.forward.half().max(self.lateral.half())
    }

    /// Position towards a side of the robot, and to the right of that direction; sides are counted in quarter turns
    /// to the right.
    pub(super) fn towards(&self, quarters: usize) -> (Range, Range) {
        let Self { forward, lateral } = *self;
        match quarters {
            0 => (forward, lateral),
            1 => (lateral, forward.negated()),
            2 => (forward.negated(), lateral.negated()),
            _ => (lateral.negated(), forward),
        }
    }

    /// The same area for a robot that has turned to the right.
    pub(super) fn turned_right(self) -> Self {
        let (forward, lateral) = self.towards(1);
        Self { forward, lateral }
    }

    fn shifted(self, forward_um: i32, lateral_um: i32) -> Self {
        Self {
            forward: self.forward.shifted(forward_um),
            lateral: self.lateral.shifted(lateral_um),
        }
    }

    /// Least area that contains both.
    fn hull(self, other: Self) -> Self {
        Self {
            forward: self.forward.hull(other.forward),
            lateral: self.lateral.hull(other.lateral),
        }
    }

    /// The same with another position towards a side.
    fn with(mut self, quarters: usize, position: Range) -> Self {
        match quarters {
            0 => self.forward = position,
            1 => self.lateral = position,
            2 => self.forward = position.negated(),
            _ => self.lateral = position.negated(),
        }
        self
    }
}

/// Walls that matter for a view to one side.
#[derive(Clone, Copy, Debug)]
struct Walls {
    /// On the side of the cell.
    own: Occupancy,
    /// On the same side of the cells to the left and to the right of it.
    beside: [Occupancy; 2],
    /// On the same side of the next cell.
    next: Occupancy,
}

/// Distance from the centre of a cell, as a part of 180 of its side, within which nothing but the wall on its own edge
/// is seen: beyond, the cone of a receiver meets the post.
const INNER: i32 = 50;
/// As [`INNER`], within which a wall on the edge is seen, and nothing beside it.
const WALL: i32 = 80;
/// As [`INNER`], beyond which nothing on the edge of the cell itself is seen.
const EDGE: i32 = 110;
/// As [`INNER`], within which a wall of the next cell is seen whole.
const NEXT_INNER: i32 = 30;
/// As [`INNER`], of the edge of the cell and what its neighbor is matched with as well.
const OUTER: i32 = 95;
/// As [`INNER`], in front of which no wall of the next cell is, nor its posts or sides in a receiver's cone.
const NEXT_NEAREST: i32 = 200;
/// Least distance of the robot's centre from a post, ahead or sideways, in micrometres: its receivers are 45 mm from the
/// centre, half a post is 6 mm, and it shifts by [`LOOK_SHIFT_UM`].
const POST_UM: i32 = 40_000;
/// Borders of the parts of a cell that are matched one by one: only in the middle are all three lines within [`INNER`].
const BORDERS: [i32; 8] = [-OUTER, -WALL, -INNER, -20, 20, INNER, WALL, OUTER];

/// Part of an area of a cell in which the views of a robot with a heading could be seen.
#[must_use]
pub fn match_cell(
    wall: impl Fn(Cell, Side) -> Occupancy,
    size: CellSize,
    (cell, heading): (Cell, Side),
    area: Area,
    views: &Views,
) -> Option<Area> {
    let of = |cell: Option<Cell>, side| cell.map_or(Occupancy::Blocked, |cell| wall(cell, side));
    let walls = [0, 1, 2, 3].map(|quarters| {
        let side = turned(heading, quarters);
        Walls {
            own: wall(cell, side),
            beside: [side.left(), side.right()].map(|to| of(cell.neighbor(to), side)),
            next: of(cell.neighbor(side), side),
        }
    });
    let parts = |whole: Range| {
        BORDERS.windows(2).filter_map(move |ends| {
            Range::new(size.part_um(ends[0]), size.part_um(ends[1])).intersection(whole)
        })
    };
    let mut found: Option<Area> = None;
    for forward in parts(area.forward) {
        for lateral in parts(area.lateral) {
            let part = Area { forward, lateral };
            if !is_on_post(&walls, size, &part)
                && let Some(part) = match_part(&walls, size, part, views)
            {
                found = Some(found.map_or(part, |found| found.hull(part)));
            }
        }
    }
    found
}

/// Returns whether a robot anywhere in a part of a cell would stand on a post: where two edges meet of which one is
/// blocked.
fn is_on_post(walls: &[Walls; 4], size: CellSize, part: &Area) -> bool {
    let nearest = size.um() / 2 - POST_UM;
    (0..4).any(|quarters| {
        let (side, right) = (&walls[quarters], &walls[(quarters + 1) % 4]);
        let (position, across) = part.towards(quarters);
        position.low >= nearest
            && across.low >= nearest
            && [side.own, right.own, side.beside[1], right.beside[0]].contains(&Occupancy::Blocked)
    })
}

/// Part of an area in which the views could be seen.
fn match_part(walls: &[Walls; 4], size: CellSize, mut area: Area, views: &Views) -> Option<Area> {
    for (quarters, view) in views.sides.iter().enumerate() {
        let shifts = [0, -views.beside_um, views.beside_um];
        for (distance, shift) in view.iter().zip(shifts) {
            let (position, across) = area.towards(quarters);
            let across = Range::new(across.low + shift, across.high + shift);
            let seen = positions(&walls[quarters], size, across, *distance)?;
            area = area.with(quarters, position.intersection(seen)?);
        }
    }
    Some(area)
}

/// Positions towards a side from which a distance could be seen along lines that are `across` to the right of the
/// centre of the cell.
fn positions(walls: &Walls, size: CellSize, across: Range, distance: Interval) -> Option<Range> {
    use Occupancy::{Blocked, Free};
    let near = distance.near - LOOK_SHIFT_UM;
    let far = distance.far.saturating_add(LOOK_SHIFT_UM);
    let reaches = |part: i32| {
        [
            across.low < -size.part_um(part),
            across.high > size.part_um(part),
        ]
    };
    let is_within =
        |part: i32| across.low < size.part_um(part) && across.high > -size.part_um(part);
    let beside = |is: Occupancy| {
        let sides = reaches(WALL).into_iter().zip(walls.beside);
        sides
            .into_iter()
            .any(|(reaches, beside)| reaches && beside != is)
    };
    // A post is a wall, too.
    let may_be_wall =
        walls.own != Free && is_within(EDGE) || reaches(INNER).contains(&true) || beside(Free);
    let may_be_free = walls.own != Blocked && is_within(EDGE) || beside(Blocked);
    let face = size.wall_face_um();
    let to_line = |line: i32| Range::new(line.saturating_sub(far), line - near);
    let by_wall = may_be_wall.then(|| to_line(face));
    let by_free = may_be_free.then(|| {
        let next_inner = size.part_um(NEXT_INNER);
        let is_whole = across.low >= -next_inner && across.high <= next_inner;
        if is_whole && walls.own == Free && walls.next == Blocked {
            to_line(face + size.um())
        } else {
            Range::new(size.part_um(NEXT_NEAREST).saturating_sub(far), size.um())
        }
    });
    match (by_wall, by_free) {
        (Some(wall), Some(free)) => Some(wall.hull(free)),
        (wall, free) => wall.or(free),
    }
}

/// Cells of the square around the belief: [`LOST_STEPS`] to each side.
const SPAN: u8 = 2 * LOST_STEPS + 1;

/// Set of cells in that square, a bit each, row by row.
pub(super) type Cells = u64;

/// Matches the views with the cells around the one where the robot takes itself to be, one cell per step.
#[derive(Clone, Copy, Debug)]
pub struct WallMatcher {
    views: Views,
    size: CellSize,
    /// Cell and heading where the robot takes itself to be.
    belief: (Cell, Side),
    /// Area in which it may be, relative to the centre of that cell.
    area: Area,
    /// Cells where it may be: those that can be reached over edges that are not known to be blocked.
    reachable: Cells,
    /// Steps left for that.
    steps: u8,
    /// Next cell to be matched.
    next: u8,
    found: Option<Area>,
    /// Cells that contain a part of the area found.
    matched: Cells,
}

impl WallMatcher {
    /// Matcher of a robot that takes itself to be in a cell with a heading, and may be within an area around the centre
    /// of that cell. `before` are the cells that [matched](Self::matched) before the robot moved by less than a cell: only
    /// those and their neighbors are searched.
    #[must_use]
    pub fn new(
        views: Views,
        size: CellSize,
        belief: (Cell, Side),
        area: Area,
        before: Option<Cells>,
    ) -> Self {
        const { assert!(SPAN as u32 * SPAN as u32 <= Cells::BITS) };
        Self {
            views,
            size,
            belief,
            area,
            reachable: before.unwrap_or(1 << (LOST_STEPS * SPAN + LOST_STEPS)),
            steps: before.map_or(LOST_STEPS, |_| 1),
            next: 0,
            found: None,
            matched: 0,
        }
    }

    /// Cells around the one where the robot takes itself to be in which the views could be seen.
    pub(super) const fn matched(&self) -> Cells {
        self.matched
    }

    /// Advances by one step of the reachable cells, or by one cell. Returns after the last one the least area that
    /// contains all places that match; [`None`] within if there is none, as the walls have changed, or if the robot may
    /// have left the square.
    pub fn step(&mut self, wall: impl Fn(Cell, Side) -> Occupancy) -> Option<Option<Area>> {
        if self.steps > 0 {
            self.steps -= 1;
            let Some(cells) = self.widened(&wall) else {
                return Some(None);
            };
            self.reachable = cells;
            return None;
        }
        while self.next < SPAN * SPAN {
            let number = self.next;
            self.next += 1;
            if self.reachable >> number & 1 != 0
                && let Some(cell) = self.cell(number)
            {
                self.match_cell(wall, number, cell);
                return None;
            }
        }
        Some(self.found)
    }

    fn match_cell(&mut self, wall: impl Fn(Cell, Side) -> Occupancy, number: u8, cell: Cell) {
        let heading = self.belief.1;
        let (forward, lateral) = offset(number, heading);
        let um = self.size.um();
        let inside = self.area.shifted(-forward * um, -lateral * um);
        let matched = match_cell(wall, self.size, (cell, heading), inside, &self.views);
        if let Some(area) = matched.map(|area| area.shifted(forward * um, lateral * um)) {
            self.found = Some(self.found.map_or(area, |found| found.hull(area)));
            self.matched |= 1 << number;
        }
    }

    /// The reachable cells, and their neighbors over edges that are not known to be blocked; `None` if one of them is
    /// outside of the square.
    fn widened(&self, wall: impl Fn(Cell, Side) -> Occupancy) -> Option<Cells> {
        const LAST: u8 = SPAN - 1;
        let mut cells = self.reachable;
        for number in (0..SPAN * SPAN).filter(|number| self.reachable >> number & 1 != 0) {
            let Some(cell) = self.cell(number) else {
                continue;
            };
            let (column, row) = (number % SPAN, number / SPAN);
            for (side, to) in [
                (Side::North, (row > 0).then(|| number - SPAN)),
                (Side::East, (column < LAST).then(|| number + 1)),
                (Side::South, (row < LAST).then(|| number + SPAN)),
                (Side::West, (column > 0).then(|| number - 1)),
            ] {
                if wall(cell, side) != Occupancy::Blocked {
                    cells |= 1 << to?;
                }
            }
        }
        Some(cells)
    }

    /// Cell with a number in the square; `None` off the map.
    fn cell(&self, number: u8) -> Option<Cell> {
        let at =
            |center: u16, place: u8| (center + u16::from(place)).checked_sub(u16::from(LOST_STEPS));
        let center = self.belief.0;
        Some(Cell::new(
            at(center.x, number % SPAN)?,
            at(center.y, number / SPAN)?,
        ))
    }
}

/// Cells ahead and to the right from the middle of the square to the cell with a number, for a heading.
fn offset(number: u8, heading: Side) -> (i32, i32) {
    let place = |index: u8| i32::from(index) - i32::from(LOST_STEPS);
    let (east, south) = (place(number % SPAN), place(number / SPAN));
    match heading {
        Side::North => (-south, east),
        Side::East => (east, south),
        Side::South => (south, -east),
        Side::West => (-east, -south),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::vec::Vec;

    extern crate std;

    use super::*;
    use crate::config::RELOCALISED_UM;

    /// Cells per side of the maze.
    const SIDE: u16 = 9;
    const SIZE: CellSize = CellSize::mm(180);
    const BESIDE: i32 = 30_000;
    /// Distances from the centre at which a receiver tells further from nearer.
    const THRESHOLDS: [i32; 6] = [94_000, 132_000, 171_000, 208_000, 247_000, 285_000];

    /// Maze with what is known of it, and a robot in it.
    struct World {
        random: u64,
        /// North and west walls of each cell: whether they stand, and whether that is known.
        walls: Vec<[(bool, bool); 2]>,
        cell: Cell,
        heading: Side,
        /// Place in the cell.
        forward: i32,
        lateral: i32,
    }

    impl World {
        /// Maze in which so many per cent of the walls stand and so many are known.
        fn new(seed: u64, stand: i32, known: i32) -> Self {
            let mut world = Self {
                random: seed,
                walls: Vec::new(),
                cell: Cell::new(0, 0),
                heading: Side::North,
                forward: 0,
                lateral: 0,
            };
            for _ in 0..SIDE * SIDE {
                let pair = [(); 2].map(|()| {
                    let stands = world.below(100) < stand;
                    (stands, world.below(100) < known)
                });
                world.walls.push(pair);
            }
            let place = |world: &mut Self| world.below(SIDE.into()) as u16;
            world.cell = Cell::new(place(&mut world), place(&mut world));
            world.heading = Side::ALL[world.below(4) as usize];
            let coordinate = |world: &mut Self, quarters: i8| {
                let side = turned(world.heading, quarters);
                let room = |world: &Self, side| match world.truth(world.cell, side) {
                    Occupancy::Blocked => 35_000,
                    _ => 90_000,
                };
                let (behind, before) = (room(world, side.opposite()), room(world, side));
                world.below(behind + before + 1) - behind
            };
            let forward = coordinate(&mut world, 0);
            // Where it is off the centre, it fits between the posts.
            let lateral = coordinate(&mut world, 1);
            let most = if forward.abs() > 35_000 {
                35_000
            } else {
                90_000
            };
            world.forward = forward;
            world.lateral = lateral.clamp(-most, most);
            world
        }

        fn below(&mut self, bound: i32) -> i32 {
            self.random = self
                .random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.random >> 33) % bound as u64) as i32
        }

        fn entry(&self, cell: Cell, side: Side) -> Option<(bool, bool)> {
            let (cell, index) = match side {
                Side::North => (cell, 0),
                Side::West => (cell, 1),
                Side::South => (cell.neighbor(Side::South)?, 0),
                Side::East => (cell.neighbor(Side::East)?, 1),
            };
            let is_inner = cell.x < SIDE && cell.y < SIDE && [cell.y, cell.x][index] > 0;
            let number = usize::from(cell.y) * usize::from(SIDE) + usize::from(cell.x);
            is_inner.then(|| self.walls[number][index])
        }

        fn truth(&self, cell: Cell, side: Side) -> Occupancy {
            match self.entry(cell, side) {
                Some((false, _)) => Occupancy::Free,
                _ => Occupancy::Blocked,
            }
        }

        fn known(&self, cell: Cell, side: Side) -> Occupancy {
            match self.entry(cell, side) {
                Some((_, false)) => Occupancy::Unknown,
                _ => self.truth(cell, side),
            }
        }

        /// Distance to the first wall along a line to a side, in a cell or beside it, from a place relative to its
        /// centre; unknown walls stand or not.
        fn distance(
            wall: &impl Fn(Cell, Side) -> Occupancy,
            mut cell: Cell,
            side: Side,
            (position, mut across): (i32, i32),
            unknown_stand: bool,
        ) -> i32 {
            for (to, by) in [(side.right(), 180_000_i32), (side.left(), -180_000)] {
                if across.signum() == by.signum() && across.abs() > 90_000 {
                    across -= by;
                    cell = cell.neighbor(to).unwrap_or(cell);
                }
            }
            for line in 0.. {
                let stands = match wall(cell, side) {
                    Occupancy::Blocked => true,
                    Occupancy::Unknown => unknown_stand,
                    Occupancy::Free => false,
                };
                // A post, at the latest.
                if stands || across.abs() >= 84_000 {
                    return 84_000 + line * 180_000 - position;
                }
                cell = cell.neighbor(side).unwrap_or(cell);
            }
            unreachable!("the maze has outer walls");
        }

        /// All distances from a place in a cell, by side and line.
        fn distances(
            &self,
            wall: impl Fn(Cell, Side) -> Occupancy,
            cell: Cell,
            (forward, lateral): (i32, i32),
            unknown_stand: bool,
        ) -> [[i32; 3]; 4] {
            let point = |at| Range::new(at, at);
            let area = Area {
                forward: point(forward),
                lateral: point(lateral),
            };
            [0, 1, 2, 3].map(|quarters: usize| {
                let side = turned(self.heading, quarters as i8);
                let (position, across) = area.towards(quarters);
                [0, -BESIDE, BESIDE].map(|shift| {
                    let at = (position.low, across.low + shift);
                    Self::distance(&wall, cell, side, at, unknown_stand)
                })
            })
        }

        /// Readings of the robot: between two thresholds, and with an error.
        fn views(&mut self) -> Views {
            let place = (self.forward, self.lateral);
            let exact = self.distances(|cell, side| self.truth(cell, side), self.cell, place, true);
            let sides = exact.map(|line| {
                line.map(|exact| {
                    let sensed = exact + self.below(16_000) - 8_000;
                    let far = THRESHOLDS.into_iter().find(|&far| sensed <= far);
                    let near = THRESHOLDS.into_iter().rev().find(|&near| sensed > near);
                    Interval {
                        near: near.unwrap_or(45_000),
                        far: far.unwrap_or(Interval::FAR),
                    }
                })
            });
            Views {
                sides,
                beside_um: BESIDE,
            }
        }

        /// Estimated cell of the robot, and the area of its uncertainty, which contains the true position.
        fn belief(&mut self) -> (Cell, Area) {
            let mut cell = self.cell;
            let (mut forward, mut lateral) = (self.forward, self.lateral);
            for _ in 0..self.below(3) {
                let quarters = self.below(4) as i8;
                let side = turned(self.heading, quarters);
                if self.known(cell, side) != Occupancy::Blocked
                    && let Some(next) = cell
                        .neighbor(side)
                        .filter(|next| next.x < SIDE && next.y < SIDE)
                {
                    cell = next;
                    match quarters {
                        0 => forward -= 180_000,
                        1 => lateral -= 180_000,
                        2 => forward += 180_000,
                        _ => lateral += 180_000,
                    }
                }
            }
            let mut around = |at: i32| {
                let (before, behind) = (self.below(200_000), self.below(200_000));
                Range::new(at.min(0) - before, at.max(0) + behind)
            };
            let (forward, lateral) = (around(forward), around(lateral));
            (cell, Area { forward, lateral })
        }

        /// Runs a matcher to its end.
        fn find(&self, views: Views, (cell, area): (Cell, Area)) -> (Option<Area>, u32) {
            self.run(&mut WallMatcher::new(
                views,
                SIZE,
                (cell, self.heading),
                area,
                None,
            ))
        }

        fn run(&self, matcher: &mut WallMatcher) -> (Option<Area>, u32) {
            for steps in 1.. {
                if let Some(found) = matcher.step(|cell, side| self.known(cell, side)) {
                    return (found, steps);
                }
            }
            unreachable!("a matcher ends");
        }

        /// Drives half a cell ahead, if there is room; returns whether there was.
        fn drive(&mut self) -> bool {
            self.forward += 90_000;
            let is_free = self.truth(self.cell, self.heading) == Occupancy::Free;
            if is_free && self.forward > 90_000 && self.lateral.abs() <= 35_000 {
                self.forward -= 180_000;
                self.cell = self.cell.neighbor(self.heading).unwrap();
            }
            let is_between_posts = self.forward.abs() <= 35_000 || self.lateral.abs() <= 35_000;
            is_between_posts && self.forward <= if is_free { 90_000 } else { 35_000 }
        }

        /// All places of a grid in an area around the belief from which the views could be seen, by brute force.
        fn possible(&self, views: &Views, (belief, area): (Cell, Area)) -> Vec<(i32, i32)> {
            let known = |cell, side| self.known(cell, side);
            let mut cells = std::vec![belief];
            for _ in 0..LOST_STEPS {
                for cell in cells.clone() {
                    for side in Side::ALL {
                        let next = cell.neighbor(side);
                        let next = next.filter(|_| known(cell, side) != Occupancy::Blocked);
                        cells.extend(next.filter(|next| !cells.contains(next)));
                    }
                }
            }
            let mut places = Vec::new();
            for cell in cells {
                let (east, south) = (
                    (i32::from(cell.x) - i32::from(belief.x)) * 180_000,
                    (i32::from(cell.y) - i32::from(belief.y)) * 180_000,
                );
                let (cell_forward, cell_lateral) = match self.heading {
                    Side::North => (-south, east),
                    Side::East => (east, south),
                    Side::South => (south, -east),
                    Side::West => (-east, -south),
                };
                for forward in (-90_000..=90_000).step_by(15_000) {
                    for lateral in (-90_000..=90_000).step_by(15_000) {
                        let at = (forward + cell_forward, lateral + cell_lateral);
                        let contains =
                            |range: Range, at: i32| (range.low..=range.high).contains(&at);
                        if !contains(area.forward, at.0) || !contains(area.lateral, at.1) {
                            continue;
                        }
                        let near = self.distances(known, cell, (forward, lateral), true);
                        let far = self.distances(known, cell, (forward, lateral), false);
                        // Not on a post.
                        if forward.abs() >= 50_000 && lateral.abs() >= 50_000 {
                            continue;
                        }
                        let near = near.as_flattened().iter().zip(far.as_flattened());
                        let seen = views.sides.as_flattened().iter();
                        // Unknown walls stand or not, and the robot shifts when it turns.
                        let is_possible = |((near, far), seen): ((&i32, &i32), &Interval)| {
                            near - LOOK_SHIFT_UM <= seen.far && far + LOOK_SHIFT_UM > seen.near
                        };
                        if near.zip(seen).all(is_possible) {
                            places.push(at);
                        }
                    }
                }
            }
            places
        }
    }

    fn contains(area: &Area, (forward, lateral): (i32, i32)) -> bool {
        (area.forward.low..=area.forward.high).contains(&forward)
            && (area.lateral.low..=area.lateral.high).contains(&lateral)
    }

    /// Place of the robot, relative to the centre of the cell where it takes itself to be.
    fn relative(world: &World, belief: Cell) -> (i32, i32) {
        let step = |to: u16, from: u16| (i32::from(to) - i32::from(from)) * 180_000;
        let (east, south) = (step(world.cell.x, belief.x), step(world.cell.y, belief.y));
        let (forward, lateral) = match world.heading {
            Side::North => (-south, east),
            Side::East => (east, south),
            Side::South => (south, -east),
            Side::West => (-east, -south),
        };
        (world.forward + forward, world.lateral + lateral)
    }

    proptest! {
        #[test]
        fn the_area_contains_the_robot_and_all_that_brute_force_finds(
            seed in any::<u64>(),
            stand in 20..80_i32,
            known in 30..=100_i32,
        ) {
            let mut world = World::new(seed, stand, known);
            let (views, belief) = (world.views(), world.belief());
            let (found, steps) = world.find(views, belief);
            prop_assert!(steps <= 55, "{}", steps);
            let found = found.unwrap();
            let truth = relative(&world, belief.0);
            prop_assert!(contains(&found, truth), "{:?} {:?}", truth, found);
            for place in world.possible(&views, belief) {
                prop_assert!(contains(&found, place), "{:?} {:?}", place, found);
            }
        }
    }

    #[test]
    fn a_robot_that_has_moved_on_is_in_the_area_or_may_have_left_the_square() {
        let (mut moved, mut left) = (0, 0);
        for seed in 0..4_000 {
            let mut world = World::new(seed, 50, 80);
            let (views, (belief, area)) = (world.views(), world.belief());
            let belief = (belief, world.heading);
            let mut matcher = WallMatcher::new(views, SIZE, belief, area, None);
            let found = world.run(&mut matcher).0.unwrap();
            let before = matcher.matched();
            if !world.drive() {
                continue;
            }
            moved += 1;
            let area = found.shifted(90_000, 0);
            let mut matcher = WallMatcher::new(world.views(), SIZE, belief, area, Some(before));
            match world.run(&mut matcher).0 {
                Some(found) => {
                    let truth = relative(&world, belief.0);
                    assert!(contains(&found, truth), "{seed}: {truth:?} {found:?}");
                }
                None => left += 1,
            }
        }
        assert!(moved > 1_000 && left * 4 < moved, "{left} of {moved}");
    }

    #[test]
    fn four_of_five_places_that_are_unique_are_found() {
        let (mut unique, mut found) = (0, 0);
        for seed in 0..4_000 {
            let mut world = World::new(seed, 50, 90);
            let (views, belief) = (world.views(), world.belief());
            let places = world.possible(&views, belief);
            let spread = |of: fn(&(i32, i32)) -> i32| {
                let (least, most) = (places.iter().map(of).min(), places.iter().map(of).max());
                most.unwrap_or(0) - least.unwrap_or(0)
            };
            if !places.is_empty() && spread(|at| at.0) <= 90_000 && spread(|at| at.1) <= 90_000 {
                unique += 1;
                let area = world.find(views, belief).0.unwrap();
                let half = area.forward.half().max(area.lateral.half());
                found += u32::from(half <= RELOCALISED_UM);
            }
        }
        assert!(unique > 200, "{unique}");
        assert!(found * 5 >= unique * 4, "{found} of {unique}");
    }

    #[test]
    fn walls_that_contradict_the_map_are_found_nowhere() {
        let mut world = World::new(1, 0, 100);
        (world.cell, world.forward, world.lateral) = (Cell::new(4, 4), 0, 0);
        let mut views = world.views();
        // Something right ahead, on an open floor.
        views.sides[0] = [Interval {
            near: 45_000,
            far: 90_000,
        }; 3];
        let around = Range::new(-50_000, 50_000);
        let area = Area {
            forward: around,
            lateral: around,
        };
        assert_eq!(world.find(views, (world.cell, area)).0, None);
    }
}
