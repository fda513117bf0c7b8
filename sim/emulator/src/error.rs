use std::{path::PathBuf, time::Duration};

/// Error of the emulator; its text is one line that says what to do, if possible.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program `node` cannot be started.
    #[error(
        "Node is missing ({command}: {cause}); install Node 18 or later from https://nodejs.org, then type: cargo xtask setup"
    )]
    NoNode {
        command: String,
        cause: std::io::Error,
    },
    /// rp2040js is missing or has another version.
    #[error(
        "rp2040js {wanted} is not installed in {}; type: cargo xtask setup",
        .folder.display()
    )]
    NoPackage { folder: PathBuf, wanted: String },
    /// The image cannot be read or is not for this chip.
    #[error("{}: {why}", .path.display())]
    Image { path: PathBuf, why: String },
    /// The rig ended.
    #[error("the emulator ended{how}")]
    Ended { how: String },
    /// The rig refused a request.
    #[error("the emulator says: {0}")]
    Refused(String),
    /// The rig's answer is invalid.
    #[error("invalid answer of the emulator: {0}")]
    Answer(String),
    /// An awaited event did not happen in time.
    #[error("no {what} within {} s of virtual time", .limit.as_secs_f64())]
    TooLate { what: String, limit: Duration },
}
