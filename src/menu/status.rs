//! First page: state of the robot, its cell and its battery.

use super::{Lines, line};
use crate::{
    calibrator::Routine,
    mission::{Activity, Field},
    signals::Signals,
};

/// Shows state or fault, cell, battery, and what button A does.
pub fn show(signals: &Signals, [title, place, power, hint]: &mut Lines) {
    let fault = signals.fault();
    let state = signals.state();
    let activity = state.map(|state| state.activity);
    match (fault, activity) {
        (Some(fault), _) => line!(title, "FAULT {}", fault.code()),
        (None, None) => line!(title, "reading flash"),
        (None, Some(Activity::Starting)) => {
            let ms = signals.countdown_ms();
            line!(title, "hold still {}.{}", ms / 1000, ms % 1000 / 100);
        }
        (None, Some(activity)) => line!(
            title,
            "{}",
            match activity {
                Activity::Idle => "ready",
                Activity::Going => "moving",
                Activity::NoPath => "no path, waiting",
                Activity::Done => "done",
                Activity::Lost => "pose lost",
                Activity::Relocalising => "lost, looking",
                Activity::Faulty | Activity::Starting => "",
            }
        ),
    }
    match (fault, state) {
        (Some(fault), _) => line!(place, "{}", fault.text()),
        (None, Some(state)) if state.activity == Activity::Lost => line!(place, "put me at home"),
        // Until its first mission.
        (None, Some(state))
            if state.activity == Activity::Idle
                && !signals.calibration().is_measured(Routine::Walls) =>
        {
            line!(place, "not calibrated");
        }
        (None, Some(state)) => line!(place, "{},{} {:?}", state.at.x, state.at.y, state.heading),
        (None, None) => {}
    }
    match signals.battery_mv() {
        Some(mv) => line!(power, "{}.{} V", mv / 1000, mv % 1000 / 100),
        None => line!(power, "on USB"),
    }
    match (fault, activity) {
        (Some(_), _) => line!(hint, "home: hold A"),
        (None, Some(Activity::Lost)) => line!(hint, "then hold A"),
        (None, Some(activity)) if activity.is_active() => line!(hint, "B stop"),
        (None, _) => line!(hint, "A start   C menu"),
    }
}

/// Shows where home is, for a person who puts the robot there.
pub fn show_home(field: &Field, [title, place, heading, hint]: &mut Lines) {
    line!(title, "I am at home");
    line!(place, "in {},{}", field.home.x, field.home.y);
    line!(heading, "facing {:?}", field.heading);
    line!(hint, "A yes     C next");
}
