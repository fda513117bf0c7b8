//! A picture in plain characters.

use planner_core::Cell;

use super::{Look, Scene};

/// The widest map that is still readable in characters.
pub const WIDEST: u16 = 100;

/// A picture with a legend, or `None` when the map is wider than [`WIDEST`].
#[must_use]
pub fn draw(scene: &Scene<'_>) -> Option<String> {
    let (width, height) = scene.size;
    if width > WIDEST {
        return None;
    }
    let mut picture = String::new();
    for y in 0..height {
        let row: String = (0..width)
            .map(|x| character(scene.look(Cell::new(x, y))))
            .collect();
        picture.push_str(row.trim_end());
        picture.push('\n');
    }
    picture.push_str("# blocked  . free  : searched  o walked  S start  G goal  @ robot\n");
    Some(picture)
}

/// Ink for what matters: what the robot has not seen stays blank.
fn character(look: Look) -> char {
    match look {
        Look::Unknown | Look::UnknownSearched => ' ',
        Look::Free => '.',
        Look::FreeSearched => ':',
        Look::Blocked => '#',
        Look::Walked => 'o',
        Look::Start => 'S',
        Look::Goal => 'G',
        Look::Robot => '@',
    }
}
