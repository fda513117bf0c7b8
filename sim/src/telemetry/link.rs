//! The way to a robot: a thread that reads and writes, so that nobody else waits.

use std::{
    io::{self, ErrorKind, Read, Write},
    ops::ControlFlow,
    sync::mpsc::{
        Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel,
    },
    thread,
    time::Duration,
};

use tinystar::telemetry::{
    Command, Frame, Refusal,
    codec::{COMMAND, encode},
};

use super::{FrameReceiver, Received};

/// How long a read or a write may take; a command waits so long at most before it is sent.
#[cfg(not(target_arch = "wasm32"))]
const PATIENCE: Duration = Duration::from_millis(20);
/// How long it takes until a robot that is gone is tried again.
const RETRY: Duration = Duration::from_millis(400);
/// Events that may wait. A desktop that does not take them holds up the robot's reports and nothing else.
const WAITING: usize = 4096;
/// USB does not care; other ports do.
#[cfg(not(target_arch = "wasm32"))]
const BAUD: u32 = 115_200;

/// What happens on the way to a robot.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// There is a port; whether there is a robot is heard.
    There,
    /// The port is gone, and why; it is tried again.
    Gone(String),
    /// Something was heard.
    Received(Received),
    /// A command was sent with this number.
    Sent(u16, Command),
    /// The stream is over.
    Ended,
}

/// What a robot is at the other end of. Reads and writes must end after a short while, with
/// [`ErrorKind::TimedOut`] or [`ErrorKind::WouldBlock`] if there was nothing.
pub trait Transport: Read + Write + Send {}

impl<T: Read + Write + Send> Transport for T {}

/// A robot that is heard, and perhaps told, by a thread. The thread ends with it.
#[derive(Debug)]
pub struct Link {
    events: Receiver<Event>,
    /// None where nobody can be told anything.
    commands: Option<Sender<Command>>,
}

impl Link {
    /// A link over a wire. `open` finds it again after it went away; first of all, the robot is asked for
    /// its map.
    ///
    /// # Errors
    /// It cannot be opened the first time.
    pub fn new<W: Transport + 'static>(
        mut open: impl FnMut() -> io::Result<W> + Send + 'static,
    ) -> io::Result<Self> {
        let first = open()?;
        let (told, events) = sync_channel(WAITING);
        let (commands, asked) = channel();
        thread::spawn(move || {
            let line = Line {
                events: told,
                commands: asked,
            };
            // Either way, nobody listens any more.
            let (ControlFlow::Break(()) | ControlFlow::Continue(())) = line.serve(first, open);
        });
        Ok(Self {
            events,
            commands: Some(commands),
        })
    }

    /// A robot at a serial port.
    ///
    /// # Errors
    /// There is no such port, or somebody else has it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn port(name: &str) -> io::Result<Self> {
        let name = name.to_owned();
        Self::new(move || {
            let mut port = serialport::new(&name, BAUD).timeout(PATIENCE).open()?;
            // A robot on USB speaks to a desktop that is ready; a pseudo-terminal has no such line.
            let _ = port.write_data_terminal_ready(true);
            Ok(port)
        })
    }

    /// Serial ports are not to be had in a browser.
    ///
    /// # Errors
    /// Always.
    #[cfg(target_arch = "wasm32")]
    pub fn port(_name: &str) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// A robot that is only heard, until the stream ends. A pipe may take long to open: the thread waits.
    #[must_use]
    pub fn stream<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        let (told, events) = sync_channel(WAITING);
        thread::spawn(move || {
            // If it breaks off, nobody listens any more.
            let (ControlFlow::Break(()) | ControlFlow::Continue(())) = match open() {
                Ok(stream) => hear(stream, &told),
                Err(error) => say(&told, Event::Gone(error.to_string())),
            };
        });
        Self {
            events,
            commands: None,
        }
    }

    /// Whether the robot can be told something.
    #[must_use]
    pub fn takes_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Tells the robot something. While it is gone, that is not sent.
    pub fn command(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // The thread lives as long as this does.
            let _ = commands.send(command);
        }
    }

    /// What has happened since this was asked last, if something has.
    #[must_use]
    pub fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// What happens next, within some time. `Err` if nothing ever will again.
    ///
    /// # Errors
    /// The stream is over.
    pub fn wait(&self, time: Duration) -> Result<Option<Event>, Closed> {
        match self.events.recv_timeout(time) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Closed),
        }
    }
}

