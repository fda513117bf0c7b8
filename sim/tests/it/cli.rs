//! The command line as people and scripts use it: what comes out when all is well.

use std::{
    fs,
    process::{Command as Process, Stdio},
};

use assert_cmd::{
    Command,
    cargo::{cargo_bin, cargo_bin_cmd},
};
use serde_json::{Map, Value};
use sim::catalog::Name;
use tempfile::TempDir;

type Object = Map<String, Value>;

fn sim(args: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("sim");
    command.args(args);
    command
}

/// What a command prints that succeeds.
fn text(args: &[&str]) -> String {
    let assert = sim(args).assert().code(0).stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The objects that a command prints, one per line.
fn objects(args: &[&str]) -> Vec<Object> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    text(args).lines().map(parse).collect()
}

/// The one object that `sim run --json` prints.
fn walk(args: &[&str]) -> Object {
    let args = [&["run", "--json"], args].concat();
    let mut objects = objects(&args);
    assert_eq!(objects.len(), 1);
    objects.remove(0)
}

fn drawn(map: &str) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("drawn.map");
    fs::write(&path, map).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn cells(value: &Value) -> Vec<(u64, u64)> {
    let number = |value: &Value| value.as_u64().unwrap();
    let cell = |value: &Value| (number(&value[0]), number(&value[1]));
    value.as_array().unwrap().iter().map(cell).collect()
}

fn fields(object: &Object) -> Vec<&str> {
    object.keys().map(String::as_str).collect()
}

fn sorted<const N: usize>(mut names: [&str; N]) -> [&str; N] {
    names.sort_unstable();
    names
}

const RUN_FIELDS: [&str; 17] = [
    "planner",
    "map",
    "seed",
    "start",
    "goal",
    "outcome",
    "moves",
    "cost",
    "searches",
    "expansions",
    "requeues",
    "ticks",
    "waits",
    "max_expansions_per_tick",
    "max_requeues_per_tick",
    "max_queue_ops_per_tick",
    "planning_ns",
];

#[test]
fn sim_without_arguments_shows_a_run_that_arrives() {
    let output = text(&[]);
    assert!(output.contains("Arrived after"), "{output}");
    assert!(output.contains("# blocked"), "{output}");
    assert!(!output.contains('\u{1b}'), "no escape codes in a pipe");
    assert!(output.lines().all(|line| line.len() <= 80), "{output}");
}

#[test]
fn a_bare_sim_is_sim_run() {
    let untimed = |output: String| output.lines().take(39).collect::<Vec<_>>().join("\n");
    assert_eq!(untimed(text(&[])), untimed(text(&["run"])));
}

#[test]
fn a_picture_shows_the_trail_and_the_known_map() {
    let (_folder, path) = drawn("S...G\n#####\n.....\n");
    let known = text(&["run", "--map", &path, "--known"]);
    assert!(known.starts_with("Sooo@\n#####\n.....\n"), "{known}");
    let seen = text(&["run", "--map", &path]);
    assert!(seen.starts_with("Sooo@\n#####\n\n"), "{seen}");
}

#[test]
fn quiet_leaves_the_summary() {
    for option in ["-q", "--quiet", "--no-watch"] {
        assert_eq!(text(&["run", option]).lines().count(), 3);
    }
}

#[test]
fn a_map_too_wide_for_a_picture_still_has_a_summary() {
    let output = text(&["run", "--maze", "101x5"]);
    assert_eq!(output.lines().count(), 3, "{output}");
}

