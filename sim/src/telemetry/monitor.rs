//! A robot that is watched: what it tells over its serial port, now or in a recording.
//!
//! ```text
//!  port ---> Link (a thread) --+
//!  stdin --> Link (a thread) --+--> Event --> Monitor --> text, JSON, the window
//!  file ---> Playback -----------+
//! ```
//!
//! An [`FrameReceiver`] makes frames of bytes; [`Monitor`] is all that is known then, of the robot
//! ([`RobotState`]) and of the way to it. A [`Link`] never ends because a robot goes away; a [`Playback`] goes
//! back and forth.

use std::collections::VecDeque;

use tinystar::telemetry::{Command, Frame, PROTOCOL, Refusal};

use super::{Event, Received, RobotState};

/// The last commands that are kept.
const COMMANDS: usize = 8;

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// None has come yet.
    Awaited,
    /// It was carried out.
    Accepted,
    /// It was not.
    Refused(Refusal),
}

/// Whether there is a robot at the other end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// Nothing has been tried yet.
    #[default]
    None,
    /// There is.
    There,
    /// There is none, and why; it is tried again.
    Gone(String),
    /// The stream has ended.
    Ended,
}

/// How much has come, and how much of it was of no use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Whole frames.
    pub frames: u64,
    /// Frames that came damaged, or were cut.
    pub damaged: u64,
    /// Frames that were sent and did not come.
    pub missing: u64,
    /// Frames for which the robot had no room.
    pub lost: u64,
    /// How often the robot was restarted.
    pub restarts: u64,
}

/// All that is known of a robot that is watched, and of the way to it.
#[derive(Clone, Debug)]
pub struct Monitor {
    told: RobotState,
    tally: LinkStats,
    contact: Contact,
    commands: VecDeque<(u16, Command, Answer)>,
    /// Another number whenever something else is to be seen.
    revision: u64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            told: RobotState::new((0, 0)),
            tally: LinkStats::default(),
            contact: Contact::None,
            commands: VecDeque::new(),
            revision: 0,
        }
    }
}

impl Monitor {
    /// Takes in what happens.
    pub fn take(&mut self, event: &Event) {
        self.revision += 1;
        match event {
            Event::Received(heard) => self.hear(heard),
            Event::There => self.contact = Contact::There,
            Event::Gone(why) => {
                self.contact = Contact::Gone(why.clone());
                self.commands.clear();
            }
            Event::Ended => self.contact = Contact::Ended,
            Event::Sent(number, command) => {
                if self.commands.len() >= COMMANDS {
                    self.commands.pop_front();
                }
                let command = (*number, command.clone(), Answer::Awaited);
                self.commands.push_back(command);
            }
        }
    }

    fn hear(&mut self, heard: &Received) {
        let Received::Frame { missing, frame, .. } = heard else {
            self.tally.damaged += 1;
            return;
        };
        if heard.is_restart() && self.tally.frames > 0 {
            self.tally.restarts += 1;
            self.told.restart();
        } else if let Frame::State(state) = frame
            && state.ms < self.told.ms()
        {
            // It was restarted while nobody listened, and has been asked for its map since.
            self.tally.restarts += 1;
            self.told.begin_anew();
        }
        self.tally.frames += 1;
        self.tally.missing += u64::from(*missing);
        match frame {
            Frame::Lost(lost) => self.tally.lost += u64::from(*lost),
            Frame::Accepted(number) => self.answer(Some(*number), Answer::Accepted),
            Frame::Refused { number, why } => self.answer(*number, Answer::Refused(*why)),
            _ => {}
        }
        self.told.hear(frame);
    }

    /// An answer that names no command is to the oldest that has none.
    fn answer(&mut self, number: Option<u16>, answer: Answer) {
        let is_meant = |(own, _, so_far): &&mut (u16, Command, Answer)| {
            *so_far == Answer::Awaited && number.is_none_or(|number| number == *own)
        };
        if let Some((_, _, so_far)) = self.commands.iter_mut().find(is_meant) {
            *so_far = answer;
        }
    }

    /// Nothing is known, and this can be told from what was.
    pub(super) fn anew(&self) -> Self {
        Self {
            revision: self.revision + 1,
            ..Self::default()
        }
    }

    /// This is to be seen instead of another.
    pub(super) fn outdate(&mut self, other: &Self) {
        self.revision = self.revision.max(other.revision + 1);
    }

    /// What the robot has told.
    #[must_use]
    pub fn told(&self) -> &RobotState {
        &self.told
    }

    /// How much has come.
    #[must_use]
    pub fn tally(&self) -> LinkStats {
        self.tally
    }

    /// Whether there is a robot.
    #[must_use]
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// The last commands, and what became of them.
    #[must_use]
    pub fn commands(&self) -> &VecDeque<(u16, Command, Answer)> {
        &self.commands
    }

    /// Another number whenever something else is to be seen.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What makes it doubtful whether the rest is understood, in words.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        let protocol = self.told.protocol().filter(|&spoken| spoken != PROTOCOL)?;
        Some(format!(
            "the robot speaks protocol {protocol}, and this is for {PROTOCOL}"
        ))
    }
}
