//! `sim emulate`: the image that is flashed, on an emulated chip, drives over a floor.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Instant,
};

use embassy_time::Duration;
use emulator::Image;
use planner_core::Cell;
use serde::Serialize;
use tinystar::mission::Mission;

use super::{
    BadInput, OrBadInput,
    place::{self, Place},
    robot::{self, Errand},
    value::Size,
};
use crate::{
    output,
    robot::{
        chip::{World, embed, on_field},
        emulation::{Emulated, Emulation},
        floor::Floor,
        rehearsal,
        tolerances::Tolerances,
        trouble::Trouble,
    },
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
  cargo fw && sim emulate
  sim emulate --map maze.txt --mission goto:3,4 --mission home --json
  sim emulate --fault motor@3";

/// Options of `emulate`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    place: place::Options,
    /// What the robot is to do [default: go to the goal, or explore a micromouse maze]
    #[arg(long, value_name = "MISSION", value_parser = robot::errand)]
    mission: Vec<Errand>,
    /// What is to go wrong, and when
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Trouble>,
    /// A robot as drawn: no noise, no wear, put down exactly
    #[arg(long)]
    ideal: bool,
    /// The image
    #[arg(long, value_name = "FILE", default_value = IMAGE)]
    elf: PathBuf,
    /// Break off after so many seconds of virtual time
    #[arg(long, value_name = "SECONDS", default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    limit: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// An emulation, as scripts read it.
#[derive(Serialize)]
struct Line<'a> {
    map: &'a str,
    seed: u64,
    start: (u16, u16),
    #[serde(flatten)]
    emulated: &'a Emulated,
}

/// Emulates.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let place = args.place.place_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let (emulation, mission) = emulation(args, &place)?;
    if !args.elf.exists() {
        let path = args.elf.display();
        return Err(BadInput(format!("there is no image {path}; type: cargo fw")).into());
    }
    let image = Image::read(&args.elf).or_bad_input()?;
    let begin = Instant::now();
    let mut emulated = emulation.run(image)?;
    // As typed, not as the image counts its cells.
    emulated.mission = mission;
    if args.json {
        output::json_line(&Line {
            map: &place.name,
            seed: args.place.seed,
            start: (place.start.x, place.start.y),
            emulated: &emulated,
        })?;
    } else {
        print(&place.name, &emulated, begin.elapsed())?;
    }
    Ok(())
}

/// What is to be emulated, and the missions as they are typed.
fn emulation(args: &Args, place: &Place) -> Result<(Emulation, String), BadInput> {
    let (floor, missions) = robot::floor_and_missions(place, &args.mission)?;
    if let Some(fault) = args.fault.iter().find(|fault| !World::knows(fault.kind)) {
        return Err(BadInput(format!(
            "{} cannot happen to a chip, which takes its readings itself",
            fault.kind
        )));
    }
    let walls = embed(floor.walls(), place.start).or_bad_input()?;
    let mut emulation = Emulation::new(Floor::new(walls), args.place.seed);
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
    emulation.troubles.clone_from(&args.fault);
    emulation.limit = Duration::from_secs(args.limit);
    if args.ideal {
        emulation.tolerances = Tolerances::none();
    }
    Ok((emulation, rehearsal::name(&missions)))
}

fn print(map: &str, emulated: &Emulated, took: std::time::Duration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for log in &emulated.logs {
        writeln!(out, "log: {log}")?;
    }
    let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    writeln!(out, "{map}: {}", emulated.mission)?;
    writeln!(
        out,
        "{} after {:.1} s of the chip's time, in {}: {}, {}, at most {:.1} mm from where it took itself to be.",
        robot::end(emulated.outcome, &emulated.faults),
        emulated.seconds,
        output::duration(ns),
        output::count(emulated.cells, "cell", "cells"),
        match emulated.collisions {
            0 => "nothing touched".to_owned(),
            hits => output::count(hits as u64, "collision", "collisions"),
        },
        emulated.pose_error_mm
    )?;
    writeln!(
        out,
        "The hardest tick took {}, the longest {} cycles; flash was written or erased {}.",
        output::count(
            emulated.worst_tick_expansions.into(),
            "expansion",
            "expansions"
        ),
        emulated.worst_tick_cycles,
        output::count(emulated.flash_writes, "time", "times"),
    )
}
