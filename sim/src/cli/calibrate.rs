//! `sim calibrate`: guides a person through the calibration of a robot.

use std::{
    fs,
    io::{self, BufRead, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::json;
use tinystar::{
    boards::ZUMO2040,
    calibration::{Calibration, Gear},
    calibrator::{DISTANCE_UM, Progress, Routine, TURNS_MDEG},
    telemetry::{Command, Frame, Sensors},
};

use super::port::RobotPort;
use crate::{
    error::BadInput,
    output,
    physics::tolerances::Tolerances,
    run::CalibrationRun,
    telemetry::{Answer, draw_walls, text},
    world::rng,
};

/// Longest routine.
const ROUTINE: Duration = Duration::from_secs(120);
/// Time between two lines of live values.
const LIVE: Duration = Duration::from_millis(500);

const EXAMPLES: &str = "\
PORT is a serial port, or `model` for a simulated robot that --seed draws. Without options, all routines run
one after the other: motors, turns, distance, walls, range. Enter starts each; the robot keeps what it
measures in its flash.

Examples:
  sim calibrate /dev/ttyACM0                         everything, step by step
  sim calibrate /dev/ttyACM0 --only walls --only range
  sim calibrate /dev/ttyACM0 --show --save zumo.toml
  sim calibrate /dev/ttyACM0 --restore zumo.toml
  sim calibrate model --seed 3 --json";

/// Options of `calibrate`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A serial port, or `model`
    #[arg(value_name = "PORT")]
    port: String,
    /// Run this routine only: motors, turns, distance, walls or range; may be repeated
    #[arg(long, value_name = "ROUTINE", value_parser = routine)]
    only: Vec<Routine>,
    /// Run no routine
    #[arg(long, conflicts_with = "only")]
    show: bool,
    /// Reset the calibration to that of the board first
    #[arg(long)]
    reset: bool,
    /// Set the gears first: 50, 75 or 100
    #[arg(long, value_name = "RATIO", value_parser = gear)]
    gear: Option<Gear>,
    /// Write a calibration from a TOML file to the robot; runs no routine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "reset", "gear"])]
    restore: Option<PathBuf>,
    /// Save the calibration to a TOML file at the end
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Seed of the simulated robot
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the calibration as one JSON object
    #[arg(long)]
    json: bool,
}

fn routine(text: &str) -> Result<Routine, String> {
    let mut all = Routine::ALL.into_iter();
    all.find(|routine| routine.name() == text)
        .ok_or_else(|| "must be motors, turns, distance, walls or range".to_owned())
}

fn gear(text: &str) -> Result<Gear, String> {
    match text {
        "50" => Ok(Gear::Ratio50),
        "75" => Ok(Gear::Ratio75),
        "100" => Ok(Gear::Ratio100),
        _ => Err("must be 50, 75 or 100".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let restored = args.restore.as_ref().map(read).transpose()?;
    let routines: &[Routine] = match (&args.only[..], args.show || restored.is_some()) {
        (_, true) => &[],
        ([], false) => &Routine::ALL,
        (only, false) => only,
    };
    let calibration = if args.port == "model" {
        if restored.is_some() || args.reset || args.gear.is_some() {
            let problem = "a simulated robot is new: --restore, --reset and --gear need a port";
            return Err(BadInput(problem.to_owned()).into());
        }
        calibrate_model(args, routines)?
    } else {
        let mut robot = Robot(RobotPort::open(&args.port)?);
        robot.command(&Command::GetCalibration)?;
        if let Some(restored) = restored {
            robot.command(&Command::SetCalibration(restored))?;
        }
        if args.reset {
            robot.command(&Command::ResetCalibration)?;
        }
        if let Some(gear) = args.gear {
            robot.command(&Command::SetGear(gear))?;
        }
        for &routine in routines {
            robot.calibrate(routine)?;
        }
        robot.command(&Command::GetCalibration)?;
        let reported = robot.reported().map(|(calibration, _)| calibration);
        reported.ok_or_else(|| robot.0.error("no calibration received"))?
    };
    if let Some(path) = &args.save {
        let text = toml::to_string(&calibration)?;
        fs::write(path, text).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    if args.json {
        let missing = text::uncalibrated(&calibration);
        return Ok(output::json_line(&json!({
            "calibration": calibration,
            "missing": missing.split(", ").filter(|name| !name.is_empty()).collect::<Vec<_>>(),
        }))?);
    }
    print!("{}", toml::to_string(&calibration)?);
    Ok(())
}

/// Reads a calibration from a TOML file.
fn read(path: &PathBuf) -> Result<Calibration, BadInput> {
    let bad = |why: String| BadInput(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let calibration: Calibration =
        toml::from_str(&text).map_err(|error| bad(error.message().to_owned()))?;
    match calibration.is_valid() {
        true => Ok(calibration),
        false => Err(bad("a value is out of range".to_owned())),
    }
}

/// Instruction for a person.
fn instruction(routine: Routine) -> &'static str {
    match routine {
        Routine::Motors => "Put the robot on the floor with 30 cm free around it.",
        Routine::Turns => {
            "Put the robot on the floor, with a mark in front of it. It turns ten times to the right."
        }
        Routine::Distance => "Put the robot at the start of a tape, with 120 cm free ahead.",
        Routine::Walls => {
            "Put the robot into the middle of a cell, between a wall on its left and one on its right."
        }
        Routine::Range => {
            "Put the robot into the middle of a cell, facing a wall, with a free cell behind it."
        }
    }
}

/// Calibrates a simulated robot, which measures itself.
fn calibrate_model(args: &Args, routines: &[Routine]) -> anyhow::Result<Calibration> {
    let tolerances = Tolerances::drawn(&mut rng::seeded(args.seed));
    let mut run = CalibrationRun::new(tolerances, args.seed);
    let mut calibration = ZUMO2040.calibration;
    for &routine in routines {
        if !args.json {
            eprintln!("{}: {}", routine.name(), instruction(routine));
        }
        let mut last = None;
        calibration = run.routine(routine, |frames| last = last_sensors(frames).or(last))?;
        if let (Some(sensors), false) = (last, args.json) {
            eprint!("{}", picture(&sensors));
        }
    }
    Ok(calibration)
}

fn last_sensors(frames: &[Frame]) -> Option<Sensors> {
    frames.iter().rev().find_map(|frame| match frame {
        Frame::Sensors(sensors) => Some(*sensors),
        _ => None,
    })
}

/// Live values and a picture of the walls as sensed.
fn picture(sensors: &Sensors) -> String {
    let [_, _, motion] = text::sensors(sensors);
    format!("{}{motion}\n", draw_walls(&sensors.distances))
}

/// Robot on a port.
struct Robot<'a>(RobotPort<'a>);

impl Robot<'_> {
    /// Sends a command and waits until it is executed.
    fn command(&mut self, command: &Command) -> Result<(), BadInput> {
        match self.0.execute(command)? {
            Some(Answer::Refused(why)) => {
                let (what, why) = (text::command(command), text::refusal(why));
                Err(BadInput(format!("{what}: refused, {why}")))
            }
            Some(_) => Ok(()),
            None => Err(self.0.error("no answer")),
        }
    }

    /// Calibration and progress as last reported.
    fn reported(&mut self) -> &mut Option<(Calibration, Progress)> {
        &mut self.0.monitor.robot.calibration
    }

    /// Guides through a routine.
    fn calibrate(&mut self, routine: Routine) -> anyhow::Result<()> {
        eprintln!("{}: {}", routine.name(), instruction(routine));
        prompt("Enter starts it: ")?;
        // An earlier result of the same routine is not that of this one.
        *self.reported() = None;
        self.command(&Command::Calibrate(routine))?;
        let end = Instant::now() + ROUTINE;
        let mut next_picture = Instant::now();
        while Instant::now() < end {
            self.0.listen()?;
            if Instant::now() >= next_picture
                && let Some(sensors) = &self.0.monitor.robot.sensors
            {
                eprint!("{}", picture(sensors));
                next_picture = Instant::now() + LIVE;
            }
            match *self.reported() {
                Some((_, Progress::Waiting(waiting))) if waiting == routine => {
                    let measured = ask(routine)?;
                    *self.reported() = None;
                    self.command(&Command::Measured(measured))?;
                }
                Some((_, Progress::Done(done))) if done == routine => return Ok(()),
                Some((_, Progress::Failed(failed))) if failed == routine => {
                    anyhow::bail!("{}: the measurement failed; try again", routine.name());
                }
                _ => {}
            }
        }
        anyhow::bail!("{}: the robot does not finish", routine.name())
    }
}

/// Asks for what a person measured: micrometres or mdeg.
fn ask(routine: Routine) -> anyhow::Result<i32> {
    let (question, nominal, unit) = match routine {
        Routine::Turns => (
            "Degrees turned in all, or turn it by hand until it lines up and press Enter: ",
            TURNS_MDEG,
            1000.0,
        ),
        _ => ("Millimetres driven: ", DISTANCE_UM, 1000.0),
    };
    loop {
        let line = prompt(question)?;
        if line.is_empty() {
            return Ok(nominal);
        }
        match line.parse::<f64>() {
            Ok(value) if (0.5..2.0).contains(&(value * unit / f64::from(nominal))) => {
                return Ok((value * unit).round() as i32);
            }
            _ => eprintln!("not a plausible number"),
        }
    }
}

/// Shows a prompt and reads a line.
fn prompt(question: &str) -> anyhow::Result<String> {
    eprint!("{question}");
    io::stderr().flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(BadInput("the input has ended".to_owned()).into());
    }
    Ok(line.trim().to_owned())
}
