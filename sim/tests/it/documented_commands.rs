//! Every command of `sim` in the documents runs as it is written, or in a short variant where it takes minutes or
//! needs maps that are not in the repository. `cargo xtask` checks its own.

use std::{collections::HashSet, fs, path::Path};

use tempfile::TempDir;

use crate::{robot_chip, support::cli::sim};

const DOCUMENTS: [&str; 4] = [
    "README.md",
    "BENCHMARKS.md",
    "ROBOT.md",
    "planner-core/c/README.md",
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(document: &str) -> String {
    fs::read_to_string(repository().join(document)).unwrap()
}

/// Lines after `$` in console blocks, and code spans of `cargo` in the text, in order and without comments.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_block = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_block) {
            let command = command.split(" #").next().unwrap_or_default();
            commands.push(command.trim().to_owned());
        } else if !is_block {
            let spans = line.split('`').skip(1).step_by(2);
            let spans = spans.filter(|span| span.starts_with("cargo "));
            commands.extend(spans.map(str::to_owned));
        }
    }
    commands
}

/// The arguments to run instead: the same command, but on bundled maps and with few repetitions.
fn short(args: &str) -> String {
    let without = |option: &str| {
        let words: Vec<&str> = args.split_whitespace().collect();
        let at = words.iter().position(|word| *word == option);
        let kept = words.iter().enumerate();
        let kept = kept.filter(|(n, _)| at.is_none_or(|at| ![at, at + 1].contains(n)));
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    match args {
        "bench" => "bench --maps 1 --repeat 1".to_owned(),
        _ if args.starts_with("bench --mice") => "bench --mice --repeat 1".to_owned(),
        _ if args.contains("--sweep") => without("--sweep") + " --sweep 1",
        // Its own test runs it; a single maze takes half a minute.
        _ if args.starts_with("experiment situated-agents") => format!("{args} --help"),
        _ if args.starts_with("experiment subgoals --maps") => {
            "experiment subgoals --maps sim/worlds/cave.map --goals 1 --runs 1".to_owned()
        }
        _ if args.starts_with("experiment unknown-world --map ") => {
            "experiment unknown-world --map sim/worlds/cave.map --runs 1".to_owned()
        }
        _ if args.starts_with("experiment ") => without("--runs") + " --runs 1",
        // Three seconds of the chip's time show that it drives.
        _ if args.starts_with("emulate") => {
            format!(
                "{args} --time-limit 3 --elf {}",
                robot_chip::path().display()
            )
        }
        _ => args.to_owned(),
    }
}

/// A folder with the bundled worlds where the documents have them.
fn workplace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let worlds = folder.path().join("sim/worlds");
    fs::create_dir_all(&worlds).unwrap();
    for file in fs::read_dir(repository().join("sim/worlds")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), worlds.join(file.file_name())).unwrap();
    }
    folder
}

#[test]
fn every_documented_command_of_sim_runs() {
    let folder = workplace();
    let mut ran = HashSet::new();
    for document in DOCUMENTS {
        for command in commands(&read(document)) {
            if let Some(args) = command.strip_prefix("cargo sim")
                && ran.insert(args.trim().to_owned())
            {
                sim(&short(args.trim())).within(&folder).exits(0);
            }
        }
        assert!(ran.len() >= 12, "{document}: {ran:?}");
    }
}

#[test]
fn every_documented_cargo_command_exists() {
    let aliases = read(".cargo/config.toml");
    let own = ["add", "build", "doc", "install", "run", "test"];
    for document in DOCUMENTS {
        for command in commands(&read(document)) {
            let name = command.split_whitespace().nth(1).unwrap();
            let is_alias = aliases.contains(&format!("\n{name} = "));
            assert!(
                is_alias || own.contains(&name) || !command.starts_with("cargo"),
                "{document}: {command}"
            );
        }
    }
}

#[test]
fn the_example_of_the_front_page_is_the_one_that_is_tested() {
    let example = |document: &str| {
        let text = read(document);
        let (_, after) = text.split_once("```rust\n").unwrap();
        after.split_once("```").unwrap().0.to_owned()
    };
    assert_eq!(example("README.md"), example("planner-core/README.md"));
}

/// The badges of the front page, each against the file that makes it true.
#[test]
fn badges_are_true() {
    let front = read("README.md");
    let value = |file: &str, key: &str| {
        let text = read(file);
        let (_, rest) = text.split_once(&format!("\n{key} = \"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let rust = value("Cargo.toml", "rust-version");
    let licence = value("Cargo.toml", "license").replace("OR", "or");
    let licence = licence.replace('-', "--").replace(' ', "%20");
    let library = read("planner-core/src/lib.rs");
    assert!(library.contains("#![no_std]") && library.contains("#![forbid(unsafe_code)]"));
    let badges = [
        format!("Rust-{rust}%2B"),
        "no__std-no%20allocation".to_owned(),
        "unsafe-forbidden".to_owned(),
        format!("licence-{licence}"),
    ];
    for badge in &badges {
        let url = format!("https://img.shields.io/badge/{badge}-");
        assert!(front.contains(&url), "{url}");
    }
    assert_eq!(front.matches("img.shields.io").count(), badges.len());
}

#[test]
fn every_file_that_a_document_links_to_exists() {
    for document in DOCUMENTS {
        let path = repository().join(document);
        let text = read(document);
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(path.with_file_name(file).exists(), "{document}: {link}");
        }
    }
}
