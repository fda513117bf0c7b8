//! Link to a robot, served by a thread, so that no caller waits.

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
    ///
    /// # Errors
    /// The first attempt to open failed.
    pub fn new<W: Transport + 'static>(
        mut open: impl FnMut() -> io::Result<W> + Send + 'static,
    ) -> io::Result<Self> {
        let first = open()?;
        let (sender, events) = sync_channel(QUEUE);
        let (commands, requests) = channel();
        thread::spawn(move || {
            let server = Server {
                events: sender,
                commands: requests,
            };
            // The receiver is gone.
            let (ControlFlow::Break(()) | ControlFlow::Continue(())) = server.serve(first, open);
        });
        Ok(Self {
            events,
            commands: Some(commands),
        })
    }

    /// Link over a serial port.
    ///
    /// # Errors
    /// The port does not exist or is in use.
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
    ///
    /// # Errors
    /// Always.
    #[cfg(target_arch = "wasm32")]
    pub fn port(_name: &str) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Read-only link that ends with its stream. Opening a pipe may block, so the thread does it.
    #[must_use]
    pub fn stream<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        let (sender, events) = sync_channel(QUEUE);
        thread::spawn(move || {
            // The receiver may be gone.
            let (ControlFlow::Break(()) | ControlFlow::Continue(())) = match open() {
                Ok(stream) => receive(stream, &sender),
                Err(error) => emit(&sender, Event::Disconnected(error.to_string())),
            };
        });
        Self {
            events,
            commands: None,
        }
    }

    /// Whether commands can be sent.
    #[must_use]
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
    #[must_use]
    pub fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Waits for the next event, at most for a time.
    ///
    /// # Errors
    /// The stream has ended.
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

/// Breaks if the receiver of events is gone.
type Flow = ControlFlow<()>;

fn emit(events: &SyncSender<Event>, event: Event) -> Flow {
    match events.send(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Receives a stream to its end.
fn receive(mut stream: impl Read, events: &SyncSender<Event>) -> Flow {
    emit(events, Event::Connected)?;
    let mut receiver = FrameReceiver::new();
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
}

impl Server {
    fn serve<W: Transport>(&self, first: W, mut open: impl FnMut() -> io::Result<W>) -> Flow {
        let mut transport = Some(first);
        loop {
            if let Some(transport) = transport {
                let why = self.serve_connection(transport)?;
                emit(&self.events, Event::Disconnected(why.to_string()))?;
            }
            // Commands for a lost robot are dropped.
            match self.commands.recv_timeout(RETRY) {
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
            }
            transport = open().ok();
        }
    }

    /// Serves a connection until it is lost; returns the reason.
    fn serve_connection(&self, transport: impl Transport) -> ControlFlow<(), io::Error> {
        emit(&self.events, Event::Connected)?;
        let mut connection = Connection {
            server: self,
            transport,
            number: 0,
        };
        let mut receiver = FrameReceiver::joining();
        if let Err(error) = connection.send(Command::GetMap)? {
            return ControlFlow::Continue(error);
        }
        loop {
            if let Err(error) = connection.poll(&mut receiver)? {
                return ControlFlow::Continue(error);
            }
        }
    }
}

struct Connection<'a, W> {
    server: &'a Server,
    transport: W,
    /// Number of the next command.
    number: u16,
}

impl<W: Transport> Connection<'_, W> {
    /// Sends pending commands and receives what has arrived.
    fn poll(&mut self, receiver: &mut FrameReceiver) -> ControlFlow<(), io::Result<()>> {
        loop {
            match self.server.commands.try_recv() {
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
        let len = match self.transport.read(&mut buffer) {
            Ok(0) => {
                let error = io::Error::new(ErrorKind::UnexpectedEof, "the port was closed");
                return ControlFlow::Continue(Err(error));
            }
            Ok(len) => len,
            Err(error) if is_timeout(&error) => 0,
            Err(error) => return ControlFlow::Continue(Err(error)),
        };
        for received in buffer[..len].iter().filter_map(|&byte| receiver.feed(byte)) {
            let is_restart = received.is_restart();
            if let Received::Frame { frame, .. } = &received
                && is_sequence_lost(frame)
            {
                self.number = 0;
            }
            emit(&self.server.events, Event::Received(received))?;
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
            Ok(bytes) => self
                .transport
                .write_all(bytes)
                .and_then(|()| self.transport.flush()),
            // Never fails: the buffer holds the longest command.
            Err(error) => Err(io::Error::other(error)),
        };
        if sent.is_ok() {
            emit(&self.server.events, Event::Sent(self.number, command))?;
            self.number = self.number.wrapping_add(1);
        }
        ControlFlow::Continue(sent)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}

/// Whether the sequence of commands was lost; then it restarts.
fn is_sequence_lost(frame: &Frame) -> bool {
    matches!(
        frame,
        Frame::Refused {
            why: Refusal::OutOfOrder | Refusal::Damaged | Refusal::TooLong,
            ..
        }
    )
}
