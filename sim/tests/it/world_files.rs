//! Whatever a file holds, the loaders answer with a world or with one clear line, never a panic.

use std::{fmt::Display, fs, path::Path};

use planner_core::{Cell, Side};
use proptest::prelude::*;
use sim::world::{
    Grid, MarkedGrid,
    file::{self, LoadProblem, MAX_BYTES},
    micromouse::{draw_num, draw_text, parse_num, parse_text},
    movingai::{Query, QueryError, check, parse_map, parse_scen, write_map},
    random, rng, text,
};

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

/// Compares a message with one that ends in `...` where the rest does not matter.
fn assert_says(error: &impl Display, expected: &str) {
    assert_clear(error, &expected);
    let message = error.to_string();
    match expected.strip_suffix("...") {
        Some(start) => assert!(message.starts_with(start), "{message:?}, not {expected:?}"),
        None => assert_eq!(message, expected),
    }
}

/// The rows of a table. In a cell `/` ends a line, and `_` is a space.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let cell = |cell: &str| cell.trim().replace('/', "\n").replace('_', " ");
    let row = move |row: &str| {
        let cells: Vec<String> = row.split(" => ").map(cell).collect();
        cells.try_into().unwrap()
    };
    table.lines().map(row)
}

/// Asserts properties of every world, whatever its source.
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
        let ends = |world: &MarkedGrid| (world.start, world.goal);
        assert_eq!(ends(&octile), (None, None));
        let corners = (Some(Cell::new(0, 0)), Some(Cell::new(3, 2)));
        assert_eq!(ends(&drawn), corners);
        let letters = text::parse(&DRAWING.replace('S', "A").replace('G', "T"));
        assert_eq!(letters, Ok(drawn));
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
                let message = format!("line {line}: not UTF-8 text");
                assert_says(&file::parse_grid(&bytes).unwrap_err(), &message);
                assert_says(&file::parse_queries(&bytes).unwrap_err(), &message);
            }
        }
    }

    #[test]
    fn line_ends_of_either_kind_blank_last_lines_and_a_byte_order_mark_are_ignored() {
        for original in [MAP, DRAWING] {
            let world = file::parse_grid(original.as_bytes()).unwrap();
            for same in [
                original.replace('\n', "\r\n"),
                original.trim_end().to_owned(),
                format!("{original}\n\r\n"),
                format!("\u{feff}{original}"),
            ] {
                assert_eq!(
                    file::parse_grid(same.as_bytes()).unwrap(),
                    world,
                    "{same:?}"
                );
            }
        }
        assert_eq!(parse_map(&format!("{MAP}\n \n")), parse_map(MAP));
    }

    #[test]
    fn spaces_are_cells_unless_they_are_beyond_the_width() {
        for (drawing, read) in [
            ("#  \n## \n", "#..\n##.\n"),
            ("  \n", "..\n"),
            ("#.#  \n# #\n#   \n", "#.#\n#.#\n#..\n"),
        ] {
            assert_eq!(text::parse(drawing).unwrap().grid.to_string(), read);
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

    const HEADERS: &str = r#" => line 1: the file ends where `type octile` should stand
type tile/ => line 1: expected `type octile`, found "type tile"
type octile/width 2/ => line 2: expected `height`, found "width 2"
type octile/height -2/ => line 2: "-2" is not a number of cells
type octile/height/ => line 2: "" is not a number of cells
type octile/height 2/width 7/ => line 4: the file ends where `map` should stand"#;

    /// Texts in [`MAP`] and their replacements.
    const ROWS: &str = "\
height 3 => height 4 => line 8: the file ends after 3 of 4 rows
height 3 => height 2 => line 7: a row too many: the header says 2
height 3 => height 65535 => line 3: a world cannot be 4x65535:...
height 3 => height 0 => line 3: a world cannot be 4x0:...
width 4 => width 3 => line 5: this row has 4 cells, the header says 3
.GS./ =>  => line 7: the file ends after 2 of 3 rows
.GS./ => .GS./..../ => line 8: a row too many: the header says 3
.GS./ => .GS/ => line 6: this row has 3 cells, the header says 4
.GS./ => .GS../ => line 6: this row has 5 cells, the header says 4
.GS./ => / => line 6: this row has 0 cells, the header says 4
OW../ => OW..//..../ => line 9: a row too many: the header says 3
3/width 4 => 4096/width 65534 => line 5: this row has 4 cells, the header says 65534
W => é => line 7: unexpected character 'é' in column 2;...";

    #[test]
    fn mistakes_in_a_map_are_named_with_their_place() {
        for [map, message] in rows(HEADERS) {
            assert_says(&parse_map(&map).unwrap_err(), &message);
        }
        // Also before a size that the rows do not bear out takes any memory.
        for [right, wrong, message] in rows(ROWS) {
            let error = parse_map(&MAP.replacen(&right, &wrong, 1)).unwrap_err();
            assert_says(&error, &message);
        }
    }

    const DRAWINGS: &str = "\
.../../.../ => line 2: this row has 2 cells, that of line 1 has 3
...//.../ => line 2: this row has 0 cells, that of line 1 has 3
../.x/ => line 2: unexpected character 'x' in column 2;...
S./.A/ => line 2: a second start in column 2; the first is in line 1, column 1
GG => line 1: a second goal in column 2;...
 => line 1: the map is empty
/ => line 1: the map is empty";

    #[test]
    fn mistakes_in_a_drawing_are_named_with_their_place() {
        let error = |drawing: &str| text::parse(drawing).unwrap_err();
        for [drawing, message] in rows(DRAWINGS) {
            assert_says(&error(&drawing), &message);
        }
        for (drawing, message) in [
            ("\r\n\r\n", "line 1: the map is empty"),
            (
                ".\r.\n",
                "line 1: unexpected character '\\r' in column 2;...",
            ),
            (&".".repeat(65_535), "line 1: a world cannot be 65535x1:..."),
            (
                &".\n".repeat(65_535),
                "line 1: a world cannot be 1x65535:...",
            ),
            (" \n  ", "line 1: a world cannot be 0x2:..."),
        ] {
            assert_says(&error(drawing), message);
        }
    }

    const QUERY: &str = "0 room.map 4 3 0 0 3 2 4.4";
    const SCENARIOS: &str = r#" => line 1: there are no queries
// => line 1: there are no queries
version 1/ => line 1: there are no queries
version 2/ => line 1: version "2" is not known, only 1
version/ => line 1: version "" is not known, only 1
QUERY/version 1/ => line 2: a query has 9 fields, this line has 2
QUERY/0 room.map 4 3 0 0 3 2 => line 2: a query has 9 fields, this line has 8
QUERY 1 => line 1: a query has 9 fields, this line has 10"#;

    #[test]
    fn mistakes_in_a_scenario_are_named_with_their_place() {
        for [scen, message] in rows(SCENARIOS) {
            let error = parse_scen(&scen.replace("QUERY", QUERY)).unwrap_err();
            assert_says(&error, &message);
        }
        for (index, field) in [
            (0, "bucket"),
            (2, "width"),
            (3, "height"),
            (4, "start x"),
            (5, "start y"),
            (6, "goal x"),
            (7, "goal y"),
            (8, "optimal length"),
        ] {
            let numbers = ["-1", "", "4,0", "x", "99999999999999999999e999"];
            let more = ["65536000000", "1.5", "NaN", "inf", "1e999"];
            let is_length = index == 8;
            let wrong = numbers
                .iter()
                .chain(more.iter().skip(if is_length { 2 } else { 0 }));
            for number in wrong {
                let mut fields: Vec<&str> = QUERY.split(' ').collect();
                fields[index] = number;
                let error = parse_scen(&fields.join("\t")).unwrap_err();
                assert_says(
                    &error,
                    &format!("line 1: {number:?} is not a valid {field}"),
                );
            }
        }
    }

    #[test]
    fn the_version_is_optional_and_tabs_or_spaces_separate_fields() {
        let query = |map: &str| Query {
            bucket: 3,
            map: map.to_owned(),
            width: 4,
            height: 2,
            start: Cell::new(0, 1),
            goal: Cell::new(3, 0),
            optimal: 3.41421,
        };
        let line = "3\ta room.map\t4\t2\t0\t1\t3\t0\t3.41421";
        for text in [
            format!("version 1\n{line}\n"),
            format!("version 1.0\r\n\r\n{line}\r\n\r\n"),
            format!("\n \n{line}"),
        ] {
            assert_eq!(
                parse_scen(&text).unwrap(),
                [query("a room.map")],
                "{text:?}"
            );
        }
        let spaced = parse_scen(" 3 room.map 4 2  0 1 3 0 3.41421 \r\n").unwrap();
        assert_eq!(spaced, [query("room.map")]);
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

mod mazes {
    use super::*;

    const DRAWN: &str = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";
    const NUMBERS: &str = "0 0 0 1 1 1\n0 1 1 0 0 1\n1 0 0 1 1 1\n1 1 1 1 0 0\n";

    #[test]
    fn walls_start_and_goals_are_read() {
        let maze = parse_text(DRAWN).unwrap();
        assert_eq!((maze.width(), maze.height()), (2, 2));
        assert_eq!(
            (maze.start, &*maze.goals),
            (Cell::new(0, 1), &[Cell::new(1, 0)][..])
        );
        assert!(maze.has_wall(Cell::new(0, 1), Side::East));
        assert!(!maze.has_wall(Cell::new(0, 0), Side::East));
        assert_eq!(maze.shortest(), Some(2));
        assert_eq!(draw_text(&maze), DRAWN);
        let odd = DRAWN.replace('\n', "\r\n").replace('o', "+") + "\r\n\n";
        assert_eq!(parse_text(&odd), Ok(maze));
    }

    #[test]
    fn a_drawing_without_a_start_begins_in_the_south_west() {
        let marked = parse_text(DRAWN).unwrap();
        let unmarked = parse_text(&DRAWN.replace('S', " ")).unwrap();
        assert!(!marked.is_start_assumed && unmarked.is_start_assumed);
        assert_eq!(unmarked.start, Cell::new(0, unmarked.height() - 1));
    }

    #[test]
    fn numbers_and_drawing_are_the_same_maze() {
        let maze = parse_num(NUMBERS).unwrap();
        assert_eq!(draw_num(&maze), NUMBERS);
        assert_eq!(draw_num(&parse_text(DRAWN).unwrap()), NUMBERS);
        // The start is one of the four cells around the middle.
        let drawn = "o---o---o\n| G   G |\no   o   o\n| S | G |\no---o---o\n";
        assert_eq!(draw_text(&maze), drawn);
        let mut lines: Vec<&str> = NUMBERS.lines().collect();
        lines.reverse();
        assert_eq!(parse_num(&lines.join("\r\n\n")), Ok(maze), "in any order");
    }

    const IN_DRAWING: &str = "\
o___o___o => o___x___o => line 3: expected a post, o in column 5, not \"x\"
o___o___o => o_-_o___o => line 3: expected a wall, ---, or a gap of 3 in column 2...
|_S_|___| => |_S_!___| => line 4: expected a wall, |, or a gap in column 5, not \"!\"
|_S_|___| => |_T_|___| => line 4: expected an empty cell, S or G in column 2...
|_S_|___| => |_S_|_S_| => line 4: a second start
|_S_|___| => __S_|___| => line 4: the outer wall has a gap in column 1
|_S_|___| => |_S_|____ => line 4: the outer wall has a gap in column 9
|_____G_| => |_______| => line 5: the maze has no goal: no cell is marked G
|_____G_| => |_____G_|_x => line 2: this line has 11 characters, the first has 9
---o/|__ => ___o/|__ => line 1: the outer wall has a gap in column 6
/o___o___o =>  => line 4: 4 lines are no maze...
-o/|__ => /|__ => line 1: a line of 7 characters...";

    const IN_NUMBERS: &str = "\
0 1 1 0 0 1 => 0 1 1 0 0 => line 2: a cell has 6 numbers...
0 1 1 0 0 1 => 0 1 1 0 0 2 => line 2: a cell has 6 numbers...
0 1 1 0 0 1 => 0 1 1 0 0 1 1 => line 2: a cell has 6 numbers...
0 1 1 0 0 1 => 0 x 1 0 0 1 => line 2: a cell has 6 numbers...
0 1 1 0 0 1 => 0 70000 1 0 0 1 => line 2: a cell has 6 numbers...
0 1 1 0 0 1 => 0 0 0 1 1 1 => line 2: the cell 0 0 is there twice
0 1 1 0 0 1 => 0 1 1 0 0 1/0 1 1 0 0 1 => line 3: the cell 0 1 is there twice
0 1 1 0 0 1/ =>  => line 3: the cell 0 1 is missing
0 1 1 0 0 1 => 0 1 1 1 0 1 => line 2: the cell 0 1 and the one beside it disagree...
0 1 1 0 0 1 => 0 1 0 0 0 1 => line 2: the cell 0 1 has no wall on the edge of the maze
0 1 1 0 0 1 => 0 1 1 0 0 1/60000 60000 1 1 1 1 => line 5: a world cannot be...";

    #[test]
    fn mistakes_are_named_with_their_place() {
        let damaged = |original: &str, from: &str, to: &str| {
            let text = original.replacen(from, to, 1);
            assert_ne!(text, original);
            text
        };
        for [from, to, message] in rows(IN_DRAWING) {
            assert_says(
                &parse_text(&damaged(DRAWN, &from, &to)).unwrap_err(),
                &message,
            );
        }
        for [from, to, message] in rows(IN_NUMBERS) {
            assert_says(
                &parse_num(&damaged(NUMBERS, &from, &to)).unwrap_err(),
                &message,
            );
        }
        assert!(parse_text("").is_err() && parse_num("").is_err());
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
                Err(QueryError::Blocked(_)) => misfits += 1,
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
