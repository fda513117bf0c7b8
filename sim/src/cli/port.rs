//! Serial connection of a command to a robot.

use std::time::{Duration, Instant};

use tinystar::telemetry::Command;

use crate::{
    error::{BadInput, OrBadInput},
    telemetry::{Answer, Connection, Link, Monitor},
};

/// Time in which a robot answers.
pub const ANSWER: Duration = Duration::from_secs(5);
/// Longest wait for one event.
const POLL: Duration = Duration::from_millis(50);

/// Robot on a serial port, and what it has reported.
pub struct RobotPort<'a> {
    name: &'a str,
    link: Link,
    pub monitor: Monitor,
}

impl<'a> RobotPort<'a> {
    /// Opens a port.
    pub fn open(name: &'a str) -> Result<Self, BadInput> {
        let link = Link::port(name).map_err(|error| format!("{name}: {error}"));
        Ok(Self {
            name,
            link: link.or_bad_input()?,
            monitor: Monitor::default(),
        })
    }

    /// Error message that names the port.
    pub fn error(&self, why: &str) -> BadInput {
        BadInput(format!("{}: {why}", self.name))
    }

    /// Waits up to 50 ms for an event.
    pub fn listen(&mut self) -> Result<(), BadInput> {
        let event = self.link.wait(POLL);
        let event = event.map_err(|_| self.error("the robot is gone"))?;
        event.iter().for_each(|event| self.monitor.handle(event));
        match &self.monitor.connection {
            Connection::Disconnected(why) => Err(self.error(why)),
            _ => Ok(()),
        }
    }

    /// Waits until something is found in the monitor; `None` after [`ANSWER`].
    pub fn wait_for<T>(
        &mut self,
        find: impl Fn(&Monitor) -> Option<T>,
    ) -> Result<Option<T>, BadInput> {
        let end = Instant::now() + ANSWER;
        while Instant::now() < end {
            self.listen()?;
            if let Some(found) = find(&self.monitor) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Sends a command and waits for the answer, if there is one.
    pub fn execute(&mut self, command: &Command) -> Result<Option<Answer>, BadInput> {
        // The answer to an earlier command is not that of the same one now.
        self.monitor.commands.clear();
        self.link.send(command.clone());
        self.wait_for(|monitor| {
            let mut sent = monitor.commands.iter();
            let sent = sent.find(|(_, own, _)| own == command);
            sent.map(|(.., answer)| *answer)
                .filter(|answer| *answer != Answer::Awaited)
        })
    }
}
