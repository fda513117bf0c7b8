//! `sim robot`: the robot's own tasks drive over a floor, in virtual time.

use std::{io, path::PathBuf, time::Instant};

use embassy_time::Duration;

use super::{
    live::Live,
    mission::{self, Summary},
};
use crate::{
    error::{BadInput, OrBadInput},
    options::value::Size,
    world::Scenario,
};
use crate::{
    physics::tolerances::Tolerances,
    run::{Glimpse, ModelRun, Rehearsed},
};

/// The world of a bare `sim robot`: crossed in about a minute.
const DEFAULT_SIZE: Size = Size {
    width: 15,
    height: 15,
};
const DEFAULT_OPENINGS: u32 = 8;

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
    common: mission::Common,
    /// Break off after so many seconds of virtual time
    #[arg(long, value_name = "SECONDS", default_value_t = 3600,
        value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    limit: u64,
    /// Write what the robot tells over its serial port to a file
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
}

/// Rehearses.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let place = args
        .common
        .place
        .scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let rehearsal = rehearsal(args, &place)?;
    let begin = Instant::now();
    let rehearsed = if args.common.watch {
        watch(rehearsal, &place)?
    } else {
        rehearsal.run(|_| ()).or_bad_input()?
    };
    let took = begin.elapsed();
    if let Some(path) = &args.frames {
        std::fs::write(path, &rehearsed.record)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    if args.common.json {
        args.common.print_json(&place, &rehearsed)?;
    } else {
        let took = (!args.common.watch).then_some(took);
        print(&place, &rehearsed, took)?;
    }
    Ok(())
}

fn rehearsal(args: &Args, place: &Scenario) -> Result<ModelRun, BadInput> {
    let (floor, missions) = args.common.floor_and_missions(place)?;
    let faults = &args.common.fault;
    for (index, fault) in faults.iter().enumerate() {
        if faults[..index].iter().any(|f| f.kind == fault.kind) {
            return Err(BadInput(format!(
                "there is more than one fault {}",
                fault.kind
            )));
        }
    }
    let mut rehearsal = ModelRun::new(floor, place.start, args.common.place.seed);
    rehearsal.missions = missions;
    rehearsal.troubles.clone_from(faults);
    rehearsal.limit = Duration::from_secs(args.limit);
    rehearsal.records = args.frames.is_some();
    if args.common.ideal {
        rehearsal.tolerances = Tolerances::none();
    }
    Ok(rehearsal)
}

/// Rehearses, and shows what the robot tells.
fn watch(rehearsal: ModelRun, place: &Scenario) -> anyhow::Result<Rehearsed> {
    let mut live = Live::new(place, rehearsal.floor.walls());
    let mut shown = Ok(());
    let rehearsed = rehearsal.run(|glimpse: Glimpse<'_>| {
        if shown.is_ok() {
            let now = embassy_time::Instant::from_micros(glimpse.arena.now());
            shown = live.hear(glimpse.frames, now);
        }
    });
    shown?;
    Ok(rehearsed.or_bad_input()?)
}

fn print(
    place: &Scenario,
    rehearsed: &Rehearsed,
    took: Option<std::time::Duration>,
) -> io::Result<()> {
    let summary = Summary {
        map: &place.name,
        mission: &rehearsed.mission,
        outcome: rehearsed.outcome,
        faults: &rehearsed.faults,
        seconds: rehearsed.seconds,
        took,
        cells: rehearsed.cells,
        collisions: rehearsed.collisions,
        pose_error_mm: rehearsed.pose_error_mm,
        worst_tick_expansions: rehearsed.worst_tick_expansions,
        worst_tick_cycles: rehearsed.worst_tick_cycles,
        flash_writes: rehearsed.flash_writes,
    };
    summary.print()
}
