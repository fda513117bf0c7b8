//! Tests of the window without a display: input of a user and its effects.

use std::{fs, path::Path, sync::Arc};

use egui::{DroppedFile, Key};
use egui_kittest::{Harness, kittest::Queryable};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{catalog::Name, walk::Outcome, world::World};
use sim_window::{App, Settings, host::Host, snapshot::Snapshot};

use crate::support::{ARENA, click, drag, load, open, open_sized, place, press, run, seek, texts};

const MAZE: &str = "o---o---o---o\n|         G |\no   o---o   o\n| S     |   |\no---o---o---o\n";

fn window() -> Harness<'static, App> {
    open(App::new(Settings::default(), Host::default()), App::ui)
}

/// A window with a file in it.
fn window_with(name: &str, content: &str) -> Harness<'static, App> {
    let mut window = window();
    load(&mut window, name, content);
    window
}

fn snapshot(window: &mut Harness<'_, App>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    window.state_mut().show_line(0, &mut snapshot);
    snapshot
}

fn occupancy(snapshot: &Snapshot, x: u16, y: u16) -> Occupancy {
    snapshot.cell(Cell::new(x, y)).unwrap().occupancy
}

#[test]
fn a_tick_goes_forward_and_back() {
    let mut window = window();
    let start = snapshot(&mut window);
    for _ in 0..5 {
        click(&mut window, "Next tick");
    }
    assert_eq!(run(&window).tick, 5);
    assert_eq!(snapshot(&mut window).trail.len(), 6);
    for _ in 0..5 {
        click(&mut window, "Tick back");
    }
    assert_eq!(run(&window).tick, 0);
    assert_eq!(snapshot(&mut window).trail, start.trail);
    press(&mut window, Key::ArrowRight);
    press(&mut window, Key::ArrowRight);
    press(&mut window, Key::ArrowLeft);
    assert_eq!(run(&window).tick, 1);
}

#[test]
fn playing_stops_when_the_robot_arrives() {
    let mut window = window_with("arena.map", ARENA);
    click(&mut window, "Play");
    assert!(window.state().is_playing());
    window.run_steps(200);
    assert!(!window.state().is_playing());
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    assert_eq!(run(&window).moves, 6);
    let told = window.query_by_label_contains(", arrived after 6 moves");
    assert!(told.is_some());
}

#[test]
fn an_arrival_is_announced_with_the_winner_of_two() {
    let mut window = window_with("arena.map", ARENA);
    let arrived = "D* Lite arrived after 6 moves in 7 ticks";
    assert!(window.query_by_label_contains(arrived).is_none());
    press(&mut window, Key::C);
    click(&mut window, "Play");
    window.run_steps(200);
    assert!(window.query_by_label_contains(arrived).is_some());
    let verdict = "A draw: both need the same ticks and expansions.";
    assert!(window.query_by_label(verdict).is_some());
    click(&mut window, "Start over");
    assert!(window.query_by_label_contains(arrived).is_none());

    // Walls that are found on the way cost A* a search each, and few expansions on each tick cost it time.
    let mut window = window_with("walls.map", "S.#.G\n..#..\n..#..\n.....\n");
    press(&mut window, Key::C);
    window.state_mut().seek(1000);
    window.run_steps(10);
    let [first, second] = [0, 1].map(|line| {
        let run = window.state().lines().nth(line).unwrap().run();
        (run.tick, run.total.expansions)
    });
    assert_eq!(first.0, second.0);
    let (least, most) = (first.1.min(second.1), first.1.max(second.1));
    let by = format!(" wins by {} expansions", most - least);
    assert!(window.query_by_label_contains(&by).is_some(), "{by}");
}

#[test]
fn the_legend_names_every_color_of_the_map() {
    let window = window();
    for name in [
        "robot",
        "start cell",
        "goal cell",
        "unknown",
        "free",
        "searched",
        "visited",
        "blocked",
    ] {
        assert!(window.query_by_label(name).is_some(), "{name}");
    }
}

/// The number of times that a text is drawn.
fn drawn(window: &Harness<'_, App>, text: &str) -> usize {
    texts(window).filter(|drawn| *drawn == text).count()
}

#[test]
fn the_corners_of_a_cell_are_named_while_it_has_numbers() {
    let mut window = open_sized(
        App::new(Settings::default(), Host::default()),
        App::ui,
        egui::Vec2::new(1280.0, 1000.0),
    );
    let names =
        |window: &Harness<'_, App>| ["g", "rhs", "h", "key"].map(|name| drawn(window, name));
    // Each is also the name of a layer.
    assert_eq!(names(&window), [2; 4]);
    click(&mut window, "numbers, when zoomed in");
    assert_eq!(names(&window), [1; 4]);
}

#[test]
fn the_panel_tells_where_the_world_is_from() {
    let mut window = window();
    assert!(window.query_by_value("Maze").is_some());
    assert!(window.query_all_by_label("openings").count() > 0);
    load(&mut window, "maze.txt", MAZE);
    assert!(window.query_by_value("From a file").is_some());
    assert!(window.query_by_label("3 × 2 cells").is_some());
    assert_eq!(window.query_all_by_label("openings").count(), 0);
    press(&mut window, Key::N);
    assert!(window.query_by_value("Maze").is_some());
}

