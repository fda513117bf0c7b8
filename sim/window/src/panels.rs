//! Panels around the maps, for a wide window and for a narrow one.
//!
//! A wide window has the settings on the left, two maps, and plots below. A narrow one, as on a phone, has one map; the
//! settings are in a drawer, and there are no plots.

use egui::{
    Align, Align2, Area, Context, Frame, Id, Layout, Order, Panel, Rect, RichText, ScrollArea,
    Slider, Ui, UiBuilder, Window, vec2,
};

use crate::{
    app::{App, FASTEST, SLOWEST},
    banner::summary,
    keys,
    map::describe,
    pen::Tool,
    plots,
    run::Run,
    timeline::Timeline,
    widgets::{bar, button, help, help_button, map_panel, play_button, plots_panel, side_panel},
};

/// Windows that are less wide have the compact layout, in points.
const COMPACT: f32 = 700.0;
/// Windows that are less high have no plots, in points.
const LOWEST_WITH_PLOTS: f32 = 480.0;

impl App {
    pub(crate) fn show(&mut self, ui: &mut Ui) {
        let size = ui.available_size();
        let is_compact = size.x < COMPACT;
        if is_compact != self.is_compact {
            self.is_compact = is_compact;
            // A finger moves the map unless it is told otherwise.
            self.tool = match is_compact {
                true => Tool::Move,
                false => Tool::default(),
            };
        }
        match is_compact {
            true => self.compact(ui),
            false => self.wide(ui, size.y >= LOWEST_WITH_PLOTS),
        }
        help(ui.ctx(), &mut self.is_help_open, keys::KEYS, keys::MOUSE);
        self.introduction(ui.ctx());
    }

    fn wide(&mut self, ui: &mut Ui, has_room_for_plots: bool) {
        Panel::top("transport").show(ui, |ui| self.transport(ui));
        self.messages(ui);
        Panel::bottom("status").show(ui, |ui| self.status(ui));
        side_panel(ui, |ui| self.controls(ui));
        if has_room_for_plots && !self.panes.is_empty() {
            let mut is_open = self.settings.has_plots;
            plots_panel(ui, &mut is_open, |ui| {
                let runs: Vec<&Run> = self.lines().map(Timeline::run).collect();
                plots::show(ui, &runs);
            });
            self.settings.has_plots = is_open;
        }
        map_panel(ui, |ui| self.maps(ui));
    }

