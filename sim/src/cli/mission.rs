//! Options, missions and results that `sim robot` and `sim emulate` share.

use std::{
    io::{self, Write},
    path::PathBuf,
    time,
};

use embassy_time::Duration;
use planner_core::Cell;
use serde::Serialize;
use tinystar::{
    fault::Fault,
    mission::{Mission, STOPS},
};

use super::live::Live;
use crate::{
    error::{BadInput, OrBadInput},
    micromouse::name,
    options::{value, world::WorldOptions},
    output,
    physics::{
        faults::FaultDraw,
        floor::Floor,
        tolerances::{Draw, Setting},
    },
    run::{Progress, RunConfig, RunError, RunOutcome, RunReport},
    world::{Maze, Scenario, World, rng, scenario::outside},
};

/// Stream of random numbers from which faults are drawn.
const FAULTS: u64 = 1;

/// Options of both commands.
#[derive(clap::Args, Debug)]
pub struct RobotOptions {
    #[command(flatten)]
    pub world: WorldOptions,
    /// Mission of the robot; may be repeated [default: go to the goal, or explore a micromouse maze]
    #[arg(long, value_name = "MISSION", value_parser = parse_mission)]
    mission: Vec<MissionArg>,
    /// Fault to inject; may be repeated. A start or duration like 5..60 is drawn by the seed
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<FaultDraw>,
    /// Ranges from which the tolerances of robot and floor are drawn
    #[arg(long, value_name = "DRAW", value_enum, default_value_t)]
    tolerances: Draw,
    /// Ideal robot: no noise, no wear, placed exactly; the same as --tolerances none
    #[arg(long, conflicts_with = "tolerances")]
    ideal: bool,
    /// Value of a tolerance, whatever was drawn, like stiction=0.12 or reflectance.left=1.4; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Simulated-time limit in seconds [default: 3600 for `robot`, 600 for `emulate`]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    time_limit: Option<u64>,
    /// Show the run in the terminal; in a pipe, print a line for each change. Keys: space pauses, + and - change the
    /// speed, q ends the run
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
    /// Speed of --watch, as a factor of real time
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "watch",
        value_parser = value::factor)]
    speed: f64,
    /// Record the robot's telemetry to a file
    #[arg(long, value_name = "FILE")]
    pub frames: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Mission on the command line.
#[derive(Clone, Debug, PartialEq)]
enum MissionArg {
    Mission(Mission),
    /// Explore, with the goals of the map.
    Explore,
}

fn parse_mission(text: &str) -> Result<MissionArg, String> {
    let (name, cells) = match text.split_once(':') {
        Some((name, cells)) => (name, Some(cells)),
        None => (text, None),
    };
    let parse = |cells: &str| cells.split(';').map(value::cell).collect();
    let cells: Option<Vec<Cell>> = cells.map(parse).transpose()?;
    let list = |cells: &[Cell]| {
        heapless::Vec::from_slice(cells).map_err(|_| format!("a mission has at most {STOPS} cells"))
    };
    Ok(match (name, cells.as_deref()) {
        ("goto", Some(&[cell])) => MissionArg::Mission(Mission::GoTo(cell)),
        ("home", None) => MissionArg::Mission(Mission::Home),
        ("patrol", Some(cells)) => MissionArg::Mission(Mission::Patrol(list(cells)?)),
        ("explore", Some(cells)) => MissionArg::Mission(Mission::Explore(list(cells)?)),
        ("explore", None) => MissionArg::Explore,
        _ => return Err("a mission is goto:X,Y, home, patrol:X,Y;X,Y or explore".to_owned()),
    })
}

impl RobotOptions {
    /// Floor of a scenario, and the missions on it.
    ///
    /// # Errors
    /// The scenario has moving doors, or a goal is off the map.
    pub fn floor_and_missions(
        &self,
        scenario: &Scenario,
    ) -> Result<(Floor, Vec<Mission>), BadInput> {
        if scenario.doors.is_some() {
            return Err(BadInput(
                "moving doors are not supported here: use --fault door@SECONDS".to_owned(),
            ));
        }
        let floor = match &scenario.world {
            World::Cells(grid) => Floor::around(grid).or_bad_input()?,
            World::Walls(maze) => Floor::new(maze.clone()),
        };
        let explore = || Mission::Explore(scenario.goals().iter().copied().take(STOPS).collect());
        let missions = match (&self.mission[..], &scenario.world) {
            ([], World::Walls(_)) => vec![explore()],
            ([], World::Cells(_)) => vec![Mission::GoTo(scenario.goal)],
            (given, _) => given
                .iter()
                .map(|mission| match mission {
                    MissionArg::Mission(mission) => mission.clone(),
                    MissionArg::Explore => explore(),
                })
                .collect(),
        };
        check_goals(&missions, floor.walls())?;
        Ok((floor, missions))
    }

