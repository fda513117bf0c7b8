//! What surrounds the map of a robot that is watched: how it is, and what it can be told.

use egui::{
    Align, Button, CentralPanel, Frame, Grid, Id, Layout, Margin, Modal, Panel, RichText,
    ScrollArea, Slider, Ui, vec2,
};
use planner_core::Budget;
use sim::{
    output::grouped,
    telemetry::{Answer, Contact, Feed, text as words},
};
use tinystar::{
    config,
    telemetry::{Command, Load},
};

use super::{SPEEDS, Watch};
use crate::{
    keys,
    map::{Layer, Overlay},
    palette::Palette,
    panels::{button, heading, help, play_button, shown, themes},
    plots::{Chart, Series},
};

/// The least time that a plot shows, in seconds.
const SHORTEST_PLOT: f64 = 60.0;

impl Watch {
    pub(super) fn show(&mut self, ui: &mut Ui) {
        Panel::top("transport").show(ui, |ui| {
            ui.add_space(3.0);
            ui.horizontal(|ui| {
                match self.feed {
                    Feed::Live(_) => self.orders(ui),
                    Feed::Recording(_) => self.transport(ui),
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if button(ui, "?", "Keys and mouse") {
                        self.is_help_open = !self.is_help_open;
                    }
                });
            });
            ui.add_space(3.0);
        });
        let problems = self.problems();
        if !problems.is_empty() {
            Panel::top("problem").show(ui, |ui| {
                for problem in problems {
                    ui.label(RichText::new(problem).color(ui.visuals().error_fg_color));
                }
            });
        }
        Panel::bottom("status").show(ui, |ui| self.status(ui));
        Panel::left("robot")
            .resizable(false)
            .exact_size(248.0)
            .show(ui, |ui| {
                ScrollArea::vertical().show(ui, |ui| self.readings(ui));
            });
        if self.has_plots {
            Panel::bottom("plots")
                .resizable(true)
                .default_size(150.0)
                .size_range(90.0..=400.0)
                .show(ui, |ui| self.plots(ui));
        }
        let frame = Frame::central_panel(ui.style()).inner_margin(Margin::same(6));
        CentralPanel::default()
            .frame(frame)
            .show(ui, |ui| self.map(ui));
        self.ask(ui);
        let mouse = keys::WATCH_MOUSE.iter().copied();
        let rows = keys::help(keys::WATCH).chain(mouse);
        help(ui.ctx(), &mut self.is_help_open, rows);
    }

    /// What a robot can be told.
    fn orders(&mut self, ui: &mut Ui) {
        ui.strong(&self.name);
        ui.label(words::contact(&self.live));
        ui.separator();
        let Feed::Live(link) = &self.feed else {
            return;
        };
        if !link.takes_commands() {
            return;
        }
        ui.add_enabled_ui(self.is_within_reach(), |ui| {
            for (name, command, hint) in [
                ("Start", Command::Start, "Do what it is to do"),
                ("Stop", Command::Stop, "Stop where it is"),
                ("Home", Command::Home, "Go back to where it was put"),
            ] {
                let order = Button::new(RichText::new(name).strong()).min_size(vec2(60.0, 0.0));
                if ui.add(order).on_hover_text(hint).clicked() {
                    self.command(command);
                }
            }
            ui.separator();
            if button(ui, "Forget the map…", "Here and in flash") {
                self.is_asking = true;
            }
        });
    }

    /// Play, pause, forward and back.
    fn transport(&mut self, ui: &mut Ui) {
        let Feed::Recording(player) = &self.feed else {
            return;
        };
        let (now, length) = (player.now(), player.length());
        if button(ui, "Start over", "Home") {
            self.seek(0);
        }
        if play_button(ui, self.is_playing) {
            self.play(!self.is_playing);
        }
        ui.separator();
        let slider = Slider::new(&mut self.speed, SPEEDS)
            .logarithmic(true)
            .max_decimals(1)
            .suffix(" ×")
            .text("speed");
        ui.add(slider);
        ui.separator();
        let mut seconds = now as f64 / 1000.0;
        ui.spacing_mut().slider_width = (ui.available_width() - 190.0).clamp(80.0, 400.0);
        let slider = Slider::new(&mut seconds, 0.0..=(length as f64 / 1000.0).max(0.1))
            .fixed_decimals(1)
            .suffix(" s")
            .text("time");
        if ui.add(slider).changed() {
            self.seek((seconds * 1000.0).round() as u64);
        }
        if self.is_seeking() {
            ui.spinner();
        }
    }

    /// What somebody should know at once.
    fn problems(&self) -> Vec<String> {
        let watched = self.watched();
        let fault = watched.told().state().and_then(|state| state.fault);
        let mut problems = Vec::from_iter(watched.doubt());
        if let Contact::Gone(why) = watched.contact() {
            problems.push(format!("The robot is gone ({why}); trying again."));
        }
        problems
            .extend(fault.map(|fault| format!("The robot has stopped, {}.", words::fault(fault))));
        problems
    }

    /// The status of the runs, and the cell under the pointer.
    fn status(&self, ui: &mut Ui) {
        let watched = self.watched();
        ui.horizontal(|ui| {
            ui.label(words::tally(watched.tally()));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some(cell) = self.hovered {
                    ui.monospace(crate::map::describe(&self.snapshot, cell));
                }
            });
        });
    }

    fn readings(&mut self, ui: &mut Ui) {
        heading(ui, "Robot");
        self.robot(ui);
        heading(ui, "Planning");
        self.planning(ui);
        heading(ui, "Faults");
        self.faults(ui);
        if matches!(&self.feed, Feed::Live(link) if link.takes_commands()) {
            heading(ui, "Commands");
            self.commands(ui);
        }
        heading(ui, "View");
        let palette = Palette::of(ui.visuals());
        shown(ui, &mut self.overlay.trail, palette.trail, "trail");
        shown(ui, &mut self.overlay.plan, palette.plan, "next cell");
        ui.checkbox(&mut self.has_plots, "plots");
        if ui.button("Whole map").on_hover_text("F").clicked() {
            self.camera.fit();
        }
        themes(ui);
        ui.add_space(8.0);
    }

    fn robot(&self, ui: &mut Ui) {
        let told = self.watched().told();
        let Some(state) = told.state() else {
            ui.weak("has not said where it is");
            return;
        };
        let goals = match told.goals() {
            [] => "none told".to_owned(),
            goals => words::cells(goals),
        };
        let battery = state.battery_mv.map_or("not told".to_owned(), |mv| {
            format!("{:.2} V", f64::from(mv) / 1000.0)
        });
        let rows = [
            ("does", words::activity(state.activity).to_owned()),
            (
                "at",
                format!(
                    "{}, looking {}",
                    words::cell(state.at),
                    words::side(state.heading)
                ),
            ),
            (
                "off by",
                format!(
                    "{} mm ahead, {} right, {:.1}°",
                    state.forward_mm,
                    state.lateral_mm,
                    f64::from(state.yaw_ddeg) / 10.0
                ),
            ),
            ("next", told.next().map_or("-".to_owned(), words::cell)),
            ("goal", goals),
            ("battery", battery),
            (
                "map",
                told.stored().map_or("not told", words::stored).to_owned(),
            ),
            ("on for", format!("{:.1} s", f64::from(state.ms) / 1000.0)),
        ];
        table(ui, "robot", rows);
    }

    fn planning(&self, ui: &mut Ui) {
        let told = self.watched().told();
        let Some(&(_, load)) = told.loads().back() else {
            ui.weak("nothing told yet");
            return;
        };
        let Load {
            ticks,
            expansions,
            requeues,
            worst_expansions,
            worst_requeues,
            worst_us,
        } = load;
        let rows = [
            ("ticks", grouped(ticks.into())),
            (
                "expansions",
                format!("{}, {worst_expansions} in one", grouped(expansions.into())),
            ),
            (
                "re-queues",
                format!("{}, {worst_requeues} in one", grouped(requeues.into())),
            ),
            ("longest", format!("{} us", grouped(worst_us.into()))),
        ];
        table(ui, "planning", rows);
    }

    fn faults(&self, ui: &mut Ui) {
        let faults = self.watched().told().faults();
        if faults.is_empty() {
            ui.weak("none");
        }
        for &(ms, fault) in faults.iter().rev() {
            let at = f64::from(ms) / 1000.0;
            let text = format!("{at:.1} s  {}", words::fault(fault));
            ui.label(RichText::new(text).color(ui.visuals().error_fg_color));
        }
    }

    fn commands(&self, ui: &mut Ui) {
        if self.live.commands().is_empty() {
            ui.weak("none yet");
        }
        for (_, command, answer) in self.live.commands().iter().rev() {
            let text = RichText::new(format!(
                "{}: {}",
                words::command(command),
                words::answer(*answer)
            ));
            ui.label(match answer {
                Answer::Refused(_) => text.color(ui.visuals().error_fg_color),
                Answer::Awaited => text.weak(),
                Answer::Accepted => text,
            });
        }
    }

    fn plots(&self, ui: &mut Ui) {
        let color = Palette::of(ui.visuals()).runs[0];
        let loads = self.watched().told().loads();
        let seconds = |ms: u32| f64::from(ms) / 1000.0;
        let first = loads.front().map_or(0.0, |&(ms, _)| seconds(ms));
        let last = loads.back().map_or(0.0, |&(ms, _)| seconds(ms));
        let chart = |title, of: fn(&Load) -> u32, unit: &str, bound: Option<u32>| {
            let most = loads.iter().map(|(_, load)| of(load)).max().unwrap_or(0);
            let note = match bound {
                Some(bound) => format!("at most {most} of {bound}{unit}"),
                None => format!("at most {most}{unit}"),
            };
            let points = loads
                .iter()
                .map(|(ms, load)| [seconds(*ms), f64::from(of(load))]);
            Chart {
                title,
                note,
                x: first..=last.max(first + SHORTEST_PLOT),
                series: vec![Series {
                    name: title.to_owned(),
                    color,
                    points: points.collect(),
                }],
                bound,
            }
        };
        let deadline = u32::try_from(config::DEADLINE.as_micros()).ok();
        ui.columns(3, |columns| {
            chart(
                "expansions",
                |load| load.worst_expansions.into(),
                " in a tick",
                Some(config::LIMIT),
            )
            .show(&mut columns[0]);
            chart(
                "re-queues",
                |load| load.worst_requeues.into(),
                " in a tick",
                Some(config::LIMIT * Budget::REQUEUES_PER_EXPANSION),
            )
            .show(&mut columns[1]);
            chart("time", |load| load.worst_us, " us in a tick", deadline).show(&mut columns[2]);
        });
    }

    fn map(&mut self, ui: &mut Ui) {
        if self.snapshot.cells.is_empty() {
            ui.centered_and_justified(|ui| {
                let text = "The robot has not said anything about its map yet.";
                ui.label(RichText::new(text).size(18.0).weak());
            });
            return;
        }
        ui.horizontal(|ui| {
            ui.label(RichText::new("What the robot knows").strong());
            match &self.feed {
                Feed::Recording(_) => ui.weak(&self.name),
                Feed::Live(_) if self.is_within_reach() => {
                    ui.weak("click a cell to make it the goal")
                }
                Feed::Live(_) => ui.weak("it cannot be told anything"),
            };
        });
        let look = (
            Layer::Map,
            Overlay {
                numbers: false,
                ..self.overlay
            },
        );
        let name = "the robot's map";
        let touch = self
            .map
            .show(ui, name, &self.snapshot, look, &mut self.camera);
        self.touch(touch);
    }

    /// Asks whether the map is really to be forgotten.
    fn ask(&mut self, ui: &mut Ui) {
        if !self.is_asking {
            return;
        }
        let asked = Modal::new(Id::unique("forget")).show(ui.ctx(), |ui| {
            ui.label(RichText::new("Forget the map that the robot has learned?").strong());
            ui.label("It goes from the robot's flash, too.");
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                if ui.button("Forget it").clicked() {
                    self.command(Command::ForgetMap);
                    self.is_asking = false;
                }
                if ui.button("StoreRequest it").clicked() {
                    self.is_asking = false;
                }
            });
        });
        if asked.should_close() {
            self.is_asking = false;
        }
    }
}

fn table<const N: usize>(ui: &mut Ui, name: &str, rows: [(&str, String); N]) {
    Grid::new(name)
        .num_columns(2)
        .spacing(vec2(10.0, 3.0))
        .show(ui, |ui| {
            for (what, value) in rows {
                ui.weak(what);
                ui.add(egui::Label::new(value).wrap());
                ui.end_row();
            }
        });
}
