//! `sim emulate`: runs the firmware's image on an emulated chip.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Command,
};

use emulator::Image;
use planner_core::Cell;
use tinystar::{
    mission::Mission,
    telemetry::{
        Frame, State,
        codec::{FRAME, encode},
    },
};

use super::mission::RobotOptions;
use crate::{
    error::{BadInput, OrBadInput},
    options::value::Size,
    physics::floor::Floor,
    run::{ChipRun, FaultyHardware, Progress, embed, on_field, on_map},
    telemetry::text,
};

/// Default world: small, as emulation is slow.
const DEFAULT_SIZE: Size = Size {
    width: 7,
    height: 7,
};
const DEFAULT_OPENINGS: u32 = 2;

/// Image of the Zumo, as built by `cargo fw`.
const IMAGE: &str = "target/thumbv6m-none-eabi/chip/tinystar";

const EXAMPLES: &str = "\
Runs the image of `cargo fw`, unchanged, on an emulated RP2040 from power-on;
builds it first if it is missing. Missions are set over USB and started with
button A. World, physics, missions and faults are those of `sim robot`, except
the faults dropped and frozen: the chip takes its readings itself. The image's
map has 64x64 cells with the home in the centre; the start of the world is
placed on the home.

Examples:
  sim emulate --watch
  sim emulate --frames chip.frames && sim watch chip.frames
  sim emulate --map maze.txt --mission goto:3,4 --mission home --json
  sim emulate --fault motor@3";

/// Options of `emulate`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    robot: RobotOptions,
    /// Image file [default: the Zumo's, built if it is missing]
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let options = &args.robot;
    let scenario = options.world.scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let (floor, missions) = options.floor_and_missions(&scenario)?;
    options.check_faults()?;
    let mut faults = options.fault.iter();
    if let Some(fault) = faults.find(|fault| !FaultyHardware::supports(fault.kind)) {
        let problem = format!(
            "{} cannot be injected: the chip takes its readings itself",
            fault.kind
        );
        return Err(BadInput(problem).into());
    }
    let start = scenario.start;
    let field = embed(floor.walls(), start).or_bad_input()?;
    let mut run = ChipRun::new(Floor::new(field), options.world.seed);
    let on_field = missions.iter().map(|mission| move_to_field(mission, start));
    options.configure(&mut run.config, on_field.collect(), options.world.seed);
    let image = match &args.elf {
        Some(path) => path,
        None => built_image()?,
    };
    let image = Image::read(image).or_bad_input()?;
    let mut recording = Vec::new();
    let (mut report, took) = options.execute(
        &scenario,
        floor.walls(),
        |frame| move_to_map(frame, start),
        |observe| {
            run.run_observed(image, |progress: &Progress<'_>| {
                if options.frames.is_some() {
                    record(&mut recording, progress.frames)?;
                }
                observe(progress)
            })
        },
    )?;
    report.recording = recording.concat();
    // In cells of the map, as typed.
    report.mission = text::missions(&missions);
    options.print(&scenario, &report, took)
}

/// Adds frames to a recording, encoded as the robot sends them.
fn record(recording: &mut Vec<Vec<u8>>, frames: &[Frame]) -> io::Result<()> {
    for frame in frames {
        let number = recording.len() as u16;
        let mut buffer = [0; FRAME];
        let bytes = encode(number, frame, &mut buffer).map_err(io::Error::other)?;
        recording.push(bytes.to_vec());
    }
    Ok(())
}

/// The Zumo's image; built if it is missing.
fn built_image() -> Result<&'static Path, BadInput> {
    let image = Path::new(IMAGE);
    if image.exists() {
        return Ok(image);
    }
    eprintln!("there is no image yet; building it: cargo fw");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let is_built = Command::new(cargo)
        .arg("fw")
        .status()
        .is_ok_and(|status| status.success());
    match is_built && image.exists() {
        true => Ok(image),
        false => Err(BadInput(
            "cannot build the image: in the repository, type cargo xtask setup, then cargo fw"
                .to_owned(),
        )),
    }
}

/// Mission with the cells of the image's field.
fn move_to_field(mission: &Mission, start: Cell) -> Mission {
    // Every cell of an embedded map is on the field.
    let moved = |cell: Cell| on_field(cell, start).unwrap_or(cell);
    match mission {
        Mission::GoTo(cell) => Mission::GoTo(moved(*cell)),
        Mission::Home => Mission::Home,
        Mission::Patrol(cells) => Mission::Patrol(cells.iter().copied().map(moved).collect()),
        Mission::Explore(cells) => Mission::Explore(cells.iter().copied().map(moved).collect()),
    }
}

/// Frame with the cells of the map; `None` if it is about cells off the map.
fn move_to_map(frame: &Frame, start: Cell) -> Option<Frame> {
    Some(match frame {
        Frame::State(state) => Frame::State(State {
            at: on_map(state.at, start)?,
            ..*state
        }),
        Frame::Wall(cell, side, occupancy) => Frame::Wall(on_map(*cell, start)?, *side, *occupancy),
        Frame::Goals(goals) => {
            let goals = goals.iter().map(|&goal| on_map(goal, start));
            Frame::Goals(goals.collect::<Option<_>>()?)
        }
        Frame::Next(cell) => Frame::Next(on_map(*cell, start)?),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use tinystar::config::FIELD;

    use super::*;

    #[test]
    fn cells_of_telemetry_are_those_of_the_map() {
        let start = Cell::new(2, 3);
        let home = FIELD.home;
        let next = |cell| move_to_map(&Frame::Next(cell), start);
        assert_eq!(next(home), Some(Frame::Next(start)));
        assert_eq!(next(Cell::new(0, 0)), None);
    }
}
