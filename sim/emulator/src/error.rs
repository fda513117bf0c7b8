use std::{path::PathBuf, time::Duration};

/// Why an image does not run, or no longer; each is one line that says what to do where something can be done.
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
    /// rp2040js is not where the rig looks for it, or is another version.
    #[error(
        "rp2040js {wanted} is not installed in {}; type: cargo xtask setup",
        .folder.display()
    )]
    NoPackage { folder: PathBuf, wanted: String },
    /// The image cannot be read, or is not one for this chip.
    #[error("{}: {why}", .path.display())]
    Image { path: PathBuf, why: String },
    /// The rig ended by itself.
    #[error("the emulator ended{how}")]
    Ended { how: String },
    /// The rig could not do what it was asked.
    #[error("the emulator says: {0}")]
    Refused(String),
    /// The rig answered something else than expected.
    #[error("the emulator's answer is not understood: {0}")]
    Answer(String),
    /// Something did not happen in time.
    #[error("no {what} within {} s of virtual time", .limit.as_secs_f64())]
    TooLate { what: String, limit: Duration },
}
