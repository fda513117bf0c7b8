//! Images for the chip, built by cargo before they are run.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// What cargo calls the chip.
pub const CHIP: &str = "thumbv6m-none-eabi";

/// Has cargo build images in the repository, and gives the folder that this profile's are then in.
pub fn images(repository: &Path, build: &[&str], profile: &str) -> Result<PathBuf, String> {
    let output = Command::new(env!("CARGO"))
        .args(build)
        .args(["--target-dir", "target"])
        .current_dir(repository)
        // Flags for the desktop, such as those of a coverage run, are not for the chip.
        .env_remove("RUSTFLAGS")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(repository.join("target").join(CHIP).join(profile))
    } else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "{stderr}\ncargo {} fails; type: cargo xtask setup",
            build.join(" ")
        ))
    }
}
