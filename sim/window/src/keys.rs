//! What keys do.

use egui::{InputState, Key, Modifiers};

use crate::map::Layer;

/// Something that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
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
    Colour(Layer),
    Help,
    Close,
}

/// Keys, with their name and what they do.
pub type Row = (&'static [Key], &'static str, &'static str, Wish);

const PLAY: Row = (&[Key::Space], "Space", "play or pause", Wish::PlayOrPause);
const START_OVER: Row = (
    &[Key::Home, Key::R],
    "Home or R",
    "start over",
    Wish::StartOver,
);
const FASTER: Row = (
    &[Key::Plus, Key::Equals, Key::ArrowUp],
    "+ or Up",
    "faster",
    Wish::Faster,
);
const SLOWER: Row = (
    &[Key::Minus, Key::ArrowDown],
    "- or Down",
    "slower",
    Wish::Slower,
);
const FIT: Row = (&[Key::F], "F", "show the whole map", Wish::Fit);
const HELP: Row = (&[Key::Questionmark, Key::F1], "?", "this list", Wish::Help);
const CLOSE: Row = (&[Key::Escape], "Esc", "close this list", Wish::Close);

/// A step forward, of whatever it is.
const fn on(what: &'static str) -> Row {
    (
        &[Key::ArrowRight, Key::Period],
        "Right or .",
        what,
        Wish::Tick,
    )
}

/// A step back.
const fn back(what: &'static str) -> Row {
    (&[Key::ArrowLeft, Key::Comma], "Left or ,", what, Wish::Back)
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
        "colour by what is known",
        Wish::Colour(Layer::Map),
    ),
    (&[Key::Num2], "2", "colour by g", Wish::Colour(Layer::G)),
    (&[Key::Num3], "3", "colour by rhs", Wish::Colour(Layer::Rhs)),
    (&[Key::Num4], "4", "colour by h", Wish::Colour(Layer::H)),
    (&[Key::Num5], "5", "colour by key", Wish::Colour(Layer::Key)),
    FIT,
    (&[Key::C], "C", "compare two planners", Wish::Compare),
    (
        &[Key::N],
        "N",
        "another world of this kind",
        Wish::NextWorld,
    ),
    (&[Key::O], "O", "open a file", Wish::Open),
    HELP,
    CLOSE,
];

/// All keys where a robot is watched, in the order of the help.
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

/// What the mouse does where a robot is watched.
pub const WATCH_MOUSE: &[(&str, &str)] = &[
    ("Left button", "send a robot on a port to a cell"),
    ("Right button", "move the map"),
    ("Wheel", "zoom"),
];

/// What the mouse does, for the help.
pub const MOUSE: &[(&str, &str)] = &[
    ("Left button", "draw or erase walls, or move the goal"),
    ("Right button", "move the map"),
    ("Wheel", "zoom, to the numbers in the cells"),
    ("Drop a file", "open it: .map, .scen or a micromouse maze"),
];

/// Keys and what they do.
pub fn help(keys: &[Row]) -> impl Iterator<Item = (&'static str, &'static str)> {
    keys.iter().map(|&(_, name, what, _)| (name, what))
}

/// What was asked for since the last frame.
pub fn wishes(keys: &[Row], input: &mut InputState) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for &(keys, _, _, wish) in keys {
        // A question mark needs Shift on most keyboards.
        let pressed = keys.iter().any(|&key| {
            input.consume_key(Modifiers::NONE, key) || input.consume_key(Modifiers::SHIFT, key)
        });
        if pressed {
            wishes.push(wish);
        }
    }
    wishes
}
