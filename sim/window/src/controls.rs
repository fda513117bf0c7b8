//! The settings: world, planner, robot and view.

use egui::{
    Align2, ComboBox, DragValue, FontId, Grid, Id, RichText, Sense, Slider, StrokeKind, Ui, vec2,
};
use sim::{
    catalog::{Moves, Name},
    output::grouped,
    world::World,
};

use crate::{
    app::App,
    map::{Layer, Overlay},
    palette::{Palette, SEARCHED, mix},
    pen::Tool,
    timeline::Timeline,
    widgets::{self, button, heading, themes},
    worlds::{Choice, Kind, bundled_maze},
};

/// The longest side of a world that is generated here.
const LONGEST: u16 = 601;

impl App {
    pub(crate) fn controls(&mut self, ui: &mut Ui) {
        ui.spacing_mut().slider_width = 100.0;
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
        if let Some((_, link)) = &self.link
            && !is_file
            && button(
                ui,
                "Copy link",
                "to this world and planner, without drawn walls",
            )
        {
            ui.ctx().copy_text(link.clone());
            self.notice = Some(format!("Copied {link}"));
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
        if is_maze {
            let can_explore = !options.knows_map();
            ui.add_enabled_ui(can_explore, |ui| {
                ui.checkbox(&mut options.is_mission, "Explores, returns and runs")
                    .on_hover_text("the mission of a micromouse; else it goes to the goal once");
            });
        }
        ui.checkbox(&mut options.is_told, "Is told of drawn walls");
        if self.settings.options != before {
            self.apply_options();
        }
        ui.horizontal(|ui| {
            ui.label("Left button:");
            for (tool, name) in Tool::ALL {
                ui.selectable_value(&mut self.tool, tool, name);
            }
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
            widgets::shown(ui, shown, color, name);
        }
        ui.checkbox(numbers, "numbers, when zoomed in");
        ui.checkbox(&mut self.settings.has_world, "true world");
        if button(ui, "Whole map", "F") {
            self.camera.fit();
        }
        self.settings.is_dark = themes(ui);
        heading(ui, "Legend");
        legend(ui, palette);
        if *numbers {
            corners(ui);
        }
    }
}

/// Size, seed and details of a world that is generated.
fn choice_controls(ui: &mut Ui, choice: &mut Choice) {
    if choice.kind == Kind::Micromouse {
        ui.horizontal(|ui| {
            ui.label(bundled_maze(choice.seed));
            if button(ui, "Next", "N") {
                choice.seed = choice.seed.wrapping_add(1);
            }
        });
        return;
    }
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
        Kind::Rooms | Kind::Micromouse => {}
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

/// Legend of the numbers in a cell when the map is zoomed in.
fn corners(ui: &mut Ui) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let (cell, _) = ui.allocate_exact_size(vec2(76.0, 44.0), Sense::hover());
        let painter = ui.painter();
        let color = ui.visuals().text_color();
        painter.rect_stroke(cell, 0.0, (1.0, color), StrokeKind::Inside);
        for (corner, name) in [
            (Align2::LEFT_TOP, "g"),
            (Align2::RIGHT_TOP, "rhs"),
            (Align2::LEFT_BOTTOM, "h"),
            (Align2::RIGHT_BOTTOM, "key"),
        ] {
            let at = corner.pos_in_rect(&cell.shrink(5.0));
            painter.text(at, corner, name, FontId::proportional(13.0), color);
        }
        ui.label("numbers in a cell");
    });
}

/// The colors of the map that no check box shows.
fn legend(ui: &mut Ui, palette: &Palette) {
    let searched = mix(palette.free, palette.searched, SEARCHED);
    let colors = [
        (palette.robot, "robot"),
        (palette.start, "start cell"),
        (palette.goal, "goal cell"),
        (palette.unknown, "unknown"),
        (palette.free, "free"),
        (searched, "searched"),
        (palette.walked, "visited"),
        (palette.blocked, "blocked"),
    ];
    Grid::new("legend").num_columns(2).show(ui, |ui| {
        for pair in colors.chunks(2) {
            for &(color, name) in pair {
                ui.horizontal(|ui| {
                    let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), Sense::hover());
                    ui.painter().rect_filled(rect, 2.0, color);
                    ui.label(name);
                });
            }
            ui.end_row();
        }
    });
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