#[test]
fn json_of_run_has_the_documented_fields() {
    let walk = walk(&["--maze", "31x21", "--open", "20", "--seed", "7"]);
    assert_eq!(fields(&walk), sorted(RUN_FIELDS));
    assert_eq!(walk["planner"], "dstar-lite");
    assert_eq!(walk["map"], "maze 31x21 open 20");
    assert_eq!(walk["seed"], 7);
    assert_eq!(walk["outcome"], "arrived");
    assert!(walk["cost"].is_f64());
    for end in ["start", "goal"] {
        assert_eq!(walk[end].as_array().unwrap().len(), 2);
    }
    for number in &RUN_FIELDS[8..] {
        assert!(walk[*number].is_u64(), "{number}");
    }
    assert_eq!(walk["ticks"], walk["moves"].as_u64().unwrap() + 1);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let untimed = |world: &[&str], seed: &str| {
        let mut walk = walk(&[world, &["--trail", "--seed", seed]].concat());
        assert!(walk.remove("planning_ns").is_some());
        walk
    };
    for world in [
        &["--maze", "41x31", "--open", "30"][..],
        &["--random", "40x30", "--density", "0.25"],
        &["--rooms", "40x30", "--moves", "8"],
    ] {
        assert_eq!(untimed(world, "3"), untimed(world, "3"));
        assert_ne!(untimed(world, "3")["trail"], untimed(world, "4")["trail"]);
    }
}

#[test]
fn every_planner_arrives_in_the_same_maze() {
    for name in Name::all() {
        let planner = name.to_string();
        let mut args = vec!["--maze", "31x31", "--open", "40", "--seed", "5"];
        args.extend(["--planner", &planner]);
        if name.is_known_map_only() {
            args.push("--known");
        }
        let walk = walk(&args);
        assert_eq!(walk["planner"], planner.as_str());
        assert_eq!(walk["outcome"], "arrived", "{planner}");
    }
}

#[test]
fn the_trail_is_a_path_from_start_to_goal() {
    let map = "S.#.....\n..#.###.\n........\n.####..G\n";
    let (_folder, path) = drawn(map);
    let rows: Vec<&[u8]> = map.lines().map(str::as_bytes).collect();
    for moves in ["4", "8"] {
        let walk = walk(&["--map", &path, "--trail", "--moves", moves]);
        let trail = cells(&walk["trail"]);
        assert_eq!(trail.len() as u64, walk["moves"].as_u64().unwrap() + 1);
        assert_eq!(trail.first(), Some(&(0, 0)));
        assert_eq!(trail.last(), Some(&(7, 3)));
        let free = |&(x, y): &(u64, u64)| rows[y as usize][x as usize] != b'#';
        assert!(trail.iter().all(free), "{trail:?}");
        for pair in trail.windows(2) {
            let (dx, dy) = (pair[0].0.abs_diff(pair[1].0), pair[0].1.abs_diff(pair[1].1));
            let step = if moves == "4" { dx + dy } else { dx.max(dy) };
            assert_eq!(step, 1, "{pair:?}");
        }
    }
}

#[test]
fn start_and_goal_are_those_of_the_map_unless_given() {
    let (_folder, path) = drawn("S..\n...\n..G\n");
    let own = walk(&["--map", &path]);
    assert_eq!(own["start"], Value::from(vec![0, 0]));
    assert_eq!(own["goal"], Value::from(vec![2, 2]));
    let given = walk(&["--map", &path, "--start", "1,1", "--goal", "2,0"]);
    assert_eq!(given["start"], Value::from(vec![1, 1]));
    assert_eq!(given["goal"], Value::from(vec![2, 0]));
    assert_eq!(given["map"], "drawn.map");
}

#[test]
fn a_missing_start_or_goal_is_a_random_reachable_cell() {
    let (_folder, path) = drawn("....#\n.####\n#....\n");
    for seed in ["1", "2", "3", "4", "5"] {
        let goal = walk(&["--map", &path, "--start", "0,0", "--seed", seed]);
        assert_eq!(goal["outcome"], "arrived");
        assert_ne!(goal["goal"], goal["start"]);
        let start = walk(&["--map", &path, "--goal", "4,2", "--seed", seed]);
        assert_eq!(start["outcome"], "arrived");
        let both = walk(&["--map", &path, "--seed", seed]);
        assert_eq!(both["outcome"], "arrived");
    }
}

