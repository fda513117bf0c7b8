//! The output of every command fits a terminal of 80 columns.

use crate::support::cli::sim;

/// Commands whose whole output is looked at, with the same columns as a long run of them.
const COMMANDS: [&str; 15] = [
    "",
    "run --rooms 70x36 --moves 8",
    "planners",
    "mouse",
    "bench --maps 2 --repeat 1 --size 101x101",
    "bench --mice --repeat 1",
    "subgoals",
    "robot",
    "robot --sweep 3",
    "experiment",
    "experiment buckets --runs 3",
    "experiment replanning --runs 2",
    "experiment subgoals --runs 2 --goals 2",
    "experiment unknown-world --runs 2",
    "experiment dynamic-world --runs 2",
];

const HELP: [&str; 15] = [
    "run",
    "view",
    "scen",
    "mouse",
    "convert",
    "mms",
    "robot",
    "emulate",
    "watch",
    "send",
    "calibrate",
    "planners",
    "subgoals",
    "experiment",
    "bench",
];

fn assert_fits(words: &str, text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "sim {words}: {line}");
    }
}

#[test]
fn reports_fit_80_columns() {
    for words in COMMANDS {
        let (text, _) = sim(words).exits(0);
        assert!(!text.is_empty(), "{words}");
        assert_fits(words, &text);
    }
}

#[test]
fn every_command_has_help_with_examples_in_80_columns() {
    let help = sim("--help").text();
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    // The lines of a long description are indented further.
    let names = commands.lines().filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        line.split_once(' ').map(|(name, _)| name)
    });
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert_eq!(names, [&HELP[..], &["help"]].concat());
    for words in [""].into_iter().chain(HELP) {
        let help = sim(words).words("--help").text();
        assert!(
            help.contains("Usage:") && help.contains("Examples:"),
            "{words}"
        );
        assert_fits(words, &help);
    }
}

#[test]
fn the_first_run_ends_with_two_suggestions() {
    let text = sim("").text();
    let (_, next) = text.split_once("\nNext:\n").unwrap();
    let commands: Vec<&str> = next
        .lines()
        .map(|line| line.split("   ").next().unwrap())
        .collect();
    assert_eq!(commands.len(), 2, "{text}");
    // Both are commands of `sim`.
    for command in commands {
        let words = command.trim().split("sim ").last().unwrap();
        sim(words).words("--help").text();
    }
    assert!(!sim("run").text().contains("Next:"));
}

#[test]
fn the_default_planner_is_marked() {
    let text = sim("planners").text();
    assert_eq!(text.matches("(default)").count(), 1);
    let default: Vec<_> = sim("planners --json")
        .objects()
        .into_iter()
        .filter(|planner| planner["default"] == true)
        .map(|planner| planner["name"].clone())
        .collect();
    let run = &sim("run --json").objects()[0];
    assert_eq!(default, [run["planner"].clone()]);
}

#[test]
fn a_report_opens_with_its_verdict() {
    let text = sim("experiment replanning --runs 2").text();
    let first = text.lines().next().unwrap();
    assert!(first.contains("eproduced: "), "{first}");
}
