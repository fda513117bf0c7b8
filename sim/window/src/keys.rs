//! Keys and their actions.

use egui::{InputState, Key, Modifiers};

use crate::map::Layer;

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

const PLAY: Row = (&[Key::Space], "Space", "play or pause", Action::PlayOrPause);
const START_OVER: Row = (
    &[Key::Home, Key::R],
    "Home or R",
    "start over",
    Action::StartOver,
);
const FASTER: Row = (
    &[Key::Plus, Key::Equals, Key::ArrowUp],
    "+ or Up",
    "faster",
    Action::Faster,
);
const SLOWER: Row = (
    &[Key::Minus, Key::ArrowDown],
    "- or Down",
    "slower",
    Action::Slower,
);
const FIT: Row = (&[Key::F], "F", "show the whole map", Action::Fit);
const HELP: Row = (
    &[Key::Questionmark, Key::F1],
    "?",
    "this list",
    Action::Help,
);
const CLOSE: Row = (&[Key::Escape], "Esc", "close this list", Action::Close);

/// A step forward.
const fn on(what: &'static str) -> Row {
    (
        &[Key::ArrowRight, Key::Period],
        "Right or .",
        what,
        Action::Tick,
    )
}

/// A step back.
const fn back(what: &'static str) -> Row {
    (
        &[Key::ArrowLeft, Key::Comma],
        "Left or ,",
        what,
        Action::Back,
    )
}

/// All keys of the simulator, in the order of the help.
pub const KEYS: &[Row] = &[
    PLAY,
    on("one tick"),
    back("one tick back"),
    START_OVER,
    FASTER,
    SLOWER,
    (
        &[Key::Num1],
        "1",
        "color by occupancy",
        Action::Color(Layer::Map),
    ),
    (&[Key::Num2], "2", "color by g", Action::Color(Layer::G)),
    (&[Key::Num3], "3", "color by rhs", Action::Color(Layer::Rhs)),
    (&[Key::Num4], "4", "color by h", Action::Color(Layer::H)),
    (&[Key::Num5], "5", "color by key", Action::Color(Layer::Key)),
    FIT,
    (&[Key::C], "C", "compare two planners", Action::Compare),
    (
        &[Key::N],
        "N",
        "another world of this kind",
        Action::NextWorld,
    ),
    (&[Key::O], "O", "open a file", Action::Open),
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

/// Keys with their descriptions.
pub fn help(keys: &[Row]) -> impl Iterator<Item = (&'static str, &'static str)> {
    keys.iter().map(|&(_, name, what, _)| (name, what))
}

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
