//! Serves the buttons, the display, the LED and the buzzer.

use core::fmt::Write;

use embassy_time::Ticker;
use heapless::Vec;

use crate::{
    config::{GOAL, PANEL_PERIOD, SCREEN_EVERY},
    mission::{Activity, Mission},
    robot::{Buttons, Panel, Screen, Tone},
    signals::{Signals, Task},
    telemetry::Command,
};

/// Missions that button C selects.
const MENU: [&str; 3] = ["go to goal", "explore", "go home"];

fn mission(item: usize) -> Mission {
    match item {
        0 => Mission::GoTo(GOAL),
        // There is room for one.
        1 => Mission::Explore(Vec::from_slice(&[GOAL]).unwrap_or_default()),
        _ => Mission::Home,
    }
}

/// Serves the panel: A starts or clears a fault, B stops, C selects a mission.
pub async fn panel(signals: &Signals, panel: &mut impl Panel) -> ! {
    let mut ticker = Ticker::every(PANEL_PERIOD);
    let mut before = Buttons::default();
    let mut held = Buttons::default();
    let mut item = None;
    let mut shown = None;
    let mut last = Activity::Idle;
    let mut round: u32 = 0;
    loop {
        let now = panel.buttons().await;
        // Two equal readings debounce a contact.
        let down = Buttons {
            a: now.a && before.a,
            b: now.b && before.b,
            c: now.c && before.c,
        };
        before = now;
        let pressed = Buttons {
            a: down.a && !held.a,
            b: down.b && !held.b,
            c: down.c && !held.c,
        };
        held = down;
        if pressed.b {
            send(signals, Command::Stop);
        }
        if pressed.c {
            let next = item.map_or(0, |item| (item + 1) % MENU.len());
            item = Some(next);
            send(signals, Command::SetMission(mission(next)));
        }
        if pressed.a {
            if signals.fault().is_some() {
                signals.clear_fault.signal(());
            } else {
                send(signals, Command::Start);
                panel.play(Tone::Start).await;
            }
        }
        let activity = signals
            .state()
            .map_or(Activity::Idle, |state| state.activity);
        if activity != last {
            last = activity;
            match activity {
                Activity::Done => panel.play(Tone::Done).await,
                Activity::Faulty => panel.play(Tone::Alarm).await,
                Activity::Idle | Activity::Going | Activity::NoPath => {}
            }
        }
        panel.led(matches!(activity, Activity::Going | Activity::NoPath));
        if round.is_multiple_of(SCREEN_EVERY) {
            let screen = screen(signals, item);
            if shown.as_ref() != Some(&screen) {
                panel.show(&screen).await;
                shown = Some(screen);
            }
        }
        round = round.wrapping_add(1);
        signals.check_in(Task::Panel);
        ticker.next().await;
    }
}

/// Sends a command. If the channel is full, the robot is busy and the person presses again.
fn send(signals: &Signals, command: Command) {
    let _ = signals.commands.try_send((None, command));
}

fn screen(signals: &Signals, item: Option<usize>) -> Screen {
    let mut screen = Screen::default();
    let [title, place, power, hint] = &mut screen.lines;
    // Writing fails only if a line is full; then it is cut.
    let _ = match signals.fault() {
        Some(fault) => write!(title, "FAULT {}", fault.code()),
        None => write!(
            title,
            "{}",
            match signals.state().map(|state| state.activity) {
                None => "starting",
                Some(Activity::Idle) => "ready",
                Some(Activity::Going) => "moving",
                Some(Activity::NoPath) => "no path, waiting",
                Some(Activity::Done) => "done",
                Some(Activity::Faulty) => "fault",
            }
        ),
    };
    if let Some(state) = signals.state() {
        let _ = write!(place, "{},{} {:?}", state.at.x, state.at.y, state.heading);
    }
    let _ = match signals.battery_mv() {
        Some(mv) => write!(power, "{}.{} V", mv / 1000, mv % 1000 / 100),
        None => write!(power, "on USB"),
    };
    let _ = match (signals.fault(), item.and_then(|item| MENU.get(item))) {
        (Some(fault), _) => write!(hint, "{}", fault.text()),
        (None, Some(item)) => write!(hint, "A {item}"),
        (None, None) => write!(hint, "A start C select"),
    };
    screen
}
