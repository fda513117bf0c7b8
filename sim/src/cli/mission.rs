//! What `sim robot` and `sim emulate` have in common: where a robot is put, what it is to do there, what
//! goes wrong meanwhile, and how the end is told.

use std::{
    io::{self, Write},
    time::Duration,
};

use planner_core::Cell;
use serde::Serialize;
use tinystar::{
    fault::Fault,
    mission::{Mission, STOPS},
};

use crate::{
    error::{BadInput, OrBadInput},
    options::{value, world::WorldOptions},
    world::{Scenario, World},
};
use crate::{
    output,
    physics::{faults::InjectedFault, floor::Floor},
    run::RunOutcome,
    world::Maze,
};

/// The options of both.
#[derive(clap::Args, Debug)]
pub struct Common {
    #[command(flatten)]
    pub place: WorldOptions,
    /// What the robot is to do [default: go to the goal, or explore a micromouse maze]
    #[arg(long, value_name = "MISSION", value_parser = errand)]
    mission: Vec<Errand>,
    /// What is to go wrong, and when
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<InjectedFault>,
    /// A robot as drawn: no noise, no wear, put down exactly
    #[arg(long)]
    pub ideal: bool,
    /// Watch it in the terminal, no faster than it would be; in a pipe, a line for all that is new
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// A mission as it is typed.
#[derive(Clone, Debug, PartialEq)]
enum Errand {
    Mission(Mission),
    /// Explore, with the map's own goals.
    Explore,
}

/// Reads a mission.
fn errand(text: &str) -> Result<Errand, String> {
    let (what, cells) = match text.split_once(':') {
        Some((what, cells)) => (what, Some(cells)),
        None => (text, None),
    };
    let cells = cells
        .map(|cells| -> Result<Vec<Cell>, String> {
            let cells = cells.split(';').map(value::cell);
            cells
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())
        })
        .transpose()?;
    let list = |cells: &[Cell]| {
        heapless::Vec::from_slice(cells).map_err(|_| format!("a mission has at most {STOPS} cells"))
    };
    Ok(match (what, cells.as_deref()) {
        ("goto", Some(&[cell])) => Errand::Mission(Mission::GoTo(cell)),
        ("home", None) => Errand::Mission(Mission::Home),
        ("patrol", Some(cells)) => Errand::Mission(Mission::Patrol(list(cells)?)),
        ("explore", Some(cells)) => Errand::Mission(Mission::Explore(list(cells)?)),
        ("explore", None) => Errand::Explore,
        _ => return Err("a mission is goto:X,Y, home, patrol:X,Y;X,Y or explore".to_owned()),
    })
}

impl Common {
    /// The floor of a place, and what the robot is to do there.
    ///
    /// # Errors
    /// Doors cannot be moved as the place says, or a mission leads off the map.
    pub fn floor_and_missions(&self, place: &Scenario) -> Result<(Floor, Vec<Mission>), BadInput> {
        if place.doors.is_some() {
            return Err(BadInput(
                "doors do not open and close by themselves here: use --fault door@SECONDS"
                    .to_owned(),
            ));
        }
        let (floor, goals) = match &place.world {
            World::Cells(grid) => (Floor::around(grid).or_bad_input()?, vec![place.goal]),
            World::Walls(walls) => (Floor::new(walls.clone()), walls.goals.clone()),
        };
        let explore = || {
            let some = &goals[..goals.len().min(STOPS)];
            Mission::Explore(some.iter().copied().collect())
        };
        let is_maze = matches!(place.world, World::Walls(_));
        let mut missions: Vec<Mission> = self
            .mission
            .iter()
            .map(|errand| match errand {
                Errand::Mission(mission) => mission.clone(),
                Errand::Explore => explore(),
            })
            .collect();
        if missions.is_empty() {
            missions = vec![if is_maze {
                explore()
            } else {
                Mission::GoTo(place.goal)
            }];
        }
        check(&missions, floor.walls())?;
        Ok((floor, missions))
    }

    /// Prints how it went, for scripts.
    ///
    /// # Errors
    /// Standard output is closed or full.
    pub fn print_json(&self, place: &Scenario, told: &impl Serialize) -> io::Result<()> {
        output::json_line(&Line {
            map: &place.name,
            seed: self.place.seed,
            start: (place.start.x, place.start.y),
            told,
        })
    }
}

