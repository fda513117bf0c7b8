//! A micromouse in the window: all phases, and the moment of the proof.

use std::path::Path;

use egui_kittest::{Harness, kittest::Queryable};
use planner_core::explore::Phase;
use sim::{walk::Outcome, world::bundled};
use sim_window::{App, Settings, host::Host};

use crate::support::{click, load, open, run, seek};

const MAZE: &str = include_str!("../../../worlds/maze-easy.txt");

fn window() -> Harness<'static, App> {
    let mut window = open(App::new(Settings::default(), Host::default()), App::ui);
    window.state_mut().set_speed(2000.0);
    load(&mut window, "maze-easy.txt", MAZE);
    window
}

#[test]
fn a_micromouse_file_plays_the_whole_mission() {
    let mut window = window();
    let mut phases = vec![];
    let (mut proven_in, mut told) = (None, false);
    for _ in 0..5000 {
        window.state_mut().step();
        let phase = run(&window).phase().unwrap();
        if phases.last() != Some(&phase) {
            phases.push(phase);
            window.run_steps(2);
            let is_current = match phase {
                Phase::Explore => "explore: ",
                Phase::Return => "return: ",
                Phase::Run => "run: ",
                _ => "search: ",
            };
            assert!(
                window.query_by_label_contains(is_current).is_some(),
                "{phase:?}"
            );
        }
        if run(&window).mission.proof.is_some() && proven_in.is_none() {
            proven_in = Some(phase);
            window.run_steps(2);
            let moment = format!("proven at tick {}", run(&window).tick);
            told = window.query_by_label_contains(&moment).is_some();
        }
        if run(&window).outcome.is_some() {
            break;
        }
    }
    let all = [
        Phase::Search,
        Phase::Explore,
        Phase::Return,
        Phase::Run,
        Phase::Done,
    ];
    assert_eq!(phases, all);
    // Proven while it explores; it turns back in the same tick.
    assert_eq!((proven_in, told), (Some(Phase::Return), true));
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    let shortest = bundled::maze(Path::new("maze-easy.txt"))
        .unwrap()
        .shortest()
        .unwrap();
    let mission = &run(&window).mission;
    assert_eq!(mission.proof.unwrap().steps, shortest as usize);
    assert_eq!(mission.phases[3].moves, u64::from(shortest));
    let moves: u64 = mission.phases.iter().map(|phase| phase.moves).sum();
    assert_eq!(moves, run(&window).moves);
    window.run_steps(2);
    let end = format!("The run of {shortest} moves is the shortest");
    assert!(window.query_by_label_contains(&end).is_some());
}

#[test]
fn a_mission_is_rewound_and_played_again() {
    let mut window = window();
    seek(&mut window, 10_000);
    let end = run(&window).mission.clone();
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    let proof = end.proof.unwrap().tick;
    seek(&mut window, proof - 1);
    assert_eq!(run(&window).phase(), Some(Phase::Explore));
    assert_eq!(run(&window).mission.proof, None);
    click(&mut window, "Next tick");
    assert_eq!(run(&window).mission.proof, end.proof);
}

#[test]
fn the_mission_can_be_left_out() {
    let mut window = window();
    click(&mut window, "Explores, returns and runs");
    assert_eq!(run(&window).phase(), None);
    seek(&mut window, 10_000);
    window.run_steps(1);
    assert_eq!(run(&window).outcome, Some(Outcome::Arrived));
    let arrived = window.query_by_label_contains("D* Lite arrived after");
    assert!(arrived.is_some());
}