#[test]
fn a_new_user_sees_it_playing_with_an_introduction() {
    let mut app = App::new(Settings::default(), Host::default());
    app.introduce();
    let mut window = open(app, App::ui);
    assert!(window.state().is_playing());
    assert!(run(&window).tick > 0);
    let introduction = window.get_by_label_contains("The true world, and").rect();
    let map = window.get_by_label("the robot's map").rect();
    assert!(introduction.top() > map.bottom(), "it covers the robot");
    click(&mut window, "Got it");
    assert!(window.query_by_label("Got it").is_none());
}

#[test]
fn a_theme_is_one_of_the_settings() {
    let mut window = window();
    for (name, is_dark) in [
        ("dark", Some(true)),
        ("light", Some(false)),
        ("system", None),
    ] {
        click(&mut window, name);
        assert_eq!(window.state().settings().is_dark, is_dark, "{name}");
    }
}

#[test]
fn files_are_opened_and_faulty_ones_reported() {
    let mut window = window_with("arena.map", ARENA);
    assert!(window.query_by_label("arena.map").is_some());
    assert_eq!(snapshot(&mut window).size, (7, 5));

    load(&mut window, "bad.map", "S.?\n");
    let told = window.state().problem().unwrap().to_owned();
    assert!(told.starts_with("bad.map: line 1"), "{told}");
    assert!(window.query_by_label(&told).is_some());
    let size = snapshot(&mut window).size;
    assert_eq!(size, (7, 5), "the map that was there stays");
    click(&mut window, "Close");
    assert_eq!(window.state().problem(), None);

    let maze = window_with("maze.txt", MAZE);
    assert!(matches!(run(&maze).world(), World::Walls(_)));
}