    /// Applies missions and options to a run; the seed draws its tolerances.
    pub fn configure(&self, config: &mut RunConfig, missions: Vec<Mission>, seed: u64) {
        config.missions = missions;
        let mut rng = rng::derived(seed, FAULTS);
        let drawn = self.fault.iter().map(|fault| fault.draw(&mut rng));
        config.faults = drawn.collect();
        if let Some(seconds) = self.time_limit {
            config.time_limit = Duration::from_secs(seconds);
        }
        let draw = if self.ideal {
            Draw::None
        } else {
            self.tolerances
        };
        config.draw(draw, seed);
        for setting in &self.set {
            setting.apply(&mut config.tolerances);
        }
    }

    /// Returns whether results are printed as JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Checks that there is at most one fault of each kind.
    ///
    /// # Errors
    /// There are more.
    pub fn check_faults(&self) -> Result<(), BadInput> {
        for (index, fault) in self.fault.iter().enumerate() {
            if self.fault[..index].iter().any(|f| f.kind == fault.kind) {
                let problem = format!("there is more than one fault {}", fault.kind);
                return Err(BadInput(problem));
            }
        }
        Ok(())
    }

    /// Executes a run, with a live view if requested, and returns its report with the time it took;
    /// `translate` converts telemetry to cells of the scenario.
    pub fn execute(
        &self,
        scenario: &Scenario,
        walls: &Maze,
        translate: impl Fn(&tinystar::telemetry::Frame) -> Option<tinystar::telemetry::Frame>,
        run: impl FnOnce(&mut dyn FnMut(&Progress<'_>) -> io::Result<()>) -> Result<RunReport, RunError>,
    ) -> anyhow::Result<(RunReport, Option<time::Duration>)> {
        let start = time::Instant::now();
        let live = self.watch.then(|| Live::new(scenario, walls, self.speed));
        let mut live = live.transpose()?;
        let report = run(&mut |progress| match &mut live {
            Some(live) => {
                let frames: Vec<_> = progress.frames.iter().filter_map(&translate).collect();
                live.update(&frames, progress.now)
            }
            None => Ok(()),
        });
        // The terminal is as it was before anything else is printed.
        drop(live);
        let report = report.map_err(explained)?;
        // A live view is slowed down to real time.
        Ok((report, (!self.watch).then(|| start.elapsed())))
    }

    /// Prints a report, and writes its recording if one is wanted.
    pub fn print(
        &self,
        scenario: &Scenario,
        report: &RunReport,
        took: Option<time::Duration>,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.frames {
            output::write_file(path, &report.recording)?;
        }
        if self.json {
            return Ok(output::json_line(&JsonLine {
                map: &scenario.name,
                seed: self.world.seed,
                start: (scenario.start.x, scenario.start.y),
                report,
            })?);
        }
        Ok(print_text(&scenario.name, report, took)?)
    }
}

/// The error of a run, as commands report it.
pub fn explained(error: RunError) -> anyhow::Error {
    match error {
        RunError::MapTooSmall(error) => BadInput(error.to_string()).into(),
        RunError::CellTooSmall(error) => BadInput(error.to_string()).into(),
        // A closed pipe, or a user who quits, is recognized by its kind.
        RunError::Observer(error) => error.into(),
        error => error.into(),
    }
}

fn check_goals(missions: &[Mission], maze: &Maze) -> Result<(), BadInput> {
    for mission in missions {
        let cells: &[Cell] = match mission {
            Mission::GoTo(cell) => std::slice::from_ref(cell),
            Mission::Home => &[],
            Mission::Patrol(cells) | Mission::Explore(cells) => cells,
        };
        if let Some(cell) = cells.iter().find(|&&cell| !maze.contains(cell)) {
            return Err(outside("goal", *cell, (maze.width(), maze.height())));
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct JsonLine<'a> {
    map: &'a str,
    seed: u64,
    start: (u16, u16),
    #[serde(flatten)]
    report: &'a RunReport,
}

fn print_text(map: &str, report: &RunReport, took: Option<time::Duration>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for log in report.logs.iter().flatten() {
        writeln!(out, "log: {log}")?;
    }
    writeln!(out, "{map}: {}", report.mission)?;
    write!(
        out,
        "{} after {:.1} s",
        outcome_text(report),
        report.seconds
    )?;
    if report.worst_tick_cycles.is_some() {
        write!(out, " of the chip's time")?;
    }
    if let Some(took) = took {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        write!(out, ", in {}", output::duration(ns))?;
    }
    writeln!(
        out,
        ".\n{} at {:.2} s each, up to {:.0} mm/s, {}.",
        output::count(report.cells, "cell", "cells"),
        report.seconds_per_cell,
        report.top_speed,
        match report.collisions {
            0 => "no collisions".to_owned(),
            hits => output::count(hits as u64, "collision", "collisions"),
        },
    )?;
    if report.phases.len() > 1 {
        let phases = report.phases.iter();
        let phases = phases.map(|phase| format!("{} {:.1} s", name(phase.phase), phase.seconds));
        writeln!(out, "By phase: {}.", phases.collect::<Vec<_>>().join(", "))?;
    }
    if let (Some(seconds), Some(cells)) = (report.run_seconds, report.run_cells) {
        write!(
            out,
            "Run from home to the goal: {} in {seconds:.1} s",
            output::count(cells, "cell", "cells"),
        )?;
        for (name, least) in [
            ("planned", report.planned_run_seconds),
            ("lower bound", report.lower_bound_seconds),
        ] {
            if let Some(least) = least {
                write!(out, ", {name} {least:.1} s")?;
            }
        }
        writeln!(out, ".")?;
    }
    writeln!(
        out,
        "Pose error at most {:.1} mm; {} on the move, {} too late.",
        report.pose_error_mm,
        output::count(report.decisions, "decision", "decisions"),
        report.decisions_late
    )?;
    let expansions = report.worst_tick_expansions.into();
    let expansions = output::count(expansions, "expansion", "expansions");
    write!(out, "Worst tick: {expansions}")?;
    if let Some(cycles) = report.worst_tick_cycles {
        write!(out, ", longest tick: {cycles} cycles")?;
    }
    writeln!(out, "; flash operations: {}.", report.flash_writes)
}

fn outcome_text(report: &RunReport) -> String {
    match report.outcome {
        RunOutcome::Done => "Done".to_owned(),
        RunOutcome::Fault => {
            let names = report
                .faults
                .iter()
                .filter_map(|&code| Fault::from_code(code))
                .map(|fault| format!("{} ({})", fault.code(), fault.text()));
            format!("Stopped by fault {}", names.collect::<Vec<_>>().join(", "))
        }
        RunOutcome::Lost => "Stopped in a motion".to_owned(),
        RunOutcome::Unreachable => "Goal unreachable".to_owned(),
        RunOutcome::Refused => "Command refused".to_owned(),
        RunOutcome::Reset => "Reset by the watchdog".to_owned(),
        RunOutcome::PowerCut => "Power lost".to_owned(),
        RunOutcome::TimeUp => "Time limit reached".to_owned(),
        RunOutcome::Stuck => "Tasks stuck".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::text;

    #[test]
    fn missions_are_printed_as_they_are_typed() {
        for typed in ["goto:3,4", "home", "patrol:1,2;3,4;5,6", "explore:7,7;8,8"] {
            let Ok(MissionArg::Mission(mission)) = parse_mission(typed) else {
                panic!("{typed} is a mission");
            };
            assert_eq!(text::missions(&[mission]), typed);
        }
        assert_eq!(parse_mission("explore"), Ok(MissionArg::Explore));
    }

    #[test]
    fn invalid_missions_are_rejected() {
        for invalid in [
            "",
            "goto",
            "goto:",
            "goto:1,2;3,4",
            "home:1,2",
            "patrol",
            "patrol:1",
            "fly:1,2",
            &format!("explore:{}", ["1,1"; STOPS + 1].join(";")),
        ] {
            assert!(parse_mission(invalid).is_err(), "{invalid}");
        }
    }
}
