//! The protocol of mms, one command at a time.

use std::io::{self, BufRead, Write};

use planner_core::{Cell, Side};
use thiserror::Error;

/// Why mms and the mouse no longer understand each other.
#[derive(Debug, Error)]
pub enum MmsError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("mms has hung up")]
    Closed,
    #[error("mms answers {reply:?} to {command}")]
    Reply { command: String, reply: String },
    #[error("the mouse crashed into a wall that it had not seen")]
    Crash,
}

/// A line to mms.
pub struct Link<R, W> {
    from: R,
    to: W,
    height: u16,
}

impl<R: BufRead, W: Write> Link<R, W> {
    /// A line over which nothing was said yet.
    pub fn new(from: R, to: W) -> Self {
        Self {
            from,
            to,
            height: 0,
        }
    }

    /// Says something that is not answered.
    fn tell(&mut self, command: &str) -> Result<(), MmsError> {
        writeln!(self.to, "{command}")?;
        Ok(())
    }

    /// Asks, and reads the answer.
    fn ask(&mut self, command: &str) -> Result<String, MmsError> {
        self.tell(command)?;
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

    /// Columns and rows of the maze. To be asked first.
    pub fn size(&mut self) -> Result<(u16, u16), MmsError> {
        let number = |reply: &str| reply.parse().ok().filter(|&side: &u16| side > 0);
        let width = self.ask_for("mazeWidth", number)?;
        self.height = self.ask_for("mazeHeight", number)?;
        Ok((width, self.height))
    }

    /// Whether there is a wall ahead, to the left and to the right.
    pub fn walls(&mut self) -> Result<[bool; 3], MmsError> {
        Ok([
            self.yes_or_no("wallFront")?,
            self.yes_or_no("wallLeft")?,
            self.yes_or_no("wallRight")?,
        ])
    }

    /// Goes straight on for so many cells.
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

    /// Whether the button was pressed that asks the mouse to begin again.
    pub fn was_reset(&mut self) -> Result<bool, MmsError> {
        self.yes_or_no("wasReset")
    }

    /// Lets the mouse be put back to the start.
    pub fn go_back(&mut self) -> Result<(), MmsError> {
        self.done("ackReset")
    }

    /// Shows a wall.
    pub fn show_wall(&mut self, cell: Cell, side: Side) -> Result<(), MmsError> {
        let letter = match side {
            Side::North => 'n',
            Side::East => 'e',
            Side::South => 's',
            Side::West => 'w',
        };
        let (x, y) = self.place(cell);
        self.tell(&format!("setWall {x} {y} {letter}"))
    }

    /// Shows a cell in a colour.
    pub fn colour(&mut self, cell: Cell, colour: char) -> Result<(), MmsError> {
        let (x, y) = self.place(cell);
        self.tell(&format!("setColor {x} {y} {colour}"))
    }

    pub fn clear_colours(&mut self) -> Result<(), MmsError> {
        self.tell("clearAllColor")
    }

    /// Writes a number into a cell, or wipes it out.
    pub fn write(&mut self, cell: Cell, number: Option<u32>) -> Result<(), MmsError> {
        let (x, y) = self.place(cell);
        match number {
            Some(number) => self.tell(&format!("setText {x} {y} {number}")),
            None => self.tell(&format!("clearText {x} {y}")),
        }
    }

    /// What mms thinks of the mouse; the fewer the better.
    pub fn score(&mut self) -> Result<String, MmsError> {
        self.ask("getStat score")
    }

    /// Sees to it that mms has been told everything.
    pub fn flush(&mut self) -> Result<(), MmsError> {
        Ok(self.to.flush()?)
    }

    /// Column and row as mms counts them.
    fn place(&self, cell: Cell) -> (u16, u16) {
        (cell.x, self.height.saturating_sub(cell.y + 1))
    }
}
