//! A map with what is going on there.
//!
//! Cells are the pixels of a texture, which is made again only when there is something else to see; all
//! else is drawn as shapes, and only where it is seen. So a frame costs the same however long the run.

use egui::{
    Align2, Color32, ColorImage, FontId, PointerButton, Pos2, Rect, Response, Sense, Shape, Stroke,
    StrokeKind, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, epaint::CircleShape, pos2,
    vec2,
};
use planner_core::{Cell, map::Occupancy};
use serde::{Deserialize, Serialize};

use crate::{
    camera::{Camera, View},
    palette::{Palette, SEARCHED, ink_on, mix, ramp},
    snapshot::{CellSnapshot, Cost, MapPoint, Pose, Route, Snapshot},
};

/// The value that colors cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layer {
    /// Their occupancy.
    #[default]
    Map,
    G,
    Rhs,
    H,
    Key,
}

impl Layer {
    pub const ALL: [Self; 5] = [Self::Map, Self::G, Self::Rhs, Self::H, Self::Key];

    /// The name on the command line and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::G => "g",
            Self::Rhs => "rhs",
            Self::H => "h",
            Self::Key => "key",
        }
    }

    /// The value of a cell that decides its color.
    fn of(self, cell: &CellSnapshot) -> Cost {
        match self {
            Self::Map => Cost::None,
            Self::G => cell.g,
            Self::Rhs => cell.rhs,
            Self::H => cell.h,
            Self::Key => cell.key.map_or(Cost::None, |key| Cost::Finite(key.0)),
        }
    }
}

/// Drawings over the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overlay {
    pub open: bool,
    pub fresh: bool,
    pub trail: bool,
    pub plan: bool,
    pub numbers: bool,
}

impl Default for Overlay {
    fn default() -> Self {
        Self {
            open: true,
            fresh: true,
            trail: true,
            plan: true,
            numbers: true,
        }
    }
}

/// The way in which a map is shown.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub layer: Layer,
    pub overlay: Overlay,
    /// True if the left button, or a finger, moves the map.
    pub is_moved_by_primary: bool,
}

// All lengths are in pixels.
/// Cells at least so large have lines between them.
const GRID_FROM: f32 = 11.0;
/// Cells at least so large have a number in them.
const NUMBER_FROM: f32 = 26.0;
/// Cells at least so large have all their values in them, as the papers draw them.
const VALUES_FROM: f32 = 54.0;
const SMALLEST_MARK: f32 = 4.5;

/// One map in the window, and the texture of its cells.
#[derive(Default)]
pub struct Map {
    texture: Option<TextureHandle>,
    /// The content of the texture.
    shown: Option<(u64, Layer, Overlay, bool)>,
    scale: Scale,
}

/// From the least to the most of the values that color cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Scale {
    least: u32,
    most: u32,
}

impl Scale {
    fn of(snapshot: &Snapshot, layer: Layer) -> Self {
        let cells = snapshot.cells.iter();
        let values = cells.filter_map(|cell| layer.of(cell).finite());
        Self {
            least: values.clone().min().unwrap_or(u32::MAX),
            most: values.max().unwrap_or(0),
        }
    }

    fn color(self, value: u32) -> Color32 {
        let span = self.most.saturating_sub(self.least).max(1);
        ramp(value.saturating_sub(self.least) as f32 / span as f32)
    }
}

/// The colors of cells.
#[derive(Clone, Copy)]
struct Paint<'a> {
    layer: Layer,
    overlay: Overlay,
    palette: &'a Palette,
    scale: Scale,
}