/// A file as a desktop hands it over when it is dropped on the window.
#[derive(Debug)]
struct Dropped(&'static str);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        Path::new(self.0)
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn a_file_that_is_dropped_on_the_window_is_opened() {
    let mut window = window_with("arena.map", ARENA);
    let mut drop = |path| {
        let files = &mut window.input_mut().dropped_files;
        files.push(Arc::new(Dropped(path)));
        window.run_steps(4);
        let problem = window.state().problem().map(str::to_owned);
        (snapshot(&mut window).size, problem)
    };
    let (size, problem) = drop("no/such.map");
    assert_eq!(size, (7, 5), "the map that was there stays");
    assert!(problem.unwrap().starts_with("no/such.map: "));
    let maze = concat!(env!("CARGO_MANIFEST_DIR"), "/../worlds/maze-medium.txt");
    assert_eq!(drop(maze), ((16, 16), None));
    assert!(matches!(run(&window).world(), World::Walls(_)));
    assert!(window.query_by_label("maze-medium.txt").is_some());
}

#[test]
fn queries_need_their_map() {
    let queries = "version 1\n0\tmaps/arena.map\t7\t5\t1\t1\t1\t4\t3\n0\tmaps/arena.map\t7\t5\t6\t4\t6\t1\t3\n";
    let mut window = window_with("arena.map.scen", queries);
    assert_eq!(
        window.state().problem(),
        Some("open arena.map first: the queries are for that map")
    );
    load(&mut window, "arena.map", ARENA);
    load(&mut window, "arena.map.scen", queries);
    assert_eq!(window.state().problem(), None);
    assert!(window.query_by_label("of 2").is_some());
    let snapshot = snapshot(&mut window);
    assert_eq!(
        (snapshot.start, snapshot.goals),
        (Cell::new(1, 1), vec![Cell::new(1, 4)])
    );
}

#[test]
fn a_wall_is_drawn_and_erased_and_the_plan_follows() {
    let mut window = window_with("arena.map", ARENA);
    click(&mut window, "Next tick");
    assert_eq!(snapshot(&mut window).plan.len(), 6);
    let at = |x, y| place(&window, "the robot's map", (7, 5), (x, y));
    let wall = [at(3.5, 0.5), at(3.5, 3.5)];
    drag(&mut window, &wall);
    click(&mut window, "Next tick");
    let walled = snapshot(&mut window);
    for y in 0..4 {
        assert_eq!(occupancy(&walled, 3, y), Occupancy::Blocked, "{y}");
    }
    assert!(walled.plan.contains(&Cell::new(3, 4)), "{:?}", walled.plan);

    drag(&mut window, &wall);
    click(&mut window, "Next tick");
    let open = snapshot(&mut window);
    assert_eq!(occupancy(&open, 3, 2), Occupancy::Free);
    assert!(!open.plan.contains(&Cell::new(3, 4)), "{:?}", open.plan);
    seek(&mut window, 1000);
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    // It went one row down while there was a wall.
    assert_eq!(run(&window).moves, 6 + 2);
}

#[test]
fn the_robot_walks_around_a_drawn_wall() {
    let mut window = window_with("arena.map", ARENA);
    click(&mut window, "Next tick");
    let at = |x, y| place(&window, "the robot's map", (7, 5), (x, y));
    let wall = [at(3.5, 0.5), at(3.5, 3.5)];
    drag(&mut window, &wall);
    seek(&mut window, 1000);
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    // Six columns, and four rows down and up again.
    assert_eq!(run(&window).moves, 6 + 2 * 4);
}

#[test]
fn a_click_removes_a_wall_of_a_maze() {
    let mut window = window_with("maze.txt", MAZE);
    let at = place(&window, "the world", (3, 2), (1.5, 1.05));
    drag(&mut window, &[at, at]);
    let World::Walls(maze) = run(&window).world() else {
        panic!("a maze has walls");
    };
    assert!(!maze.has_wall(Cell::new(1, 1), Side::North));
    assert!(maze.has_wall(Cell::new(1, 1), Side::East));
}

#[test]
fn the_goal_is_moved_with_the_mouse() {
    let mut window = window_with("arena.map", ARENA);
    click(&mut window, "goal");
    let at = place(&window, "the robot's map", (7, 5), (0.5, 4.5));
    drag(&mut window, &[at, at]);
    assert_eq!(snapshot(&mut window).goals, [Cell::new(0, 4)]);
    for _ in 0..6 {
        click(&mut window, "Next tick");
    }
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
}

#[test]
fn the_planner_is_switched_during_a_run() {
    let mut window = window();
    for _ in 0..8 {
        click(&mut window, "Next tick");
    }
    let robot = snapshot(&mut window).robot;
    window.state_mut().set_planner(0, Name::LssLrta);
    window.run_steps(2);
    assert_eq!(snapshot(&mut window).robot, robot);
    let title = "Robot's map: LSS-LRTA*";
    assert!(window.query_by_label(title).is_some());
    window.state_mut().seek(4);
    window.run_steps(4);
    let planner = run(&window).options.planner;
    assert_eq!(planner, Name::DstarLite, "that was before the switch");
}

#[test]
fn two_planners_are_compared_in_one_world() {
    let mut window = window_with("arena.map", ARENA);
    click(&mut window, "Compare with");
    assert_eq!(window.state().lines().count(), 2);
    window.get_by_label("the first robot");
    let at = place(&window, "the second robot", (7, 5), (3.5, 0.5));
    drag(&mut window, &[at, at]);
    click(&mut window, "Next tick");
    let app = window.state_mut();
    for line in 0..2 {
        let mut snapshot = Snapshot::default();
        app.show_line(line, &mut snapshot);
        assert_eq!(occupancy(&snapshot, 3, 0), Occupancy::Blocked, "{line}");
    }
    click(&mut window, "Play");
    window.run_steps(300);
    let moves = window.state().lines().map(|line| line.run().moves);
    assert_eq!(moves.collect::<Vec<_>>(), [8, 8]);
    // The choice of the other planner has the same name.
    window
        .get_by_role_and_label(egui::accesskit::Role::CheckBox, "Compare with")
        .click();
    window.run_steps(4);
    assert_eq!(window.state().lines().count(), 1);
}

#[test]
fn an_unreachable_goal_is_reported() {
    let mut window = window_with("cell.map", "S.#G\n..#.\n");
    click(&mut window, "Play");
    window.run_steps(100);
    assert!(window.query_by_label_contains("no path; proven").is_some());
}

#[test]
fn the_keys_are_listed() {
    let mut window = window();
    assert!(window.query_by_label("play or pause").is_none());
    press(&mut window, Key::Questionmark);
    assert!(window.query_by_label("play or pause").is_some());
    press(&mut window, Key::Escape);
    window.run_steps(10);
    assert!(window.query_by_label("play or pause").is_none());
}

#[test]
fn values_are_shown_as_colors_and_when_close_as_numbers() {
    let mut window = window_with("arena.map", ARENA);
    press(&mut window, Key::Num2);
    click(&mut window, "Next tick");
    // Seven columns are large cells: all values are in them, drawn and not labelled.
    assert!(drawn(&window, "5") > 0 && drawn(&window, "∞") > 0);
}

/// As many shapes in a frame after twenty-four thousand ticks as after six thousand, when all that is
/// kept of the past is there.
#[test]
fn a_frame_does_not_grow_with_the_run() {
    let mut window = window_with("pen.map", "S.#G\n..#.\n..#.\n");
    window.state_mut().set_planner(0, Name::LssLrta);
    let mut shapes = Vec::new();
    for ticks in [6_000, 24_000] {
        while run(&window).tick < ticks {
            let goal = [Cell::new(1, 2), Cell::new(0, 0)][run(&window).tick as usize % 2];
            window.state_mut().send_to(goal);
            window.state_mut().step();
        }
        window.run_steps(4);
        shapes.push(window.output().shapes.len());
    }
    assert!(shapes[1] <= shapes[0] + 2, "{shapes:?}");
}
