//! `web-bindings WASM PAGE DIR`: a folder with a page, the JavaScript that loads a WebAssembly module, and the module
//! as that JavaScript expects it, compressed. `cargo xtask web` calls it; it is a program of its own so that no other
//! task has to build it.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    match bind() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bind() -> Result<()> {
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let wasm = args.next().context("which module?")?;
    let page = args.next().context("which page?")?;
    let folder = args.next().context("into which folder?")?;
    Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&folder)?;
    let plain = folder.join("sim-web_bg.wasm");
    let module = fs::read(&plain)?;
    fs::remove_file(&plain)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&module)?;
    let packed = encoder.finish()?;
    write_page(&page, &folder, &packed)?;
    fs::write(folder.join("sim-web.wasm.bin"), &packed)?;
    println!(
        "module: {} kB, compressed {} kB",
        module.len().div_ceil(1000),
        packed.len().div_ceil(1000)
    );
    Ok(())
}

/// Writes the page with the size of the module, and with a version, so that a browser never mixes two.
fn write_page(page: &Path, folder: &Path, packed: &[u8]) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    // The checksum at the end of a compressed file.
    let version: String = packed
        .iter()
        .rev()
        .take(8)
        .map(|b| format!("{b:02x}"))
        .collect();
    let text = text.replace("BYTES", &packed.len().to_string());
    let text = text.replace("VERSION", &version);
    Ok(fs::write(folder.join("index.html"), text)?)
}
