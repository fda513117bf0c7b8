//! `cargo xtask pictures`: the pictures of the README, each made by a command that anybody can type.

use std::{env, fs, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{cargo, root};

/// Folder of the pictures.
const FOLDER: &str = "sim/pictures";
/// None may be larger, in bytes: people wait for them.
const LARGEST: u64 = 300_000;

/// A robot half way through a maze, with all that its planner knows.
const WINDOW: &str = "--maze 61x41 --open 60 --planner rtd --limit 24 --sense 2 --tick 150";
/// A robot's mission on the emulated chip, where planning takes time; how it is shown.
const MISSION: &str = "emulate --maze 15x11 --open 4 --seed 5 --time-limit 110";
const WATCH: &str = "--at 100 --zoom 36 --theme light";
/// A maze, crossed from corner to corner.
const FILM: &str = "run --quiet --sense 2";
/// A robot that explores a maze on the physics model, and runs.
const DRIVE: &str = "robot --map sim/worlds/maze-medium.txt --calibrate";
/// Real-Time D* against the limit.
const CURVES: &str = "experiment real-time --runs 40";

/// Makes all of them again.
pub fn run() -> Result<()> {
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder)?;
    for theme in ["light", "dark"] {
        window(&format!(
            "view {WINDOW} --theme {theme} --picture {FOLDER}/window-{theme}.png"
        ))?;
    }
    let out = "target/pictures";
    fs::create_dir_all(root().join(out))?;
    let frames = format!("{out}/robot.frames");
    cargo("fw").run()?;
    cargo(format!(
        "run --release -p sim -- {MISSION} --frames {frames}"
    ))
    .run()?;
    window(&format!(
        "view watch {frames} {WATCH} --picture {FOLDER}/watch.png"
    ))?;
    cargo(format!(
        "run --release -p sim -- {FILM} --gif {FOLDER}/run.gif"
    ))
    .run()?;
    cargo(format!(
        "run --release -p sim -- {DRIVE} --gif {FOLDER}/drive.gif"
    ))
    .run()?;
    cargo(format!("run --release -p sim -- {CURVES} --out {out}")).run()?;
    let curves = root().join(out).join("real-time-curves.svg");
    fs::copy(&curves, folder.join("real-time-curves.svg"))
        .with_context(|| curves.display().to_string())?;
    for file in fs::read_dir(&folder)? {
        let file = file?;
        let (path, bytes) = (file.path(), file.metadata()?.len());
        println!("{:>7} kB  {}", bytes.div_ceil(1000), path.display());
        ensure!(bytes <= LARGEST, "{} is too large", path.display());
    }
    Ok(())
}

/// Opens the window for a picture: on a display of its own, where there is none.
fn window(args: &str) -> Result<()> {
    if env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some() {
        return cargo(args).run();
    }
    let command = cargo(args);
    println!("$ xvfb-run -a {command}");
    let status = Command::new("xvfb-run")
        .args(["-a", "-s", "-screen 0 1400x900x24", "cargo"])
        .args(args.split(' '))
        .current_dir(root())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("{command}: {status}"),
        Err(error) => bail!(
            "there is no display, and no xvfb-run to make one ({error}): apt-get install xvfb"
        ),
    }
}