impl Paint<'_> {
    /// The cells, a pixel each.
    fn image(self, snapshot: &Snapshot) -> ColorImage {
        let size = [snapshot.size.0.into(), snapshot.size.1.into()];
        let cells = snapshot.cells.iter();
        ColorImage::new(size, cells.map(|cell| self.ground(cell)).collect())
    }

    /// The color of a cell.
    fn ground(self, cell: &CellSnapshot) -> Color32 {
        let (palette, is_map) = (self.palette, self.layer == Layer::Map);
        let occupancy = match cell.occupancy {
            Occupancy::Blocked => return palette.blocked,
            Occupancy::Unknown => palette.unknown,
            Occupancy::Free => palette.free,
        };
        let mut color = match self.layer.of(cell).finite() {
            Some(value) => mix(self.scale.color(value), occupancy, 0.12),
            None if is_map && cell.is_searched => mix(occupancy, palette.searched, SEARCHED),
            None => occupancy,
        };
        for (is_shown, over, share) in [
            (
                is_map && self.overlay.trail && cell.is_walked,
                palette.walked,
                0.4,
            ),
            (self.overlay.open && cell.is_open, palette.open, 0.72),
            (self.overlay.fresh && cell.is_fresh, palette.fresh, 0.85),
        ] {
            if is_shown {
                color = mix(color, over, share);
            }
        }
        color
    }
}

/// Mouse input on a map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touch {
    /// The cell under the pointer.
    pub hovered: Option<Cell>,
    /// The position of the pressed pointer, in cells, and whether it was just pressed.
    pub held: Option<(Pos2, bool)>,
}

impl Map {
    /// Shows a map, called `name`, in what is left of the window; moves the camera as it is asked to.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        name: &str,
        snapshot: &Snapshot,
        look: Look,
        camera: &mut Camera,
    ) -> Touch {
        let Look { layer, overlay, .. } = look;
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, name));
        let view = camera.view(rect, snapshot.size);
        let touch = interact(ui, &response, &view, look, camera);
        let view = camera.view(rect, snapshot.size);
        let palette = Palette::of(ui.visuals());
        let painter = ui.painter_at(rect);
        let dark = ui.visuals().dark_mode;
        let longest = ui.input(|input| input.max_texture_side);
        if usize::from(snapshot.size.0.max(snapshot.size.1)) > longest {
            let text =
                format!("This map is longer than {longest} cells, too long to be drawn here.");
            let (font, color) = (FontId::proportional(14.0), ui.visuals().text_color());
            painter.text(rect.center(), Align2::CENTER_CENTER, text, font, color);
            return touch;
        }

        let wanted = (snapshot.revision, layer, overlay, dark);
        if self.shown != Some(wanted) {
            self.scale = Scale::of(snapshot, layer);
        }
        let paint = Paint {
            layer,
            overlay,
            palette,
            scale: self.scale,
        };
        if self.shown != Some(wanted) {
            let (image, options) = (paint.image(snapshot), TextureOptions::NEAREST);
            match &mut self.texture {
                Some(texture) => texture.set(image, options),
                None => self.texture = Some(ui.ctx().load_texture(name, image, options)),
            }
            self.shown = Some(wanted);
        }
        if let Some(texture) = &self.texture {
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture.id(), view.map(), all, Color32::WHITE);
        }
        let is_maze = !snapshot.walls.is_empty();
        if view.scale >= GRID_FROM && !is_maze {
            painter.extend(grid(&view, palette));
        }
        if is_maze {
            painter.extend(walls(&view, snapshot, palette));
        }
        let width = (view.scale * 0.16).clamp(1.5, 4.0);
        if overlay.trail {
            // Piece by piece: where a robot turns back, one line would have a spike.
            let stroke = Stroke::new(width, palette.trail);
            for piece in polyline(&view, &snapshot.trail).windows(2) {
                painter.line_segment([piece[0], piece[1]], stroke);
            }
        }
        if overlay.plan {
            let plan = polyline(&view, &snapshot.plan);
            painter.extend(dashes(&plan, Stroke::new(width, palette.plan), view.scale));
        }
        if overlay.numbers && view.scale >= NUMBER_FROM {
            numbers(&painter, &view, snapshot, paint);
        }
        let radius = (view.scale * 0.36).clamp(SMALLEST_MARK, 14.0);
        let rim = Stroke::new((radius * 0.3).min(2.5), palette.rim);
        for (cell, color) in [(snapshot.start, palette.start)]
            .into_iter()
            .chain(snapshot.goals.iter().map(|&goal| (goal, palette.goal)))
        {
            painter.circle(view.middle(cell), radius, color, rim);
        }
        match snapshot.pose {
            None => {
                painter.circle(view.middle(snapshot.robot), radius, palette.robot, rim);
            }
            Some(pose) => {
                painter.extend(robot(&view, pose, radius, palette, rim));
                if overlay.plan && !snapshot.route.path.is_empty() {
                    let stroke = Stroke::new(width, palette.plan);
                    painter.extend(route(&view, &snapshot.route, radius, stroke));
                }
            }
        }
        if let Some(cell) = touch.hovered
            && view.scale >= 4.0
        {
            let stroke = Stroke::new(1.5, ui.visuals().strong_text_color());
            painter.rect_stroke(view.square(cell), 1.0, stroke, StrokeKind::Inside);
        }
        let frame = Stroke::new(1.0, palette.grid);
        painter.rect_stroke(view.map(), 0.0, frame, StrokeKind::Outside);
        touch
    }
}

