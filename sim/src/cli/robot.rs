//! `sim robot`: runs the firmware's tasks on the physics model.

use std::path::PathBuf;

use super::mission::RobotOptions;
use crate::{error::BadInput, options::value::Size, run::ModelRun};

/// Default world: crossed in about a minute.
const DEFAULT_SIZE: Size = Size {
    width: 15,
    height: 15,
};
const DEFAULT_OPENINGS: u32 = 8;

const EXAMPLES: &str = "\
Runs the firmware's own tasks in virtual time on a model of the robot: motor lag, wheel slip, gyro drift,
sensor noise. --seed draws the robot and the world. The default world is a maze of 15x15 cells; the robot's
map has at most 64x64.

Missions: goto:X,Y  home  patrol:X,Y;X,Y;...  explore[:X,Y;...]
Faults: KIND@SECONDS[+SECONDS], where KIND is dropped, frozen, ghost, missed (proximity readings), gyro,
encoder, motor, slip, person, door or power.

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
    robot: RobotOptions,
    /// Record the robot's telemetry to a file
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let options = &args.robot;
    let scenario = options.world.scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let (floor, missions) = options.floor_and_missions(&scenario)?;
    for (index, fault) in options.fault.iter().enumerate() {
        if options.fault[..index].iter().any(|f| f.kind == fault.kind) {
            let problem = format!("there is more than one fault {}", fault.kind);
            return Err(BadInput(problem).into());
        }
    }
    let walls = floor.walls().clone();
    let mut run = ModelRun::new(floor, scenario.start, options.world.seed);
    options.configure(&mut run.config, missions);
    run.records = args.frames.is_some();
    let (report, took) = options.execute(
        &scenario,
        &walls,
        |frame| Some(frame.clone()),
        |observe| run.run_observed(observe),
    )?;
    if let Some(path) = &args.frames {
        std::fs::write(path, &report.recording)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    Ok(options.print(&scenario, &report, took)?)
}
