//! Sources of telemetry.

use std::{fs, io, path::PathBuf};

use thiserror::Error;

use super::{Link, NotARecording, Playback};

/// Source of telemetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Serial port.
    Port(String),
    Recording(PathBuf),
    /// Named pipe.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
}

/// The source cannot be used.
#[derive(Debug, Error)]
pub enum SourceError {
    /// It does not exist.
    #[error("{0}: no such port or file{ports}", ports = ports())]
    Missing(String),
    /// It cannot be opened or read.
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
    /// It is not a recording.
    #[error("{0}: {1}")]
    NotARecording(String, #[source] NotARecording),
    /// It is a folder.
    #[error("{0}: is a folder, not a port or a recording")]
    Folder(String),
}

impl Source {
    /// Finds a source by its name; `-` is standard input.
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

    /// Opens the source; a recording is read at once.
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
                    .map(|playback| Feed::Recording(Box::new(playback)))
                    .map_err(|error| SourceError::NotARecording(name(), error))
            }
        }
    }
}

/// Opened source.
#[derive(Debug)]
pub enum Feed {
    /// Live telemetry.
    Live(Link),
    /// Recorded telemetry.
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

/// Returns whether a name is that of a Windows port.
fn is_port_name(name: &str) -> bool {
    let number = name
        .get(3..)
        .filter(|_| name.to_ascii_uppercase().starts_with("COM"));
    cfg!(windows) && number.is_some_and(|number| number.parse::<u8>().is_ok())
}

/// USB ports, as the end of an error message.
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
        true => "; there are no USB ports".to_owned(),
        false => format!("; USB ports: {}", names.join(", ")),
    }
}

#[cfg(target_arch = "wasm32")]
fn ports() -> String {
    String::new()
}