fn interact(ui: &Ui, response: &Response, view: &View, look: Look, camera: &mut Camera) -> Touch {
    if let Some(touches) = ui.input(|input| input.multi_touch()) {
        if view.rect.contains(touches.center_pos) {
            camera.pan(view, touches.translation_delta);
            let view = camera.view(view.rect, view.size);
            camera.zoom(&view, touches.zoom_delta, touches.center_pos);
        }
        return Touch::default();
    }
    let moves = look.is_moved_by_primary;
    for (button, moves) in [
        (PointerButton::Secondary, true),
        (PointerButton::Middle, true),
        (PointerButton::Primary, moves),
    ] {
        if moves && response.dragged_by(button) {
            camera.pan(view, response.drag_delta());
        }
    }
    if let Some(at) = response.hover_pos() {
        let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let by = pinch * (scroll / 220.0).exp();
        if (by - 1.0).abs() > 1e-3 {
            camera.zoom(view, by, at);
        }
    }
    let held = ui.input(|input| {
        let pointer = &input.pointer;
        let at = pointer.interact_pos().filter(|_| pointer.primary_down())?;
        Some((view.place(at), pointer.primary_pressed()))
    });
    Touch {
        hovered: response.hover_pos().and_then(|at| view.cell(at)),
        held: held.filter(|_| !moves && response.is_pointer_button_down_on()),
    }
}

fn point(view: &View, at: MapPoint) -> Pos2 {
    let [x, y] = at.map(|thousandths| thousandths as f32 / 1000.0);
    view.at(pos2(x, y))
}

/// A route: its path, a dot where the robot decides how to go on, and a ring where it would stop.
fn route(view: &View, route: &Route, radius: f32, stroke: Stroke) -> Vec<Shape> {
    let path: Vec<Pos2> = route.path.iter().map(|&at| point(view, at)).collect();
    let end = path.last().copied();
    let decision = point(view, route.decision);
    let ring = end.map(|end| Shape::circle_stroke(end, radius * 0.5, stroke));
    let shapes = [
        Shape::line(path, stroke),
        Shape::circle_filled(decision, 1.6 * stroke.width, stroke.color),
    ];
    shapes.into_iter().chain(ring).collect()
}

/// A robot that looks somewhere: a disc with a nose.
fn robot(view: &View, pose: Pose, radius: f32, palette: &Palette, rim: Stroke) -> [Shape; 2] {
    let middle = point(view, pose.at);
    let heading = (pose.heading as f32 / 10.0).to_radians();
    let (ahead, right) = (
        vec2(heading.sin(), -heading.cos()),
        vec2(heading.cos(), heading.sin()),
    );
    let nose = [(1.0, 0.0), (-0.45, 0.55), (-0.45, -0.55)];
    let nose = nose.map(|(far, aside)| middle + (ahead * far + right * aside) * radius * 0.72);
    [
        Shape::Circle(CircleShape {
            center: middle,
            radius,
            fill: palette.robot,
            stroke: rim,
        }),
        Shape::convex_polygon(nose.to_vec(), palette.rim, Stroke::NONE),
    ]
}

