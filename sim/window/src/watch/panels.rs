//! Panels around the map of a monitored robot: state and commands.

use egui::{Align, Button, Grid, Id, Layout, Modal, Panel, RichText, Slider, Ui, vec2};
use planner_core::Budget;
use sim::{
    micromouse::name,
    output::grouped,
    telemetry::{Answer, Connection, Feed, PlannedRoute, text},
};
use tinystar::{
    config,
    telemetry::{Command, Load, Sensors},
};

use super::{SPEEDS, Watch};
use crate::{
    keys,
    map::{Layer, Look, Overlay},
    palette::Palette,
    plots::{Chart, Series},
    widgets::{
        bar, button, heading, help, help_button, map_panel, nothing, play_button, plots_panel,
        shown, side_panel, themes,
    },
};

/// Shortest time axis, in seconds.
const SHORTEST_PLOT: f64 = 60.0;

impl Watch {
    pub(super) fn show(&mut self, ui: &mut Ui) {
        Panel::top("transport").show(ui, |ui| {
            bar(ui, |ui| {
                match self.feed {
                    Feed::Live(_) => self.command_buttons(ui),
                    Feed::Recording(_) => self.transport(ui),
                }
                help_button(ui, &mut self.is_help_open);
            });
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
        side_panel(ui, |ui| self.readings(ui));
        let mut has_plots = self.has_plots;
        plots_panel(ui, &mut has_plots, |ui| self.plots(ui));
        self.has_plots = has_plots;
        map_panel(ui, |ui| self.map(ui));
        self.ask(ui);
        let is_open = &mut self.is_help_open;
        help(ui.ctx(), is_open, keys::WATCH, keys::WATCH_MOUSE);
    }

    /// Commands to a live robot.
    fn command_buttons(&mut self, ui: &mut Ui) {
        ui.strong(&self.name);
        ui.label(text::connection(&self.live));
        ui.separator();
        let Feed::Live(link) = &self.feed else {
            return;
        };
        if !link.takes_commands() {
            return;
        }
        ui.add_enabled_ui(self.can_command(), |ui| {
            for (name, command, hint) in [
                ("Start", Command::Start, "Start the mission"),
                ("Stop", Command::Stop, "Stop the robot"),
                ("Home", Command::Home, "Return home"),
            ] {
                let order = Button::new(RichText::new(name).strong()).min_size(vec2(60.0, 0.0));
                if ui.add(order).on_hover_text(hint).clicked() {
                    self.command(command);
                }
            }
            ui.separator();
            if button(ui, "Clear map…", "In RAM and in flash") {
                self.is_asking = true;
            }
        });
    }

    /// Controls of a recording.
    fn transport(&mut self, ui: &mut Ui) {
        let Feed::Recording(playback) = &self.feed else {
            return;
        };
        let (now, length) = (playback.now(), playback.length());
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

    /// Problems to show at once.
    fn problems(&self) -> Vec<String> {
        let monitor = self.monitor();
        let fault = monitor.robot.state.and_then(|state| state.fault);
        let mut problems = Vec::from_iter(monitor.protocol_warning());
        if let Connection::Disconnected(why) = &monitor.connection {
            problems.push(format!("Disconnected ({why}); trying again."));
        }
        problems
            .extend(fault.map(|fault| format!("The robot has stopped: {}.", text::fault(fault))));
        problems
    }

    /// Statistics of the link, and the cell under the pointer.
    fn status(&self, ui: &mut Ui) {
        let monitor = self.monitor();
        ui.horizontal(|ui| {
            ui.label(text::link_stats(monitor.stats));
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
        heading(ui, "Sensors");
        self.sensors(ui);
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
        shown(ui, &mut self.overlay.plan, palette.plan, "route");
        if button(ui, "Whole map", "F") {
            self.camera.fit();
        }
        themes(ui);
        ui.add_space(8.0);
    }

    fn robot(&self, ui: &mut Ui) {
        let robot = &self.monitor().robot;
        let Some(state) = &robot.state else {
            ui.weak("no state received");
            return;
        };
        let goals = match &robot.goals[..] {
            [] => "none".to_owned(),
            goals => text::cells(goals),
        };
        let rows = [
            ("state", text::activity(state.activity).to_owned()),
            (
                "at",
                format!(
                    "{}, facing {}",
                    text::cell(state.at),
                    text::side(state.heading)
                ),
            ),
            (
                "pose in cell",
                format!(
                    "{} mm forward, {} mm right, {:.1}°",
                    state.forward_mm,
                    state.lateral_mm,
                    f64::from(state.yaw_ddeg) / 10.0
                ),
            ),
            ("speed", format!("{} mm/s", state.speed_mm_s)),
            (
                "route",
                PlannedRoute::of(robot).map_or("-".to_owned(), |route| text::route(&route)),
            ),
            ("goal", goals),
            ("battery", volts(state.battery_mv)),
            (
                "map",
                robot.stored.map_or("unknown", text::stored).to_owned(),
            ),
            ("uptime", format!("{:.1} s", f64::from(state.ms) / 1000.0)),
        ];
        table(ui, "robot", rows);
    }

    fn sensors(&self, ui: &mut Ui) {
        let robot = &self.monitor().robot;
        let Some(sensors) = &robot.sensors else {
            ui.weak("no data");
            return;
        };
        let Sensors {
            raw,
            distances,
            counts,
            yaw_rate,
            yaw_bias,
            duty,
            battery_mv,
            ..
        } = *sensors;
        let receiver =
            |raw: u16, distance| format!("{} (raw {raw:012b})", text::distance(distance));
        let degrees = |mdeg: i32| format!("{:.2}", f64::from(mdeg) / 1000.0);
        let rows = [
            ("left", receiver(raw[0], distances.left)),
            ("ahead", receiver(raw[1], distances.front)),
            ("right", receiver(raw[2], distances.right)),
            ("counts", format!("{} left, {} right", counts[0], counts[1])),
            (
                "gyro",
                format!(
                    "{} °/s, bias {}",
                    degrees(yaw_rate),
                    yaw_bias.map_or("unknown".to_owned(), degrees)
                ),
            ),
            ("duty", format!("{} ‰ left, {} ‰ right", duty[0], duty[1])),
            ("battery", volts(battery_mv)),
        ];
        table(ui, "sensors", rows);
        if let Some((calibration, _)) = &robot.calibration {
            match &text::uncalibrated(calibration)[..] {
                "" => ui.weak("calibrated"),
                missing => ui.weak(format!("not calibrated: {missing}")),
            };
        }
    }

    fn planning(&self, ui: &mut Ui) {
        let robot = &self.monitor().robot;
        let Some(&(_, load)) = robot.loads.back() else {
            ui.weak("no data");
            return;
        };
        let Load {
            phase,
            ticks,
            expansions,
            requeues,
            worst_expansions,
            worst_requeues,
            worst_us,
            decisions,
            late,
        } = load;
        let rows = [
            ("phase", name(phase).to_owned()),
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
            ("decisions", format!("{decisions}, {late} late")),
        ];
        table(ui, "planning", rows);
    }

    fn faults(&self, ui: &mut Ui) {
        let faults = &self.monitor().robot.faults;
        if faults.is_empty() {
            ui.weak("none");
        }
        for &(ms, fault) in faults.iter().rev() {
            let at = f64::from(ms) / 1000.0;
            let text = format!("{at:.1} s  {}", text::fault(fault));
            ui.label(RichText::new(text).color(ui.visuals().error_fg_color));
        }
    }

    fn commands(&self, ui: &mut Ui) {
        if self.live.commands.is_empty() {
            ui.weak("none yet");
        }
        for (_, command, answer) in self.live.commands.iter().rev() {
            let text = RichText::new(format!(
                "{}: {}",
                text::command(command),
                text::answer(*answer)
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
        let loads = &self.monitor().robot.loads;
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
        let (expansions, unit) = (config::LIMIT, " in a tick");
        let requeues = expansions * Budget::REQUEUES_PER_EXPANSION;
        ui.columns(3, |columns| {
            let worst: fn(&Load) -> u32 = |load| load.worst_expansions.into();
            chart("expansions", worst, unit, Some(expansions)).show(&mut columns[0]);
            let worst: fn(&Load) -> u32 = |load| load.worst_requeues.into();
            chart("re-queues", worst, unit, Some(requeues)).show(&mut columns[1]);
            chart("time", |load| load.worst_us, " us in a tick", deadline).show(&mut columns[2]);
        });
    }

    fn map(&mut self, ui: &mut Ui) {
        if self.snapshot.cells.is_empty() {
            return nothing(ui, "No map received yet.");
        }
        ui.horizontal(|ui| {
            ui.label(RichText::new("Robot's map").strong());
            match &self.feed {
                Feed::Recording(_) => ui.weak(&self.name),
                Feed::Live(_) if self.can_command() => ui.weak("click a cell to make it the goal"),
                Feed::Live(_) => ui.weak("read-only"),
            };
        });
        let overlay = Overlay {
            numbers: false,
            ..self.overlay
        };
        let look = Look {
            layer: Layer::Map,
            overlay,
            is_moved_by_primary: false,
        };
        let camera = &mut self.camera;
        let touch = (self.map).show(ui, "the robot's map", &self.snapshot, look, camera);
        self.touch(touch);
    }

    /// Asks for confirmation before the map is cleared.
    fn ask(&mut self, ui: &mut Ui) {
        if !self.is_asking {
            return;
        }
        let asked = Modal::new(Id::unique("clear")).show(ui.ctx(), |ui| {
            ui.label(RichText::new("Clear the robot's map?").strong());
            ui.label("It is also deleted from flash.");
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                if ui.button("Clear").clicked() {
                    self.command(Command::ForgetMap);
                    self.is_asking = false;
                }
                if ui.button("Cancel").clicked() {
                    self.is_asking = false;
                }
            });
        });
        if asked.should_close() {
            self.is_asking = false;
        }
    }
}

/// Voltage, if it is known.
fn volts(mv: Option<u16>) -> String {
    mv.map_or("unknown".to_owned(), |mv| {
        format!("{:.2} V", f64::from(mv) / 1000.0)
    })
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
