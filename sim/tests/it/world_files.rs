//! Whatever a file holds, the loaders answer with a world or with one clear line, never a panic.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use planner_core::Cell;
use proptest::prelude::*;
use sim::world::file::{self, LoadProblem, MAX_BYTES};
use sim::world::movingai::{Query, QueryError, check, parse_map, parse_scen, write_map};
use sim::world::{Grid, MarkedGrid, random, rng, text};

const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n..@T\n.GS.\nOW..\n";
const DRAWING: &str = "S.##\n.. .\n##.G\n";
const SCEN: &str = "version 1\n\
    0\tmaps/a room.map\t4\t3\t0\t0\t3\t2\t4.41421\n\
    0 maps/room.map 4 3 1 0 0 1 2\n";

fn assert_clear(error: &impl Display, context: &dyn std::fmt::Debug) {
    let message = error.to_string();
    assert!(!message.trim().is_empty(), "no message for {context:?}");
    assert!(!message.contains(['\n', '\r']), "{message:?}");
    assert!(message.len() < 400, "{message:?}");
}

/// What every world must be, however it came about.
fn assert_valid(loaded: &MarkedGrid) {
    let MarkedGrid { grid, start, goal } = loaded;
    assert!(grid.width() >= 1 && grid.height() >= 1);
    let cells = usize::from(grid.width()) * usize::from(grid.height());
    assert_eq!(grid.cells().count(), cells);
    assert!(start.iter().chain(goal).all(|&cell| grid.is_free(cell)));
}

fn assert_valid_query(query: &Query) {
    assert!(query.optimal.is_finite() && query.optimal >= 0.0);
}

/// Both loaders on the same bytes: each a valid value or a clear error.
fn assert_survives(bytes: &[u8]) {
    match file::parse_grid(bytes) {
        Ok(loaded) => assert_valid(&loaded),
        Err(problem) => assert_clear(&problem, &bytes),
    }
    match file::parse_queries(bytes) {
        Ok(queries) => queries.iter().for_each(assert_valid_query),
        Err(problem) => assert_clear(&problem, &bytes),
    }
}

/// A failure prints its smallest input; nothing is written beside the sources.
fn without_files() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

mod damaged_files {
    use super::*;

    #[test]
    fn the_undamaged_files_are_read() {
        let octile = file::parse_grid(MAP.as_bytes()).unwrap();
        assert_eq!(octile.grid.to_string(), "..##\n....\n##..\n");
        let drawn = file::parse_grid(DRAWING.as_bytes()).unwrap();
        assert_eq!(drawn.grid, octile.grid);
        let queries = file::parse_queries(SCEN.as_bytes()).unwrap();
        assert_eq!(queries.len(), 2);
        for query in &queries {
            assert_eq!(check(query, &octile.grid), Ok(()));
        }
    }

    #[test]
    fn a_map_cut_anywhere_but_in_its_last_line_end_is_an_error() {
        for end in 0..MAP.len() - 1 {
            let error = file::parse_grid(&MAP.as_bytes()[..end]).unwrap_err();
            assert_clear(&error, &end);
        }
        assert!(file::parse_grid(&MAP.as_bytes()[..MAP.len() - 1]).is_ok());
    }

    #[test]
    fn a_drawing_cut_inside_a_row_is_an_error() {
        for end in 0..DRAWING.len() {
            let cut = &DRAWING[..end];
            assert_survives(cut.as_bytes());
            let last = cut.rsplit('\n').next().unwrap_or(cut);
            if cut.contains('\n') && (1..4).contains(&last.len()) {
                assert!(text::parse(cut).is_err(), "{cut:?}");
            }
        }
    }

    #[test]
    fn a_scen_cut_before_its_last_field_is_an_error() {
        let (first, last) = SCEN.trim_end().rsplit_once('\n').unwrap();
        for end in 1..last.len() - 1 {
            let cut = format!("{first}\n{}", &last[..end]);
            assert_clear(&parse_scen(&cut).unwrap_err(), &cut);
        }
        for end in 0..SCEN.len() {
            assert_survives(&SCEN.as_bytes()[..end]);
        }
    }

    #[test]
    fn every_single_byte_can_be_any_other() {
        for original in [MAP, DRAWING, SCEN] {
            for index in 0..original.len() {
                for byte in 0..=u8::MAX {
                    let mut bytes = original.as_bytes().to_vec();
                    bytes[index] = byte;
                    assert_survives(&bytes);
                }
            }
        }
    }

    #[test]
    fn a_byte_that_is_not_text_is_always_found() {
        for original in [MAP, DRAWING, SCEN] {
            for index in 0..original.len() {
                let mut bytes = original.as_bytes().to_vec();
                bytes[index] = 0xff;
                let line = 1 + original[..index].matches('\n').count();
                for problem in [
                    file::parse_grid(&bytes).unwrap_err(),
                    file::parse_queries(&bytes).unwrap_err(),
                ] {
                    assert!(
                        matches!(problem, LoadProblem::NotText { line: found } if found == line),
                        "{problem}"
                    );
                }
            }
        }
    }

