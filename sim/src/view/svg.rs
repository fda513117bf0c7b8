//! Pictures as SVG files.
//!
//! All cells of one kind are one path of horizontal runs, so that a large map stays a small file. The
//! background has a color of its own: a dark viewer shows the same.

use std::fmt::Write;

use planner_core::Cell;
use svg::{
    Document,
    node::element::{Circle, Group, Path, Rectangle, Text, Title},
};

use super::{Snapshot, Tile};

// All lengths are in pixels.
const LONGER_SIDE: f64 = 960.0;
const LARGEST_CELL: f64 = 24.0;
const THINNEST_TRAIL: f64 = 2.0;
const SMALLEST_MARK: f64 = 8.0;
const MARGIN: f64 = 20.0;
const LINE: f64 = 24.0;
const SWATCH: f64 = 13.0;
const FONT_SIZE: f64 = 13.0;
/// Wide enough for the longest name in the legend.
const ENTRY: f64 = 160.0;
const NARROWEST: f64 = 3.0 * ENTRY;

const PAPER: &str = "#ffffff";
const INK: &str = "#24292f";
const TRAIL: &str = "#c2410c";

/// Tiles of the ground, in the order of the legend.
const GROUND: [Tile; 6] = [
    Tile::Blocked,
    Tile::Free,
    Tile::FreeSearched,
    Tile::Unknown,
    Tile::UnknownSearched,
    Tile::Walked,
];

/// Draws what the robot knows, what was searched, and its trail, under a heading.
pub fn draw(snapshot: &Snapshot, trail: &[Cell], heading: &str) -> Document {
    let (columns, rows) = (f64::from(snapshot.size.0), f64::from(snapshot.size.1));
    let cell = (LONGER_SIDE / columns.max(rows)).min(LARGEST_CELL);
    let map_top = MARGIN + LINE;
    let map_bottom = map_top + rows * cell;

    let mut map = Group::new().set(
        "transform",
        format!("translate({MARGIN} {map_top}) scale({cell})"),
    );
    let mut entries = Vec::new();
    for tile in GROUND {
        let runs = runs(snapshot, tile);
        if !runs.is_empty() {
            map = map.add(
                Path::new()
                    .set("fill", color(tile))
                    .set("shape-rendering", "crispEdges")
                    .set("d", runs),
            );
            entries.push(tile);
        }
    }
    map = map.add(
        Path::new()
            .set("fill", "none")
            .set("stroke", TRAIL)
            .set("stroke-width", (THINNEST_TRAIL / cell).max(0.25))
            .set("stroke-linejoin", "round")
            .set("stroke-linecap", "round")
            .set("d", path_of(trail)),
    );
    let mut marks = vec![(Tile::Start, snapshot.start), (Tile::Goal, snapshot.goal)];
    if snapshot.robot != snapshot.goal {
        marks.push((Tile::Robot, snapshot.robot));
    }
    // On a large map a disc of one cell would not be seen.
    let radius = (SMALLEST_MARK / cell).max(0.84) / 2.0;
    for (tile, at) in marks {
        map = map.add(
            disc(tile, f64::from(at.x) + 0.5, f64::from(at.y) + 0.5, radius)
                .set("stroke-width", radius * 0.25),
        );
        entries.push(tile);
    }

    let inner = (columns * cell).max(NARROWEST);
    let entries_per_line = (inner / ENTRY) as usize;
    let mut legend = Group::new();
    for (index, &tile) in entries.iter().enumerate() {
        let x = MARGIN + ENTRY * (index % entries_per_line) as f64;
        let y = map_bottom + LINE * (0.5 + (index / entries_per_line) as f64);
        legend = legend.add(swatch(tile, x, y)).add(label(
            tile.look().name,
            x + 1.5 * SWATCH,
            y + 0.85 * SWATCH,
        ));
    }
    let lines = entries.len().div_ceil(entries_per_line) as f64;

    let width = (inner + 2.0 * MARGIN).ceil();
    let height = (map_bottom + LINE * (0.5 + lines) + 0.5 * MARGIN).ceil();
    let paper = Rectangle::new()
        .set("width", "100%")
        .set("height", "100%")
        .set("fill", PAPER);
    Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "system-ui, sans-serif")
        .set("font-size", FONT_SIZE)
        .add(Title::new(heading))
        .add(paper)
        .add(label(heading, MARGIN, MARGIN + 0.3 * LINE))
        .add(map)
        .add(legend)
}

/// The runs of a tile, as one path.
fn runs(snapshot: &Snapshot, tile: Tile) -> String {
    let mut path = String::new();
    for (y, row) in snapshot.rows().enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| (*a == tile) == (*b == tile)) {
            let length = run.len();
            if run[0] == tile {
                // Writing to a string cannot fail.
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            x += length;
        }
    }
    path
}

/// The trail through the centers of its cells, straight pieces in one.
fn path_of(trail: &[Cell]) -> String {
    let step = |from: Cell, to: Cell| {
        let difference = |from: u16, to: u16| i32::from(to) - i32::from(from);
        (difference(from.x, to.x), difference(from.y, to.y))
    };
    let middle = |at: Cell| (f64::from(at.x) + 0.5, f64::from(at.y) + 0.5);
    let steps: Vec<(i32, i32)> = trail.windows(2).map(|p| step(p[0], p[1])).collect();
    let mut path = String::new();
    if let Some(&start) = trail.first() {
        let (x, y) = middle(start);
        let _ = write!(path, "M{x} {y}");
    }
    for run in steps.chunk_by(PartialEq::eq) {
        let length = run.len() as i32;
        let (dx, dy) = (run[0].0 * length, run[0].1 * length);
        let _ = match (dx, dy) {
            (_, 0) => write!(path, "h{dx}"),
            (0, _) => write!(path, "v{dy}"),
            _ => write!(path, "l{dx} {dy}"),
        };
    }
    path
}

fn disc(tile: Tile, x: f64, y: f64, radius: f64) -> Circle {
    Circle::new()
        .set("cx", x)
        .set("cy", y)
        .set("r", radius)
        .set("fill", color(tile))
        .set("stroke", PAPER)
}

fn swatch(tile: Tile, x: f64, y: f64) -> Group {
    let half = SWATCH / 2.0;
    if matches!(tile, Tile::Start | Tile::Goal | Tile::Robot) {
        return Group::new().add(disc(tile, x + half, y + half, half));
    }
    let square = Rectangle::new()
        .set("x", x)
        .set("y", y)
        .set("width", SWATCH)
        .set("height", SWATCH)
        .set("fill", color(tile))
        .set("stroke", INK)
        .set("stroke-width", 0.5);
    let mut group = Group::new().add(square);
    if tile == Tile::Walked {
        group = group.add(
            Path::new()
                .set("stroke", TRAIL)
                .set("stroke-width", 3)
                .set("d", format!("M{x} {}h{SWATCH}", y + half)),
        );
    }
    group
}

fn label(text: &str, x: f64, y: f64) -> Text {
    Text::new(text).set("x", x).set("y", y).set("fill", INK)
}

fn color(tile: Tile) -> String {
    format!("#{:06x}", tile.look().rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_pieces_of_a_trail_are_merged() {
        let trail = [(0, 0), (1, 0), (2, 0), (2, 1), (1, 2), (0, 3), (0, 2)];
        let trail = trail.map(|(x, y)| Cell::new(x, y));
        assert_eq!(path_of(&trail), "M0.5 0.5h2v1l-2 2v-1");
        assert_eq!(path_of(&trail[..1]), "M0.5 0.5");
    }
}
