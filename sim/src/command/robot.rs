//! `sim robot`: the robot's own tasks drive over a floor, in virtual time.

use std::{
    collections::HashSet,
    io::{self, Write},
    path::PathBuf,
    time::Instant,
};

use embassy_time::Duration;
use planner_core::Cell;
use serde::Serialize;
use tinystar::mission::{Mission, STOPS};

use super::{
    BadInput, OrBadInput,
    place::{self, Ground, Place},
    value::{self, Size},
};
use crate::{
    output,
    robot::{
        floor::Floor,
        picture::Told,
        rehearsal::{Glimpse, Outcome, Rehearsal, Rehearsed},
        tolerances::Tolerances,
        trouble::Trouble,
    },
    view::{Scene, maze, terminal::Animation},
    world::Walled,
};

/// The world of a bare `sim robot`: crossed in about a minute.
const DEFAULT_SIZE: Size = Size {
    width: 15,
    height: 15,
};
const DEFAULT_OPENINGS: u32 = 8;

/// Virtual time between two pictures, in microseconds; as long as a picture stays.
const PICTURE: u64 = 80_000;

const EXAMPLES: &str = "\
The very tasks that run on the robot drive a model of it: motors that lag, tracks that slip, a gyro that
drifts, walls that are seen by their light. --seed draws the robot and the world; without a world, it is
a maze of 15x15 cells. The robot's map has at most 64x64.

Missions: goto:X,Y  home  patrol:X,Y;X,Y;...  explore[:X,Y;...]; several are done one after the other.
Faults: KIND@SECONDS[+SECONDS], where KIND is dropped, frozen, ghost, missed (readings), gyro, encoder,
motor, slip, person, door or power.

Examples:
  sim robot --watch
  sim robot --random 16x16 --mission goto:3,4 --mission home --json
  sim robot --map maze.txt --mission explore
  sim robot --fault person@5+8 --fault frozen@20";

/// Options of `robot`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    place: place::Options,
    /// What the robot is to do [default: go to the goal, or explore a micromouse maze]
    #[arg(long, value_name = "MISSION", value_parser = errand)]
    mission: Vec<Errand>,
    /// What is to go wrong, and when
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Trouble>,
    /// A robot as drawn: no noise, no wear, put down exactly
    #[arg(long)]
    ideal: bool,
    /// Break off after so many seconds of virtual time
    #[arg(long, value_name = "SECONDS", default_value_t = 3600,
        value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    limit: u64,
    /// Watch it in the terminal, as fast as it would be
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Write what the robot tells over its serial port to a file
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A mission as it is typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Errand {
    Mission(Mission),
    /// Explore, with the map's own goals.
    Explore,
}

/// Reads a mission.
pub fn errand(text: &str) -> Result<Errand, String> {
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

/// A rehearsal, as scripts read it.
#[derive(Serialize)]
struct Line<'a> {
    map: &'a str,
    seed: u64,
    start: (u16, u16),
    #[serde(flatten)]
    rehearsed: &'a Rehearsed,
}

/// Rehearses.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let place = args.place.place_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let rehearsal = rehearsal(args, &place)?;
    let begin = Instant::now();
    let rehearsed = if args.watch {
        watch(rehearsal, &place)?
    } else {
        rehearsal.run(|_| ()).or_bad_input()?
    };
    let took = begin.elapsed();
    if let Some(path) = &args.frames {
        std::fs::write(path, &rehearsed.record)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    if args.json {
        output::json_line(&Line {
            map: &place.name,
            seed: args.place.seed,
            start: (place.start.x, place.start.y),
            rehearsed: &rehearsed,
        })?;
    } else {
        let took = (!args.watch).then_some(took);
        print(&place.name, &rehearsed, took)?;
    }
    Ok(())
}

