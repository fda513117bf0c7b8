//! Animated GIFs of a robot that drives through a maze: its trail to the millimetre, its planned route with the smooth
//! turns, and the walls that it has sensed.

use anyhow::Context;
use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, map::Occupancy};
use tinystar::telemetry::Frame;

use super::gif;
use crate::{
    physics::{
        floor::Floor,
        geometry::{Pose, Vector},
    },
    telemetry::{PlannedRoute, RobotState},
    world::Maze,
};

/// Time from frame to frame: ten times as fast as the robot, and twice as fast once it has left home for the last time.
const PERIOD: Duration = Duration::from_millis(400);
const LAST_PERIOD: Duration = Duration::from_millis(80);
/// Most frames of either part; a longer one is shown faster.
const MAX_FRAMES: u32 = 400;

/// Length of the longer side in pixels, about, and the range of a cell's.
const LONGER_SIDE: i32 = 576;
const CELL: (i32, i32) = (8, 48);
/// Distance between points of the trail, in millimetres.
const TRAIL_STEP: f64 = 3.0;

// Lengths of the drawing, in millimetres.
const HALF_WALL: f64 = 8.0;
const HALF_TRAIL: f64 = 6.0;
const HALF_ROUTE: f64 = 4.0;
const DECISION: f64 = 12.0;
const ROBOT: f64 = 46.0;
/// From the centre of the robot to its nose, and half its width there.
const NOSE: (f64, f64) = (28.0, 12.0);

/// A color of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Unknown,
    Known,
    /// A wall that was not sensed.
    Wall,
    SensedWall,
    Start,
    Goal,
    /// Trail before the robot was at home for the last time.
    OldTrail,
    Trail,
    Route,
    Robot,
    Nose,
}

/// The colors, in the order of [`Ink`].
const PALETTE: [u32; 11] = [
    0xe1_e5ea, 0xfa_fbfc, 0xc3_cad2, 0x24_292f, 0xb6_d4fe, 0xb4_e3c2, 0xf7_cfa4, 0xd9_5f0e,
    0x0b_84a5, 0xd1_242f, 0xff_ffff,
];

/// Events of a step of a run.
struct Moment {
    at: Instant,
    pose: Pose,
    frames: Vec<Frame>,
}

/// A drive as it is recorded for a GIF.
pub struct DriveFilm {
    walls: Maze,
    cell_mm: f64,
    home: Cell,
    goals: Vec<Cell>,
    moments: Vec<Moment>,
}

impl DriveFilm {
    /// Film of a robot that starts in a cell of a floor.
    pub fn new(floor: &Floor, home: Cell, goals: &[Cell]) -> Self {
        Self {
            walls: floor.walls().clone(),
            cell_mm: floor.cell_mm(),
            home,
            goals: goals.to_vec(),
            moments: Vec::new(),
        }
    }

    /// Records a step: the true pose, and the telemetry since the last step.
    pub fn step(&mut self, at: Instant, pose: Pose, frames: &[Frame]) {
        let is_still = self.moments.last().is_some_and(|last| last.pose == pose);
        if !is_still || !frames.is_empty() {
            let frames = frames.to_vec();
            self.moments.push(Moment { at, pose, frames });
        }
    }

    /// Encodes the film.
    ///
    /// # Errors
    /// The maze is too large for a GIF, or nothing was recorded.
    pub fn encode(&self) -> anyhow::Result<Vec<u8>> {
        let times = self.times().context("a drive without a step")?;
        let longer = self.walls.width().max(self.walls.height());
        let side = (LONGER_SIDE / i32::from(longer)).clamp(CELL.0, CELL.1);
        let mut canvas = Canvas::new(&self.walls, side, self.cell_mm);
        let size = canvas.size.map(u16::try_from);
        let [Ok(width), Ok(height)] = size else {
            anyhow::bail!("too large for a GIF");
        };
        let palette = PALETTE.map(|rgb| rgb.to_be_bytes());
        let palette: Vec<u8> = palette.iter().flat_map(|rgb| &rgb[1..]).copied().collect();
        let mut scene = Scene::new(self);
        let mut moments = self.moments.iter().peekable();
        let pictures = times.into_iter().map(|time| {
            while let Some(moment) = moments.next_if(|moment| moment.at <= time) {
                scene.advance(moment);
            }
            scene.draw(&mut canvas);
            canvas.bytes()
        });
        gif::encode((width, height), 1, &palette, pictures)
    }

