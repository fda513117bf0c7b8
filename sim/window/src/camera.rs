//! Which part of the map is seen.

use egui::{Pos2, Rect, Vec2, pos2, vec2};
use planner_core::Cell;

/// The most pixels for a cell.
pub const LARGEST: f32 = 160.0;
/// Free space around a map that is shown as a whole, in pixels.
const MARGIN: f32 = 8.0;

/// A place on the map, and how large it is shown; the same for maps side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Camera {
    /// The center in cells, and pixels per cell; `None` when the whole map is shown.
    close: Option<(Pos2, f32)>,
}

impl Camera {
    /// So many pixels for a cell, around a place.
    pub fn close_to(cell: Cell, pixels: f32) -> Self {
        Self {
            close: Some((middle(cell), pixels)),
        }
    }

    /// Shows all.
    pub fn fit(&mut self) {
        self.close = None;
    }

    /// The view of a map of `size` in `rect`.
    pub fn view(&self, rect: Rect, size: (u16, u16)) -> View {
        let cells = vec2(size.0.into(), size.1.into());
        let fitting = ((rect.size() - Vec2::splat(2.0 * MARGIN)) / cells).min_elem();
        let (centre, scale) = self.close.unwrap_or(((cells / 2.0).to_pos2(), fitting));
        View {
            rect,
            size,
            scale: scale.clamp(fitting.clamp(0.01, 1.0), LARGEST),
            centre,
        }
    }

    /// Moves the map under the pointer.
    pub fn pan(&mut self, view: &View, by: Vec2) {
        let centre = view.centre - by / view.scale;
        let (width, height) = view.size;
        let inside = centre.clamp(Pos2::ZERO, pos2(width.into(), height.into()));
        self.close = Some((inside, view.scale));
    }

    /// Shows more or less, and the same under the pointer.
    pub fn zoom(&mut self, view: &View, by: f32, at: Pos2) {
        let fitting = Camera::default().view(view.rect, view.size).scale;
        let scale = (view.scale * by).min(LARGEST);
        if scale <= fitting {
            return self.fit();
        }
        let there = view.place(at);
        let centre = there - (at - view.rect.center()) / scale;
        self.close = Some((centre, scale));
    }
}

/// The middle of a cell, in cells.
fn middle(cell: Cell) -> Pos2 {
    pos2(f32::from(cell.x) + 0.5, f32::from(cell.y) + 0.5)
}

/// A map in a rectangle of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub rect: Rect,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Pixels for a cell.
    pub scale: f32,
    /// The center of the rectangle, in cells.
    centre: Pos2,
}

impl View {
    /// The window position of a map position.
    pub fn at(&self, place: Pos2) -> Pos2 {
        self.rect.center() + (place - self.centre) * self.scale
    }

    /// The place of the map at a point of the window.
    pub fn place(&self, at: Pos2) -> Pos2 {
        self.centre + (at - self.rect.center()) / self.scale
    }

    /// The middle of a cell.
    pub fn middle(&self, cell: Cell) -> Pos2 {
        self.at(middle(cell))
    }

    /// The rectangle of a cell.
    pub fn square(&self, cell: Cell) -> Rect {
        Rect::from_center_size(self.middle(cell), Vec2::splat(self.scale))
    }

    /// The whole map.
    pub fn map(&self) -> Rect {
        let corner = pos2(self.size.0.into(), self.size.1.into());
        Rect::from_min_max(self.at(Pos2::ZERO), self.at(corner))
    }

    /// The cell at a point of the window.
    pub fn cell(&self, at: Pos2) -> Option<Cell> {
        let place = self.place(at);
        let inside = |place: f32, length: u16| place >= 0.0 && place < f32::from(length);
        (inside(place.x, self.size.0) && inside(place.y, self.size.1))
            .then(|| Cell::new(place.x as u16, place.y as u16))
    }

    /// The cells that are seen, in part at least.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (columns, rows) = self.seen();
        rows.flat_map(move |y| columns.clone().map(move |x| Cell::new(x, y)))
    }

    /// The columns and rows that are seen, in part at least.
    pub fn seen(&self) -> (std::ops::Range<u16>, std::ops::Range<u16>) {
        let (first, last) = (self.place(self.rect.min), self.place(self.rect.max));
        let range = |first: f32, last: f32, length: u16| {
            let clamp = |place: f32| place.clamp(0.0, length.into()) as u16;
            clamp(first.floor())..clamp(last.ceil())
        };
        (
            range(first.x, last.x, self.size.0),
            range(first.y, last.y, self.size.1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect {
        min: pos2(100.0, 50.0),
        max: pos2(500.0, 350.0),
    };

    #[test]
    fn a_whole_map_fits_and_is_in_the_middle() {
        let view = Camera::default().view(RECT, (40, 10));
        assert!(RECT.contains_rect(view.map()));
        assert_eq!(view.map().center(), RECT.center());
        assert_eq!(view.seen(), (0..40, 0..10));
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = Camera::default();
        let at = pos2(222.0, 180.0);
        for by in [1.5, 3.0, 0.8] {
            let view = camera.view(RECT, (60, 60));
            let before = view.place(at);
            camera.zoom(&view, by, at);
            let after = camera.view(RECT, (60, 60)).place(at);
            assert!((before - after).length() < 1e-3);
        }
        let view = camera.view(RECT, (60, 60));
        camera.zoom(&view, 0.01, at);
        assert_eq!(camera, Camera::default());
    }

    #[test]
    fn a_cell_is_found_where_it_is_drawn() {
        let mut camera = Camera::close_to(Cell::new(7, 3), 30.0);
        camera.pan(&camera.view(RECT, (60, 60)), vec2(12.0, -9.0));
        let view = camera.view(RECT, (60, 60));
        for cell in [Cell::new(0, 0), Cell::new(7, 3), Cell::new(59, 59)] {
            assert_eq!(view.cell(view.middle(cell)), Some(cell));
        }
        assert_eq!(view.cell(view.at(pos2(60.5, 3.0))), None);
        assert_eq!(view.cell(view.at(pos2(-0.5, 3.0))), None);
    }
}
