//! The emulated chip: every device against a small image, and every failure.

#[path = "support/build.rs"]
mod build;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::Duration,
};

use tempfile::TempDir;

use emulator::{
    Emulator, Error, Event, FLASH_MISS_CYCLES, FlashOperation, FlashOperationKind, I2cBus, Image,
    Inputs, Outputs, Reset, Setup,
};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
/// Flash offset that `storage` uses.
const STORE: u32 = 0x101f_0000;

/// Offset in flash of the name of the image's program to run.
const NAME: u32 = 0x101f_f000;

/// Path of the test image, which is built once.
fn path() -> &'static Path {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = build::images(&repository, &["--package", "emulator-images"])?;
        Ok(folder.join("emulator-images"))
    });
    built.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

fn image() -> Image {
    Image::read(path()).unwrap_or_else(|error| panic!("{error}"))
}

/// Robot that will run a program of the image.
fn off_with(setup: &Setup, program: &str) -> Result<Emulator, Error> {
    let mut emulator = Emulator::start_with(setup, image())?;
    emulator.write(NAME, program.as_bytes())?;
    Ok(emulator)
}

fn off(program: &str) -> Emulator {
    off_with(&Setup::default(), program).unwrap_or_else(|error| panic!("{error}"))
}

fn on(program: &str) -> Emulator {
    let mut emulator = off(program);
    emulator.power_on().unwrap();
    emulator
}

/// Error of a rig that does not start.
fn refusal(setup: &Setup) -> String {
    off_with(setup, "motors").err().unwrap().to_string()
}

/// Runs until a log is `text`, for at most two seconds.
fn run_to(emulator: &mut Emulator, text: &str) -> Outputs {
    emulator
        .run_until(MS, 2 * SECOND, text, |outputs| {
            outputs.texts().contains(&text)
        })
        .unwrap()
}

fn events(outputs: &Outputs) -> Vec<Event> {
    let events = outputs.events.iter();
    events.map(|(_, event)| event.clone()).collect()
}

#[test]
fn motors_turn_by_pulse_width_and_direction() {
    let mut emulator = on("motors");
    // The first duty is set during the first millisecond.
    emulator.run(MS).unwrap();
    assert_eq!(emulator.run(10 * MS).unwrap().duty, [10_000, 2_500]);
    emulator.run(10 * MS).unwrap();
    assert_eq!(emulator.run(10 * MS).unwrap().duty, [1_000, -5_000]);
    emulator.run(10 * MS).unwrap();
    assert_eq!(emulator.run(10 * MS).unwrap().duty, [0, 0]);
}

#[test]
fn a_slice_over_a_change_of_duty_has_the_mean() {
    let mut emulator = on("motors");
    emulator.run(MS).unwrap();
    let duty = emulator.run(60 * MS).unwrap().duty;
    for (duty, mean) in duty.into_iter().zip([11_000 / 3, -2_500 / 3]) {
        assert!((duty - mean).abs() < 20, "{duty} {mean}");
    }
}

#[test]
fn motors_stop_when_power_goes() {
    let mut emulator = on("motors");
    emulator.run(10 * MS).unwrap();
    emulator.power_off().unwrap();
    emulator.run(MS).unwrap();
    let outputs = emulator.run(MS).unwrap();
    assert_eq!((outputs.duty, outputs.powered), ([0, 0], false));
}

/// Last counts logged by `encoders`.
fn counts(outputs: &Outputs) -> [i32; 2] {
    let text = outputs.texts().pop().expect("a log every 10 ms").to_owned();
    let (left, right) = text.split_once(' ').unwrap();
    [left.parse().unwrap(), right.parse().unwrap()]
}

#[test]
fn encoders_count_every_edge_at_full_speed_and_in_both_directions() {
    let mut emulator = on("encoders");
    assert_eq!(counts(&emulator.run(100 * MS).unwrap()), [0, 0]);
    let mut expected = [0; 2];
    for wheels in [
        [6_800, 6_800],
        [-6_800, 6_800],
        [0, -1_700],
        [-3_400, 100],
        [6_800, 0],
    ] {
        emulator.inputs_mut().wheels = wheels;
        emulator.run(500 * MS).unwrap();
        emulator.inputs_mut().wheels = [0, 0];
        let counted = counts(&emulator.run(20 * MS).unwrap());
        for ((expected, counted), wheel) in expected.iter_mut().zip(counted).zip(wheels) {
            *expected += wheel / 2;
            // Half a second may end a rounding error before or after its last edge.
            assert!((counted - *expected).abs() <= 1, "{counted} {expected}");
        }
    }
}