    /// Times of the frames; `None` if nothing was recorded.
    fn times(&self) -> Option<Vec<Instant>> {
        let moved = self
            .moments
            .windows(2)
            .filter(|pair| pair[0].pose != pair[1].pose);
        let first = self.moments.first()?.at;
        let last = moved.map(|pair| pair[1].at).next_back().unwrap_or(first);
        let is_home = |moment: &&Moment| self.cell(moment.pose.at) == self.home;
        let left = self
            .moments
            .iter()
            .rfind(is_home)
            .map_or(first, |moment| moment.at.min(last));
        let mut times = Vec::new();
        for (from, to, period) in [(first, left, PERIOD), (left, last, LAST_PERIOD)] {
            let period = period.max((to - from) / MAX_FRAMES);
            let mut time = from;
            while time < to {
                times.push(time);
                time += period;
            }
        }
        times.push(last);
        Some(times)
    }

    fn cell(&self, [x, y]: Vector) -> Cell {
        // A cast keeps within its bounds.
        let index = |at: f64| (at / self.cell_mm) as u16;
        Cell::new(index(x), index(y))
    }
}

/// The state of a drive at a time.
struct Scene<'f> {
    film: &'f DriveFilm,
    robot: RobotState,
    pose: Pose,
    trail: Vec<Vector>,
    /// Points of the trail up to the last time at home.
    old: usize,
}

impl<'f> Scene<'f> {
    fn new(film: &'f DriveFilm) -> Self {
        Self {
            film,
            robot: RobotState::new((film.walls.width(), film.walls.height())),
            pose: Pose::default(),
            trail: Vec::new(),
            old: 0,
        }
    }

    fn advance(&mut self, moment: &Moment) {
        for frame in &moment.frames {
            self.robot.handle(frame);
        }
        self.pose = moment.pose;
        let at = moment.pose.at;
        let is_far = |last: &Vector| f64::hypot(at[0] - last[0], at[1] - last[1]) >= TRAIL_STEP;
        if self.trail.last().is_none_or(is_far) {
            self.trail.push(at);
        }
        if self.film.cell(at) == self.film.home {
            self.old = self.trail.len();
        }
    }

    fn draw(&self, canvas: &mut Canvas) {
        let Self { film, robot, .. } = self;
        for cell in film.walls.cells() {
            canvas.cell(
                cell,
                match robot.cell(cell) {
                    _ if film.goals.contains(&cell) => Ink::Goal,
                    _ if cell == film.home => Ink::Start,
                    Occupancy::Free => Ink::Known,
                    _ => Ink::Unknown,
                },
            );
        }
        // What is known over what is not, where they meet.
        for is_sensed in [false, true] {
            for cell in film.walls.cells() {
                for side in Side::ALL {
                    if !film.walls.has_wall(cell, side) {
                        continue;
                    }
                    let is_known = robot.wall(cell, side) == Occupancy::Blocked;
                    if is_known == is_sensed {
                        let ink = if is_known { Ink::SensedWall } else { Ink::Wall };
                        canvas.wall(cell, side, ink);
                    }
                }
            }
        }
        let (old, new) = self.trail.split_at(self.old);
        canvas.line(old, HALF_TRAIL, Ink::OldTrail);
        canvas.line(new, HALF_TRAIL, Ink::Trail);
        if let Some(route) = PlannedRoute::of(robot) {
            canvas.line(&route.path(), HALF_ROUTE, Ink::Route);
            canvas.disc(route.decision_point(), DECISION, Ink::Route);
        }
        canvas.disc(self.pose.at, ROBOT, Ink::Robot);
        let (ahead, half) = NOSE;
        let nose = [-1.0, 0.0, 1.0]
            .map(|part: f64| self.pose.point(ahead - 16.0 * part.abs(), half * part));
        canvas.line(&nose, HALF_ROUTE, Ink::Nose);
    }
}

