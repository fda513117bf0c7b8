//! The phases of a mission, and the banner at the end of a run.

use egui::{RichText, Ui};
use planner_core::explore::Phase;
use sim::{
    output::{count, duration, grouped},
    walk::Outcome,
};

use crate::{
    app::App,
    mission::{Mission, PHASES},
    palette::Palette,
    run::Run,
    timeline::Timeline,
};

impl App {
    /// Returns whether a robot is on a mission.
    pub(crate) fn has_mission(&self) -> bool {
        self.lines().any(|line| line.run().phase().is_some())
    }

    /// The phases of each mission: those behind with their moves, the present one in color; and the moment at which
    /// the shortest path was proven.
    pub(crate) fn missions(&self, ui: &mut Ui) {
        let palette = Palette::of(ui.visuals());
        let runs: Vec<&Run> = self.lines().map(Timeline::run).collect();
        for (run, color) in runs.iter().zip(palette.runs) {
            let Some(phase) = run.phase() else {
                continue;
            };
            ui.horizontal_wrapped(|ui| {
                if runs.len() > 1 {
                    ui.label(RichText::new(title(run)).strong().color(color));
                }
                phases(ui, phase, &run.mission);
                if let Some(proof) = run.mission.proof {
                    let steps = count(proof.steps as u64, "step", "steps");
                    let tick = grouped(proof.tick);
                    let text = format!("shortest path proven at tick {tick}: {steps}");
                    ui.label(RichText::new(text).strong().color(palette.goal));
                }
            });
        }
    }

    /// The end of the runs, with a button to save each as a film.
    pub(crate) fn arrival(&mut self, ui: &mut Ui) {
        let runs: Vec<&Run> = self.lines().map(Timeline::run).collect();
        let ends: Vec<String> = runs.iter().map(|run| end(run)).collect();
        let verdict = verdict(&runs);
        let mut saved = None;
        for (place, end) in ends.into_iter().enumerate() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(end).strong().size(15.0));
                let is_idle = self.film.is_none();
                let save = egui::Button::new("Save as GIF");
                if ui.add_enabled(is_idle, save).clicked() {
                    saved = Some(place);
                }
                if !is_idle {
                    ui.spinner();
                }
            });
        }
        if let Some(verdict) = verdict {
            ui.label(RichText::new(verdict).strong().size(15.0));
        }
        if let Some(place) = saved {
            self.save_film(place);
        }
    }
}

fn phases(ui: &mut Ui, phase: Phase, mission: &Mission) {
    let palette = Palette::of(ui.visuals());
    let place = Mission::place(phase);
    for (index, name) in PHASES.into_iter().enumerate() {
        if index > 0 {
            ui.weak(">");
        }
        let record = mission.phases.iter().find(|record| record.name == name);
        let text = match record {
            Some(record) => format!("{name}: {}", count(record.moves, "move", "moves")),
            None => name.to_owned(),
        };
        match index == place {
            true => ui.label(RichText::new(text).strong().color(palette.robot)),
            false if record.is_some() => ui.label(text),
            false => ui.weak(text),
        };
    }
    ui.add_space(12.0);
}

fn title(run: &Run) -> &'static str {
    run.options.planner.title()
}

/// The end of a run, in a sentence or two.
fn end(run: &Run) -> String {
    let moves = count(run.moves, "move", "moves");
    let end = match run.outcome {
        Some(Outcome::Arrived) if run.phase().is_some() => "ended its mission after",
        Some(Outcome::Arrived) => "arrived after",
        Some(Outcome::Unreachable) => "proved that there is no path after",
        Some(Outcome::GaveUp) | None => "gave up after",
    };
    let ticks = count(run.tick, "tick", "ticks");
    let expansions = count(run.total.expansions, "expansion", "expansions");
    let time = duration(run.planning_ns);
    let mut text = format!(
        "{} {end} {moves} in {ticks}, with {expansions} in {time}.",
        title(run)
    );
    let last = run.mission.phases.last().map(|phase| phase.moves);
    if let (Some(steps), Some(proof)) = (last, run.mission.proof)
        && run.outcome == Some(Outcome::Arrived)
        && steps == proof.steps as u64
    {
        text += &format!(
            " The run of {} is the shortest.",
            count(steps, "move", "moves")
        );
    }
    text
}

/// Which of two runs needed less, and by how much.
fn verdict(runs: &[&Run]) -> Option<String> {
    let [first, second] = runs else {
        return None;
    };
    if runs.iter().any(|run| run.outcome != Some(Outcome::Arrived)) {
        return None;
    }
    let by = |of: fn(&Run) -> u64| {
        let (winner, loser) = match of(first) <= of(second) {
            true => (first, second),
            false => (second, first),
        };
        let (fewer, more) = (of(winner), of(loser));
        let percent = (100.0 * (more - fewer) as f64 / more.max(1) as f64).round();
        (winner, more - fewer, percent)
    };
    let (winner, ticks, percent) = by(|run| run.tick);
    let (thrifty, expansions, share) = by(|run| run.total.expansions);
    Some(match (ticks, expansions) {
        (0, 0) => "A draw: both need the same ticks and expansions.".to_owned(),
        (0, by) => format!(
            "Both need the same number of ticks; {} wins by {} ({share} % fewer).",
            title(thrifty),
            count(by, "expansion", "expansions"),
        ),
        (by, _) => format!(
            "{} wins by {} ({percent} % fewer).",
            title(winner),
            count(by, "tick", "ticks"),
        ),
    })
}

/// The status of a run in one line.
pub(crate) fn summary(run: &Run) -> String {
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
    let planner = title(run);
    format!("{planner}: tick {tick}, {state}{waits}, {expansions}, {requeues}")
}