/// Whether the robot can be sent there.
fn check(missions: &[Mission], walls: &Maze) -> Result<(), BadInput> {
    for mission in missions {
        let cells: &[Cell] = match mission {
            Mission::GoTo(cell) => std::slice::from_ref(cell),
            Mission::Home => &[],
            Mission::Patrol(cells) | Mission::Explore(cells) => cells,
        };
        if let Some(cell) = cells.iter().find(|&&cell| !walls.contains(cell)) {
            let (width, height) = (walls.width(), walls.height());
            return Err(BadInput(format!(
                "the goal {},{} is outside the map of {width}x{height} cells",
                cell.x, cell.y
            )));
        }
    }
    Ok(())
}

/// A run, as scripts read it.
#[derive(Serialize)]
struct Line<'a, T> {
    map: &'a str,
    seed: u64,
    start: (u16, u16),
    #[serde(flatten)]
    told: &'a T,
}

/// A run, as people read it.
pub struct Summary<'a> {
    pub map: &'a str,
    pub mission: &'a str,
    pub outcome: RunOutcome,
    /// Codes of the faults that the robot told.
    pub faults: &'a [u8],
    /// Of the robot's own time.
    pub seconds: f64,
    /// Of the desktop's time, unless the robot was slowed down for somebody to watch it.
    pub took: Option<Duration>,
    pub cells: u64,
    pub collisions: usize,
    pub pose_error_mm: f64,
    pub worst_tick_expansions: u16,
    /// Only a chip has any.
    pub worst_tick_cycles: Option<u64>,
    pub flash_writes: u64,
}

impl Summary<'_> {
    /// Prints it.
    ///
    /// # Errors
    /// Standard output is closed or full.
    pub fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", self.map, self.mission)?;
        write!(out, "{} after {:.1} s", self.end(), self.seconds)?;
        if self.worst_tick_cycles.is_some() {
            write!(out, " of the chip's time")?;
        }
        if let Some(took) = self.took {
            let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
            write!(out, ", in {}", output::duration(ns))?;
        }
        writeln!(
            out,
            ": {}, {}, at most {:.1} mm from where it took itself to be.",
            output::count(self.cells, "cell", "cells"),
            match self.collisions {
                0 => "nothing touched".to_owned(),
                hits => output::count(hits as u64, "collision", "collisions"),
            },
            self.pose_error_mm
        )?;
        let expansions = self.worst_tick_expansions.into();
        let expansions = output::count(expansions, "expansion", "expansions");
        write!(out, "The hardest tick took {expansions}")?;
        if let Some(cycles) = self.worst_tick_cycles {
            write!(out, ", the longest {cycles} cycles")?;
        }
        let writes = output::count(self.flash_writes, "time", "times");
        writeln!(out, "; flash was written or erased {writes}.")
    }

    /// How it ended, with the faults.
    fn end(&self) -> String {
        match self.outcome {
            RunOutcome::Done => "Done".to_owned(),
            RunOutcome::Fault => {
                let names = self
                    .faults
                    .iter()
                    .filter_map(|&code| Fault::from_code(code))
                    .map(named);
                format!("Stopped by fault {}", names.collect::<Vec<_>>().join(", "))
            }
            RunOutcome::Unreachable => "There is no way".to_owned(),
            RunOutcome::Refused => "A command was refused".to_owned(),
            RunOutcome::Reset => "The watchdog restarted the robot".to_owned(),
            RunOutcome::PowerCut => "The power went".to_owned(),
            RunOutcome::TimeUp => "The time was up".to_owned(),
            RunOutcome::Stuck => "The tasks are stuck".to_owned(),
        }
    }
}

/// The number and the name of a fault.
fn named(fault: Fault) -> String {
    format!("{} ({})", fault.code(), fault.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;

    #[test]
    fn a_mission_is_typed_as_it_is_printed() {
        for typed in ["goto:3,4", "home", "patrol:1,2;3,4;5,6", "explore:7,7;8,8"] {
            let Ok(Errand::Mission(mission)) = errand(typed) else {
                panic!("{typed} is a mission");
            };
            assert_eq!(run::name(&[mission]), typed);
        }
        assert_eq!(errand("explore"), Ok(Errand::Explore));
    }

    #[test]
    fn what_is_no_mission_is_refused() {
        for nonsense in [
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
            assert!(errand(nonsense).is_err(), "{nonsense}");
        }
    }
}
