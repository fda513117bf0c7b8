//! Panels around the maps: buttons, settings, plots and the status line.

use egui::{
    Align, Button, CentralPanel, Color32, ComboBox, Context, DragValue, Frame, Grid, Id, Layout,
    Margin, Panel, Rect, Response, RichText, ScrollArea, Slider, ThemePreference, Ui, UiBuilder,
    Vec2, Window, vec2,
};
use sim::{
    catalog::{Moves, Name},
    output::{count, grouped},
    walk::Outcome,
    world::World,
};

use crate::{
    app::{App, FASTEST, SLOWEST, Tool},
    keys,
    map::{Layer, Overlay, describe},
    palette::{Palette, SEARCHED, mix},
    plots,
    run::Run,
    timeline::Timeline,
    worlds::{Choice, Kind},
};

/// The longest side of a world that is generated here.
const LONGEST: u16 = 601;

impl App {
    pub(crate) fn show(&mut self, ui: &mut Ui) {
        Panel::top("transport").show(ui, |ui| self.transport(ui));
        if self.problem.is_some() {
            Panel::top("problem").show(ui, |ui| self.error_line(ui));
        }
        let runs: Vec<&Run> = self.lines().map(Timeline::run).collect();
        if let Some(arrival) = arrival(&runs) {
            Panel::top("arrival").show(ui, |ui| {
                ui.label(RichText::new(arrival).strong().size(15.0));
            });
        }
        Panel::bottom("status").show(ui, |ui| self.status(ui));
        side_panel(ui, |ui| self.controls(ui));
        if self.settings.has_plots && !self.panes.is_empty() {
            plots_panel(ui, |ui| {
                let runs: Vec<&Run> = self.lines().map(Timeline::run).collect();
                plots::show(ui, &runs);
            });
        }
        map_panel(ui, |ui| self.maps(ui));
        help(ui.ctx(), &mut self.is_help_open, keys::KEYS, keys::MOUSE);
        self.introduction(ui.ctx());
    }

    /// What a new user sees first, until it is closed.
    fn introduction(&mut self, ctx: &Context) {
        if !self.is_introduced {
            return;
        }
        Window::new("A robot in an unknown world")
            .collapsible(false)
            .resizable(false)
            .anchor(egui::Align2::CENTER_BOTTOM, vec2(124.0, -190.0))
            .show(ctx, |ui| {
                ui.label("The true world, and beside it what the robot knows of it.");
                ui.label("Draw walls with the left button. Space pauses, ? lists the keys.");
                if ui.button("Got it").clicked() {
                    self.is_introduced = false;
                }
            });
    }

    /// Play, pause, forward and back.
    fn transport(&mut self, ui: &mut Ui) {
        bar(ui, |ui| {
            let has_run = !self.panes.is_empty();
            ui.add_enabled_ui(has_run, |ui| {
                if button(ui, "Start over", "Home") {
                    self.start_over();
                }
                if button(ui, "Tick back", "Left") {
                    self.step_back();
                }
                if play_button(ui, self.is_playing) {
                    self.play(!self.is_playing);
                }
                if button(ui, "Next tick", "Right") {
                    self.step();
                }
            });
            ui.separator();
            let mut speed = self.settings.speed;
            let slider = Slider::new(&mut speed, SLOWEST..=FASTEST)
                .logarithmic(true)
                .max_decimals(0)
                .suffix(" ticks/s")
                .text("speed");
            if ui.add(slider).changed() {
                self.set_speed(speed);
            }
            ui.separator();
            let furthest = self.lines().map(|line| line.furthest()).max().unwrap_or(0);
            let mut tick = self.tick();
            ui.spacing_mut().slider_width = (ui.available_width() - 190.0).clamp(80.0, 400.0);
            let slider = Slider::new(&mut tick, 0..=furthest.max(1))
                .integer()
                .text("tick");
            if ui.add_enabled(furthest > 0, slider).changed() {
                self.seek(tick);
            }
            if self.is_seeking() {
                ui.spinner();
            }
            help_button(ui, &mut self.is_help_open);
        });
    }

