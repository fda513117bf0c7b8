//! `web-bindings WASM DIR`: the JavaScript that a page needs to load a WebAssembly module, and the module
//! as that JavaScript expects it. `cargo xtask web` calls it; it is a program of its own so that no other
//! task has to build it.

use std::{env, process::ExitCode};

use anyhow::{Context, Result};
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
    let mut args = env::args_os().skip(1);
    let wasm = args.next().context("which module?")?;
    let folder = args.next().context("into which folder?")?;
    Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
}