#[test]
fn a_wheel_that_oscillates_on_an_edge_has_no_net_count() {
    let mut emulator = on("encoders");
    emulator.run(50 * MS).unwrap();
    for _ in 0..200 {
        for speed in [900, -900] {
            emulator.inputs_mut().wheels = [speed, -speed];
            emulator.run(2 * MS).unwrap();
        }
    }
    emulator.inputs_mut().wheels = [0, 0];
    let [left, right] = counts(&emulator.run(20 * MS).unwrap());
    assert!(left.abs() <= 1 && right.abs() <= 1, "{left} {right}");
}

#[test]
fn flash_erases_to_ones_and_programs_by_clearing_bits() {
    let mut emulator = on("storage");
    let outputs = run_to(&mut emulator, "done");
    assert_eq!(
        outputs.texts(),
        [
            "[ff, ff, ff, ff, ff, ff, ff, ff]",
            "[f1, f1, f1, f1, f1, f1, f1, f1]",
            "[31, 31, 31, 31, 31, 31, 31, 31]",
            "[ff, ff, ff, ff, ff, ff, ff, ff]",
            "[01, 02, 03, 04, 05, 06, 07, 08]",
            "done"
        ]
    );
    let erases = outputs
        .flash
        .iter()
        .map(|operation| matches!(operation.kind, FlashOperationKind::Erase(_)));
    assert!(erases.eq([false, false, true, false]));
    let erase = FlashOperation {
        kind: FlashOperationKind::Erase(0x1f_0000),
        length: 4096,
        cut: false,
    };
    assert_eq!(outputs.flash[2], erase);
    // An erase takes 45 ms, in which the chip does nothing else.
    assert!(outputs.now >= 45 * MS);
}

#[test]
fn flash_survives_a_power_cycle_and_ram_does_not() {
    let mut emulator = on("storage");
    run_to(&mut emulator, "done");
    emulator.power_off().unwrap();
    emulator.run(MS).unwrap();
    assert_eq!(emulator.read(STORE, 4).unwrap(), [1, 2, 3, 4]);
    assert!(emulator.read(0x2000_0000, 4).is_err());
    emulator.power_on().unwrap();
    let outputs = run_to(&mut emulator, "done");
    assert_eq!(outputs.texts()[0], "[01, 02, 03, 04, 05, 06, 07, 08]");
    assert_eq!(outputs.events[0].1, Event::Boot(Reset::PowerOn));
}

#[test]
fn power_can_fail_in_the_middle_of_a_program_and_of_an_erase() {
    let run = |emulator: &mut Emulator| {
        let lost = |outputs: &Outputs| events(outputs).contains(&Event::PowerLost);
        emulator
            .run_until(MS, SECOND, "loss of power", lost)
            .unwrap()
    };

    // The fourth operation programs 1 to 8: half of the bytes are there, and half of the bits of the next.
    let mut emulator = on("storage");
    emulator.cut_power_in_flash_operation(4).unwrap();
    let outputs = run(&mut emulator);
    assert!(!outputs.powered && outputs.flash[3].cut, "{outputs:?}");
    assert_eq!(
        emulator.read(STORE, 8).unwrap(),
        [1, 2, 3, 4, 0xf5, 0xff, 0xff, 0xff]
    );
    assert!(emulator.run(100 * MS).unwrap().logs.is_empty());
    emulator.power_on().unwrap();
    assert_eq!(
        run_to(&mut emulator, "done").texts()[0],
        "[01, 02, 03, 04, f5, ff, ff, ff]"
    );

    // The third erases: the first half of the sector is gone, the second is not.
    let mut emulator = off("storage");
    emulator.write(STORE + 4095, &[7]).unwrap();
    emulator.power_on().unwrap();
    emulator.cut_power_in_flash_operation(3).unwrap();
    run(&mut emulator);
    assert_eq!(emulator.read(STORE, 1).unwrap(), [0xff]);
    assert_eq!(emulator.read(STORE + 4095, 1).unwrap(), [7]);
}

#[test]
fn sensors_answer_on_their_bus_and_the_battery_on_its_pin() {
    let mut emulator = on("sensors");
    *emulator.inputs_mut() = Inputs {
        battery: 4_321,
        gyro: -90_000,
        ..Inputs::default()
    };
    let outputs = emulator.run(30 * MS).unwrap();
    assert_eq!(
        outputs.texts(),
        [
            "blocking 6c",
            "battery 4324",
            "gyro 6c",
            "magnetometer 3d",
            // 70 thousandths of a degree per second to a unit.
            "turning -1286, then status 0"
        ]
    );
}