    proptest! {
        #![proptest_config(without_files())]

        #[test]
        fn any_few_bytes_can_be_changed(
            which in 0..3usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut bytes = [MAP, DRAWING, SCEN][which].as_bytes().to_vec();
            for (index, byte) in changes {
                let index = index.index(bytes.len());
                bytes[index] = byte;
            }
            assert_survives(&bytes);
        }

        #[test]
        fn any_piece_can_be_missing_doubled_or_moved(
            which in 0..3usize,
            from in any::<prop::sample::Index>(),
            length in 0..30usize,
            to in any::<prop::sample::Index>(),
        ) {
            let original = [MAP, DRAWING, SCEN][which].as_bytes();
            let from = from.index(original.len());
            let piece = from..(from + length).min(original.len());
            let mut missing = original.to_vec();
            missing.drain(piece.clone());
            assert_survives(&missing);

            let mut doubled = original.to_vec();
            let at = to.index(original.len());
            doubled.splice(at..at, original[piece.clone()].iter().copied());
            assert_survives(&doubled);

            let mut moved = missing;
            let at = to.index(moved.len() + 1);
            moved.splice(at..at, original[piece].iter().copied());
            assert_survives(&moved);
        }

        #[test]
        fn any_bytes_can_be_a_file(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            assert_survives(&bytes);
        }

        #[test]
        fn any_text_can_be_a_file(text in "(type octile\n)?(height [0-9]{1,6}\n)?(width [0-9]{1,6}\n)?(map\n)?[#.@TSGA \t\r\n0-9é-]{0,60}") {
            assert_survives(text.as_bytes());
        }

        #[test]
        fn any_nine_fields_can_be_a_query(
            fields in prop::collection::vec("-?[0-9]{0,12}(\\.[0-9]{0,3})?|nan|inf|[a-z ]{1,5}", 9),
        ) {
            assert_survives(fields.join("\t").as_bytes());
            assert_survives(fields.join(" ").as_bytes());
        }
    }
}

mod wrong_numbers {
    use super::*;

    const SIDES: [&str; 10] = [
        "0",
        "-1",
        "5",
        "4.0",
        "0x4",
        "65535",
        "65536",
        "4294967300",
        "18446744073709551620",
        "99999999999999999999999999999999999999999999999999999999999999",
    ];

    #[test]
    fn a_map_with_a_wrong_side_is_an_error() {
        for side in SIDES {
            for (right, wrong) in [
                ("height 3", format!("height {side}")),
                ("width 4", format!("width {side}")),
            ] {
                let error = parse_map(&MAP.replace(right, &wrong)).unwrap_err();
                assert_clear(&error, &wrong);
            }
        }
    }

    #[test]
    fn a_map_with_a_row_or_a_cell_too_many_or_too_few_is_an_error() {
        for (right, wrong) in [
            (".GS.\n", ""),
            (".GS.\n", ".GS.\n....\n"),
            (".GS.\n", ".GS\n"),
            (".GS.\n", ".GS..\n"),
            (".GS.\n", "\n"),
            ("OW..\n", "OW..\n\n....\n"),
        ] {
            let error = parse_map(&MAP.replace(right, wrong)).unwrap_err();
            assert_clear(&error, &wrong);
        }
    }

    #[test]
    fn a_drawing_wider_or_higher_than_any_world_is_an_error() {
        for drawing in [".".repeat(70_000), ".\n".repeat(70_000)] {
            assert_clear(&text::parse(&drawing).unwrap_err(), &drawing.len());
        }
    }

    #[test]
    fn a_query_with_a_wrong_number_is_an_error() {
        let fields: Vec<&str> = "0 room.map 4 3 0 0 3 2 4.4".split(' ').collect();
        for index in [0, 2, 3, 4, 5, 6, 7, 8] {
            for number in ["-1", "", "4,0", "x", "99999999999999999999e999"] {
                let mut fields = fields.clone();
                fields[index] = number;
                let line = fields.join("\t");
                assert_clear(&parse_scen(&line).unwrap_err(), &line);
            }
        }
    }

    #[test]
    fn a_query_that_does_not_fit_the_map_is_an_error() {
        let grid = parse_map(MAP).unwrap();
        for (query, complaint) in [
            ("0 room.map 3 4 0 0 1 0 1", "3x4, this one is 4x3"),
            ("0 room.map 4 3 4 0 1 0 1", "start (4, 0) is outside"),
            ("0 room.map 4 3 0 0 1 3 1", "goal (1, 3) is outside"),
            ("0 room.map 4 3 65535 65535 1 0 1", "start (65535, 65535)"),
            ("0 room.map 4 3 2 0 1 0 1", "start (2, 0) is blocked"),
            ("0 room.map 4 3 0 0 0 2 1", "goal (0, 2) is blocked"),
        ] {
            let queries = parse_scen(query).unwrap();
            let error = check(&queries[0], &grid).unwrap_err();
            assert_clear(&error, &query);
            assert!(error.to_string().contains(complaint), "{error}");
        }
    }
}

mod files_on_disk {
    use super::*;

