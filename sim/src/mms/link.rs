//! The text protocol of mms.

use std::io::{self, BufRead, Write};

use planner_core::{Cell, Side};
use thiserror::Error;

/// A failure of the connection to mms.
#[derive(Debug, Error)]
pub enum MmsError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("mms closed the connection")]
    Closed,
    #[error("unexpected reply {reply:?} to {command}")]
    Reply { command: String, reply: String },
    #[error("the mouse crashed into a wall that it had not seen")]
    Crash,
}

/// The connection to mms.
pub struct Link<R, W> {
    from: R,
    to: W,
    height: u16,
}

impl<R: BufRead, W: Write> Link<R, W> {
    /// A connection over a reader and a writer.
    pub fn new(from: R, to: W) -> Self {
        Self {
            from,
            to,
            height: 0,
        }
    }

    /// Sends a command that has no reply.
    fn send(&mut self, command: &str) -> Result<(), MmsError> {
        writeln!(self.to, "{command}")?;
        Ok(())
    }

    /// Sends a command and returns the reply.
    fn ask(&mut self, command: &str) -> Result<String, MmsError> {
        self.send(command)?;
        self.to.flush()?;
        let mut reply = String::new();
        if self.from.read_line(&mut reply)? == 0 {
            return Err(MmsError::Closed);
        }
        Ok(reply.trim().to_owned())
    }

    fn ask_for<T>(
        &mut self,
        command: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, MmsError> {
        let reply = self.ask(command)?;
        read(&reply).ok_or_else(|| MmsError::Reply {
            command: command.to_owned(),
            reply,
        })
    }

    fn yes_or_no(&mut self, command: &str) -> Result<bool, MmsError> {
        self.ask_for(command, |reply| reply.parse().ok())
    }

    fn done(&mut self, command: &str) -> Result<(), MmsError> {
        self.ask_for(command, |reply| (reply == "ack").then_some(()))
    }

    /// Columns and rows of the maze; to be called first.
    pub fn size(&mut self) -> Result<(u16, u16), MmsError> {
        let number = |reply: &str| reply.parse().ok().filter(|&side: &u16| side > 0);
        let width = self.ask_for("mazeWidth", number)?;
        self.height = self.ask_for("mazeHeight", number)?;
        Ok((width, self.height))
    }

    /// Returns whether there are walls ahead, to the left and to the right.
    pub fn walls(&mut self) -> Result<[bool; 3], MmsError> {
        Ok([
            self.yes_or_no("wallFront")?,
            self.yes_or_no("wallLeft")?,
            self.yes_or_no("wallRight")?,
        ])
    }

    /// Moves straight ahead by this many cells.
    pub fn forward(&mut self, cells: u32) -> Result<(), MmsError> {
        let command = match cells {
            1 => "moveForward".to_owned(),
            cells => format!("moveForward {cells}"),
        };
        match &*self.ask(&command)? {
            "ack" => Ok(()),
            "crash" => Err(MmsError::Crash),
            reply => Err(MmsError::Reply {
                command,
                reply: reply.to_owned(),
            }),
        }
    }

    pub fn turn_left(&mut self) -> Result<(), MmsError> {
        self.done("turnLeft")
    }

    pub fn turn_right(&mut self) -> Result<(), MmsError> {
        self.done("turnRight")
    }

    /// Returns whether the reset button was pressed.
    pub fn was_reset(&mut self) -> Result<bool, MmsError> {
        self.yes_or_no("wasReset")
    }

    /// Acknowledges a reset; the mouse is then at the start.
    pub fn go_back(&mut self) -> Result<(), MmsError> {
        self.done("ackReset")
    }

    pub fn show_wall(&mut self, cell: Cell, side: Side) -> Result<(), MmsError> {
        let letter = match side {
            Side::North => 'n',
            Side::East => 'e',
            Side::South => 's',
            Side::West => 'w',
        };
        let (x, y) = self.coordinates(cell);
        self.send(&format!("setWall {x} {y} {letter}"))
    }

    pub fn color(&mut self, cell: Cell, color: char) -> Result<(), MmsError> {
        let (x, y) = self.coordinates(cell);
        self.send(&format!("setColor {x} {y} {color}"))
    }

    pub fn clear_colors(&mut self) -> Result<(), MmsError> {
        self.send("clearAllColor")
    }

    /// Shows a number in a cell, or clears it.
    pub fn write(&mut self, cell: Cell, number: Option<u32>) -> Result<(), MmsError> {
        let (x, y) = self.coordinates(cell);
        match number {
            Some(number) => self.send(&format!("setText {x} {y} {number}")),
            None => self.send(&format!("clearText {x} {y}")),
        }
    }

    /// The score of the mouse; lower is better.
    pub fn score(&mut self) -> Result<String, MmsError> {
        self.ask("getStat score")
    }

    /// Sends all commands that are buffered.
    pub fn flush(&mut self) -> Result<(), MmsError> {
        Ok(self.to.flush()?)
    }

    /// Column and row in the coordinates of mms.
    fn coordinates(&self, cell: Cell) -> (u16, u16) {
        (cell.x, self.height.saturating_sub(cell.y + 1))
    }
}