    fn error_line(&mut self, ui: &mut Ui) {
        let Some(problem) = self.problem.clone() else {
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(problem).color(ui.visuals().error_fg_color));
            if ui.small_button("Close").clicked() {
                self.problem = None;
            }
        });
    }

    /// The status of the runs, and the cell under the pointer.
    fn status(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            for (place, pane) in self.panes.iter().enumerate() {
                if place > 0 {
                    ui.separator();
                }
                ui.label(summary(pane.line.run()));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let (Some(cell), Some(pane)) = (self.hovered, self.panes.first()) {
                    ui.monospace(describe(&pane.snapshot, cell));
                }
            });
        });
    }

    fn controls(&mut self, ui: &mut Ui) {
        ui.spacing_mut().slider_width = 110.0;
        let world = heading(ui, "World");
        self.world(ui, world.id);
        let planner = heading(ui, "Planner");
        self.planner(ui, planner.id);
        heading(ui, "Robot");
        self.robot(ui);
        heading(ui, "View");
        self.view(ui);
        ui.add_space(8.0);
    }

    fn world(&mut self, ui: &mut Ui, title: Id) {
        let mut choice = self.settings.choice;
        let file = self.panes.first().filter(|_| self.is_from_file);
        let file = file.map(|pane| pane.line.scenario());
        if let Some(scenario) = file {
            let (width, height) = scenario.world.size();
            ui.label(RichText::new(&scenario.name).strong());
            ui.label(format!("{width} × {height} cells"));
        }
        let is_file = file.is_some();
        let mut is_chosen = false;
        ComboBox::from_id_salt("kind of world")
            .width(220.0)
            .selected_text(match is_file {
                true => "From a file",
                false => choice.kind.name(),
            })
            .show_ui(ui, |ui| {
                for kind in Kind::ALL {
                    let is_shown = !is_file && choice.kind == kind;
                    if ui.selectable_label(is_shown, kind.name()).clicked() {
                        (choice.kind, is_chosen) = (kind, true);
                    }
                }
            })
            .response
            .labelled_by(title);
        if !is_file {
            choice_controls(ui, &mut choice);
        }
        if choice != self.settings.choice || is_chosen {
            self.settings.choice = choice;
            self.generate();
        }
        if button(ui, "Open a file…", "O, or drop it on the window") {
            self.choose_file(&ui.ctx().clone());
        }
        if !self.queries.is_empty() {
            let mut number = self.query + 1;
            let all = self.queries.len();
            ui.horizontal(|ui| {
                let query = ui.label("query");
                ui.add(DragValue::new(&mut number).range(1..=all))
                    .labelled_by(query.id);
                ui.label(format!("of {}", grouped(all as u64)));
            });
            if number != self.query + 1 {
                self.ask(number - 1);
            }
        }
    }

    fn planner(&mut self, ui: &mut Ui, title: Id) {
        let mut planner = self.settings.options.planner;
        names(ui, title, &mut planner);
        if planner != self.settings.options.planner {
            self.set_planner(0, planner);
        }
        let mut is_comparing = self.settings.is_comparing;
        let compared = ui
            .checkbox(&mut is_comparing, "Compare with")
            .on_hover_text("C");
        if compared.changed() {
            self.compare(is_comparing);
        }
        if is_comparing {
            let mut other = self.settings.other;
            names(ui, compared.id, &mut other);
            if other != self.settings.other {
                self.set_planner(1, other);
            }
        }
        let before = self.settings.options;
        let options = &mut self.settings.options;
        let mut is_limited = options.limit.is_some();
        ui.horizontal(|ui| {
            let name = ui.checkbox(&mut is_limited, "Limit");
            options.limit = is_limited.then(|| options.limit.unwrap_or(64));
            if let Some(limit) = &mut options.limit {
                ui.add(Slider::new(limit, 1..=4096).logarithmic(true))
                    .labelled_by(name.id)
                    .on_hover_text("most expansions per tick");
            }
        });
        let has_two = before.planner.to_string().starts_with("rtd");
        let own = before.planner.local_percent();
        let mut percent = options.local_percent.unwrap_or(own);
        let ratio = Slider::new(&mut percent, 0..=100);
        ui.add_enabled(has_two, ratio.suffix(" %").text("local share"))
            .on_hover_text(
                "local share of the budget: the part of each tick for the search around the robot",
            );
        options.local_percent = (percent != own).then_some(percent);
        if self.settings.options != before {
            self.apply_options();
        }
    }

    fn robot(&mut self, ui: &mut Ui) {
        let before = self.settings.options;
        let is_walls = |line: &Timeline| matches!(line.run().world(), World::Walls(_));
        let is_maze = self.lines().any(is_walls);
        let options = &mut self.settings.options;
        if !is_maze {
            ui.horizontal(|ui| {
                ui.radio_value(&mut options.moves, Moves::Four, "4 moves");
                ui.radio_value(&mut options.moves, Moves::Eight, "8 moves");
            });
        }
        let needs_map = options.planner.is_known_map_only();
        ui.add_enabled_ui(!needs_map, |ui| {
            let mut is_known = options.knows_map();
            if ui.checkbox(&mut is_known, "Knows the whole map").changed() {
                options.is_known = is_known;
            }
        });
        if !is_maze {
            let senses = !options.knows_map();
            let range = Slider::new(&mut options.sense, 1..=30);
            ui.add_enabled(senses, range.text("sensor range"));
        }
        ui.checkbox(&mut options.is_told, "Is told of drawn walls");
        if self.settings.options != before {
            self.apply_options();
        }
        ui.horizontal(|ui| {
            ui.label("Left button:");
            ui.selectable_value(&mut self.tool, Tool::Walls, "walls");
            ui.selectable_value(&mut self.tool, Tool::Goal, "goal");
        });
    }

    fn view(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            for layer in Layer::ALL {
                ui.selectable_value(&mut self.settings.layer, layer, layer.name());
            }
        });
        let palette = Palette::of(ui.visuals());
        let Overlay {
            open,
            fresh,
            trail,
            plan,
            numbers,
        } = &mut self.settings.overlay;
        for (shown, color, name) in [
            (open, palette.open, "OPEN list"),
            (fresh, palette.fresh, "expanded in this tick"),
            (trail, palette.trail, "trail"),
            (plan, palette.plan, "plan"),
        ] {
            self::shown(ui, shown, color, name);
        }
        ui.checkbox(numbers, "numbers, when zoomed in");
        ui.checkbox(&mut self.settings.has_world, "true world");
        ui.checkbox(&mut self.settings.has_plots, "plots");
        if button(ui, "Whole map", "F") {
            self.camera.fit();
        }
        themes(ui);
        heading(ui, "Legend");
        legend(ui, palette);
        if *numbers {
            ui.label(CORNERS);
        }
    }

    fn maps(&mut self, ui: &mut Ui) {
        let Some(first) = self.panes.first() else {
            return nothing(ui, "No run.\nChoose another world, or open a file.");
        };
        let look = (self.settings.layer, self.settings.overlay);
        let [left, right] = halves(ui.available_rect_before_wrap(), first.snapshot.size);
        let camera = &mut self.camera;
        let mut touches = Vec::new();
        if let [pane] = &mut self.panes[..] {
            let mut rect = ui.available_rect_before_wrap();
            if self.settings.has_world {
                rect = right;
                let only_trail = Overlay {
                    plan: false,
                    numbers: false,
                    ..look.1
                };
                within(ui, left, |ui| {
                    ui.label(RichText::new("True world").strong());
                    let (map, look) = (&mut self.truth_map, (Layer::Map, only_trail));
                    touches.push(map.show(ui, "the world", &self.truth, look, camera));
                });
            }
            within(ui, rect, |ui| {
                let planner = pane.line.run().options.planner.title();
                ui.label(RichText::new(format!("Robot's map: {planner}")).strong());
                let name = "the robot's map";
                touches.push(pane.map.show(ui, name, &pane.snapshot, look, camera));
            });
        } else {
            let palette = Palette::of(ui.visuals());
            let names = ["the first robot", "the second robot"];
            for (((pane, rect), color), name) in self
                .panes
                .iter_mut()
                .zip([left, right])
                .zip(palette.runs)
                .zip(names)
            {
                within(ui, rect, |ui| {
                    let planner = pane.line.run().options.planner.title();
                    ui.label(RichText::new(planner).strong().color(color));
                    touches.push(pane.map.show(ui, name, &pane.snapshot, look, camera));
                });
            }
        }
        for touch in touches {
            self.touch(touch);
        }
    }
}