    fn message_for(name: &str, bytes: &[u8]) -> (String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let map = file::load_grid(&path).unwrap_err();
        let scen = file::load_scen(&path).unwrap_err();
        for error in [&map, &scen] {
            assert_clear(error, &name);
            assert!(error.to_string().contains(name), "{error}");
        }
        (map.to_string(), scen.to_string())
    }

    #[test]
    fn the_error_names_the_file_and_the_line() {
        let (map, scen) = message_for("bad.map", b"..\n.?\n");
        assert!(map.contains("bad.map: line 2: "), "{map}");
        assert!(scen.contains("bad.map: line 1: "), "{scen}");
    }

    #[test]
    fn an_empty_file_is_reported_as_empty() {
        let (map, scen) = message_for("empty.map", b"");
        assert!(map.ends_with("empty.map: the file is empty"), "{map}");
        assert!(scen.ends_with("empty.map: the file is empty"), "{scen}");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("missing.map"), folder.path().to_owned()] {
            assert_clear(&file::load_grid(&path).unwrap_err(), &path);
            assert_clear(&file::load_scen(&path).unwrap_err(), &path);
        }
    }

    #[test]
    fn a_file_larger_than_any_world_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.map");
        let file = fs::File::create(&path).unwrap();
        file.set_len(MAX_BYTES + 1).unwrap();
        let error = file::load_grid(&path).unwrap_err();
        assert!(matches!(error.problem, LoadProblem::TooLarge), "{error}");
        assert_clear(&error, &path);
    }
}

mod round_trips {
    use super::*;

    fn any_grid() -> impl Strategy<Value = Grid> {
        (1..20u16, 1..20u16, 0.0..=1.0, any::<u64>()).prop_map(|(width, height, density, seed)| {
            random::obstacles(width, height, density, &mut rng::seeded(seed)).unwrap()
        })
    }

    proptest! {
        #![proptest_config(without_files())]

        #[test]
        fn a_written_map_is_read_back(grid in any_grid()) {
            prop_assert_eq!(parse_map(&write_map(&grid)), Ok(grid));
        }

        #[test]
        fn a_drawn_world_is_read_back(grid in any_grid()) {
            let read = text::parse(&grid.to_string());
            prop_assert_eq!(read, Ok(MarkedGrid { grid, start: None, goal: None }));
        }

        #[test]
        fn a_drawing_with_spaces_is_read_back(grid in any_grid()) {
            let read = text::parse(&grid.to_string().replace('.', " "));
            prop_assert_eq!(read.map(|loaded| loaded.grid), Ok(grid));
        }

        #[test]
        fn a_written_query_is_read_back(
            bucket: u32, size: (u16, u16), start: (u16, u16), goal: (u16, u16),
            map in "[a-z]([a-z /.]{0,10}[a-z])?", optimal in 0.0..1e9,
        ) {
            let line = format!(
                "{bucket}\t{map}\t{}\t{}\t{}\t{}\t{}\t{}\t{optimal}",
                size.0, size.1, start.0, start.1, goal.0, goal.1,
            );
            let query = Query {
                bucket,
                map,
                width: size.0,
                height: size.1,
                start: Cell::new(start.0, start.1),
                goal: Cell::new(goal.0, goal.1),
                optimal,
            };
            prop_assert_eq!(parse_scen(&line), Ok(vec![query]));
        }
    }
}

mod collections {
    use super::*;
    use crate::support::maps;

    /// Queries of the Warcraft III maps that begin or end on a cell no ground robot can stand on:
    /// in deep water, among trees, or on what was free when the queries were made.
    const KNOWN_MISFITS: [(&str, usize); 3] = [
        ("battleground.map", 15),
        ("bootybay.map", 214),
        ("divideandconquer.map", 24),
    ];

    /// Loads a map and checks that its queries fit and can be answered, but for the known misfits; counts
    /// those that do.
    fn check_map(path: &Path) -> usize {
        let name = path.file_name().unwrap().to_str().unwrap();
        let grid = file::load_grid(path).unwrap().grid;
        assert_eq!(parse_map(&write_map(&grid)).as_ref(), Ok(&grid), "{name}");

        let queries = file::load_scen(path.with_file_name(format!("{name}.scen"))).unwrap();
        let mut misfits = 0;
        // Most queries lie in the same region as the one before: it is worth keeping.
        let mut region = grid.reachable(queries[0].start);
        for query in &queries {
            match check(query, &grid) {
                Err(QueryError::Blocked { .. }) => misfits += 1,
                Err(error) => panic!("{name}: {error}: {query:?}"),
                Ok(()) => {
                    if !region.is_free(query.start) {
                        region = grid.reachable(query.start);
                    }
                    assert!(region.is_free(query.goal), "{name}: no way: {query:?}");
                }
            }
        }
        let known = KNOWN_MISFITS.iter().find(|(map, _)| *map == name);
        assert_eq!(misfits, known.map_or(0, |&(_, count)| count), "{name}");
        queries.len() - misfits
    }

    #[test]
    fn every_query_of_the_movingai_maps_fits_its_map() {
        for path in maps::movingai() {
            assert!(check_map(&path) > 0, "{}", path.display());
        }
    }
}
