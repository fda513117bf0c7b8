//! `sim calibrate` and `sim send` on the command line: against the model, and over a pseudo-terminal to a stand-in
//! for a robot.

use serde_json::Value;
use tinystar::{
    boards::ZUMO2040, calibration::Calibration, calibrator::Routine, config::FIELD,
    settings::Settings, telemetry::Command,
};

use crate::support::{
    cli::{Sim, sim},
    port::{Port, StandIn},
};

/// Runs `sim` with a robot; returns what the call returns, and the robot afterwards.
fn with_robot<T>(call: impl FnOnce(&str) -> T) -> (T, StandIn) {
    let mut port = Port::new(FIELD);
    (call(&port.name), port.unplug().unwrap())
}

fn calibrate(port: &str, words: &str) -> Sim {
    sim("calibrate").arg(port).words(words)
}

#[test]
fn a_simulated_robot_is_calibrated_and_saved_as_toml() {
    let folder = tempfile::tempdir().unwrap();
    let line = calibrate("model", "--seed 3 --only distance --json --save zumo.toml")
        .within(&folder)
        .object();
    let missing = ["motors", "turns", "walls", "range"];
    let names: Vec<&str> = line["missing"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(names, missing, "{line}");
    let travel = line["calibration"]["nm_per_count"].as_u64().unwrap();
    assert_ne!(travel, u64::from(ZUMO2040.calibration.nm_per_count));
    let text = std::fs::read_to_string(folder.path().join("zumo.toml")).unwrap();
    let saved: Calibration = toml::from_str(&text).unwrap();
    assert_eq!(u64::from(saved.nm_per_count), travel);
    assert!(saved.is_measured(Routine::Distance));
}

#[test]
fn a_saved_calibration_is_restored_to_a_robot_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let mut calibration = ZUMO2040.calibration;
    calibration.nm_per_count = 123_456;
    calibration.walls.near_ns[1] = [77, 88];
    calibration.measured = Routine::Walls.bit();
    let text = toml::to_string(&calibration).unwrap();
    std::fs::write(folder.path().join("zumo.toml"), &text).unwrap();
    let (line, robot) = with_robot(|port| {
        calibrate(port, "--restore zumo.toml --save again.toml --json")
            .within(&folder)
            .object()
    });
    assert_eq!(robot.calibration, calibration);
    assert_eq!(line["calibration"]["nm_per_count"], 123_456);
    let again = std::fs::read_to_string(folder.path().join("again.toml")).unwrap();
    assert_eq!(again, text);
}

#[test]
fn a_routine_over_a_port_asks_for_what_a_person_measured() {
    let ((out, err), robot) = with_robot(|port| {
        calibrate(port, "--only distance --json")
            // Enter starts it; no number; too short; a metre and 16 mm.
            .stdin(b"\nfar\n12\n1016\n")
            .exits(0)
    });
    assert!(err.contains("Millimetres driven: "), "{err}");
    assert_eq!(err.matches("not a plausible number").count(), 2, "{err}");
    let line: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(line["calibration"]["nm_per_count"], 127_000, "{line}");
    assert!(robot.commands.contains(&Command::Measured(1_016_000)));
}

#[test]
fn an_earlier_result_is_not_taken_for_the_one_of_this_routine() {
    let (_, robot) = with_robot(|port| {
        calibrate(port, "--only walls --only walls --json")
            .stdin(b"\n\n")
            .exits(0)
    });
    let walls = Command::Calibrate(Routine::Walls);
    let runs = robot.commands.iter().filter(|command| **command == walls);
    assert_eq!(runs.count(), 2);
}

#[test]
fn a_routine_that_fails_or_is_refused_ends_with_its_reason() {
    let ((_, err), _) = with_robot(|port| {
        let only = calibrate(port, "--only motors");
        only.stdin(b"\n").exits(1)
    });
    assert!(err.contains("motors: the measurement failed"), "{err}");
    let ((_, err), _) = with_robot(|port| {
        let only = calibrate(port, "--only range");
        only.stdin(b"\n").exits(2)
    });
    assert!(err.contains("refused"), "{err}");
    let ((_, err), _) = with_robot(|port| calibrate(port, "--only walls").stdin(b"").exits(2));
    assert!(err.contains("the input has ended"), "{err}");
}

#[test]
fn bad_input_of_calibrate_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("words.toml", "nm_per_count = \"many\"\n");
    let mut wrong = ZUMO2040.calibration;
    wrong.nm_per_count = 1;
    write("range.toml", &toml::to_string(&wrong).unwrap());
    for (words, what) in [
        (
            "model --only goat",
            "motors, turns, distance, walls or range",
        ),
        ("model --gear 60", "50, 75 or 100"),
        ("model --reset", "--restore, --reset and --gear need a port"),
        ("model --only walls --show", "cannot be used with"),
        ("no/such/port --show", "no/such/port"),
        ("port --restore none.toml", "none.toml"),
        ("port --restore words.toml", "words.toml"),
        ("port --restore range.toml", "a value is out of range"),
    ] {
        let call = sim(&format!("calibrate {words}"));
        let line = call.within(&folder).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
}

#[test]
fn a_command_is_sent_with_the_settings_that_the_robot_has() {
    let ((out, _), robot) = with_robot(|port| {
        let send = sim("send").arg(port);
        send.words("settings --cell 200 --json").exits(0)
    });
    let line: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(line["accepted"], true, "{line}");
    assert_eq!(robot.settings.cell_mm, 200);
    assert_eq!(robot.settings.field, Settings::default().field);
}

#[test]
fn a_refused_command_is_printed_with_the_reason_and_fails() {
    let ((out, err), robot) = with_robot(|port| sim("send").arg(port).words("start").exits(1));
    assert!(out.contains("refused"), "{out}");
    assert!(err.contains("did not accept"), "{err}");
    assert!(robot.commands.contains(&Command::Start));
}

#[test]
fn bad_input_of_send_is_one_line() {
    for (words, what) in [
        ("no/such/port stop", "no/such/port"),
        ("port fly", "fly"),
        ("port settings --cell much", "--cell"),
    ] {
        let line = sim(&format!("send {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
    let ((_, err), _) = with_robot(|port| {
        let send = sim("send").arg(port);
        send.words("settings --goal 99,99").exits(2)
    });
    assert!(err.contains("home and goals inside"), "{err}");
}

#[test]
fn a_calibrated_simulated_robot_drives_faster_than_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("row.txt"), "S......G\n").unwrap();
    let seconds = |words: &str| {
        let call = sim(&format!("robot --map row.txt --seed 2 --json {words}"));
        let line = call.within(&folder).object();
        assert_eq!(line["outcome"], "done", "{line}");
        line["seconds"].as_f64().unwrap()
    };
    let (new, calibrated) = (seconds(""), seconds("--calibrate"));
    assert!(calibrated < 0.8 * new, "{calibrated} s, {new} s");
}
