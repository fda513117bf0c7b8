//! Everything known about a monitored robot and the link to it.

use std::collections::VecDeque;

use serde::Serialize;
use tinystar::telemetry::{Command, Frame, PROTOCOL, Refusal};

use super::{Event, Received, RobotState};

/// Number of commands kept.
const COMMANDS: usize = 8;

/// Answer to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Pending.
    Awaited,
    Accepted,
    Refused(Refusal),
}

/// State of the link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// Not tried yet.
    #[default]
    NotTried,
    Connected,
    /// Disconnected, with the reason; the link is retried.
    Disconnected(String),
    /// The stream has ended.
    Ended,
}

/// Statistics of the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkStats {
    /// Frames received.
    pub frames: u64,
    /// Frames that were damaged or truncated.
    pub damaged: u64,
    /// Frames that were sent but not received.
    pub missing: u64,
    /// Frames dropped by the robot.
    pub lost: u64,
    /// Restarts of the robot.
    pub restarts: u64,
}

/// Everything known about a robot and the link to it.
#[derive(Clone, Debug, Default)]
pub struct Monitor {
    pub robot: RobotState,
    pub stats: LinkStats,
    pub connection: Connection,
    /// Last commands and their answers.
    pub commands: VecDeque<(u16, Command, Answer)>,
    /// Changes whenever anything visible changes.
    pub revision: u64,
}

impl Monitor {
    /// Handles an event.
    pub fn handle(&mut self, event: &Event) {
        self.revision += 1;
        match event {
            Event::Received(received) => self.receive(received),
            Event::Connected => self.connection = Connection::Connected,
            Event::Disconnected(why) => {
                self.connection = Connection::Disconnected(why.clone());
                self.commands.clear();
            }
            Event::Ended => self.connection = Connection::Ended,
            Event::Sent(number, command) => {
                if self.commands.len() >= COMMANDS {
                    self.commands.pop_front();
                }
                let command = (*number, command.clone(), Answer::Awaited);
                self.commands.push_back(command);
            }
        }
    }

    fn receive(&mut self, received: &Received) {
        let Received::Frame { missing, frame, .. } = received else {
            self.stats.damaged += 1;
            return;
        };
        if received.is_restart() && self.stats.frames > 0 {
            self.stats.restarts += 1;
            self.robot.restart();
        } else if let Frame::State(state) = frame
            && state.ms < self.robot.ms()
        {
            // Restarted while disconnected; the map has been requested since.
            self.stats.restarts += 1;
            self.robot.clear_progress();
        }
        self.stats.frames += 1;
        self.stats.missing += u64::from(*missing);
        match frame {
            Frame::Lost(lost) => self.stats.lost += u64::from(*lost),
            Frame::Accepted(number) => self.answer(Some(*number), Answer::Accepted),
            Frame::Refused { number, why } => self.answer(*number, Answer::Refused(*why)),
            _ => {}
        }
        self.robot.handle(frame);
    }

    /// An answer without a number belongs to the oldest pending command.
    fn answer(&mut self, number: Option<u16>, answer: Answer) {
        let is_meant = |(own, _, so_far): &&mut (u16, Command, Answer)| {
            *so_far == Answer::Awaited && number.is_none_or(|number| number == *own)
        };
        if let Some((_, _, so_far)) = self.commands.iter_mut().find(is_meant) {
            *so_far = answer;
        }
    }

    /// Empty monitor with a new revision.
    pub(super) fn reset(&self) -> Self {
        Self {
            revision: self.revision + 1,
            ..Self::default()
        }
    }

    /// Takes a revision newer than that of another monitor.
    pub(super) fn supersede(&mut self, other: &Self) {
        self.revision = self.revision.max(other.revision + 1);
    }

    /// Warning if the robot uses another protocol version.
    pub fn protocol_warning(&self) -> Option<String> {
        let protocol = self.robot.protocol.filter(|&version| version != PROTOCOL)?;
        Some(format!(
            "the robot uses protocol {protocol}, this program {PROTOCOL}"
        ))
    }
}
