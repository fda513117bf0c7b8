//! `tinystar.h`, made by cbindgen from the sources of `tinystar-c`.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use cbindgen::{Builder, Config};

use crate::cargo::root;

/// Sources with something for the header, in its order.
const SOURCES: [&str; 3] = ["types.rs", "maze.rs", "grid.rs"];

/// The header in the repository.
pub fn path() -> PathBuf {
    folder().join("include/tinystar.h")
}

/// The folder of `tinystar-c`.
pub fn folder() -> PathBuf {
    root().join("planner-core/c")
}

/// Writes the header.
pub fn write() -> Result<()> {
    fs::write(path(), generate()?).with_context(|| path().display().to_string())?;
    println!("{}: written", path().display());
    Ok(())
}

/// Fails if the header is not that of the sources.
pub fn check() -> Result<()> {
    let header = fs::read_to_string(path()).with_context(|| path().display().to_string())?;
    ensure!(
        header == generate()?,
        "{} is out of date; type: cargo xtask c-lib --header",
        path().display()
    );
    Ok(())
}

fn generate() -> Result<String> {
    let config = folder().join("cbindgen.toml");
    let config = Config::from_file(&config).map_err(|error| anyhow!("{error}"))?;
    let mut builder = Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(folder().join("src").join(source));
    }
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    Ok(String::from_utf8(header)?)
}

#[cfg(test)]
mod tests {
    #[test]
    fn header_is_up_to_date() {
        super::check().unwrap();
    }
}
