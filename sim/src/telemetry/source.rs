//! Where a robot is heard.

use std::{fs, io, path::PathBuf};

use thiserror::Error;

use super::{Link, NotARecording, Playback};

/// What people type for a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A robot at a serial port.
    Port(String),
    /// A recording.
    Recording(PathBuf),
    /// A pipe with a name.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
}

/// There is nothing to be heard, and why.
#[derive(Debug, Error)]
pub enum SourceError {
    /// There is no such thing.
    #[error("{0}: there is no such port or file{ports}", ports = ports())]
    Missing(String),
    /// There is, but it cannot be used.
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
    /// It is no recording.
    #[error("{0}: {1}")]
    NotARecording(String, #[source] NotARecording),
    /// It is a folder.
    #[error("{0}: this is a folder, neither a port nor a recording")]
    Folder(String),
}

impl Source {
    /// What a name stands for.
    ///
    /// # Errors
    /// There is no such thing.
    pub fn find(name: &str) -> Result<Self, SourceError> {
        if name == "-" {
            return Ok(Self::Stdin);
        }
        match fs::metadata(name) {
            Ok(about) if about.is_dir() => Err(SourceError::Folder(name.to_owned())),
            Ok(about) if about.is_file() => Ok(Self::Recording(name.into())),
            Ok(about) if is_pipe(&about) => Ok(Self::Pipe(name.into())),
            Ok(_) => Ok(Self::Port(name.to_owned())),
            Err(_) if is_port_name(name) => Ok(Self::Port(name.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(SourceError::Missing(name.to_owned()))
            }
            Err(error) => Err(SourceError::Io(name.to_owned(), error)),
        }
    }

    /// Opens it; a recording is read as a whole.
    ///
    /// # Errors
    /// It cannot be opened, or is no recording.
    pub fn open(&self) -> Result<Feed, SourceError> {
        match self {
            Self::Port(name) => Link::port(name)
                .map(Feed::Live)
                .map_err(|error| SourceError::Io(name.clone(), error)),
            Self::Pipe(path) => {
                let path = path.clone();
                Ok(Feed::Live(Link::stream(move || fs::File::open(path))))
            }
            Self::Stdin => Ok(Feed::Live(Link::stream(|| Ok(io::stdin())))),
            Self::Recording(path) => {
                let name = || path.display().to_string();
                let bytes = fs::read(path).map_err(|error| SourceError::Io(name(), error))?;
                Playback::new(&bytes)
                    .map(|player| Feed::Recording(Box::new(player)))
                    .map_err(|error| SourceError::NotARecording(name(), error))
            }
        }
    }
}

/// What is heard of a robot.
#[derive(Debug)]
pub enum Feed {
    /// As it comes.
    Live(Link),
    /// As it came.
    Recording(Box<Playback>),
}

#[cfg(unix)]
fn is_pipe(about: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_about: &fs::Metadata) -> bool {
    false
}

/// Whether a name that is no file's is a port's all the same.
fn is_port_name(name: &str) -> bool {
    let number = name
        .get(3..)
        .filter(|_| name.to_ascii_uppercase().starts_with("COM"));
    cfg!(windows) && number.is_some_and(|number| number.parse::<u8>().is_ok())
}

/// The ports on USB, as the end of a complaint.
#[cfg(not(target_arch = "wasm32"))]
fn ports() -> String {
    let is_usb = |port: &serialport::SerialPortInfo| {
        matches!(port.port_type, serialport::SerialPortType::UsbPort(_))
    };
    let ports = serialport::available_ports().unwrap_or_default();
    let names: Vec<String> = ports
        .into_iter()
        .filter(is_usb)
        .map(|port| port.port_name)
        .collect();
    match names.is_empty() {
        true => "; no robot is on USB".to_owned(),
        false => format!("; on USB are {}", names.join(", ")),
    }
}

#[cfg(target_arch = "wasm32")]
fn ports() -> String {
    String::new()
}
