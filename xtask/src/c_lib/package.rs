//! The library for Arduino, PlatformIO and CMake, as a folder and as a zip file.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{archive::ROBOTS, header};
use crate::cargo::{root, target_dir};

/// Writes folder and zip file; returns the path of the latter.
pub fn write() -> Result<PathBuf> {
    let folder = target_dir()?.join("c-lib/tinystar");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let files = files()?;
    for (name, content) in &files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    let path = target_dir()?.join("tinystar-arduino.zip");
    let mut zip = ZipWriter::new(File::create(&path)?);
    for (name, content) in &files {
        zip.start_file(format!("tinystar/{name}"), SimpleFileOptions::default())?;
        zip.write_all(content)?;
    }
    zip.finish()?;
    println!("{}\n{}", folder.display(), path.display());
    Ok(path)
}

/// Names in the library and contents, in order.
fn files() -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let arduino = header::folder().join("arduino");
    add_folder(&arduino, &arduino, &mut files)?;
    files.push(("src/tinystar.h".to_owned(), read(&header::path())?));
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push((licence.to_owned(), read(&root().join(licence))?));
    }
    for cpu in ROBOTS {
        for folder in cpu.folders {
            let archive = read(&cpu.archive()?)?;
            files.push((format!("src/{folder}/libtinystar.a"), archive));
        }
    }
    files.sort();
    Ok(files)
}

/// Adds all files below a folder by their path from `base`, with slashes.
fn add_folder(base: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            add_folder(base, &path, files)?;
            continue;
        }
        let parts = path.strip_prefix(base)?.iter();
        let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        files.push((parts.join("/"), read(&path)?));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_workspace() {
        let version = env!("CARGO_PKG_VERSION");
        let arduino = header::folder().join("arduino");
        let properties = fs::read_to_string(arduino.join("library.properties")).unwrap();
        assert!(
            properties
                .lines()
                .any(|line| line == format!("version={version}"))
        );
        let json: serde_json::Value =
            serde_json::from_slice(&read(&arduino.join("library.json")).unwrap()).unwrap();
        assert_eq!(json["version"], version);
    }
}
