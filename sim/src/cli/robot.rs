//! `sim robot`: runs the firmware's tasks on the physics model.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use tinystar::{
    calibrator::Routine,
    fault::Fault,
    mission::{Mission, STOPS},
};

use super::{
    mazes::Mazes,
    mission::{RobotOptions, explained},
};
use crate::{
    error::BadInput,
    options::value::Size,
    output,
    physics::floor::Floor,
    run::{Distribution, ModelRun, RunOutcome, SweepReport},
    view::DriveFilm,
    world::{Maze, Scenario},
};

/// Default world: crossed in about a minute.
const DEFAULT_SIZE: Size = Size {
    width: 15,
    height: 15,
};
const DEFAULT_OPENINGS: u32 = 8;

const EXAMPLES: &str = "\
Runs the firmware's own tasks in virtual time on a model of the robot: motor lag, friction, traction, wheel slip,
gyro drift, sensor ranges and noise. --seed draws the robot and the world. The default world is a maze of 15x15
cells; the robot's map has at most 64x64.

Tolerances: --tolerances nominal draws a new robot on a good floor, wide any robot on any floor, none an ideal
one. --set overrides one of them; a wrong name lists all. `reflectance` sets reflectance.left, .front and .right.

Missions: goto:X,Y  home  patrol:X,Y;X,Y;...  explore[:X,Y;...]
Faults: KIND@SECONDS[+SECONDS], start and duration, each a number or a range to draw from, like 5..60. KIND is
dropped, frozen, ghost, missed (proximity readings), gyro, encoder, motor, slip, person, door, power, carried (picked
up, turned, put down at home), button-a, button-b or button-c.

Examples:
  sim robot --calibrate --watch
  sim robot --map maze.txt --calibrate --gif drive.gif
  sim robot --random 16x16 --mission goto:3,4 --mission home --json
  sim robot --map maze.txt --mission explore
  sim robot --fault person@5+8 --fault frozen@20
  sim robot --set stiction=0.12 --set reflectance.left=1.4
  sim robot --random 12x12 --cell 200
  sim robot --random 16x16 --density 0 --calibrate --mission explore --sweep 60      a floor without walls inside
  sim robot --calibrate --fault slip@5..60+0.5..8 --sweep 60
  sim robot --map maze.txt --calibrate --tolerances wide --sweep 200 --json
  sim robot --mazes mazes --sweep 4             explores every maze with 4 seeds";

/// Options of `robot`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    robot: RobotOptions,
    /// Side of a cell in millimetres; the robot is told
    #[arg(long, value_name = "MM", default_value_t = 180, value_parser = clap::value_parser!(u16).range(60..=500))]
    cell: u16,
    /// Calibrate the robot first, by the firmware's own routines
    #[arg(long)]
    calibrate: bool,
    /// Explore until the fastest path is known, not only the shortest
    #[arg(long)]
    by_time: bool,
    /// Write the drive as an animated GIF: trail, route, walls sensed so far
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Run with N seeds from --seed on, in parallel, and print the distribution of the results
    #[arg(long, value_name = "N", conflicts_with_all = ["watch", "frames", "gif"],
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    sweep: Option<u64>,
    /// Sweep over micromouse mazes: a file or a folder of them [default: the bundled mazes]. The robots are taken to be
    /// calibrated
    #[arg(long, value_name = "FILE|DIR", num_args = 0..=1, requires = "sweep", conflicts_with = "map")]
    mazes: Option<Option<PathBuf>>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let options = &args.robot;
    options.check_faults()?;
    if let Some(runs) = args.sweep {
        return sweep(args, runs);
    }
    let (mut run, scenario) = prepare(args, options.world.seed)?;
    run.records = options.frames.is_some();
    if args.calibrate {
        run.calibrate()?;
    }
    let floor = run.config.floor.clone();
    let film = || DriveFilm::new(&floor, scenario.start, scenario.goals());
    let mut film = args.gif.as_ref().map(|path| (path, film()));
    let (report, took) = options.execute(
        &scenario,
        floor.walls(),
        |frame| Some(frame.clone()),
        |observe| {
            run.run_observed(|progress| {
                if let Some((_, film)) = &mut film {
                    let pose = progress.physics.drivetrain().pose();
                    film.step(progress.now, pose, progress.frames);
                }
                observe(progress)
            })
        },
    )?;
    if let Some((path, film)) = film {
        output::write_file(path, film.encode()?)?;
    }
    options.print(&scenario, &report, took)
}

