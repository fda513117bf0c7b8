//! Telemetry in words.

use planner_core::{Cell, Side};
use tinystar::{
    calibration::Calibration,
    calibrator::{Progress, Routine},
    fault::Fault,
    mission::{Activity, Mission},
    robot::Interval,
    signals::Exit,
    telemetry::{Command, Refusal, Sensors, Stored, codec::DecodeError},
};

use super::{Answer, Connection, LinkStats, Monitor, PlannedRoute};
use crate::output::{count, grouped};

/// Cell as typed.
pub fn cell(cell: Cell) -> String {
    format!("{},{}", cell.x, cell.y)
}

/// Cells as typed.
pub fn cells(all: &[Cell]) -> String {
    let all: Vec<String> = all.iter().copied().map(cell).collect();
    all.join(" ")
}

/// Side of a cell.
pub fn side(side: Side) -> &'static str {
    match side {
        Side::North => "north",
        Side::East => "east",
        Side::South => "south",
        Side::West => "west",
    }
}

/// State of the link.
pub fn connection(monitor: &Monitor) -> &'static str {
    match monitor.connection {
        Connection::NotTried => "not tried yet",
        Connection::Connected if monitor.stats.frames == 0 => "no telemetry yet",
        Connection::Connected => "connected",
        Connection::Disconnected(_) => "disconnected",
        Connection::Ended => "ended",
    }
}

/// Statistics of the link.
pub fn link_stats(stats: LinkStats) -> String {
    let mut line = count(stats.frames, "frame", "frames");
    for (number, what) in [
        (stats.damaged, "damaged"),
        (stats.missing, "missing"),
        (stats.lost, "lost by the robot"),
    ] {
        line += &format!(", {} {what}", grouped(number));
    }
    if stats.restarts > 0 {
        line += &format!(", {}", count(stats.restarts, "restart", "restarts"));
    }
    line
}

/// State of the mission.
pub fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Idle => "idle",
        Activity::Going => "on its way",
        Activity::NoPath => "no path; waiting",
        Activity::Done => "done",
        Activity::Faulty => "stopped by a fault",
        Activity::Starting => "starting; waits until it is still",
        Activity::Lost => "pose lost; put it home",
        Activity::Relocalising => "lost; looks around to find its place",
    }
}

/// Next turn of a route and its decision point.
pub fn route(route: &PlannedRoute) -> String {
    let turn = route.turn().map(|(at, exit)| {
        let exit = match exit {
            Exit::Left => "left",
            Exit::Right => "right",
            Exit::Ahead => "ahead",
            Exit::Back => "back",
        };
        format!("{exit} in {}, ", cell(at))
    });
    format!(
        "{}decides on {} in {:.0} mm",
        turn.unwrap_or_default(),
        cell(route.undecided()),
        route.to_decision_mm()
    )
}

/// Fault with its code.
pub fn fault(fault: Fault) -> String {
    format!("fault {}: {}", fault.code(), fault.text())
}

/// State of the map in flash.
pub fn stored(stored: Stored) -> &'static str {
    match stored {
        Stored::Empty => "none in flash",
        Stored::Loaded => "loaded from flash",
        Stored::Foreign => "in flash is of another version",
        Stored::Damaged => "in flash was damaged",
        Stored::Saved => "saved to flash",
        Stored::Failed => "flash failed",
    }
}

/// State of the calibration.
pub fn progress(progress: Progress) -> String {
    match progress {
        Progress::Idle => "idle".to_owned(),
        Progress::Running(routine) => format!("{} running", routine.name()),
        Progress::Waiting(routine) => format!("{} waiting", routine.name()),
        Progress::Done(routine) => format!("{} done", routine.name()),
        Progress::Failed(routine) => format!("{} failed", routine.name()),
    }
}

/// Distance as a range in millimetres.
pub fn distance(interval: Option<Interval>) -> String {
    match interval {
        None => "unclear".to_owned(),
        Some(Interval { near, far }) if far < Interval::FAR => {
            format!("{} to {} mm", near / 1000, far / 1000)
        }
        Some(Interval { near, .. }) => format!("over {} mm", near / 1000),
    }
}

