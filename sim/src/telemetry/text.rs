//! What a robot tells, in words.

use planner_core::{Cell, Side};
use tinystar::{
    fault::Fault,
    mission::{Activity, Mission},
    telemetry::{Command, Refusal, Stored, codec::DecodeError},
};

use super::{Answer, Contact, LinkStats, Monitor};
use crate::output::{count, grouped};

/// A cell as people type it.
#[must_use]
pub fn cell(cell: Cell) -> String {
    format!("{},{}", cell.x, cell.y)
}

/// Cells as people type them.
#[must_use]
pub fn cells(all: &[Cell]) -> String {
    let all: Vec<String> = all.iter().copied().map(cell).collect();
    all.join(" ")
}

/// A side of a cell.
#[must_use]
pub fn side(side: Side) -> &'static str {
    match side {
        Side::North => "north",
        Side::East => "east",
        Side::South => "south",
        Side::West => "west",
    }
}

/// Whether there is a robot at the other end.
#[must_use]
pub fn contact(watched: &Monitor) -> &'static str {
    match watched.contact() {
        Contact::None => "not tried yet",
        Contact::There if watched.tally().frames == 0 => "nothing heard yet",
        Contact::There => "there",
        Contact::Gone(_) => "gone",
        Contact::Ended => "the end",
    }
}

/// How much has come.
#[must_use]
pub fn tally(tally: LinkStats) -> String {
    let mut line = count(tally.frames, "frame", "frames");
    for (number, what) in [
        (tally.damaged, "damaged"),
        (tally.missing, "missing"),
        (tally.lost, "lost by the robot"),
    ] {
        line += &format!(", {} {what}", grouped(number));
    }
    if tally.restarts > 0 {
        line += &format!(", {}", count(tally.restarts, "restart", "restarts"));
    }
    line
}

/// What the robot does.
#[must_use]
pub fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Idle => "idle",
        Activity::Going => "on its way",
        Activity::NoPath => "no way; it will look again",
        Activity::Done => "done",
        Activity::Faulty => "stopped by a fault",
    }
}

/// A fault, with its number on the display.
#[must_use]
pub fn fault(fault: Fault) -> String {
    format!("fault {}: {}", fault.code(), fault.text())
}

/// What became of the map in flash.
#[must_use]
pub fn stored(stored: Stored) -> &'static str {
    match stored {
        Stored::Empty => "none in flash",
        Stored::Loaded => "read from flash",
        Stored::Foreign => "the one in flash is of another floor",
        Stored::Damaged => "the one in flash could not be read",
        Stored::Saved => "written to flash",
        Stored::Failed => "could not be written to flash",
    }
}

/// Why a command was not carried out.
#[must_use]
pub fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::OutOfOrder => "a command before it was lost",
        Refusal::Damaged => "it was damaged on the way",
        Refusal::TooLong => "it is too long",
        Refusal::Unknown => "the robot does not know it",
        Refusal::Invalid => "that is not on the robot's map",
        Refusal::Moving => "not while the robot moves",
        Refusal::Faulty => "not before the fault is cleared",
        Refusal::Busy => "the robot has too much to do",
    }
}

/// A command.
#[must_use]
pub fn command(command: &Command) -> String {
    match command {
        Command::SetGoal(goal) => format!("goal {}", cell(*goal)),
        Command::SetMission(mission) => missions(std::slice::from_ref(mission)),
        Command::Start => "start".to_owned(),
        Command::Stop => "stop".to_owned(),
        Command::Home => "home".to_owned(),
        Command::ForgetMap => "forget the map".to_owned(),
        Command::GetMap => "tell the map".to_owned(),
        Command::SetCalibration(_) => "calibration".to_owned(),
    }
}

/// Missions as they are typed on the command line.
#[must_use]
pub fn missions(all: &[Mission]) -> String {
    let list = |cells: &[Cell]| {
        let cells: Vec<String> = cells.iter().map(|c| format!("{},{}", c.x, c.y)).collect();
        cells.join(";")
    };
    let names: Vec<String> = all
        .iter()
        .map(|mission| match mission {
            Mission::GoTo(cell) => format!("goto:{}", list(&[*cell])),
            Mission::Home => "home".to_owned(),
            Mission::Patrol(cells) => format!("patrol:{}", list(cells)),
            Mission::Explore(cells) => format!("explore:{}", list(cells)),
        })
        .collect();
    names.join(" ")
}

/// Why bytes are no frame.
#[must_use]
pub fn bad(bad: DecodeError) -> &'static str {
    match bad {
        DecodeError::Damaged => "damaged",
        DecodeError::TooLong => "too-long",
        DecodeError::Unknown(_) => "unknown",
    }
}

/// What became of a command.
#[must_use]
pub fn answer(answer: Answer) -> String {
    match answer {
        Answer::Awaited => "no answer yet".to_owned(),
        Answer::Accepted => "accepted".to_owned(),
        Answer::Refused(why) => format!("refused: {}", refusal(why)),
    }
}
