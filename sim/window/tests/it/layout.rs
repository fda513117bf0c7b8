//! Small windows: what fits, and what a narrow one shows instead.

use std::sync::Mutex;

use egui::{Event, Pos2, Rect, Shape, TouchDeviceId, TouchId, TouchPhase, Vec2};
use egui_kittest::{Harness, kittest::Queryable};
use sim::catalog::Name;
use sim_window::{App, Settings, host::Host};

use crate::support::{ARENA, click, load, open_sized, press, run, seek, texts};

/// One that shows all settings, a small laptop, one of 1920x1080 and one of 1280x820 pixels at 200 %, and a phone.
const SIZES: [(f32, f32); 5] = [
    (1280.0, 1000.0),
    (1024.0, 700.0),
    (960.0, 540.0),
    (640.0, 410.0),
    (390.0, 844.0),
];
const PHONE: Vec2 = Vec2::new(390.0, 844.0);

fn window(size: Vec2) -> Harness<'static, App> {
    let app = App::new(Settings::default(), Host::default());
    open_sized(app, App::ui, size)
}

/// Texts that are cut off at a side, or that lie outside the window.
fn clipped(window: &Harness<'_, App>, size: Vec2, scrolls: bool) -> Vec<String> {
    let screen = Rect::from_min_size(Pos2::ZERO, size);
    let mut clipped = Vec::new();
    for shape in &window.output().shapes {
        if let Shape::Text(text) = &shape.shape {
            let (text, rect) = (text.galley.text(), shape.shape.visual_bounding_rect());
            let seen = shape.clip_rect.intersect(screen).expand(1.0);
            // Lists scroll up and down.
            let is_scrolled = rect.bottom() > seen.bottom() || rect.top() < seen.top();
            let is_cut = rect.left() < seen.left() || rect.right() > seen.right();
            let is_in_list = scrolls || seen.width() <= 320.0;
            if !text.is_empty() && (is_cut || is_scrolled && !is_in_list) {
                clipped.push(format!("{text} {rect:?} in {seen:?}"));
            }
        }
    }
    clipped
}

#[test]
fn nothing_is_clipped_in_small_windows() {
    for (width, height) in SIZES {
        let size = Vec2::new(width, height);
        let mut window = window(size);
        let check = |window: &Harness<'_, App>, what: &str| {
            let clipped = clipped(window, size, ["settings", "help"].contains(&what));
            assert!(clipped.is_empty(), "{what} at {size}: {clipped:#?}");
        };
        check(&window, "a new run");
        press(&mut window, egui::Key::Questionmark);
        check(&window, "help");
        press(&mut window, egui::Key::Escape);
        window.run_steps(10);
        if width < 700.0 {
            click(&mut window, "Settings");
            check(&window, "settings");
            press(&mut window, egui::Key::Escape);
        }
        // Two runs at their end, with every number as long as it gets.
        window.state_mut().set_planner(0, Name::RtdAnytimeConstant);
        press(&mut window, egui::Key::C);
        seek(&mut window, 1_000_000);
        window.run_steps(2);
        assert!(window.query_by_label_contains(" wins by ").is_some());
        check(&window, "the end of two runs");
        window.state_mut().introduce();
        window.run_steps(2);
        check(&window, "the introduction");
        let maze = include_str!("../../../worlds/maze-medium.txt");
        load(&mut window, "maze-medium.txt", maze);
        click(&mut window, "Play");
        window.run_steps(60);
        check(&window, "two missions");
    }
}

#[test]
fn plots_are_folded_and_the_maps_grow() {
    let mut window = window(Vec2::new(1024.0, 700.0));
    let height = |window: &Harness<'_, App>| window.get_by_label("the robot's map").rect().height();
    let before = height(&window);
    click(&mut window, "Hide plots");
    assert!(height(&window) > before + 50.0);
    assert!(window.query_by_label("expansions per tick").is_none());
    click(&mut window, "Show plots");
    assert_eq!(height(&window), before);
}

#[test]
fn maps_are_stacked_when_that_shows_more() {
    let mut window = window(Vec2::new(1024.0, 700.0));
    let top = |window: &Harness<'_, App>, map: &str| window.get_by_label(map).rect().top();
    let wide = "S..................G\n....................\n";
    load(&mut window, "wide.map", wide);
    assert!(top(&window, "the robot's map") > top(&window, "the world") + 100.0);
    let high = "S.\n".to_owned() + &"..\n".repeat(18) + ".G\n";
    load(&mut window, "high.map", &high);
    assert_eq!(top(&window, "the robot's map"), top(&window, "the world"));
}

