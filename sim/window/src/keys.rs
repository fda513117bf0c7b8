//! Keys and their actions.

use egui::{
    InputState,
    Key::{self, *},
    Modifiers,
};

use crate::map::Layer;
use Action::*;

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    PlayOrPause,
    Tick,
    Back,
    StartOver,
    Faster,
    Slower,
    Fit,
    Compare,
    NextWorld,
    Open,
    Color(Layer),
    Help,
    Close,
}

/// Keys, with their name, a description and their action.
pub type Row = (&'static [Key], &'static str, &'static str, Action);

const PLAY: Row = (&[Space], "Space", "play or pause", PlayOrPause);
const START_OVER: Row = (&[Home, R], "Home or R", "start over", StartOver);
const FASTER: Row = (&[Plus, Equals, ArrowUp], "+ or Up", "faster", Faster);
const SLOWER: Row = (&[Minus, ArrowDown], "- or Down", "slower", Slower);
const FIT: Row = (&[F], "F", "show the whole map", Fit);
const HELP: Row = (&[Questionmark, F1], "?", "this list", Action::Help);
const CLOSE: Row = (&[Escape], "Esc", "close this list", Close);

/// A step forward.
const fn on(what: &'static str) -> Row {
    (&[ArrowRight, Period], "Right or .", what, Tick)
}

/// A step back.
const fn back(what: &'static str) -> Row {
    (&[ArrowLeft, Comma], "Left or ,", what, Back)
}

/// All keys of the simulator, in the order of the help.
pub const KEYS: &[Row] = &[
    PLAY,
    on("one tick"),
    back("one tick back"),
    START_OVER,
    FASTER,
    SLOWER,
    (&[Num1], "1", "color by occupancy", Color(Layer::Map)),
    (&[Num2], "2", "color by g", Color(Layer::G)),
    (&[Num3], "3", "color by rhs", Color(Layer::Rhs)),
    (&[Num4], "4", "color by h", Color(Layer::H)),
    (&[Num5], "5", "color by key", Color(Layer::Key)),
    FIT,
    (&[C], "C", "compare two planners", Compare),
    (&[N], "N", "another world of this kind", NextWorld),
    (&[O], "O", "open a file", Open),
    HELP,
    CLOSE,
];

/// All keys of the monitor of a robot, in the order of the help.
pub const WATCH: &[Row] = &[
    PLAY,
    on("a second on"),
    back("a second back"),
    START_OVER,
    FASTER,
    SLOWER,
    FIT,
    HELP,
    CLOSE,
];

/// Mouse actions of the monitor of a robot.
pub const WATCH_MOUSE: &[(&str, &str)] = &[
    ("Left button", "send a robot on a port to a cell"),
    ("Right button", "move the map"),
    ("Wheel", "zoom"),
];

/// Mouse actions, for the help.
pub const MOUSE: &[(&str, &str)] = &[
    ("Left button", "draw or erase walls, or move the goal"),
    ("Right button", "move the map"),
    ("Wheel", "zoom, to the numbers in the cells"),
    ("Drop a file", "open it: .map, .scen or a micromouse maze"),
];

/// The actions of all keys pressed since the last frame.
pub fn actions(keys: &[Row], input: &mut InputState) -> Vec<Action> {
    let mut actions = Vec::new();
    for &(keys, _, _, action) in keys {
        // A question mark needs Shift on most keyboards.
        let pressed = keys.iter().any(|&key| {
            input.consume_key(Modifiers::NONE, key) || input.consume_key(Modifiers::SHIFT, key)
        });
        if pressed {
            actions.push(action);
        }
    }
    actions
}