/// Size, seed and details of a world that is generated.
fn choice_controls(ui: &mut Ui, choice: &mut Choice) {
    ui.horizontal(|ui| {
        let size = ui.label("size");
        let side = |length| DragValue::new(length).range(5..=LONGEST).speed(1);
        ui.add(side(&mut choice.width)).labelled_by(size.id);
        ui.label("×");
        ui.add(side(&mut choice.height)).labelled_by(size.id);
        ui.label("cells");
    });
    match choice.kind {
        Kind::Maze => {
            let openings = Slider::new(&mut choice.openings, 0..=2000).logarithmic(true);
            ui.add(openings.text("openings"));
        }
        Kind::Obstacles => {
            ui.add(Slider::new(&mut choice.density, 0.0..=0.6).text("blocked"));
        }
        Kind::Rooms => {}
        Kind::Doors => {
            ui.add(Slider::new(&mut choice.rate, 0.0..=5.0).text("doors per tick"));
        }
    }
    ui.horizontal(|ui| {
        let seed = ui.label("seed");
        ui.add(DragValue::new(&mut choice.seed))
            .labelled_by(seed.id);
        if button(ui, "Next", "N") {
            choice.seed = choice.seed.wrapping_add(1);
        }
    });
}

/// What came of the runs, once all are over: the moves, ticks and expansions of each and, of two, which needed fewer
/// ticks.
pub(crate) fn arrival(runs: &[&Run]) -> Option<String> {
    if runs.is_empty() || runs.iter().any(|run| run.outcome.is_none()) {
        return None;
    }
    let title = |run: &Run| run.options.planner.title();
    let told = runs.iter().map(|run| {
        let moves = count(run.moves, "move", "moves");
        let end = match run.outcome {
            Some(Outcome::Arrived) => "arrived after",
            Some(Outcome::Unreachable) => "proved that there is no path after",
            Some(Outcome::GaveUp) | None => "gave up after",
        };
        let ticks = count(run.tick, "tick", "ticks");
        let expansions = count(run.total.expansions, "expansion", "expansions");
        format!(
            "{} {end} {moves} in {ticks}, with {expansions}.",
            title(run)
        )
    });
    let mut text = told.collect::<Vec<_>>().join(" ");
    if let [first, second] = runs
        && first.outcome == Some(Outcome::Arrived)
        && second.outcome == Some(Outcome::Arrived)
    {
        let (winner, fewer, more) = match first.tick <= second.tick {
            true => (first, first.tick, second.tick),
            false => (second, second.tick, first.tick),
        };
        text += &match more - fewer {
            0 => " Both need the same number of ticks.".to_owned(),
            by => format!(" {} wins by {}.", title(winner), count(by, "tick", "ticks")),
        };
    }
    Some(text)
}

