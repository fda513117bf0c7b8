//! `sim scen`: lengths against a benchmark's.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    cli::{folder, sim},
    maps,
};

const MAP: &str = "type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n.....\n";

/// A diagonal would cut a corner, so the ways go round the wall.
const QUERIES: &str = "version 1\n\
    0\tmaps/wall.map\t5\t3\t0\t0\t4\t0\t4\n\
    1\tmaps/wall.map\t5\t3\t0\t1\t4\t1\t6\n\
    0\tmaps/wall.map\t5\t3\t2\t2\t2\t2\t0\n\
    1\tmaps/wall.map\t5\t3\t2\t0\t2\t2\t6.000001\n";

/// Output of `sim scen`, which must exit with this code.
fn scen(folder: &TempDir, words: &str, code: i32) -> String {
    sim("scen").words(words).within(folder).exits(code).0
}

fn objects(folder: &TempDir, words: &str, code: i32) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    scen(folder, words, code).lines().map(parse).collect()
}

#[test]
fn every_query_is_answered_in_order() {
    let folder = folder(&[("wall.map", MAP), ("wall.map.scen", QUERIES)]);
    let answers = objects(&folder, "wall.map.scen --json", 0);
    let answer = |query: u32, optimal: f64, length: f64| json!({"map": "wall.map", "query": query, "optimal": optimal, "length": length, "ok": true});
    assert_eq!(
        answers,
        [
            answer(0, 4.0, 4.0),
            answer(1, 6.0, 6.0),
            answer(2, 0.0, 0.0),
            answer(3, 6.000_001, 6.0),
            json!({"queries": 4, "ok": 4, "no_path": 0}),
        ]
    );
    let text = scen(&folder, "wall.map.scen", 0);
    assert!(text.contains("4 of 4 lengths optimal"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn stride_and_queries_choose_queries() {
    let folder = folder(&[("wall.map", MAP), ("wall.map.scen", QUERIES)]);
    let queries = |options: &str| {
        let words = format!("wall.map.scen --json {options}");
        let mut answers = objects(&folder, &words, 0);
        let total = answers.pop().unwrap();
        assert_eq!(total["queries"], answers.len());
        let query = |answer: &Value| answer["query"].as_u64().unwrap();
        answers.iter().map(query).collect::<Vec<_>>()
    };
    assert_eq!(queries("--stride 2"), [0, 2]);
    assert_eq!(queries("--queries 3"), [0, 1, 2]);
    assert_eq!(queries("--stride 3 --queries 9"), [0, 3]);
    assert_eq!(queries("--stride 2 --queries 1"), [0]);
}

#[test]
fn a_length_that_disagrees_fails() {
    let wrong = QUERIES.replace("6.000001", "5.41");
    let folder = folder(&[("wall.map", MAP), ("wall.map.scen", &wrong)]);
    let answers = objects(&folder, "wall.map.scen --json", 1);
    assert_eq!(answers[3]["ok"], false);
    assert_eq!(answers[4], json!({"queries": 4, "ok": 3, "no_path": 0}));

    let text = scen(&folder, "wall.map.scen", 1);
    let line = "query 3 from 2,0 to 2,2: length 6.00000, optimal 5.41000";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("3 of 4 lengths optimal"), "{text}");
}

#[test]
fn a_query_of_length_0_without_a_path_is_counted_apart() {
    // The last query goes to a cell behind a wall without a gap.
    let closed = "type octile\nheight 3\nwidth 3\nmap\n...\n@@@\n...\n";
    let queries = "version 1\n0\tw.map\t3\t3\t0\t0\t2\t0\t2\n0\tw.map\t3\t3\t0\t0\t0\t2\t0\n";
    let folder = folder(&[("w.map", closed), ("w.map.scen", queries)]);
    let answers = objects(&folder, "w.map.scen --json", 0);
    assert_eq!(answers[1]["no_path"], true);
    assert_eq!(answers[2], json!({"queries": 2, "ok": 1, "no_path": 1}));
    let text = scen(&folder, "w.map.scen", 0);
    assert!(text.contains("1 query of length 0"), "{text}");
    // A length that is not 0 is still wrong.
    let wrong = queries.replace("\t0\t2\t0\n", "\t0\t2\t5\n");
    std::fs::write(folder.path().join("w.map.scen"), wrong).unwrap();
    scen(&folder, "w.map.scen", 1);
}

#[test]
fn a_query_from_a_wall_fails_alone() {
    let wrong = QUERIES.replace("2\t2\t2\t2\t0", "2\t1\t2\t2\t1");
    let folder = folder(&[("wall.map", MAP), ("wall.map.scen", &wrong)]);
    let answers = objects(&folder, "wall.map.scen --json", 1);
    assert_eq!(
        (&answers[2]["length"], &answers[2]["ok"]),
        (&Value::Null, &false.into())
    );
    assert_eq!(answers[4]["ok"], 3);
    let text = scen(&folder, "wall.map.scen", 1);
    assert!(text.contains("the start (2, 1) is blocked"), "{text}");
}

#[test]
fn the_map_is_found_by_name_by_scenario_or_by_option() {
    let by_name = folder(&[("wall.map", MAP), ("queries.scen", QUERIES)]);
    scen(&by_name, "queries.scen", 0);

    let by_scen = folder(&[("other.map", MAP), ("other.map.scen", QUERIES)]);
    let answers = objects(&by_scen, "other.map.scen --json", 0);
    assert_eq!(answers[0]["map"], "other.map");

    let said = folder(&[("far.map", MAP), ("queries.scen", QUERIES)]);
    scen(&said, "queries.scen", 2);
    scen(&said, "queries.scen --map far.map", 0);
}

#[test]
fn a_scenario_may_name_several_maps() {
    let open = MAP.replace('@', ".");
    let queries = format!("{QUERIES}1\topen.map\t5\t3\t2\t0\t2\t2\t2\n");
    let files = [
        ("wall.map", MAP),
        ("open.map", &open),
        ("two.scen", &queries),
    ];
    let folder = folder(&files);
    let answers = objects(&folder, "two.scen --json", 0);
    assert_eq!(answers[4]["map"], "open.map");
}

/// Of the published benchmark, three maps and a part of their queries.
#[test]
fn published_lengths_are_found() {
    let chosen = [
        ("arena", "1"),
        ("cave", "1"),
        ("orz107d", "4"),
        ("den020d", "16"),
        ("lak202d", "40"),
    ];
    for path in maps::movingai() {
        let name = path.file_stem().unwrap();
        let Some((map, stride)) = chosen.into_iter().find(|(map, _)| *map == name) else {
            continue;
        };
        for planner in ["dstar-lite", "forward-astar", "backward-astar"] {
            let words = format!("scen {map}.map.scen --planner {planner} --stride {stride}");
            sim(&words).within(path.parent().unwrap()).exits(0);
        }
    }
}
