//! Bad input: exit code 2, one line on standard error that says what is wrong, nothing else.

use crate::support::cli::{folder, sim};

/// Runs `sim` in a folder with faulty files and returns its complaint.
fn complaint(words: &str) -> String {
    let folder = folder(&[
        ("good.map", &b"S..\n.#.\n..G\n"[..]),
        ("empty.map", b""),
        ("binary.map", b"..\n.\xff\n"),
        ("uneven.map", b"...\n..\n"),
        ("letters.map", b"..x\n"),
        ("two_starts.map", b"S.S\n"),
        ("walls.map", b"##\n##\n"),
        (
            "truncated.map",
            b"type octile\nheight 3\nwidth 3\nmap\n...\n",
        ),
        ("header.map", b"type octile\nheight 3\n"),
        (
            "huge.map",
            b"type octile\nheight 65534\nwidth 65534\nmap\n...\n",
        ),
        ("empty.scen", b""),
        ("fields.scen", b"version 1\n0 good.map 3 3 0 0 2 2\n"),
        ("words.scen", b"version 1\n0 good.map 3 3 0 zero 2 2 4\n"),
        ("version.scen", b"version 9\n0 good.map 3 3 0 0 2 2 4\n"),
        ("size.scen", b"version 1\n0 good.map 4 3 0 0 2 2 4\n"),
        ("outside.scen", b"version 1\n0 good.map 3 3 0 0 3 3 4\n"),
        ("no_map.scen", b"version 1\n0 gone.map 3 3 0 0 2 2 4\n"),
        ("bad_map.scen", b"version 1\n0 uneven.map 3 3 0 0 2 2 4\n"),
        ("absolute.scen", b"version 1\n0 /etc/passwd 3 3 0 0 2 2 4\n"),
    ]);
    sim(words).within(&folder).complaint()
}

#[test]
fn errors_name_the_faulty_map_and_its_defect() {
    for (map, what) in [
        ("gone.map", "No such file"),
        (".", "directory"),
        ("empty.map", "empty.map: the file is empty"),
        ("binary.map", "line 2: not UTF-8"),
        ("uneven.map", "line 2: this row has 2 cells"),
        ("letters.map", "unexpected character 'x' in column 3"),
        ("two_starts.map", "a second start"),
        ("walls.map", "no two free cells"),
        ("truncated.map", "the file ends after 1 of 3 rows"),
        ("header.map", "the file ends where `width` should stand"),
        ("huge.map", "a world cannot be 65534x65534"),
        ("size.scen", "line 1"),
    ] {
        let complaint = complaint(&format!("run --map {map}"));
        assert!(complaint.contains(map), "{complaint}");
        assert!(complaint.contains(what), "{complaint}");
    }
}

#[test]
fn start_and_goal_must_be_free_cells_of_the_map() {
    for (option, cell, what) in [
        ("--start", "1,1", "the start 1,1 is blocked"),
        ("--goal", "1,1", "the goal 1,1 is blocked"),
        ("--start", "3,0", "the start 3,0 is outside the map of 3x3"),
        ("--goal", "0,65535", "the goal 0,65535 is outside"),
        ("--start", "0", "like 3,4"),
        ("--start", "0,1,2", "like 3,4"),
        ("--goal", "-1,0", "like 3,4"),
        ("--goal", "70000,0", "like 3,4"),
        ("--goal", "", "like 3,4"),
    ] {
        let complaint = complaint(&format!("run --map good.map {option}={cell}"));
        assert!(complaint.contains(what), "{complaint}");
    }
}

#[test]
fn sizes_that_no_world_can_have_are_refused() {
    for world in ["--maze", "--random", "--rooms"] {
        for size in "0x5 5x0 5 x 5x 70000x3 65535x3 3x65535 -1x3 axb 5x5x5"
            .split(' ')
            .chain([""])
        {
            let complaint = complaint(&format!("run {world}={size}"));
            assert!(complaint.contains("like 31x21"), "{complaint}");
        }
        let complaint = complaint(&format!("run {world} 65534x65534"));
        assert!(complaint.contains("a world cannot be"), "{complaint}");
    }
    let complaint = complaint("run --maze 5x5 --open 1000");
    assert!(complaint.contains("cannot open 1000 cells"), "{complaint}");
}

