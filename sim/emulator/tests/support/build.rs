//! Images for the chip, built by cargo before they are run.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Builds images as `cargo fw` does, and those of `packages` with them, so that dependencies are built once.
/// Returns the folder that they are in.
pub fn images(repository: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let output = Command::new(env!("CARGO"))
        .arg("fw")
        .args(packages)
        .args(["--target-dir", "target"])
        .current_dir(repository)
        // Flags for the desktop, such as those of a coverage run, are not for the chip.
        .env_remove("RUSTFLAGS")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(repository.join("target").join("thumbv6m-none-eabi/chip"))
    } else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("{stderr}\ncargo fw fails; type: cargo xtask setup"))
    }
}