fn grid(view: &View, palette: &Palette) -> Vec<Shape> {
    let (columns, rows) = view.seen();
    let stroke = Stroke::new(1.0, palette.grid.gamma_multiply(0.7));
    let map = view.map().intersect(view.rect);
    let vertical = columns.map(|x| {
        let x = view.at(pos2(x.into(), 0.0)).x;
        Shape::line_segment([pos2(x, map.top()), pos2(x, map.bottom())], stroke)
    });
    let horizontal = rows.map(|y| {
        let y = view.at(pos2(0.0, y.into())).y;
        Shape::line_segment([pos2(map.left(), y), pos2(map.right(), y)], stroke)
    });
    vertical.chain(horizontal).collect()
}

/// The walls of a maze; those that nobody has seen yet are faint.
fn walls(view: &View, snapshot: &Snapshot, palette: &Palette) -> Vec<Shape> {
    let width = (view.scale * 0.12).clamp(1.0, 6.0);
    let wall = Stroke::new(width, palette.blocked);
    let mut shapes = Vec::new();
    let mut line = |from, to, stroke| shapes.push(Shape::line_segment([from, to], stroke));
    for cell in view.cells() {
        let walls = snapshot.index(cell).and_then(|i| snapshot.walls.get(i));
        let square = view.square(cell);
        let ends = [square.right_top(), square.left_bottom()];
        for (&occupancy, end) in walls.into_iter().flatten().zip(ends) {
            match occupancy {
                Occupancy::Blocked => line(square.left_top(), end, wall),
                Occupancy::Unknown => line(square.left_top(), end, Stroke::new(1.0, palette.grid)),
                Occupancy::Free => {}
            }
        }
    }
    let map = view.map();
    line(map.left_bottom(), map.right_bottom(), wall);
    line(map.right_top(), map.right_bottom(), wall);
    shapes
}

/// A path through the centers of cells, straight pieces in one.
fn polyline(view: &View, cells: &[Cell]) -> Vec<Pos2> {
    let step = |from: Cell, to: Cell| {
        let difference = |from: u16, to: u16| i32::from(to) - i32::from(from);
        (difference(from.x, to.x), difference(from.y, to.y))
    };
    let bends = cells.windows(3).filter_map(|three| {
        let is_bend = step(three[0], three[1]) != step(three[1], three[2]);
        is_bend.then(|| view.middle(three[1]))
    });
    let first = cells.first().map(|&cell| view.middle(cell));
    let last = cells.last().map(|&cell| view.middle(cell));
    first.into_iter().chain(bends).chain(last).collect()
}

/// A dashed line, a whole one where cells are too small for dashes.
fn dashes(points: &[Pos2], stroke: Stroke, scale: f32) -> Vec<Shape> {
    match scale < 6.0 {
        true => vec![Shape::line(points.to_vec(), stroke)],
        false => Shape::dashed_line(points, stroke, scale * 0.45, scale * 0.3),
    }
}

/// The values in the cells that are seen.
fn numbers(painter: &egui::Painter, view: &View, snapshot: &Snapshot, paint: Paint<'_>) {
    let has_all = view.scale >= VALUES_FROM;
    let size = if has_all { 0.19 } else { 0.34 };
    let font = FontId::proportional((view.scale * size).min(15.0));
    let inset = vec2(view.scale * 0.07, view.scale * 0.05);
    for cell in view.cells() {
        let Some(seen) = snapshot
            .cell(cell)
            .filter(|seen| seen.occupancy != Occupancy::Blocked)
        else {
            continue;
        };
        let ink = ink_on(paint.ground(seen));
        let square = view.square(cell).shrink2(inset);
        let write = |align: Align2, text: String| {
            if !text.is_empty() {
                painter.text(align.pos_in_rect(&square), align, text, font.clone(), ink);
            }
        };
        if !has_all {
            let value = match paint.layer {
                Layer::Map => seen.g,
                layer => layer.of(seen),
            };
            write(Align2::CENTER_CENTER, text(value));
            continue;
        }
        write(Align2::LEFT_TOP, text(seen.g));
        write(Align2::RIGHT_TOP, text(seen.rhs));
        write(Align2::LEFT_BOTTOM, text(seen.h));
        let key = seen
            .key
            .map(|(first, second)| format!("[{first};{second}]"));
        write(Align2::RIGHT_BOTTOM, key.unwrap_or_default());
    }
}