#[test]
fn a_world_without_two_connected_cells_is_refused() {
    for world in [
        "--maze 1x1",
        "--random 9x9 --density 1",
        "--rooms 1x1 --start 0,0",
    ] {
        assert!(complaint(&format!("run {world}")).contains("no two free cells"));
    }
}

#[test]
fn a_map_too_large_for_a_planner_is_refused() {
    let complaint = complaint("run --rooms 5200x5000 --moves 8 --start 0,0 --goal 1,0");
    let who = "dstar-lite on rooms 5200x5000: ";
    assert!(complaint.contains(who), "{complaint}");
}

#[test]
fn contradictory_options_are_refused() {
    for args in [
        "run --maze 5x5 --map good.map",
        "run --maze 5x5 --random 5x5",
        "run --rooms 5x5 --map good.map",
        "run --open 5",
        "run --random 9x9 --open 5",
        "run --density 0.5",
        "run --maze 9x9 --density 0.5",
        "run --map good.map --open 5",
        "run --random 9x9 --density 2",
        "run --random 9x9 --density -1",
        "run --random 9x9 --density NaN",
        "run --random 9x9 --density inf",
        "run --random 9x9 --density half",
        "run --planner astar",
        "run --planner",
        "run --moves 6",
        "run --known --sense 2",
        "run --sense 0",
        "run --doors 1",
        "run --maze 9x9 --doors 1",
        "run --rooms 9x9 --doors -1",
        "run --rooms 9x9 --doors NaN",
        "run --rooms 9x9 --doors often",
        "run --local-ratio 101",
        "bench --limit 0",
        "bench --real-time x",
        "experiment dynamic-world --doors inf",
        "experiment unknown-world --map gone.map",
        "experiment unknown-world --map empty.map",
        "experiment unknown-world --runs 0",
        "run --sense 65536",
        "run --limit 0",
        "run --limit -1",
        "run --limit 99999999999",
        "run --max-ticks 0",
        "run --seed x",
        "run --no-such-option",
        "run stray",
        "fly",
        "--json",
        "scen",
        "planners stray",
    ] {
        complaint(args);
    }
}

#[test]
fn bad_options_of_an_experiment_are_named() {
    for (options, what) in [
        ("--runs 0", "--runs"),
        ("--runs many", "many"),
        ("--runs 2 --full", "--full"),
        ("--side 15", "--side"),
        ("--seed -1", "-1"),
    ] {
        let complaint = complaint(&format!("experiment situated-agents {options}"));
        assert!(complaint.contains(what), "{complaint}");
    }
}

#[test]
fn errors_name_the_faulty_scenario_and_its_defect() {
    for (scen, what) in [
        ("gone.scen", "No such file"),
        (".", "directory"),
        ("empty.scen", "empty.scen: the file is empty"),
        ("fields.scen", "line 2: a query has 9 fields"),
        ("words.scen", "line 2: \"zero\" is not a valid start y"),
        ("version.scen", "line 1: version"),
        ("size.scen", "query 0: the query is for a map of 4x3"),
        ("outside.scen", "query 0: the goal (3, 3) is outside"),
        ("no_map.scen", "its map \"gone.map\" is not beside it"),
        ("bad_map.scen", "uneven.map: line 2"),
        ("absolute.scen", "its map \"passwd\" is not beside it"),
        ("good.map", "good.map: line 1"),
    ] {
        let complaint = complaint(&format!("scen {scen}"));
        assert!(complaint.contains(what), "{complaint}");
    }
    for args in [
        "scen no_map.scen --map gone.map",
        "scen no_map.scen --map binary.map",
        "scen no_map.scen --queries 0",
        "scen no_map.scen --stride 0",
        "scen no_map.scen --planner x",
    ] {
        complaint(args);
    }
}

#[test]
fn usage_errors_are_one_line() {
    let line = complaint("run --planner x");
    assert!(line.starts_with("error: invalid value 'x' for '--planner <NAME>'"));
    assert!(line.contains("dstar-lite"), "{line}");
    let missing = "the following required arguments were not provided: <FILE>";
    assert_eq!(
        complaint("scen"),
        format!("error: {missing} (see --help)\n")
    );
    assert!(complaint("experiment none").starts_with("error: unrecognized subcommand 'none'"));
}
