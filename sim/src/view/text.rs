//! Pictures in plain characters.

use planner_core::Cell;

use super::Snapshot;

/// The widest map that is still readable in characters.
pub const WIDEST: u16 = 100;

/// Draws a picture with a legend; `None` when the map is wider than [`WIDEST`].
pub fn draw(snapshot: &Snapshot) -> Option<String> {
    let (width, height) = snapshot.size;
    if width > WIDEST {
        return None;
    }
    let mut picture = String::new();
    for y in 0..height {
        let row: String = (0..width)
            .map(|x| snapshot.tile(Cell::new(x, y)).look().character)
            .collect();
        picture.push_str(row.trim_end());
        picture.push('\n');
    }
    picture.push_str("# blocked  . free  : searched  o walked  S start  G goal  @ robot\n");
    Some(picture)
}
