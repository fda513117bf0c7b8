//! `sim emulate`: the image that is flashed, on an emulated chip, drives over a floor.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Instant,
};

use embassy_time::Duration;
use emulator::Image;
use planner_core::Cell;
use tinystar::{
    mission::Mission,
    telemetry::{Frame, State},
};

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
    physics::{floor::Floor, tolerances::Tolerances},
    run::{self, ChipRun, Emulated, World, embed, instant, on_field, on_map},
    world::Maze,
};

/// The world of a bare `sim emulate`: an emulated chip takes its time.
const DEFAULT_SIZE: Size = Size {
    width: 7,
    height: 7,
};
const DEFAULT_OPENINGS: u32 = 2;

/// Where `cargo fw` puts the Zumo's image.
const IMAGE: &str = "target/thumbv6m-none-eabi/chip/tinystar";

const EXAMPLES: &str = "\
The image of `cargo fw` runs on an emulated RP2040, unchanged, from power-on. Missions are told over its USB
port, and each is begun with button A. World, body, missions and faults are those of `sim robot`; dropped and
frozen cannot happen to a chip that takes its readings itself. The image's map has 64x64 cells with its home in
the middle: a world is put there with its start on the home.

Examples:
  cargo fw && sim emulate --watch
  sim emulate --map maze.txt --mission goto:3,4 --mission home --json
  sim emulate --fault motor@3";

/// Options of `emulate`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    common: mission::Common,
    /// The image
    #[arg(long, value_name = "FILE", default_value = IMAGE)]
    elf: PathBuf,
    /// Break off after so many seconds of virtual time
    #[arg(long, value_name = "SECONDS", default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    limit: u64,
}

/// Emulates.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let place = args
        .common
        .place
        .scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let (floor, missions) = args.common.floor_and_missions(&place)?;
    let emulation = emulation(args, &place, floor.walls(), &missions)?;
    if !args.elf.exists() {
        let path = args.elf.display();
        return Err(BadInput(format!("there is no image {path}; type: cargo fw")).into());
    }
    let image = Image::read(&args.elf).or_bad_input()?;
    let begin = Instant::now();
    let mut emulated = if args.common.watch {
        watch(&emulation, image, &place, floor.walls())?
    } else {
        emulation.run(image)?
    };
    // As typed, not as the image counts its cells.
    emulated.mission = run::name(&missions);
    if args.common.json {
        args.common.print_json(&place, &emulated)?;
    } else {
        let took = (!args.common.watch).then_some(begin.elapsed());
        print(&place, &emulated, took)?;
    }
    Ok(())
}

fn emulation(
    args: &Args,
    place: &Scenario,
    walls: &Maze,
    missions: &[Mission],
) -> Result<ChipRun, BadInput> {
    let faults = &args.common.fault;
    if let Some(fault) = faults.iter().find(|fault| !World::knows(fault.kind)) {
        return Err(BadInput(format!(
            "{} cannot happen to a chip, which takes its readings itself",
            fault.kind
        )));
    }
    let walls = embed(walls, place.start).or_bad_input()?;
    let mut emulation = ChipRun::new(Floor::new(walls), args.common.place.seed);
    // Every cell of the map is on the field, or the map would not have fitted.
    let moved = |cell: Cell| on_field(cell, place.start).unwrap_or(cell);
    emulation.missions = missions
        .iter()
        .map(|mission| match mission {
            Mission::GoTo(cell) => Mission::GoTo(moved(*cell)),
            Mission::Home => Mission::Home,
            Mission::Patrol(cells) => Mission::Patrol(cells.iter().copied().map(moved).collect()),
            Mission::Explore(cells) => Mission::Explore(cells.iter().copied().map(moved).collect()),
        })
        .collect();
    emulation.troubles.clone_from(faults);
    emulation.limit = Duration::from_secs(args.limit);
    if args.common.ideal {
        emulation.tolerances = Tolerances::none();
    }
    Ok(emulation)
}

/// Emulates, and shows what the robot tells.
fn watch(
    emulation: &ChipRun,
    image: Image,
    place: &Scenario,
    walls: &Maze,
) -> anyhow::Result<Emulated> {
    let mut live = Live::new(place, walls);
    emulation.watch(image, |step| {
        let told = step.frames.iter();
        let frames: Vec<Frame> = told.filter_map(|frame| moved(frame, place.start)).collect();
        Ok(live.hear(&frames, instant(step.outputs.now))?)
    })
}

/// A frame with its cells as the map counts them; `None` if it tells of what is not on the map.
fn moved(frame: &Frame, start: Cell) -> Option<Frame> {
    Some(match frame {
        Frame::State(state) => Frame::State(State {
            at: on_map(state.at, start)?,
            ..*state
        }),
        Frame::Wall(cell, side, fact) => Frame::Wall(on_map(*cell, start)?, *side, *fact),
        Frame::Goals(goals) => {
            let goals = goals.iter().map(|&goal| on_map(goal, start));
            Frame::Goals(goals.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

fn print(
    place: &Scenario,
    emulated: &Emulated,
    took: Option<std::time::Duration>,
) -> io::Result<()> {
    for log in &emulated.logs {
        writeln!(io::stdout(), "log: {log}")?;
    }
    let summary = Summary {
        map: &place.name,
        mission: &emulated.mission,
        outcome: emulated.outcome,
        faults: &emulated.faults,
        seconds: emulated.seconds,
        took,
        cells: emulated.cells,
        collisions: emulated.collisions,
        pose_error_mm: emulated.pose_error_mm,
        worst_tick_expansions: emulated.worst_tick_expansions,
        worst_tick_cycles: Some(emulated.worst_tick_cycles),
        flash_writes: emulated.flash_writes,
    };
    summary.print()
}