#[test]
fn a_phone_shows_one_map_and_keeps_the_settings_in_a_drawer() {
    let mut window = window(PHONE);
    assert!(window.query_by_label("the robot's map").is_some());
    assert!(window.query_by_label("the world").is_none());
    assert!(window.query_by_label("expansions per tick").is_none());
    assert!(window.query_by_label("World").is_none());
    click(&mut window, "True world");
    assert!(window.query_by_label("the world").is_some());
    click(&mut window, "Settings");
    assert!(window.query_by_label("World").is_some());
    assert!(window.query_by_label("Legend").is_some());
    // A tap beside the drawer.
    window.hover_at(Pos2::new(380.0, 500.0));
    window.run_steps(1);
    window.drag_at(Pos2::new(380.0, 500.0));
    window.run_steps(1);
    window.drop_at(Pos2::new(380.0, 500.0));
    window.run_steps(4);
    assert!(window.query_by_label("World").is_none());
}

fn touch(window: &mut Harness<'_, App>, finger: u64, phase: TouchPhase, pos: Pos2) {
    let event = Event::Touch {
        device_id: TouchDeviceId(0),
        id: TouchId(finger),
        phase,
        pos,
        force: None,
    };
    window.event(event);
}

#[test]
fn two_fingers_zoom_and_draw_nothing() {
    let mut window = window(PHONE);
    load(&mut window, "arena.map", ARENA);
    click(&mut window, "walls");
    click(&mut window, "Next tick");
    let before = texts(&window).count();
    let middle = window.get_by_label("the robot's map").rect().center();
    let at = |by: f32| [middle - Vec2::new(by, 0.0), middle + Vec2::new(by, 0.0)];
    for (finger, pos) in at(40.0).into_iter().enumerate() {
        touch(&mut window, finger as u64, TouchPhase::Start, pos);
    }
    window.run_steps(1);
    for step in 1..=6 {
        for (finger, pos) in at(40.0 + 20.0 * step as f32).into_iter().enumerate() {
            touch(&mut window, finger as u64, TouchPhase::Move, pos);
        }
        window.run_steps(1);
    }
    for (finger, pos) in at(160.0).into_iter().enumerate() {
        touch(&mut window, finger as u64, TouchPhase::End, pos);
    }
    window.run_steps(2);
    // Cells that are large enough have all their values in them.
    let after = texts(&window).count();
    assert!(after > before, "{after} {before}");
    let world = run(&window).world();
    assert!(world.cells().all(|cell| world.is_free(cell)));
}

#[test]
fn a_film_of_the_run_is_saved() {
    static SAVED: Mutex<Vec<(String, Vec<u8>)>> = Mutex::new(Vec::new());
    let host = Host {
        save: |_, _, name, bytes| SAVED.lock().unwrap().push((name.to_owned(), bytes)),
        ..Host::default()
    };
    let mut window = open_sized(App::new(Settings::default(), host), App::ui, PHONE);
    for (file, content) in [
        ("arena.map", ARENA),
        ("maze.txt", include_str!("../../../worlds/maze-easy.txt")),
    ] {
        load(&mut window, file, content);
        seek(&mut window, 1_000_000);
        window.run_steps(2);
        click(&mut window, "Save as GIF");
        for _ in 0..50 {
            window.run_steps(1);
        }
    }
    let saved = SAVED.lock().unwrap();
    assert_eq!(saved.len(), 2);
    for (name, bytes) in saved.iter() {
        assert_eq!(name, "dstar-lite.gif");
        assert!(
            bytes.starts_with(b"GIF89a") && bytes.len() > 1000,
            "{}",
            bytes.len()
        );
    }
}

#[test]
fn the_address_follows_the_state() {
    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let host = Host {
        address: Some(|query| {
            WRITTEN.lock().unwrap().push(query.to_owned());
            format!("https://example.org/?{query}")
        }),
        ..Host::default()
    };
    let app = App::new(Settings::default(), host);
    let mut window = open_sized(app, App::ui, Vec2::new(1280.0, 820.0));
    let last = || WRITTEN.lock().unwrap().last().unwrap().clone();
    assert_eq!(last(), "maze=77x37&open=40&seed=0");
    press(&mut window, egui::Key::N);
    assert_eq!(last(), "maze=77x37&open=40&seed=1");
    click(&mut window, "Next tick");
    assert_eq!(last(), "maze=77x37&open=40&seed=1&tick=1");
    window.state_mut().set_planner(0, Name::Rtd);
    window.run_steps(2);
    assert_eq!(last(), "maze=77x37&open=40&seed=1&planner=rtd&tick=1");
    let count = WRITTEN.lock().unwrap().len();
    window.run_steps(20);
    assert_eq!(WRITTEN.lock().unwrap().len(), count, "only when it changes");
    click(&mut window, "Copy link");
    let notice = "Copied https://example.org/?maze=77x37&open=40&seed=1&planner=rtd&tick=1";
    assert!(window.query_by_label(notice).is_some());
}