/// A row of buttons at the top.
pub(crate) fn bar(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.add_space(3.0);
    ui.horizontal(add);
    ui.add_space(3.0);
}

/// The panel on the left.
pub(crate) fn side_panel(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let panel = Panel::left("side").resizable(false).exact_size(248.0);
    panel.show(ui, |ui| ScrollArea::vertical().show(ui, add));
}

/// The panel of plots below the map.
pub(crate) fn plots_panel(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let panel = Panel::bottom("plots").resizable(true).default_size(150.0);
    panel.size_range(90.0..=400.0).show(ui, add);
}

/// The rest of the window.
pub(crate) fn map_panel(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let frame = Frame::central_panel(ui.style()).inner_margin(Margin::same(6));
    CentralPanel::default().frame(frame).show(ui, add);
}

/// A button that opens the help, at the right end of a row.
pub(crate) fn help_button(ui: &mut Ui, is_open: &mut bool) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        *is_open ^= button(ui, "?", "Keys and mouse");
    });
}

/// Shows the help on keys and mouse while it is open.
pub(crate) fn help(ctx: &Context, is_open: &mut bool, keys: &[keys::Row], mouse: &[(&str, &str)]) {
    Window::new("Keys and mouse")
        .open(is_open)
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(ctx, |ui| {
            Grid::new("keys")
                .num_columns(2)
                .spacing(vec2(18.0, 5.0))
                .striped(true)
                .show(ui, |ui| {
                    let keys = keys.iter().map(|&(_, name, what, _)| (name, what));
                    for (key, what) in keys.chain(mouse.iter().copied()) {
                        ui.label(RichText::new(key).strong());
                        ui.label(what);
                        ui.end_row();
                    }
                });
        });
}

/// A choice of themes.
pub(crate) fn themes(ui: &mut Ui) {
    ui.horizontal(|ui| {
        let mut theme = ui.ctx().options(|options| options.theme_preference);
        for (choice, name) in [
            (ThemePreference::Light, "light"),
            (ThemePreference::Dark, "dark"),
            (ThemePreference::System, "system"),
        ] {
            if ui.selectable_value(&mut theme, choice, name).clicked() {
                ui.ctx().set_theme(theme);
            }
        }
    });
}