/// Pixels on which lengths are millimetres.
struct Canvas {
    size: [i32; 2],
    /// Side of a cell, and the border around the maze, in pixels.
    side: i32,
    border: i32,
    /// Pixels per millimetre.
    scale: f64,
    pixels: Vec<Ink>,
}

impl Canvas {
    fn new(walls: &Maze, side: i32, cell_mm: f64) -> Self {
        let scale = f64::from(side) / cell_mm;
        let border = (HALF_WALL * scale).ceil() as i32;
        let size =
            [walls.width(), walls.height()].map(|cells| i32::from(cells) * side + 2 * border);
        Self {
            size,
            side,
            border,
            scale,
            pixels: vec![Ink::Wall; (size[0] * size[1]) as usize],
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.pixels.iter().map(|&ink| ink as u8).collect()
    }

    /// Fills the pixels from one corner up to another that are on the canvas and `is_in`.
    fn fill(&mut self, from: [i32; 2], to: [i32; 2], ink: Ink, is_in: impl Fn(i32, i32) -> bool) {
        let [width, height] = self.size;
        for y in from[1].max(0)..to[1].min(height) {
            for x in from[0].max(0)..to[0].min(width) {
                if is_in(x, y) {
                    self.pixels[(y * width + x) as usize] = ink;
                }
            }
        }
    }

    /// North-west corner of a cell.
    fn corner(&self, cell: Cell) -> [i32; 2] {
        [cell.x, cell.y].map(|index| i32::from(index) * self.side + self.border)
    }

    fn cell(&mut self, cell: Cell, ink: Ink) {
        let from = self.corner(cell);
        self.fill(from, from.map(|at| at + self.side), ink, |_, _| true);
    }

    fn wall(&mut self, cell: Cell, side: Side, ink: Ink) {
        let half = self.border;
        let [x, y] = self.corner(cell);
        let (far_x, far_y) = (x + self.side, y + self.side);
        let (from, to) = match side {
            Side::North => ([x, y], [far_x, y]),
            Side::South => ([x, far_y], [far_x, far_y]),
            Side::West => ([x, y], [x, far_y]),
            Side::East => ([far_x, y], [far_x, far_y]),
        };
        self.fill(
            from.map(|at| at - half),
            to.map(|at| at + half),
            ink,
            |_, _| true,
        );
    }

    fn disc(&mut self, at: Vector, radius: f64, ink: Ink) {
        let radius = (radius * self.scale).max(0.8);
        let [x, y] = at.map(|at| at * self.scale + f64::from(self.border) - 0.5);
        let from = [x, y].map(|at| (at - radius).floor() as i32);
        let to = [x, y].map(|at| (at + radius).ceil() as i32 + 1);
        self.fill(from, to, ink, |px, py| {
            f64::hypot(f64::from(px) - x, f64::from(py) - y) <= radius
        });
    }

    fn line(&mut self, points: &[Vector], half: f64, ink: Ink) {
        // Half a pixel from disc to disc.
        let step = 0.5 / self.scale;
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let discs = (f64::hypot(dx, dy) / step).ceil().max(1.0) as u32;
            for number in 0..=discs {
                let part = f64::from(number) / f64::from(discs);
                self.disc([from[0] + part * dx, from[1] + part * dy], half, ink);
            }
        }
    }
}
