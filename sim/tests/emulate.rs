//! The image that is flashed, unchanged, on an emulated chip in a simulated world.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use emulator::Image;
use planner_core::Cell;
use sim::{
    emulator,
    robot::{
        chip::{embed, on_field},
        emulation::{Emulated, Emulation},
        floor::Floor,
        rehearsal::Outcome,
    },
    world::Loaded,
};
use tinystar::mission::Mission;

const CHIP: &str = "thumbv6m-none-eabi";

/// The path of the Zumo's image, built as `cargo fw` does.
fn path() -> &'static Path {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let output = Command::new(env!("CARGO"))
            .args(["fw", "--target-dir", "target"])
            .current_dir(&root)
            // Flags for the desktop, such as those of a coverage run, are not for the chip.
            .env_remove("RUSTFLAGS")
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(root.join("target").join(CHIP).join("chip/tinystar"))
        } else {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "{stderr}\nthe image does not build; type: cargo xtask setup"
            ))
        }
    });
    match built {
        Ok(path) => path,
        Err(error) => panic!("{error}"),
    }
}

fn image() -> Image {
    Image::read(path()).unwrap_or_else(|error| panic!("{error}"))
}

/// A map with its start `S` on the image's home, and its goal `G` on the image's field.
fn place(map: &str) -> (Floor, Cell) {
    let file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&file, map).unwrap();
    let Loaded { grid, start, goal } = sim::world::file::load(file.path()).unwrap();
    let start = start.unwrap();
    let floor = Floor::around(&grid).unwrap();
    let floor = Floor::new(embed(floor.walls(), start).unwrap());
    (floor, on_field(goal.unwrap(), start).unwrap())
}

fn run(emulation: &Emulation) -> Emulated {
    emulation
        .run(image())
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_goal_set_over_usb_is_reached() {
    let (floor, goal) = place("..G\n.#.\nS..\n");
    let mut emulation = Emulation::new(floor, 1);
    emulation.missions = vec![Mission::GoTo(goal)];
    let told = run(&emulation);
    assert_eq!(told.outcome, Outcome::Done, "{told:#?}");
    eprintln!("{told:#?}");
}
