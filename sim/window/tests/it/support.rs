//! Helpers for tests of every window.

use std::path::Path;

use egui::{Key, Pos2, Shape, Ui, Vec2};
use egui_kittest::{Harness, kittest::Queryable};
use sim_window::{App, run::Run};

/// Seven columns and five rows; the shortest path is along the first row.
pub const ARENA: &str = "S.....G\n.......\n.......\n.......\n.......\n";

/// A window without a display.
pub fn open<S: 'static>(state: S, ui: fn(&mut S, &mut Ui)) -> Harness<'static, S> {
    open_sized(state, ui, Vec2::new(1280.0, 820.0))
}

/// A window of a size in points, without a display.
pub fn open_sized<S: 'static>(
    state: S,
    ui: fn(&mut S, &mut Ui),
    size: Vec2,
) -> Harness<'static, S> {
    let mut window = Harness::builder()
        .with_size(size)
        .build_ui_state(move |frame, state: &mut S| ui(state, frame), state);
    window.run_steps(4);
    window
}

/// Opens a file in a window.
pub fn load(window: &mut Harness<'_, App>, name: &str, content: &str) {
    window.state_mut().load(Path::new(name), content.as_bytes());
    window.run_steps(4);
}

/// The first run.
pub fn run<'a>(window: &'a Harness<'_, App>) -> &'a Run {
    window.state().lines().next().unwrap().run()
}

/// The texts that are drawn, labelled or not.
pub fn texts<'a>(window: &'a Harness<'_, App>) -> impl Iterator<Item = &'a str> {
    let shapes = window.output().shapes.iter();
    shapes.filter_map(|shape| match &shape.shape {
        Shape::Text(text) => Some(text.galley.text()),
        _ => None,
    })
}

pub fn click<S>(window: &mut Harness<'_, S>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

/// Goes to a tick, or to the end if that is before it.
pub fn seek(window: &mut Harness<'_, App>, tick: u64) {
    window.state_mut().seek(tick);
    while window.state().is_seeking() {
        window.run_steps(1);
    }
}

pub fn press<S>(window: &mut Harness<'_, S>, key: Key) {
    window.key_press(key);
    window.run_steps(4);
}

/// The point of a place, in cells, on a map that is shown as a whole.
pub fn place<S>(
    window: &Harness<'_, S>,
    map: &str,
    (width, height): (u16, u16),
    (x, y): (f32, f32),
) -> Pos2 {
    let rect = window.get_by_label(map).rect();
    let size = Vec2::new(width.into(), height.into());
    let scale = ((rect.size() - Vec2::splat(16.0)) / size).min_elem();
    rect.center() + (Vec2::new(x, y) - size / 2.0) * scale.min(160.0)
}

/// Draws a line with the left button.
pub fn drag<S>(window: &mut Harness<'_, S>, places: &[Pos2]) {
    let (&first, rest) = places.split_first().unwrap();
    window.hover_at(first);
    window.run_steps(1);
    window.drag_at(first);
    window.run_steps(2);
    for &place in rest {
        window.hover_at(place);
        window.run_steps(2);
    }
    window.drop_at(*places.last().unwrap());
    window.run_steps(2);
}
