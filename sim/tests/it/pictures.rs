//! Animations of walks, pages with results, and commands that open the window.

use std::{fs, path::Path};

use assert_cmd::{Command, cargo::cargo_bin};

use crate::support::cli::{Sim, folder, sim};

#[test]
fn a_gif_shows_a_run_from_start_to_end() {
    let folder = tempfile::tempdir().unwrap();
    sim("run --quiet --maze 21x21 --seed 3 --gif walk.gif")
        .within(&folder)
        .exits(0);
    let file = fs::File::open(folder.path().join("walk.gif")).unwrap();
    let mut film = gif::DecodeOptions::new().read_info(file).unwrap();
    let mut frames = 0;
    while film.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert!((20..=200).contains(&frames), "{frames}");

    let error = sim("run --quiet --gif none/walk.gif")
        .within(&folder)
        .complaint();
    assert!(error.contains("walk.gif"), "{error}");
    let error = sim("run --quiet --gif /dev/full").complaint();
    assert_eq!(error.matches("No space left").count(), 1, "{error}");
}

#[test]
fn a_gif_shows_the_drive_of_a_robot_and_is_the_same_for_a_seed() {
    let folder = folder(&[("wall.txt", "..#.\n..#.\n....\nS..G\n")]);
    let film = |name: &str, seed: u32| {
        sim("robot --map wall.txt --mission goto:3,0 --calibrate")
            .words(&format!("--seed {seed} --gif {name}"))
            .within(&folder)
            .exits(0);
        fs::read(folder.path().join(name)).unwrap()
    };
    let first = film("a.gif", 1);
    assert_eq!(first, film("b.gif", 1));
    assert_ne!(first, film("c.gif", 2));
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut film = options.read_info(&first[..]).unwrap();
    let whole = (film.width(), film.height());
    let (mut frames, mut parts) = (0, 0);
    while let Some(frame) = film.read_next_frame().unwrap() {
        frames += 1;
        parts += usize::from((frame.width, frame.height) != whole);
    }
    // A few seconds at twelve frames per second, of which all but the first show what has changed.
    assert!((30..=801).contains(&frames), "{frames}");
    assert_eq!(parts, frames - 1);

    let error = sim("robot --time-limit 2 --gif none/drive.gif").complaint();
    assert!(error.contains("drive.gif"), "{error}");
}

#[test]
fn an_experiment_writes_a_page_with_its_provenance() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("my results");
    sim("experiment buckets --runs 2 --seed 5 --out")
        .arg(&out)
        .exits(0);
    let page = fs::read_to_string(out.join("buckets.html")).unwrap();
    assert!(page.contains("sim experiment buckets --runs 2 --seed 5 --out '"));
    assert!(page.contains("</code>, seed 5,"));
    assert!(page.contains("<svg") && page.contains("<table>"));
    assert!(page.contains("prefers-color-scheme: dark"));
    for outside in ["src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The program in a folder without the window beside it. A link, not a copy: a file that was just written may still be
/// open in a process that another test has started, and then cannot be executed.
#[test]
fn without_a_window_one_line_names_the_command() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let alone = folder.path().join("sim");
    fs::hard_link(Path::new(cargo_bin!("sim")), &alone).unwrap();
    for (maze, code, told) in [("9x9", 1, "cargo view"), ("0x9", 2, "31x21")] {
        let mut view = Command::new(&alone);
        view.args(["view", "--maze", maze]).env_remove("CARGO");
        let error = Sim(view).fails(code);
        assert!(error.contains(told), "{error}");
    }
}
