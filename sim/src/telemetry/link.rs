//! Link to a robot, served by a thread, so that no caller waits.

use std::{
    io::{self, ErrorKind, Read, Write},
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

/// Timeout of a read or write, and so the largest delay of a command.
#[cfg(not(target_arch = "wasm32"))]
const TIMEOUT: Duration = Duration::from_millis(20);
/// Time until a lost connection is retried.
const RETRY: Duration = Duration::from_millis(400);
/// Capacity of the event queue. If it is full, only the robot's telemetry is delayed.
const QUEUE: usize = 4096;
/// Baud rate; USB ignores it.
#[cfg(not(target_arch = "wasm32"))]
const BAUD: u32 = 115_200;

/// Event of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The port is open.
    Connected,
    /// The port was lost, with the reason; it is retried.
    Disconnected(String),
    /// Something was received.
    Received(Received),
    /// A command was sent with this number.
    Sent(u16, Command),
    /// The stream is over.
    Ended,
}

/// Byte stream to a robot. Reads and writes must return soon, with [`ErrorKind::TimedOut`] or
/// [`ErrorKind::WouldBlock`] if there was nothing.
pub trait Transport: Read + Write + Send {}

impl<T: Read + Write + Send> Transport for T {}

/// Link to a robot, served by a thread that ends with it.
#[derive(Debug)]
pub struct Link {
    events: Receiver<Event>,
    /// None on a read-only stream.
    commands: Option<Sender<Command>>,
}

impl Link {
    /// Link over a transport, which `open` opens again after a loss. The map is requested first.
    pub fn new<W: Transport + 'static>(
        mut open: impl FnMut() -> io::Result<W> + Send + 'static,
    ) -> io::Result<Self> {
        let first = open()?;
        let (sender, events) = sync_channel(QUEUE);
        let (commands, requests) = channel();
        thread::spawn(move || {
            let mut server = Server {
                events: sender,
                commands: requests,
                number: 0,
            };
            // It ends when the link is gone.
            let _ = server.serve(first, open);
        });
        Ok(Self {
            events,
            commands: Some(commands),
        })
    }

    /// Link over a serial port.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn port(name: &str) -> io::Result<Self> {
        let name = name.to_owned();
        Self::new(move || {
            let mut port = serialport::new(&name, BAUD).timeout(TIMEOUT).open()?;
            // The robot waits for DTR; pseudo-terminals do not have it.
            let _ = port.write_data_terminal_ready(true);
            Ok(port)
        })
    }

    /// Serial ports are not available in a browser.
    #[cfg(target_arch = "wasm32")]
    pub fn port(_name: &str) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Read-only link that ends with its stream. Opening a pipe may block, so the thread does it.
    pub fn stream<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        let (sender, events) = sync_channel(QUEUE);
        thread::spawn(move || {
            // The link may be gone.
            let _ = match open() {
                Ok(stream) => receive(stream, &sender),
                Err(error) => emit(&sender, Event::Disconnected(error.to_string())),
            };
        });
        Self {
            events,
            commands: None,
        }
    }

    /// Returns whether commands can be sent.
    pub fn takes_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Sends a command; it is dropped while disconnected.
    pub fn send(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // Never fails: the thread lives as long as the link.
            let _ = commands.send(command);
        }
    }

    /// Next event, if there is one.
    pub fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Waits for the next event, at most for a time.
    pub fn wait(&self, time: Duration) -> Result<Option<Event>, Closed> {
        match self.events.recv_timeout(time) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Closed),
        }
    }
}

/// The stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// The reason for which a connection is no longer served.
enum End {
    /// The link is gone.
    Dropped,
    /// The port failed.
    Lost(io::Error),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

fn emit(events: &SyncSender<Event>, event: Event) -> Result<(), End> {
    events.send(event).map_err(|_| End::Dropped)
}

/// Receives a stream to its end.
fn receive(mut stream: impl Read, events: &SyncSender<Event>) -> Result<(), End> {
    emit(events, Event::Connected)?;
    let mut receiver = FrameReceiver::default();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => {
                for received in buffer[..len].iter().filter_map(|&byte| receiver.feed(byte)) {
                    emit(events, Event::Received(received))?;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                emit(events, Event::Disconnected(error.to_string()))?;
                break;
            }
        }
    }
    if let Some(end) = receiver.end() {
        emit(events, Event::Received(end))?;
    }
    emit(events, Event::Ended)
}

/// Thread of a bidirectional link.
struct Server {
    events: SyncSender<Event>,
    commands: Receiver<Command>,
    /// Number of the next command.
    number: u16,
}

impl Server {
    /// Serves the robot, connection after connection, until the link is gone.
    fn serve<W: Transport>(
        &mut self,
        first: W,
        mut open: impl FnMut() -> io::Result<W>,
    ) -> Result<(), End> {
        let mut transport = Some(first);
        loop {
            if let Some(transport) = transport {
                match self.serve_connection(transport) {
                    Err(End::Lost(why)) => {
                        emit(&self.events, Event::Disconnected(why.to_string()))?;
                    }
                    ended => return ended,
                }
            }
            // Commands for a lost robot are dropped.
            if let Err(RecvTimeoutError::Disconnected) = self.commands.recv_timeout(RETRY) {
                return Err(End::Dropped);
            }
            transport = open().ok();
        }
    }

    /// Serves a connection until it is lost.
    fn serve_connection(&mut self, mut transport: impl Transport) -> Result<(), End> {
        emit(&self.events, Event::Connected)?;
        self.number = 0;
        let mut receiver = FrameReceiver::joining();
        self.send(&mut transport, Command::GetMap)?;
        loop {
            self.poll(&mut transport, &mut receiver)?;
        }
    }

    /// Sends pending commands and receives what has arrived.
    fn poll(
        &mut self,
        transport: &mut impl Transport,
        receiver: &mut FrameReceiver,
    ) -> Result<(), End> {
        loop {
            match self.commands.try_recv() {
                Ok(command) => self.send(transport, command)?,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(End::Dropped),
            }
        }
        let mut buffer = [0; 1024];
        let len = match transport.read(&mut buffer) {
            Ok(0) => {
                let error = io::Error::new(ErrorKind::UnexpectedEof, "the port was closed");
                return Err(error.into());
            }
            Ok(len) => len,
            Err(error) if is_timeout(&error) => 0,
            Err(error) => return Err(error.into()),
        };
        for received in buffer[..len].iter().filter_map(|&byte| receiver.feed(byte)) {
            let is_restart = received.is_restart();
            if let Received::Frame { frame, .. } = &received
                && is_sequence_lost(frame)
            {
                self.number = 0;
            }
            emit(&self.events, Event::Received(received))?;
            if is_restart {
                self.number = 0;
                self.send(transport, Command::GetMap)?;
            }
        }
        Ok(())
    }

    fn send(&mut self, transport: &mut impl Transport, command: Command) -> Result<(), End> {
        let mut buffer = [0; COMMAND];
        // Encoding never fails: the buffer holds the longest command.
        let bytes = encode(self.number, &command, &mut buffer).map_err(io::Error::other)?;
        transport.write_all(bytes)?;
        transport.flush()?;
        emit(&self.events, Event::Sent(self.number, command))?;
        self.number = self.number.wrapping_add(1);
        Ok(())
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}

/// Returns whether the sequence of commands was lost; then it restarts.
fn is_sequence_lost(frame: &Frame) -> bool {
    matches!(
        frame,
        Frame::Refused {
            why: Refusal::OutOfOrder | Refusal::Damaged | Refusal::TooLong,
            ..
        }
    )
}
