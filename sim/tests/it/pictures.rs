//! What people keep and show around: films of walks, and pages with results; and the way to the window.

use std::{fs, path::Path};

use assert_cmd::{Command, cargo::cargo_bin};

fn sim(args: &str) -> Command {
    let mut command = Command::new(cargo_bin!("sim"));
    command.args(args.split(' '));
    command
}

#[test]
fn a_gif_shows_a_run_from_start_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.gif");
    sim("run --quiet --maze 21x21 --seed 3 --gif")
        .arg(&path)
        .assert()
        .success();
    let mut film = gif::DecodeOptions::new()
        .read_info(fs::File::open(&path).unwrap())
        .unwrap();
    let mut frames = 0;
    while film.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert!((20..=200).contains(&frames), "{frames}");

    let nowhere = folder.path().join("none/walk.gif");
    let told = sim("run --quiet --gif")
        .arg(&nowhere)
        .assert()
        .failure()
        .code(1);
    let told = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(
        told.contains("walk.gif") && told.lines().count() == 1,
        "{told}"
    );
}

#[test]
fn an_experiment_writes_a_page_with_its_provenance() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("my results");
    sim("experiment buckets --runs 2 --seed 5 --out")
        .arg(&out)
        .assert()
        .success();
    let page = fs::read_to_string(out.join("buckets.html")).unwrap();
    assert!(page.contains("sim experiment buckets --runs 2 --seed 5 --out '"));
    assert!(page.contains("</code>, seed 5,"));
    assert!(page.contains("<svg") && page.contains("<table>"));
    assert!(page.contains("prefers-color-scheme: dark"));
    for outside in ["src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// A copy of the program that has no window beside it.
#[test]
fn without_a_window_one_line_names_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("sim");
    fs::copy(Path::new(cargo_bin!("sim")), &alone).unwrap();
    let told = Command::new(&alone)
        .args(["view", "--maze", "9x9"])
        .env_remove("CARGO")
        .assert()
        .failure()
        .code(1);
    let told = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(
        told.contains("cargo view") && told.lines().count() == 1,
        "{told}"
    );

    let told = Command::new(&alone)
        .args(["view", "--maze", "0x9"])
        .assert()
        .code(2);
    let told = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(
        told.contains("31x21") && told.lines().count() == 1,
        "{told}"
    );
}