/// The floor of a place, and what the robot is to do there.
pub fn floor_and_missions(
    place: &Place,
    errands: &[Errand],
) -> Result<(Floor, Vec<Mission>), BadInput> {
    if place.doors.is_some() {
        return Err(BadInput(
            "doors do not open and close by themselves here: use --fault door@SECONDS".to_owned(),
        ));
    }
    let (floor, goals) = match &place.ground {
        Ground::Cells(grid) => (Floor::around(grid).or_bad_input()?, vec![place.goal]),
        Ground::Walls(walls) => (Floor::new(walls.clone()), walls.goals.clone()),
    };
    let explore = || {
        let some = &goals[..goals.len().min(STOPS)];
        Mission::Explore(some.iter().copied().collect())
    };
    let is_maze = matches!(place.ground, Ground::Walls(_));
    let mut missions: Vec<Mission> = errands
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

fn rehearsal(args: &Args, place: &Place) -> Result<Rehearsal, BadInput> {
    let (floor, missions) = floor_and_missions(place, &args.mission)?;
    for (index, fault) in args.fault.iter().enumerate() {
        if args.fault[..index].iter().any(|f| f.kind == fault.kind) {
            return Err(BadInput(format!(
                "there is more than one fault {}",
                fault.kind
            )));
        }
    }
    let mut rehearsal = Rehearsal::new(floor, place.start, args.place.seed);
    rehearsal.missions = missions;
    rehearsal.troubles.clone_from(&args.fault);
    rehearsal.limit = Duration::from_secs(args.limit);
    rehearsal.records = args.frames.is_some();
    if args.ideal {
        rehearsal.tolerances = Tolerances::none();
    }
    Ok(rehearsal)
}

/// Whether the robot can be sent there.
fn check(missions: &[Mission], walls: &Walled) -> Result<(), BadInput> {
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

/// Rehearses as fast as the robot would be, and draws what it tells.
fn watch(rehearsal: Rehearsal, place: &Place) -> anyhow::Result<Rehearsed> {
    let walls = rehearsal.floor.walls();
    let size = maze::size(walls);
    let mut told = Told::new((walls.width(), walls.height()));
    // A picture stays for its longest, since there is no telling how many there will be.
    let Some(mut animation) = Animation::new(size, 0) else {
        return Err(BadInput("--watch needs a terminal with colours".to_owned()).into());
    };
    let mut next = 0;
    let mut shown = Ok(());
    let rehearsed = rehearsal.run(|glimpse: Glimpse<'_>| {
        glimpse.frames.iter().for_each(|frame| told.hear(frame));
        if glimpse.arena.now() < next || shown.is_err() {
            return;
        }
        next = glimpse.arena.now() + PICTURE;
        let at = told.trail().last().copied().unwrap_or(place.start);
        let walked: HashSet<Cell> = maze::trail(told.trail()).into_iter().collect();
        animation.tick();
        shown = animation.show(&Scene {
            planner: &told,
            size,
            start: maze::place(place.start),
            goal: maze::place(told.goal().unwrap_or(place.goal)),
            robot: maze::place(at),
            walked: &walked,
        });
    });
    shown?;
    Ok(rehearsed.or_bad_input()?)
}

/// How a run ended, with the codes of its faults.
pub fn end(outcome: Outcome, faults: &[u8]) -> String {
    match outcome {
        Outcome::Done => "Done".to_owned(),
        Outcome::Fault => {
            let names = faults
                .iter()
                .filter_map(|&code| tinystar::fault::Fault::from_code(code))
                .map(|fault| format!("{} ({})", fault.code(), fault.text()));
            format!("Stopped by fault {}", names.collect::<Vec<_>>().join(", "))
        }
        Outcome::Unreachable => "There is no way".to_owned(),
        Outcome::Refused => "A command was refused".to_owned(),
        Outcome::Reset => "The watchdog restarted the robot".to_owned(),
        Outcome::PowerCut => "The power went".to_owned(),
        Outcome::TimeUp => "The time was up".to_owned(),
        Outcome::Stuck => "The tasks are stuck".to_owned(),
    }
}

fn print(map: &str, rehearsed: &Rehearsed, took: Option<std::time::Duration>) -> io::Result<()> {
    let end = end(rehearsed.outcome, &rehearsed.faults);
    let mut out = io::stdout().lock();
    writeln!(out, "{map}: {}", rehearsed.mission)?;
    write!(out, "{end} after {:.1} s", rehearsed.seconds)?;
    if let Some(took) = took {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        write!(out, ", in {}", output::duration(ns))?;
    }
    writeln!(
        out,
        ": {}, {}, at most {:.1} mm from where it took itself to be.",
        output::count(rehearsed.cells, "cell", "cells"),
        match rehearsed.collisions {
            0 => "nothing touched".to_owned(),
            hits => output::count(hits as u64, "collision", "collisions"),
        },
        rehearsed.pose_error_mm
    )?;
    writeln!(
        out,
        "The hardest tick took {}; flash was written or erased {}.",
        output::count(
            rehearsed.worst_tick_expansions.into(),
            "expansion",
            "expansions"
        ),
        output::count(rehearsed.flash_writes, "time", "times"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::rehearsal;

    #[test]
    fn a_mission_is_typed_as_it_is_printed() {
        for typed in ["goto:3,4", "home", "patrol:1,2;3,4;5,6", "explore:7,7;8,8"] {
            let Ok(Errand::Mission(mission)) = errand(typed) else {
                panic!("{typed} is a mission");
            };
            assert_eq!(rehearsal::name(&[mission]), typed);
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
