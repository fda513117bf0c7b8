//! Pictures in plain characters.

use planner_core::Cell;

use super::{Snapshot, Tile};

/// The widest map that is still readable in characters.
pub const WIDEST: u16 = 100;

/// Draws a picture with a legend; `None` when the map is wider than [`WIDEST`].
#[must_use]
pub fn draw(snapshot: &Snapshot) -> Option<String> {
    let (width, height) = snapshot.size;
    if width > WIDEST {
        return None;
    }
    let mut picture = String::new();
    for y in 0..height {
        let row: String = (0..width)
            .map(|x| character(snapshot.tile(Cell::new(x, y))))
            .collect();
        picture.push_str(row.trim_end());
        picture.push('\n');
    }
    picture.push_str("# blocked  . free  : searched  o walked  S start  G goal  @ robot\n");
    Some(picture)
}

/// The character of a tile; unknown cells stay blank.
fn character(tile: Tile) -> char {
    match tile {
        Tile::Unknown | Tile::UnknownSearched => ' ',
        Tile::Free => '.',
        Tile::FreeSearched => ':',
        Tile::Blocked => '#',
        Tile::Walked => 'o',
        Tile::Start => 'S',
        Tile::Goal => 'G',
        Tile::Robot => '@',
    }
}
