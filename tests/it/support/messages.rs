//! Strategies for frames and commands.
//!
//! A message is generated as what it is made of, and read back as what it is: in postcard, an enum is the number of a
//! variant and its fields, and a struct is its fields.

use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use tinystar::{
    mission::{Mission, STOPS},
    telemetry::{Command, Frame, MAP_BYTES},
};

/// Reads fields as a message.
fn read<T: DeserializeOwned>(fields: impl Serialize) -> T {
    let mut buffer = [0; 512];
    let bytes = postcard::to_slice(&fields, &mut buffer).unwrap();
    postcard::from_bytes(bytes).unwrap()
}

/// Variant of an enum with these fields.
fn variant<T: DeserializeOwned + std::fmt::Debug>(
    number: u8,
    fields: impl Strategy<Value: Serialize> + 'static,
) -> BoxedStrategy<T> {
    fields
        .prop_map(move |fields| read((number, fields)))
        .boxed()
}

/// Variant of an enum without fields, by its number.
fn one_of(variants: u8) -> std::ops::Range<u8> {
    0..variants
}

fn cell() -> impl Strategy<Value = (u16, u16)> {
    any::<(u16, u16)>()
}

fn cells() -> impl Strategy<Value = Vec<(u16, u16)>> {
    prop::collection::vec(cell(), 0..=STOPS)
}

fn side() -> impl Strategy<Value = u8> {
    one_of(4)
}

fn fault() -> impl Strategy<Value = u8> {
    one_of(11)
}

fn stored() -> impl Strategy<Value = u8> {
    one_of(6)
}

/// Any frame.
pub fn frame() -> impl Strategy<Value = Frame> {
    let field = (any::<(u16, u16)>(), cell(), side());
    let pose_and_speed = any::<(i16, i16, i16, i16)>();
    let battery = any::<Option<u16>>();
    let state = (
        any::<u32>(),
        cell(),
        side(),
        pose_and_speed,
        one_of(5),
        prop::option::of(fault()),
        battery,
    );
    let load = (one_of(6), any::<(u16, u32, u32, u16, u16, u32, u16, u16)>());
    let bytes = prop::collection::vec(any::<u8>(), 0..=MAP_BYTES);
    prop_oneof![
        variant(0, (any::<u8>(), field, prop::option::of(stored()))),
        variant(1, state),
        variant(2, cells()),
        variant(3, cell()),
        variant(4, (cell(), side(), one_of(3))),
        variant(5, load),
        variant(6, fault()),
        variant(7, Just(())),
        variant(8, (any::<u16>(), bytes, any::<u16>())),
        variant(9, Just(())),
        variant(10, stored()),
        variant(11, any::<u16>()),
        variant(12, (any::<Option<u16>>(), one_of(8))),
        variant(13, any::<u32>()),
    ]
}

/// Any command, valid or not.
pub fn command() -> impl Strategy<Value = Command> {
    let mission = prop_oneof![
        variant::<Mission>(0, cell()),
        variant(1, Just(())),
        variant(2, cells()),
        variant(3, cells()),
    ];
    type Friction = [[(u16, u16); 2]; 2];
    let walls = any::<([[u16; 2]; 3], u16, u16)>();
    let motors = any::<([u16; 2], Friction, Friction)>();
    let calibration = (any::<(u32, u32, i32)>(), walls, motors, any::<u8>());
    prop_oneof![
        variant(0, cell()),
        variant(1, mission),
        variant(2, Just(())),
        variant(3, Just(())),
        variant(4, Just(())),
        variant(5, Just(())),
        variant(6, Just(())),
        variant(7, calibration),
        variant(8, Just(())),
        variant(9, Just(())),
        variant(10, one_of(5)),
        variant(11, any::<i32>()),
        variant(12, one_of(3)),
    ]
}