/// Run with a seed, and its world.
fn prepare(args: &Args, seed: u64) -> Result<(ModelRun, Scenario), BadInput> {
    let options = &args.robot;
    let mut world = options.world.clone();
    world.seed = seed;
    let scenario = world.scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)?;
    let (floor, missions) = options.floor_and_missions(&scenario)?;
    let mut run = ModelRun::new(floor.with_cells_of(args.cell), scenario.start, seed);
    options.configure(&mut run.config, missions, seed);
    run.explores_by_time = args.by_time;
    Ok((run, scenario))
}

/// Exploration of a maze by a calibrated robot.
fn explore(args: &Args, maze: &Maze, seed: u64) -> ModelRun {
    let floor = Floor::new(maze.clone()).with_cells_of(args.cell);
    let mut run = ModelRun::new(floor, maze.start, seed);
    let goals = maze.goals.iter().copied().take(STOPS).collect();
    let missions = vec![Mission::Explore(goals)];
    args.robot.configure(&mut run.config, missions, seed);
    run.calibration.measured |= Routine::Walls.bit();
    run.explores_by_time = args.by_time;
    run
}

/// Runs with many seeds and prints the distribution.
fn sweep(args: &Args, runs: u64) -> anyhow::Result<()> {
    let options = &args.robot;
    let first = options.world.seed;
    let seeds = (0..runs).map(|run| first.wrapping_add(run));
    let prepared: Result<Vec<_>, BadInput> = match &args.mazes {
        None => seeds
            .map(|seed| Ok((seed, prepare(args, seed)?.0)))
            .collect(),
        Some(path) => {
            let mazes = Mazes::load(path.as_deref())?.mazes;
            let runs = mazes.iter().flat_map(|(_, maze)| {
                let run = |seed| (seed, explore(args, maze, seed));
                seeds.clone().map(run).collect::<Vec<_>>()
            });
            Ok(runs.collect())
        }
    };
    let report = SweepReport::of(prepared?, args.calibrate).map_err(explained)?;
    Ok(match options.is_json() {
        true => output::json_line(&report),
        false => print_sweep(&report),
    }?)
}

fn print_sweep(report: &SweepReport) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let share = |count: usize| {
        let percent = 100.0 * count as f64 / report.runs.max(1) as f64;
        format!("{count} ({percent:.1} %)")
    };
    writeln!(out, "{}:", output::count(report.runs as u64, "run", "runs"))?;
    writeln!(out, "  clean        {}", share(report.clean))?;
    writeln!(out, "  done         {}", share(report.done))?;
    writeln!(
        out,
        "  collided     {}, at up to {:.0} mm/s",
        share(report.collided),
        report.contact_mm_s.max
    )?;
    writeln!(
        out,
        "  wrong map    {}, wrong walls {}",
        share(report.wrong_maps),
        report.wrong_walls
    )?;
    for (&code, &count) in &report.faults {
        let text = Fault::from_code(code).map_or("unknown", Fault::text);
        writeln!(out, "  fault {code:<6} {} {text}", share(count))?;
    }
    for (&outcome, &count) in &report.outcomes {
        if outcome != RunOutcome::Done && outcome != RunOutcome::Fault {
            writeln!(out, "  {outcome:?} {}", share(count))?;
        }
    }
    writeln!(
        out,
        "                  min    10 %  median    90 %    99 %     max"
    )?;
    for (name, d) in [
        ("seconds", report.seconds),
        ("s per cell", report.seconds_per_cell),
        ("run s per cell", report.run_seconds_per_cell),
        ("run by plan", report.driven_by_planned),
        ("run by bound", report.driven_by_lower_bound),
        ("pose error mm", report.pose_error_mm),
        ("contact mm/s", report.contact_mm_s),
    ] {
        let Distribution {
            min,
            p10,
            median,
            p90,
            p99,
            max,
        } = d;
        writeln!(
            out,
            "{name:<14} {min:>6.2} {p10:>7.2} {median:>7.2} {p90:>7.2} {p99:>7.2} {max:>7.2}"
        )?;
    }
    writeln!(
        out,
        "On average {:.3} s per cell, {:.3} in runs; {} over 600 s.",
        report.mean_seconds_per_cell,
        report.mean_run_seconds_per_cell,
        output::count(report.over_600_s as u64, "run", "runs"),
    )?;
    writeln!(
        out,
        "{} on the move, {:.2} % too late.",
        output::count(report.decisions, "decision", "decisions"),
        100.0 * report.decisions_late as f64 / report.decisions.max(1) as f64,
    )?;
    for (what, seeds) in [
        ("Not clean", &report.failed),
        ("Not calibrated", &report.uncalibrated),
    ] {
        if !seeds.is_empty() {
            let seeds: Vec<_> = seeds.iter().map(u64::to_string).collect();
            writeln!(out, "{what}: seeds {}", seeds.join(" "))?;
        }
    }
    Ok(())
}