fn text(cost: Cost) -> String {
    match cost {
        Cost::None => String::new(),
        Cost::Finite(cost) => cost.to_string(),
        Cost::Infinite => "∞".to_owned(),
    }
}

/// A description of a cell.
pub fn describe(snapshot: &Snapshot, cell: Cell) -> String {
    let Some(seen) = snapshot.cell(cell) else {
        return String::new();
    };
    let occupancy = match seen.occupancy {
        Occupancy::Unknown => "unknown",
        Occupancy::Free => "free",
        Occupancy::Blocked => "blocked",
    };
    let mut words = format!("{},{}  {occupancy}", cell.x, cell.y);
    for (name, cost) in [("g", seen.g), ("rhs", seen.rhs), ("h", seen.h)] {
        if cost != Cost::None {
            words += &format!("   {name} {}", text(cost));
        }
    }
    if let Some((first, second)) = seen.key {
        words += &format!("   key [{first};{second}]");
    }
    words
}

/// The points between two positions, so that a quick stroke leaves no gaps.
pub fn stroke(from: Pos2, to: Pos2) -> impl Iterator<Item = Pos2> {
    let stroke: Vec2 = to - from;
    let steps = (2.0 * stroke.length()).ceil().clamp(1.0, 10_000.0) as u32;
    (1..=steps).map(move |step| from + stroke * (step as f32 / steps as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        let cell = |occupancy, g| CellSnapshot {
            occupancy,
            g,
            ..CellSnapshot::default()
        };
        Snapshot {
            size: (3, 1),
            cells: vec![
                cell(Occupancy::Free, Cost::Finite(0)),
                cell(Occupancy::Blocked, Cost::Infinite),
                cell(Occupancy::Unknown, Cost::Finite(9)),
            ],
            ..Snapshot::default()
        }
    }

    #[test]
    fn values_are_colored_from_the_least_to_the_most() {
        let (snapshot, palette) = (snapshot(), &crate::palette::LIGHT);
        let paint = Paint {
            layer: Layer::G,
            overlay: Overlay::default(),
            palette,
            scale: Scale::of(&snapshot, Layer::G),
        };
        let image = paint.image(&snapshot);
        let expected = [
            mix(ramp(0.0), palette.free, 0.12),
            palette.blocked,
            mix(ramp(1.0), palette.unknown, 0.12),
        ];
        assert_eq!(image.pixels, expected);
    }

    #[test]
    fn a_cell_is_described_in_words() {
        assert_eq!(describe(&snapshot(), Cell::new(2, 0)), "2,0  unknown   g 9");
        assert_eq!(describe(&snapshot(), Cell::new(1, 0)), "1,0  blocked   g ∞");
        assert_eq!(describe(&snapshot(), Cell::new(9, 0)), "");
    }

    #[test]
    fn a_quick_stroke_leaves_no_gap() {
        let cells: Vec<(i32, i32)> = stroke(pos2(0.5, 0.5), pos2(9.5, 3.5))
            .map(|place| (place.x as i32, place.y as i32))
            .collect();
        for pair in cells.windows(2) {
            assert!((pair[1].0 - pair[0].0).abs() <= 1 && (pair[1].1 - pair[0].1).abs() <= 1);
        }
        assert_eq!(cells.last(), Some(&(9, 3)));
    }
}
