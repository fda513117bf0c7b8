//! The command line as people and scripts use it: what comes out when all is well.

use std::{
    fs,
    process::{Command as Process, Stdio},
};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use sim::catalog::Name;
use tempfile::TempDir;

use crate::support::cli::{fields, folder, sim, sorted};

fn text(words: &str) -> String {
    sim(words).text()
}

/// The object that `sim run --json` prints.
fn walk(words: &str) -> Value {
    sim("run --json").words(words).object()
}

/// The same without the time that planning took.
fn untimed(words: &str) -> Value {
    let mut walk = walk(words);
    let time = walk.as_object_mut().unwrap().remove("planning_ns");
    assert!(time.is_some());
    walk
}

fn drawn(map: &str) -> (TempDir, String) {
    let folder = folder(&[("drawn.map", map)]);
    let path = folder.path().join("drawn.map");
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn cells(value: &Value) -> Vec<(u64, u64)> {
    let cell = |value: &Value| (number(&value[0]), number(&value[1]));
    value.as_array().unwrap().iter().map(cell).collect()
}

const NUMBERS: &str = "searches expansions requeues ticks waits max_expansions_per_tick \
    max_requeues_per_tick max_queue_ops_per_tick planning_ns";

#[test]
fn sim_without_arguments_shows_a_run_that_arrives() {
    let output = text("");
    assert!(output.contains("Arrived after"), "{output}");
    assert!(output.contains("# blocked"), "{output}");
    assert!(!output.contains('\u{1b}'), "no escape codes in a pipe");
    assert!(output.lines().all(|line| line.len() <= 80), "{output}");
    let untimed = |output: &str| output.lines().take(39).collect::<Vec<_>>().join("\n");
    assert_eq!(untimed(&output), untimed(&text("run")));
}

#[test]
fn a_picture_shows_the_trail_and_the_known_map() {
    let (_folder, path) = drawn("S...G\n#####\n.....\n");
    let known = text(&format!("run --map {path} --known"));
    assert!(known.starts_with("Sooo@\n#####\n.....\n"), "{known}");
    let seen = text(&format!("run --map {path}"));
    assert!(seen.starts_with("Sooo@\n#####\n\n"), "{seen}");
}

#[test]
fn quiet_or_too_wide_a_map_leaves_the_summary() {
    for options in ["-q", "--quiet", "--no-watch", "--maze 101x5"] {
        let output = text(&format!("run {options}"));
        assert_eq!(output.lines().count(), 3, "{output}");
    }
}

#[test]
fn json_of_run_has_the_documented_fields() {
    let walk = walk("--maze 31x21 --open 20 --seed 7");
    let all = format!("planner map seed start goal outcome moves cost {NUMBERS}");
    assert_eq!(fields(&walk), sorted(&all));
    assert_eq!(walk["planner"], "dstar-lite");
    assert_eq!(walk["map"], "maze 31x21 open 20");
    assert_eq!(walk["seed"], 7);
    assert_eq!(walk["outcome"], "arrived");
    assert!(walk["cost"].is_f64());
    for end in ["start", "goal"] {
        assert_eq!(walk[end].as_array().unwrap().len(), 2);
    }
    for field in NUMBERS.split_whitespace() {
        assert!(walk[field].is_u64(), "{field}");
    }
    assert_eq!(walk["ticks"], number(&walk["moves"]) + 1);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for world in [
        "--maze 41x31 --open 30",
        "--random 40x30 --density 0.25",
        "--rooms 40x30 --moves 8",
    ] {
        let run = |seed: u32| untimed(&format!("{world} --trail --seed {seed}"));
        assert_eq!(run(3), run(3));
        assert_ne!(run(3)["trail"], run(4)["trail"]);
    }
}

#[test]
fn every_planner_arrives_in_the_same_maze() {
    for name in Name::all() {
        let known = if name.is_known_map_only() {
            "--known"
        } else {
            ""
        };
        let maze = "--maze 31x31 --open 40 --seed 5";
        let walk = walk(&format!("{maze} --planner {name} {known}"));
        assert_eq!(walk["planner"], name.to_string());
        assert_eq!(walk["outcome"], "arrived", "{name}");
    }
}

#[test]
fn the_trail_is_a_path_from_start_to_goal() {
    let map = "S.#.....\n..#.###.\n........\n.####..G\n";
    let (_folder, path) = drawn(map);
    let rows: Vec<&[u8]> = map.lines().map(str::as_bytes).collect();
    for moves in [4, 8] {
        let walk = walk(&format!("--map {path} --trail --moves {moves}"));
        let trail = cells(&walk["trail"]);
        assert_eq!(trail.len() as u64, number(&walk["moves"]) + 1);
        assert_eq!(trail.first(), Some(&(0, 0)));
        assert_eq!(trail.last(), Some(&(7, 3)));
        let free = |&(x, y): &(u64, u64)| rows[y as usize][x as usize] != b'#';
        assert!(trail.iter().all(free), "{trail:?}");
        for pair in trail.windows(2) {
            let (dx, dy) = (pair[0].0.abs_diff(pair[1].0), pair[0].1.abs_diff(pair[1].1));
            let step = if moves == 4 { dx + dy } else { dx.max(dy) };
            assert_eq!(step, 1, "{pair:?}");
        }
    }
}

#[test]
fn start_and_goal_are_those_of_the_map_unless_given() {
    let (_folder, path) = drawn("S..\n...\n..G\n");
    let own = walk(&format!("--map {path}"));
    assert_eq!(
        (&own["start"], &own["goal"]),
        (&json!([0, 0]), &json!([2, 2]))
    );
    let given = walk(&format!("--map {path} --start 1,1 --goal 2,0"));
    assert_eq!(
        (&given["start"], &given["goal"]),
        (&json!([1, 1]), &json!([2, 0]))
    );
    assert_eq!(given["map"], "drawn.map");
}

#[test]
fn a_missing_start_or_goal_is_a_random_reachable_cell() {
    let (_folder, path) = drawn("....#\n.####\n#....\n");
    for seed in 1..=5 {
        for end in ["--start 0,0", "--goal 4,2", ""] {
            let walk = walk(&format!("--map {path} --seed {seed} {end}"));
            assert_eq!(walk["outcome"], "arrived");
            assert_ne!(walk["goal"], walk["start"]);
        }
    }
}

#[test]
fn a_known_map_avoids_dead_ends() {
    let (_folder, path) = drawn(".....\n.###.\nS..#G\n.###.\n.....\n");
    let [unknown, known, far_sighted] =
        ["", "--known", "--sense 9"].map(|how| walk(&format!("--map {path} {how}")));
    assert_eq!(
        (&known["moves"], &known["searches"]),
        (&8.into(), &1.into())
    );
    assert!(number(&unknown["moves"]) > 8);
    assert_eq!(far_sighted["moves"], 8);
}

#[test]
fn a_diagonal_step_is_as_long_as_a_diagonal() {
    let (_folder, path) = drawn("S....\n.....\n.....\n.....\n....G\n");
    let four = walk(&format!("--map {path}"));
    assert_eq!((&four["moves"], &four["cost"]), (&8.into(), &8.0.into()));
    let eight = walk(&format!("--map {path} --moves 8"));
    assert_eq!(eight["moves"], 4);
    assert!((eight["cost"].as_f64().unwrap() - 4.0 * 2_f64.sqrt()).abs() < 1e-9);
    assert!(text(&format!("run -q --map {path} --moves 8")).contains("(length 5.66)"));
}

#[test]
fn a_blocked_corner_is_not_cut() {
    let (_folder, path) = drawn("S#\n.G\n");
    assert_eq!(walk(&format!("--map {path} --moves 8"))["moves"], 2);
}

#[test]
fn an_unreachable_goal_is_a_result() {
    let (_folder, path) = drawn("S..#.\n...#G\n...#.\n");
    for planner in Name::all() {
        let walk = walk(&format!("--map {path} --planner {planner}"));
        assert_eq!(walk["outcome"], "unreachable", "{planner}");
    }
    assert!(text(&format!("run --map {path}")).contains("No path"));
}

#[test]
fn a_robot_at_its_goal_has_arrived() {
    let (_folder, path) = drawn("..\n..\n");
    let walk = walk(&format!("--map {path} --start 1,1 --goal 1,1"));
    assert_eq!(walk["outcome"], "arrived");
    assert_eq!((&walk["moves"], &walk["ticks"]), (&0.into(), &1.into()));
}

#[test]
fn a_run_gives_up_after_max_ticks() {
    let walk = walk("--max-ticks 3");
    assert_eq!(
        (&walk["outcome"], &walk["ticks"]),
        (&"gave-up".into(), &3.into())
    );
    assert!(text("run -q --max-ticks 3").contains("Gave up after 3 moves"));
}

#[test]
fn a_limit_holds_in_every_tick() {
    for limit in [1, 7, 50] {
        let walk = walk(&format!("--maze 41x41 --open 50 --limit {limit}"));
        assert_eq!(walk["outcome"], "arrived");
        let most = number(&walk["max_expansions_per_tick"]);
        assert!(most <= limit, "{most} with {limit}");
        assert!(number(&walk["waits"]) > 0);
    }
}

#[test]
fn a_picture_is_well_formed_and_has_a_legend() {
    let map = "S.#..\n..#..\n.....\n#####\n....G\n";
    let folder = folder(&[("a&b<c>.map", map)]);
    let run = sim("run --json --map a&b<c>.map --svg picture.svg").within(&folder);
    assert_eq!(run.object()["outcome"], "unreachable");

    let picture = fs::read_to_string(folder.path().join("picture.svg")).unwrap();
    let document = roxmltree::Document::parse(&picture).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    assert_eq!(texts[0], "dstar-lite on a&b<c>.map");
    for name in "blocked walked start goal robot free unknown".split(' ') {
        assert!(texts.iter().any(|text| text.contains(name)), "{texts:?}");
    }
}

#[test]
fn a_picture_of_a_large_map_is_small() {
    let folder = TempDir::new().unwrap();
    let svg = folder.path().join("picture.svg");
    let run = sim("run --json --random 300x300 --known --density 0.1 --svg");
    run.arg(&svg).object();
    let bytes = fs::metadata(&svg).unwrap().len();
    assert!(bytes < 600_000, "{bytes} bytes for 90,000 cells");
}

#[test]
fn json_of_planners_has_the_documented_fields() {
    let planners = sim("planners --json").objects();
    let names: Vec<&str> = planners
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    let all: Vec<String> = Name::all().iter().map(Name::to_string).collect();
    assert_eq!(names, all);
    let flags = ["incremental", "real_time", "known_map_only"];
    for planner in &planners {
        let others = "name title use_when default paper bytes_per_cell_16 bytes_per_cell_32 \
                      bucket_bytes local_bytes";
        assert_eq!(
            fields(planner),
            sorted(&format!("{others} {}", flags.join(" ")))
        );
        assert!(planner["paper"].is_string());
        assert!(flags.iter().all(|flag| planner[flag].is_boolean()));
        let [narrow, wide] = [16, 32].map(|bits| {
            let field = format!("bytes_per_cell_{bits}");
            planner[&field].as_f64().unwrap()
        });
        assert!(0.0 < narrow && narrow <= wide);
        assert!(planner["bucket_bytes"].is_u64());
        let name = planner["name"].as_str().unwrap();
        // Sixteen bytes for each of 1,024 cells of the tree, its buckets and a few fields.
        let local = planner["local_bytes"].as_u64().unwrap();
        match name {
            "tba" | "rtd-tba" => assert!((16_384 + 560..16_384 + 760).contains(&local), "{local}"),
            "dstar-lite" | "rtd-noop" => assert_eq!(local, 0),
            "rtd" => assert!(local > 16 * 4096, "{local}"),
            _ => {}
        }
    }
    let table = text("planners");
    assert!(
        all.iter().all(|name| table.contains(name.as_str())),
        "{table}"
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    for words in [
        "run",
        "run --maze 201x201 --json --trail",
        "planners",
        "planners --json",
        "run --help",
    ] {
        let mut child = Process::new(cargo_bin!("sim"))
            .args(words.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}");
        assert!(output.stderr.is_empty(), "{words}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut run = Process::new(cargo_bin!("sim"));
    let output = run.args(["run", "--json"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = sim("run --svg no/such/folder/picture.svg").complaint();
    assert!(error.contains("picture.svg"), "{error}");
}

const DOORS: &str = "--rooms 40x30 --doors 1.5 --moves 8 --limit 16";

#[test]
fn doors_move_the_same_for_every_planner() {
    for planner in [
        "rtd",
        "rtd-lrta",
        "lss-lrta",
        "dstar-lite",
        "adaptive-astar",
    ] {
        let go = || untimed(&format!("{DOORS} --planner {planner} --trail"));
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
    let cost = |how: &str| walk(&format!("{DOORS} --planner rtd {how}"))["cost"].clone();
    assert_eq!(cost("--known"), cost(""));
    assert_ne!(cost("--sense 1"), cost(""));
}

#[test]
fn the_limit_sets_the_look_ahead_of_local_searches() {
    for limit in [8, 300] {
        let object = walk(&format!("--maze 61x61 --planner lss-lrta --limit {limit}"));
        assert_eq!(object["max_expansions_per_tick"], limit);
    }
}