#[test]
fn a_known_map_avoids_dead_ends() {
    let (_folder, path) = drawn(".....\n.###.\nS..#G\n.###.\n.....\n");
    let unknown = walk(&["--map", &path]);
    let known = walk(&["--map", &path, "--known"]);
    assert_eq!(known["moves"], 8);
    assert_eq!(known["searches"], 1);
    assert!(unknown["moves"].as_u64() > known["moves"].as_u64());
    let far_sighted = walk(&["--map", &path, "--sense", "9"]);
    assert_eq!(far_sighted["moves"], 8);
}

#[test]
fn a_diagonal_step_is_as_long_as_a_diagonal() {
    let (_folder, path) = drawn("S....\n.....\n.....\n.....\n....G\n");
    let four = walk(&["--map", &path]);
    assert_eq!((&four["moves"], &four["cost"]), (&8.into(), &8.0.into()));
    let eight = walk(&["--map", &path, "--moves", "8"]);
    assert_eq!(eight["moves"], 4);
    assert!((eight["cost"].as_f64().unwrap() - 4.0 * 2_f64.sqrt()).abs() < 1e-9);
    assert!(text(&["run", "-q", "--map", &path, "--moves", "8"]).contains("(length 5.66)"));
}

#[test]
fn a_blocked_corner_is_not_cut() {
    let (_folder, path) = drawn("S#\n.G\n");
    assert_eq!(walk(&["--map", &path, "--moves", "8"])["moves"], 2);
}

#[test]
fn an_unreachable_goal_is_a_result() {
    let (_folder, path) = drawn("S..#.\n...#G\n...#.\n");
    for planner in Name::all() {
        let planner = planner.to_string();
        let walk = walk(&["--map", &path, "--planner", &planner]);
        assert_eq!(walk["outcome"], "unreachable", "{planner}");
    }
    assert!(text(&["run", "--map", &path]).contains("No path"));
}

#[test]
fn a_robot_at_its_goal_has_arrived() {
    let (_folder, path) = drawn("..\n..\n");
    let walk = walk(&["--map", &path, "--start", "1,1", "--goal", "1,1"]);
    assert_eq!(walk["outcome"], "arrived");
    assert_eq!((&walk["moves"], &walk["ticks"]), (&0.into(), &1.into()));
}

#[test]
fn a_run_gives_up_after_max_ticks() {
    let walk = walk(&["--max-ticks", "3"]);
    assert_eq!(walk["outcome"], "gave-up");
    assert_eq!(walk["ticks"], 3);
    assert!(text(&["run", "-q", "--max-ticks", "3"]).contains("Gave up after 3 moves"));
}

