//! A cable to a robot, of which a test holds the other end.

use std::{
    io::{self, Read, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

use tinystar::telemetry::{
    Command,
    codec::{CommandDecoder, Message},
};

/// The desktop's end.
pub struct Cable {
    from_robot: Receiver<Vec<u8>>,
    to_robot: Sender<Vec<u8>>,
    rest: Vec<u8>,
}

/// The robot's end.
pub struct RobotEnd {
    pub say: Sender<Vec<u8>>,
    pub hear: Receiver<Vec<u8>>,
}

/// A cable that is plugged in.
pub fn cable() -> (Cable, RobotEnd) {
    let (say, from_robot) = channel();
    let (to_robot, hear) = channel();
    let cable = Cable {
        from_robot,
        to_robot,
        rest: Vec::new(),
    };
    (cable, RobotEnd { say, hear })
}

impl RobotEnd {
    /// The next command that the robot gets.
    pub fn next(&self) -> Message<Command> {
        let bytes = self.hear.recv_timeout(Duration::from_secs(30)).unwrap();
        let mut decoder = CommandDecoder::new();
        let mut messages = bytes.iter().filter_map(|&byte| decoder.feed(byte));
        messages.next().unwrap().unwrap()
    }
}

impl Read for Cable {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = match self.from_robot.recv_timeout(Duration::from_millis(5)) {
                Ok(sent) => sent,
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
        }
        let len = bytes.len().min(self.rest.len());
        bytes[..len].copy_from_slice(&self.rest[..len]);
        self.rest.drain(..len);
        Ok(len)
    }
}

impl Write for Cable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.to_robot.send(bytes.to_vec()).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