    fn compact(&mut self, ui: &mut Ui) {
        // A finger is less exact than a pointer.
        let spacing = ui.spacing_mut();
        spacing.interact_size.y = 34.0;
        spacing.button_padding = vec2(7.0, 6.0);
        spacing.item_spacing = vec2(6.0, 6.0);
        Panel::top("transport").show(ui, |ui| {
            bar(ui, |ui| {
                if button(ui, "Settings", "World, planner, robot and view") {
                    self.is_drawer_open = !self.is_drawer_open;
                }
                self.transport_buttons(ui);
                help_button(ui, &mut self.is_help_open);
            });
        });
        self.messages(ui);
        Panel::bottom("status").show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for pane in &self.panes {
                    ui.label(summary(pane.line.run()));
                }
            });
        });
        Panel::bottom("tools").show(ui, |ui| {
            ui.add_space(3.0);
            ui.horizontal(|ui| {
                for (tool, name) in Tool::ALL {
                    ui.selectable_value(&mut self.tool, tool, name);
                }
                ui.separator();
                self.seek_slider(ui);
            });
            ui.add_space(3.0);
        });
        map_panel(ui, |ui| self.maps(ui));
        if self.is_drawer_open {
            self.drawer(ui);
        }
    }

    /// The settings over the map of a narrow window; a tap beside them closes them.
    fn drawer(&mut self, ui: &mut Ui) {
        let screen = ui.ctx().content_rect();
        let top = 46.0;
        let size = vec2((screen.width() - 48.0).min(300.0), screen.height() - top);
        let area = Area::new(Id::unique("drawer"))
            .order(Order::Middle)
            .fixed_pos(screen.left_top() + vec2(0.0, top));
        area.show(ui.ctx(), |ui| {
            Frame::side_top_panel(ui.style()).show(ui, |outer| {
                let inner = size - vec2(16.0, 16.0);
                let rect = Rect::from_min_size(outer.cursor().min, inner);
                let mut ui = outer.new_child(UiBuilder::new().max_rect(rect));
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(&mut ui, |ui| {
                        ui.set_max_width(inner.x - 8.0);
                        self.controls(ui);
                        ui.spacing_mut().slider_width = 110.0;
                        self.speed_slider(ui);
                        ui.add_space(12.0);
                    });
                outer.expand_to_include_rect(rect);
            });
        });
        let pressed = ui.ctx().input(|input| {
            let at = input.pointer.interact_pos();
            at.filter(|at| input.pointer.primary_pressed() && at.y > top)
        });
        // The drawer and its lists lie above the background.
        let layer = pressed.and_then(|at| ui.ctx().layer_id_at(at));
        if layer.is_some_and(|layer| layer.order == Order::Background) {
            self.is_drawer_open = false;
        }
    }

    /// Errors, notices, the mission and the end of the run.
    fn messages(&mut self, ui: &mut Ui) {
        if self.problem.is_some() || self.notice.is_some() {
            Panel::top("problem").show(ui, |ui| self.message_lines(ui));
        }
        if self.has_mission() {
            Panel::top("mission").show(ui, |ui| self.missions(ui));
        }
        if !self.panes.is_empty() && self.is_over() {
            Panel::top("arrival").show(ui, |ui| self.arrival(ui));
        }
    }

    /// Introduction for a new user, until it is closed.
    fn introduction(&mut self, ctx: &Context) {
        if !self.is_introduced {
            return;
        }
        let (offset, world) = match self.is_compact {
            true => (vec2(0.0, -110.0), "What the robot knows of its world."),
            false => (
                // Over the plots, which are still empty.
                vec2(124.0, -34.0),
                "The true world, and what the robot knows of it.",
            ),
        };
        let hint = match self.is_compact {
            true => "Drag and pinch to move the map; choose walls to draw some.",
            false => "Draw walls with the left button. Space pauses, ? lists the keys.",
        };
        Window::new("A robot in an unknown world")
            .collapsible(false)
            .resizable(false)
            .max_width((ctx.content_rect().width() - 40.0).min(480.0))
            .anchor(Align2::CENTER_BOTTOM, offset)
            .show(ctx, |ui| {
                ui.label(world);
                ui.label(hint);
                if ui.button("Got it").clicked() {
                    (self.is_introduced, self.settings.is_new_user) = (false, false);
                }
            });
    }

    /// Play, pause, forward and back.
    fn transport(&mut self, ui: &mut Ui) {
        bar(ui, |ui| {
            self.transport_buttons(ui);
            ui.separator();
            self.speed_slider(ui);
            ui.separator();
            self.seek_slider(ui);
            help_button(ui, &mut self.is_help_open);
        });
    }

    fn transport_buttons(&mut self, ui: &mut Ui) {
        let has_run = !self.panes.is_empty();
        ui.add_enabled_ui(has_run, |ui| {
            if button(ui, "Start over", "Home") {
                self.start_over();
            }
            if !self.is_compact && button(ui, "Tick back", "Left") {
                self.step_back();
            }
            if play_button(ui, self.is_playing) {
                self.play(!self.is_playing);
            }
            if button(ui, "Next tick", "Right") {
                self.step();
            }
        });
    }

    fn speed_slider(&mut self, ui: &mut Ui) {
        let mut speed = self.settings.speed;
        let slider = Slider::new(&mut speed, SLOWEST..=FASTEST)
            .logarithmic(true)
            .max_decimals(0)
            .suffix(" ticks/s")
            .text("speed");
        if ui.add(slider).changed() {
            self.set_speed(speed);
        }
    }

    fn seek_slider(&mut self, ui: &mut Ui) {
        let furthest = self.lines().map(Timeline::furthest).max().unwrap_or(0);
        let mut tick = self.tick();
        let name = ui.label("tick");
        // Room for the number, the spinner and the help.
        ui.spacing_mut().slider_width = (ui.available_width() - 120.0).clamp(50.0, 400.0);
        let slider = Slider::new(&mut tick, 0..=furthest.max(1)).integer();
        let slider = ui.add_enabled(furthest > 0, slider);
        if slider.labelled_by(name.id).changed() {
            self.seek(tick);
        }
        if self.is_seeking() {
            ui.spinner();
        }
    }

    fn message_lines(&mut self, ui: &mut Ui) {
        let error = ui.visuals().error_fg_color;
        let text = ui.visuals().text_color();
        for (message, color) in [(&mut self.problem, error), (&mut self.notice, text)] {
            let Some(words) = message.clone() else {
                continue;
            };
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(words).color(color));
                if ui.small_button("Close").clicked() {
                    *message = None;
                }
            });
        }
    }

    /// The status of the runs, one below the other, and the cell under the pointer.
    fn status(&mut self, ui: &mut Ui) {
        for (place, pane) in self.panes.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.label(summary(pane.line.run()));
                let Some(cell) = self.hovered.filter(|_| place == 0) else {
                    return;
                };
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.monospace(describe(&pane.snapshot, cell));
                });
            });
        }
    }
}