/// Raw data of the sensors in three lines.
pub fn sensors(sensors: &Sensors) -> [String; 3] {
    let Sensors {
        raw,
        distances,
        counts,
        yaw_rate,
        yaw_bias,
        duty,
        ..
    } = sensors;
    let [left, front, right] = [distances.left, distances.front, distances.right].map(distance);
    let bias = yaw_bias.map_or("unknown".to_owned(), |bias| {
        format!("{:.2}", f64::from(bias) / 1000.0)
    });
    [
        format!("walls: left {left}, ahead {front}, right {right}"),
        format!(
            "raw: left {:012b}, ahead {:012b}, right {:012b}",
            raw[0], raw[1], raw[2]
        ),
        format!(
            "counts {} {}; gyro {:.2} deg/s (bias {bias}); duty {} {}",
            counts[0],
            counts[1],
            f64::from(*yaw_rate) / 1000.0,
            duty[0],
            duty[1],
        ),
    ]
}

/// Routines that have not measured a robot; empty if it is calibrated.
pub fn uncalibrated(calibration: &Calibration) -> String {
    let missing = Routine::ALL
        .into_iter()
        .filter(|&routine| !calibration.is_measured(routine));
    let names: Vec<_> = missing.map(Routine::name).collect();
    names.join(", ")
}

/// Reason for which a command was refused.
pub fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::OutOfOrder => "out of sequence",
        Refusal::Damaged => "damaged",
        Refusal::TooLong => "too long",
        Refusal::Unknown => "unknown command",
        Refusal::CellTooSmall => "the robot cannot turn in cells of this size",
        Refusal::Invalid => "not on the robot's map",
        Refusal::Moving => "the robot is moving",
        Refusal::Faulty => "the robot has a fault",
        Refusal::Busy => "the robot is busy",
        Refusal::Lost => "the robot does not know its pose; put it home",
    }
}

pub fn command(command: &Command) -> String {
    match command {
        Command::SetGoal(goal) => format!("goal {}", cell(*goal)),
        Command::SetMission(mission) => missions(std::slice::from_ref(mission)),
        Command::Start => "start".to_owned(),
        Command::Stop => "stop".to_owned(),
        Command::Home => "home".to_owned(),
        Command::ForgetMap => "clear map".to_owned(),
        Command::GetMap => "get map".to_owned(),
        Command::SetCalibration(_) => "calibration".to_owned(),
        Command::PlacedAtHome => "placed at home".to_owned(),
        Command::ClearFault => "clear fault".to_owned(),
        Command::SetSettings(_) => "settings".to_owned(),
        Command::Spin(motor, direction) => format!("spin {motor:?} {direction:?}").to_lowercase(),
        Command::GetCalibration => "get calibration".to_owned(),
        Command::Calibrate(routine) => format!("calibrate {}", routine.name()),
        Command::Measured(value) => format!("measured {value}"),
        Command::SetGear(gear) => format!("gear {}", gear.name()),
        Command::ResetCalibration => "reset calibration".to_owned(),
        Command::RestartToBootloader => "restart to bootloader".to_owned(),
    }
}

/// Missions as typed on the command line.
pub fn missions(all: &[Mission]) -> String {
    let list = |all: &[Cell]| cells(all).replace(' ', ";");
    let names: Vec<String> = all
        .iter()
        .map(|mission| match mission {
            Mission::GoTo(goal) => format!("goto:{}", cell(*goal)),
            Mission::Home => "home".to_owned(),
            Mission::Patrol(cells) => format!("patrol:{}", list(cells)),
            Mission::Explore(cells) => format!("explore:{}", list(cells)),
        })
        .collect();
    names.join(" ")
}

/// Reason for which bytes are not a frame.
pub fn decode_error(error: DecodeError) -> &'static str {
    match error {
        DecodeError::Damaged => "damaged",
        DecodeError::TooLong => "too-long",
        DecodeError::Unknown(_) => "unknown",
    }
}

/// Answer to a command.
pub fn answer(answer: Answer) -> String {
    match answer {
        Answer::Awaited => "pending".to_owned(),
        Answer::Accepted => "accepted".to_owned(),
        Answer::Refused(why) => format!("refused: {}", refusal(why)),
    }
}