/// Nothing will happen any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// Nobody listens any more, if it breaks off.
type Heeded = ControlFlow<()>;

fn say(events: &SyncSender<Event>, event: Event) -> Heeded {
    match events.send(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Hears a stream to its end.
fn hear(mut stream: impl Read, events: &SyncSender<Event>) -> Heeded {
    say(events, Event::There)?;
    let mut ear = FrameReceiver::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => {
                for heard in buffer[..len].iter().filter_map(|&byte| ear.feed(byte)) {
                    say(events, Event::Received(heard))?;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                say(events, Event::Gone(error.to_string()))?;
                break;
            }
        }
    }
    if let Some(cut) = ear.end() {
        say(events, Event::Received(cut))?;
    }
    say(events, Event::Ended)
}

/// The thread's side of a link with two ways.
struct Line {
    events: SyncSender<Event>,
    commands: Receiver<Command>,
}

impl Line {
    fn serve<W: Transport>(&self, first: W, mut open: impl FnMut() -> io::Result<W>) -> Heeded {
        let mut wire = Some(first);
        loop {
            if let Some(wire) = wire {
                let why = self.talk(wire)?;
                say(&self.events, Event::Gone(why.to_string()))?;
            }
            // What is to be told to a robot that is gone is not told to one that comes later.
            match self.commands.recv_timeout(RETRY) {
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
            }
            wire = open().ok();
        }
    }

    /// Talks with a robot until it is gone; why it is.
    fn talk(&self, wire: impl Transport) -> ControlFlow<(), io::Error> {
        say(&self.events, Event::There)?;
        let mut talk = Talk {
            line: self,
            wire,
            number: 0,
        };
        let mut ear = FrameReceiver::joining();
        if let Err(error) = talk.send(Command::GetMap)? {
            return ControlFlow::Continue(error);
        }
        loop {
            if let Err(error) = talk.turn(&mut ear)? {
                return ControlFlow::Continue(error);
            }
        }
    }
}

struct Talk<'a, W> {
    line: &'a Line,
    wire: W,
    /// Of the next command.
    number: u16,
}

impl<W: Transport> Talk<'_, W> {
    /// Sends what is to be sent, and hears what there is to hear.
    fn turn(&mut self, ear: &mut FrameReceiver) -> ControlFlow<(), io::Result<()>> {
        loop {
            match self.line.commands.try_recv() {
                Ok(command) => {
                    if let Err(error) = self.send(command)? {
                        return ControlFlow::Continue(Err(error));
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return ControlFlow::Break(()),
            }
        }
        let mut buffer = [0; 1024];
        let len = match self.wire.read(&mut buffer) {
            Ok(0) => {
                let error = io::Error::new(ErrorKind::UnexpectedEof, "the port was closed");
                return ControlFlow::Continue(Err(error));
            }
            Ok(len) => len,
            Err(error) if is_nothing(&error) => 0,
            Err(error) => return ControlFlow::Continue(Err(error)),
        };
        for heard in buffer[..len].iter().filter_map(|&byte| ear.feed(byte)) {
            let is_restart = heard.is_restart();
            if let Received::Frame { frame, .. } = &heard
                && is_lost_count(frame)
            {
                self.number = 0;
            }
            say(&self.line.events, Event::Received(heard))?;
            if is_restart {
                self.number = 0;
                if let Err(error) = self.send(Command::GetMap)? {
                    return ControlFlow::Continue(Err(error));
                }
            }
        }
        ControlFlow::Continue(Ok(()))
    }

    fn send(&mut self, command: Command) -> ControlFlow<(), io::Result<()>> {
        let mut buffer = [0; COMMAND];
        let sent = match encode(self.number, &command, &mut buffer) {
            Ok(bytes) => self.wire.write_all(bytes).and_then(|()| self.wire.flush()),
            // The buffer is as long as the longest command.
            Err(error) => Err(io::Error::other(error)),
        };
        if sent.is_ok() {
            say(&self.line.events, Event::Sent(self.number, command))?;
            self.number = self.number.wrapping_add(1);
        }
        ControlFlow::Continue(sent)
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}

/// Whether the robot counts commands otherwise than we do: then they are counted anew.
fn is_lost_count(frame: &Frame) -> bool {
    matches!(
        frame,
        Frame::Refused {
            why: Refusal::OutOfOrder | Refusal::Damaged | Refusal::TooLong,
            ..
        }
    )
}