#[test]
fn a_missing_sensor_and_a_failing_bus_are_errors_not_hangs() {
    let mut emulator = on("sensors");
    emulator.inputs_mut().magnetometer = false;
    for (i2c, ms, text) in [
        (I2cBus::Works, 40, "gyro 6c, magnetometer does not answer"),
        (
            I2cBus::Silent,
            60,
            "gyro does not answer, magnetometer does not answer",
        ),
        (I2cBus::Stuck, 100, "gyro hangs"),
    ] {
        emulator.inputs_mut().i2c = i2c;
        let outputs = emulator.run(ms * MS).unwrap().texts().join(", ");
        assert!(outputs.contains(text), "{outputs}");
    }
}

#[test]
fn usb_echoes_what_it_receives() {
    let mut emulator = on("serial");
    let long: Vec<u8> = (0..200u8).map(|i| b'a' + i % 26).collect();
    emulator.send(b"hello");
    emulator.send(&long);
    let expected = [b"hello".as_slice(), &long].concat().to_ascii_uppercase();
    let mut received = Vec::<u8>::new();
    emulator
        .run_until(MS, SECOND, "echo", |outputs| {
            received.extend(&outputs.usb);
            received.len() >= expected.len()
        })
        .unwrap();
    assert_eq!(received, expected);
}

#[test]
fn an_unplugged_port_is_not_opened() {
    let mut emulator = on("serial");
    emulator.inputs_mut().plugged = false;
    assert!(emulator.run(200 * MS).unwrap().logs.is_empty());
    emulator.inputs_mut().plugged = true;
    run_to(&mut emulator, "opened");
}

#[test]
fn the_watchdog_resets_an_unresponsive_program_and_reports_the_cause() {
    let mut emulator = on("watchdog");
    let outputs = run_to(&mut emulator, "forced, boot 2");
    assert_eq!(
        outputs.texts(),
        [
            "power, boot 0",
            "hungry",
            "time-out, boot 1",
            "forced, boot 2"
        ]
    );
    assert_eq!(
        events(&outputs),
        [
            Event::Boot(Reset::PowerOn),
            Event::WatchdogReset(Reset::WatchdogTimer),
            Event::Boot(Reset::WatchdogTimer),
            Event::WatchdogReset(Reset::WatchdogForced),
            Event::Boot(Reset::WatchdogForced),
        ]
    );
    // Fed every 60 ms five times, then left to starve for 100.
    let (at, _) = outputs.events[1];
    assert!((400 * MS..402 * MS).contains(&at), "{at:?}");
}

#[test]
fn buttons_on_shared_pins_are_read() {
    let mut emulator = on("panel");
    run_to(&mut emulator, "drawn");
    for (buttons, text) in [
        ([true, false, false], "true false false"),
        ([false, true, false], "false true false"),
        ([false, false, true], "false false true"),
        ([false, false, false], "false false false"),
    ] {
        emulator.inputs_mut().buttons = buttons;
        assert_eq!(emulator.run(20 * MS).unwrap().texts(), [text]);
    }
}

#[test]
fn the_display_shows_what_was_drawn() {
    let mut emulator = on("panel");
    assert!(!emulator.picture().unwrap().lit(0, 0));
    run_to(&mut emulator, "drawn");
    let picture = emulator.picture().unwrap();
    for y in 0..64 {
        for x in 0..128 {
            let frame = x == 0 || x == 127 || y == 0 || y == 63;
            assert_eq!(picture.lit(x, y), frame || x == y, "{x} {y}\n{picture}");
        }
    }
    assert!(picture.to_string().starts_with("██▀"), "{picture}");
}

#[test]
fn receivers_detect_pulses_from_a_width_on() {
    let mut emulator = on("proximity");
    // Widths are made of whole clock ticks: 3500 ns are 438 ticks of 8 ns.
    let dark = Inputs::DARK;
    emulator.inputs_mut().proximity = [[dark, 1], [3500, 5400], [1000, 7600]];
    emulator.run(10 * MS).unwrap();
    let outputs = emulator.run(20 * MS).unwrap();
    assert!(outputs.logs.len() >= 2, "{outputs:?}");
    for text in outputs.texts() {
        assert_eq!(text, "[0, 6] [3, 1] [5, 0]");
    }
}

#[test]
fn a_panic_is_logged_and_is_a_fault_and_the_stack_is_measured() {
    let mut emulator = on("panic");
    let outputs = emulator
        .run_until(MS, SECOND, "fault", |outputs| !outputs.faults().is_empty())
        .unwrap();
    let [deep, tick, panic] = outputs.logs.as_slice() else {
        panic!("{outputs:?}");
    };
    assert_eq!((deep.level, deep.text.as_str()), (None, "deep: 135"));
    assert_eq!(tick.text, "tick");
    assert_eq!(panic.level, Some("error"));
    assert!(panic.text.contains("as it should"), "{panic:?}");
    let (used, size) = emulator.stack().unwrap().unwrap();
    assert!((5_000..7_000).contains(&used), "{used}");
    assert!((200_000..264 * 1024).contains(&size), "{size}");
}

