//! The maps in what the panels leave of the window.

use egui::{Rect, RichText, Ui, UiBuilder, Vec2, vec2};

use crate::{
    app::App,
    map::{Layer, Look},
    palette::Palette,
    pen::Tool,
    widgets::nothing,
};

/// A map that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    World,
    /// Knowledge of the robot of a run.
    Robot(usize),
}

impl App {
    pub(crate) fn maps(&mut self, ui: &mut Ui) {
        let Some(first) = self.panes.first() else {
            return nothing(ui, "No run.\nChoose another world, or open a file.");
        };
        let size = first.snapshot.size;
        let mut shown = match (self.panes.len(), self.is_compact, self.settings.has_world) {
            (2.., ..) => vec![Shown::Robot(0), Shown::Robot(1)],
            (_, true, _) => vec![Shown::Robot(0), Shown::World],
            (_, _, true) => vec![Shown::World, Shown::Robot(0)],
            _ => vec![Shown::Robot(0)],
        };
        if self.is_compact {
            ui.horizontal_wrapped(|ui| {
                for (place, &map) in shown.iter().enumerate() {
                    let title = self.map_title(map, ui);
                    ui.selectable_value(&mut self.shown_map, place, title);
                }
            });
            shown = vec![shown[self.shown_map.min(1)]];
        }
        let all = ui.available_rect_before_wrap();
        let rects = match shown.len() {
            1 => [all, all],
            _ => halves(all, size),
        };
        for (map, rect) in shown.into_iter().zip(rects) {
            within(ui, rect, |ui| {
                if !self.is_compact {
                    ui.label(self.map_title(map, ui));
                }
                self.map(ui, map);
            });
        }
    }

    fn map_title(&self, map: Shown, ui: &Ui) -> RichText {
        let palette = Palette::of(ui.visuals());
        match map {
            Shown::World => RichText::new("True world").strong(),
            Shown::Robot(place) => {
                let planner = self.panes[place].line.run().options.planner.title();
                match self.panes.len() {
                    1 => RichText::new(format!("Robot's map: {planner}")).strong(),
                    _ => RichText::new(planner).strong().color(palette.runs[place]),
                }
            }
        }
    }

    fn map(&mut self, ui: &mut Ui, map: Shown) {
        let mut look = Look {
            layer: self.settings.layer,
            overlay: self.settings.overlay,
            is_moved_by_primary: self.tool == Tool::Move,
        };
        let camera = &mut self.camera;
        let touch = match map {
            Shown::World => {
                look.layer = Layer::Map;
                (look.overlay.plan, look.overlay.numbers) = (false, false);
                (self.truth_map).show(ui, "the world", &self.truth, look, camera)
            }
            Shown::Robot(place) => {
                let name = match (self.panes.len(), place) {
                    (1, _) => "the robot's map",
                    (_, 0) => "the first robot",
                    _ => "the second robot",
                };
                let pane = &mut self.panes[place];
                pane.map.show(ui, name, &pane.snapshot, look, camera)
            }
        };
        self.touch(touch);
    }
}

/// Room for two maps of this size: beside each other or one above the other, as they are larger.
fn halves(rect: Rect, (width, height): (u16, u16)) -> [Rect; 2] {
    const TITLE: f32 = 20.0;
    let map = vec2(width.into(), height.into());
    let scale = |room: Vec2| ((room - vec2(0.0, TITLE)) / map).min_elem();
    let beside = scale(rect.size() * vec2(0.5, 1.0));
    let (first, second) = match scale(rect.size() * vec2(1.0, 0.5)) > beside {
        true => rect.split_top_bottom_at_fraction(0.5),
        false => rect.split_left_right_at_fraction(0.5),
    };
    [first, second]
}

fn within<R>(ui: &mut Ui, rect: Rect, add: impl FnOnce(&mut Ui) -> R) -> R {
    ui.scope_builder(UiBuilder::new().max_rect(rect.shrink(3.0)), add)
        .inner
}