/// Where the numbers of a cell stand when the map is zoomed in.
const CORNERS: &str =
    "corners of a cell: g upper left, rhs upper right, h lower left, key lower right";

/// The colors of the map that no check box shows.
fn legend(ui: &mut Ui, palette: &Palette) {
    let searched = mix(palette.free, palette.searched, SEARCHED);
    ui.horizontal_wrapped(|ui| {
        for (color, name) in [
            (palette.robot, "robot"),
            (palette.start, "start cell"),
            (palette.goal, "goal cell"),
            (palette.unknown, "unknown"),
            (palette.free, "free"),
            (searched, "searched"),
            (palette.walked, "visited"),
            (palette.blocked, "blocked"),
        ] {
            // A color and its name stay on one line.
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), egui::Sense::hover());
                ui.painter().rect_filled(rect, 2.0, color);
                ui.label(name);
            });
        }
    });
}

/// A check box with the color of what it shows.
pub(crate) fn shown(ui: &mut Ui, is_shown: &mut bool, color: Color32, name: &str) {
    ui.horizontal(|ui| {
        ui.checkbox(is_shown, name);
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, 2.0, color);
    });
}

pub(crate) fn button(ui: &mut Ui, text: &str, hint: &str) -> bool {
    ui.button(text).on_hover_text(hint).clicked()
}

/// A button to play or pause; `true` when it is clicked.
pub(crate) fn play_button(ui: &mut Ui, is_playing: bool) -> bool {
    let text = match is_playing {
        true => "Pause",
        false => "Play",
    };
    let button = Button::new(RichText::new(text).strong()).min_size(vec2(74.0, 0.0));
    ui.add(button).on_hover_text("Space").clicked()
}

pub(crate) fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.add_space(7.0);
    let title = ui.label(RichText::new(text).strong().size(15.0));
    ui.add_space(1.0);
    title
}

/// A choice of planners; its hint has the name that scripts use, the use and the paper.
fn names(ui: &mut Ui, title: Id, name: &mut Name) {
    ComboBox::from_id_salt(title)
        .width(220.0)
        .height(420.0)
        .selected_text(name.title())
        .show_ui(ui, |ui| {
            for &other in Name::all() {
                ui.selectable_value(name, other, other.title())
                    .on_hover_text(format!(
                        "{other}: use it when {}\n{}",
                        other.use_when(),
                        other.paper()
                    ));
            }
        })
        .response
        .labelled_by(title);
}

/// Room for two maps of this size: beside each other or one above the other, as they are larger.
fn halves(rect: Rect, (width, height): (u16, u16)) -> [Rect; 2] {
    const TITLE: f32 = 20.0;
    let map = vec2(width.into(), height.into());
    let scale = |room: Vec2| ((room - vec2(0.0, TITLE)) / map).min_elem();
    let beside = scale(rect.size() * vec2(0.5, 1.0));
    let (first, second) = match scale(rect.size() * vec2(1.0, 0.5)) > beside * 1.1 {
        true => rect.split_top_bottom_at_fraction(0.5),
        false => rect.split_left_right_at_fraction(0.5),
    };
    [first, second]
}

fn within<R>(ui: &mut Ui, rect: Rect, add: impl FnOnce(&mut Ui) -> R) -> R {
    ui.scope_builder(UiBuilder::new().max_rect(rect.shrink(3.0)), add)
        .inner
}

/// A hint, when there is no map.
pub(crate) fn nothing(ui: &mut Ui, text: &str) {
    ui.centered_and_justified(|ui| {
        ui.label(RichText::new(text).size(18.0).weak());
    });
}

/// The status of a run in one line.
fn summary(run: &Run) -> String {
    let moves = count(run.moves, "move", "moves");
    let state = match run.outcome {
        Some(Outcome::Arrived) => format!("arrived after {moves}"),
        Some(Outcome::Unreachable) => format!("no path; proven after {moves}"),
        Some(Outcome::GaveUp) | None => moves,
    };
    let waits = match run.waits {
        0 => String::new(),
        waits => format!(", {} waiting", count(waits, "tick", "ticks")),
    };
    let expansions = count(run.total.expansions, "expansion", "expansions");
    let requeues = count(run.total.requeues, "re-queue", "re-queues");
    let tick = grouped(run.tick);
    let planner = run.options.planner;
    format!("{planner}: tick {tick}, {state}{waits}, {expansions}, {requeues}")
}