#[test]
fn a_profile_lists_the_functions_that_ran() {
    let mut emulator = on("panic");
    emulator.start_profile().unwrap();
    let outputs = emulator.run(5 * MS).unwrap();
    let profile = emulator.take_profile().unwrap();
    assert!((1..=outputs.cycles).contains(&profile.total), "{profile:?}");
    let mut functions = profile.functions.iter();
    let deep = functions.find(|function| function.name.ends_with("::deep"));
    // Two thousand and five hundred stores at the very least.
    assert!(deep.is_some_and(|deep| deep.cycles > 5_000), "{profile:?}");
}

#[test]
fn runs_are_reproducible_and_the_rigs_optimisations_change_no_result() {
    let run = |name, stock_core, miss_cycles| {
        let setup = Setup {
            stock_core,
            ..Setup::default()
        };
        let mut emulator = off_with(&setup, name).unwrap();
        emulator.set_flash_waits(miss_cycles).unwrap();
        emulator.inputs_mut().wheels = [777, -333];
        emulator.power_on().unwrap();
        emulator.run(30 * MS).unwrap()
    };
    for name in ["encoders", "sensors", "serial", "panel"] {
        for miss_cycles in [0, FLASH_MISS_CYCLES] {
            let [quick, stock] = [false, true].map(|stock| run(name, stock, miss_cycles));
            assert_eq!(quick, stock, "{name} with {miss_cycles}");
        }
    }
}

#[test]
fn a_broken_image_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(path()).unwrap();
    let mut desktop = whole.clone();
    desktop[18] = 62; // for another processor
    let other = "not an image for the chip";
    for (name, content, why) in [
        ("empty", &[][..], other),
        ("text", b"#!/bin/sh\n".as_slice(), other),
        ("short", &whole[..whole.len() / 2], other),
        ("desktop", &desktop, "not for an ARM processor"),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        let error = Image::read(&file).err().expect(name).to_string();
        assert!(error.contains(why) && error.contains(name), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let error = Image::read("no/such/file").err().unwrap().to_string();
    assert!(error.starts_with("no/such/file: "), "{error}");
}

#[test]
fn a_missing_node_says_what_to_type() {
    let setup = Setup {
        node: "no-such-node".to_owned(),
        ..Setup::default()
    };
    let error = refusal(&setup);
    assert!(error.starts_with("Node is missing"), "{error}");
    assert!(error.contains("https://nodejs.org"), "{error}");
    assert!(error.ends_with("cargo xtask setup"), "{error}");
}

/// Folder of a rig with these files of the real one.
fn folder(files: &[&str]) -> (TempDir, Setup) {
    let (folder, real) = (tempfile::tempdir().unwrap(), Setup::default());
    for file in files {
        let copy = folder.path().join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(real.folder.join(file), copy).unwrap();
    }
    let setup = Setup {
        folder: folder.path().to_owned(),
        ..real
    };
    (folder, setup)
}

#[test]
fn a_missing_package_says_what_to_type() {
    let (_folder, setup) = folder(&["package.json"]);
    let error = refusal(&setup);
    let missing = "rp2040js 1.4.1 is not installed";
    assert!(error.starts_with(missing), "{error}");
    assert!(error.ends_with("cargo xtask setup"), "{error}");
}

#[test]
fn a_crashed_rig_is_an_error_not_a_hang() {
    let (_folder, setup) = folder(&["package.json", "node_modules/rp2040js/package.json"]);
    fs::write(setup.folder.join("rig.js"), "throw new Error('boom');").unwrap();
    let error = refusal(&setup);
    assert!(error.contains("ended") && error.contains("boom"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[cfg(unix)]
#[test]
fn a_killed_rig_is_an_error_not_a_hang() {
    let mut emulator = on("motors");
    emulator.run(MS).unwrap();
    let killed = Command::new("kill")
        .args(["-9", &emulator.process_id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let error = loop {
        // The signal is on its way: answers may still come.
        if let Err(error) = emulator.run(MS) {
            break error;
        }
    };
    assert!(matches!(error, Error::Ended { .. }), "{error}");
    assert!(error.to_string().contains("signal: 9"), "{error}");
}

#[test]
fn waits_are_bounded() {
    let mut emulator = on("motors");
    let error = emulator
        .run_until(10 * MS, 50 * MS, "reply", |outputs| !outputs.usb.is_empty())
        .unwrap_err();
    assert_eq!(error.to_string(), "no reply within 0.05 s of virtual time");
}