#[test]
fn a_limit_holds_in_every_tick() {
    let maze = ["--maze", "41x41", "--open", "50"];
    for limit in ["1", "7", "50"] {
        let walk = walk(&[&maze[..], &["--limit", limit]].concat());
        assert_eq!(walk["outcome"], "arrived");
        let most = walk["max_expansions_per_tick"].as_u64().unwrap();
        assert!(most <= limit.parse().unwrap(), "{most} with {limit}");
        assert!(walk["waits"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_picture_is_well_formed_and_has_a_legend() {
    let folder = TempDir::new().unwrap();
    let map = folder.path().join("a&b<c>.map");
    let svg = folder.path().join("picture.svg");
    fs::write(&map, "S.#..\n..#..\n.....\n#####\n....G\n").unwrap();
    let (map, path) = (map.to_str().unwrap(), svg.to_str().unwrap());
    let walk = walk(&["--map", map, "--svg", path]);
    assert_eq!(walk["outcome"], "unreachable");

    let picture = fs::read_to_string(&svg).unwrap();
    let document = roxmltree::Document::parse(&picture).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    assert_eq!(texts[0], "dstar-lite on a&b<c>.map");
    for name in [
        "blocked", "walked", "start", "goal", "robot", "free", "unknown",
    ] {
        assert!(texts.iter().any(|text| text.contains(name)), "{texts:?}");
    }
}

#[test]
fn a_picture_of_a_large_map_is_small() {
    let folder = TempDir::new().unwrap();
    let svg = folder.path().join("picture.svg");
    let args = [
        "--random",
        "300x300",
        "--known",
        "--density",
        "0.1",
        "--svg",
    ];
    walk(&[&args[..], &[svg.to_str().unwrap()]].concat());
    let bytes = fs::metadata(&svg).unwrap().len();
    assert!(bytes < 600_000, "{bytes} bytes for 90,000 cells");
}

#[test]
fn json_of_planners_has_the_documented_fields() {
    let planners = objects(&["planners", "--json"]);
    let names: Vec<&str> = planners
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    let all: Vec<String> = Name::all().iter().map(Name::to_string).collect();
    assert_eq!(names, all);
    for planner in &planners {
        assert_eq!(
            fields(planner),
            sorted([
                "name",
                "paper",
                "incremental",
                "real_time",
                "known_map_only",
                "bytes_per_cell_16",
                "bytes_per_cell_32",
                "bucket_bytes",
            ])
        );
        assert!(planner["paper"].is_string());
        for flag in ["incremental", "real_time", "known_map_only"] {
            assert!(planner[flag].is_boolean());
        }
        let [narrow, wide] = ["16", "32"].map(|bits| {
            let field = format!("bytes_per_cell_{bits}");
            planner[&field].as_f64().unwrap()
        });
        assert!(0.0 < narrow && narrow <= wide);
        assert!(planner["bucket_bytes"].is_u64());
    }
    let table = text(&["planners"]);
    assert!(
        all.iter().all(|name| table.contains(name.as_str())),
        "{table}"
    );
}

#[test]
fn every_command_has_help() {
    for command in ["run", "scen", "planners", "experiment", "bench"] {
        assert!(text(&["--help"]).contains(command));
        assert!(text(&[command, "--help"]).contains("Usage:"));
    }
    for args in [&["--help"][..], &["run", "--help"], &["scen", "--help"]] {
        assert!(text(args).contains("Examples:"));
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for args in [
        &["run"][..],
        &["run", "--maze", "201x201", "--json", "--trail"],
        &["planners"],
        &["planners", "--json"],
        &["run", "--help"],
    ] {
        let mut child = Process::new(cargo_bin!("sim"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Process::new(cargo_bin!("sim"))
        .args(["run", "--json"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));

    let svg = ["run", "--svg", "no/such/folder/picture.svg"];
    let assert = sim(&svg).assert().code(1).stdout("");
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("picture.svg"), "{stderr}");
}

const DOORS: [&str; 8] = [
    "--rooms", "40x30", "--doors", "1.5", "--moves", "8", "--limit", "16",
];

#[test]
fn doors_move_the_same_for_every_planner() {
    for planner in [
        "rtd",
        "rtd-lrta",
        "lss-lrta",
        "dstar-lite",
        "adaptive-astar",
    ] {
        let go = || {
            let mut object = walk(&[&DOORS[..], &["--planner", planner, "--trail"]].concat());
            object.remove("planning_ns");
            object
        };
        let object = go();
        assert_eq!(object, go());
        assert_eq!(object["outcome"], "arrived", "{planner}");
        assert_eq!(object["map"], "rooms 40x30 doors 1.5");
        let trail = cells(&object["trail"]);
        assert_eq!((trail[0], trail[trail.len() - 1]), ((0, 0), (39, 29)));
    }
}

#[test]
fn a_robot_that_senses_doors_knows_less_than_one_that_is_told() {
    let args = [&DOORS[..], &["--planner", "rtd"]].concat();
    let told = walk(&args);
    let sees = walk(&[&args[..], &["--sense", "1"]].concat());
    assert_eq!(
        walk(&[&args[..], &["--known"]].concat())["cost"],
        told["cost"]
    );
    assert_ne!(sees["cost"], told["cost"]);
}

#[test]
fn the_limit_sets_the_look_ahead_of_local_searches() {
    for (limit, most) in [("8", 8), ("300", 300)] {
        let object = walk(&["--maze", "61x61", "--planner", "lss-lrta", "--limit", limit]);
        assert_eq!(object["max_expansions_per_tick"], most);
    }
}
