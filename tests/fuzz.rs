//! What the fuzzer asks of the robot's commands (`cargo xtask fuzz`), asked without one.

#[path = "../xtask/fuzz/src/commands.rs"]
mod commands;
#[path = "support/messages.rs"]
mod messages;

use proptest::prelude::*;
use tinystar::report::codec::{COMMAND, encode};

/// Packets of noise and of commands, whole, spoiled and in any order.
fn packets() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..80);
    let number = prop_oneof![4 => 0..4u16, 1 => any::<u16>()];
    let told = (number, messages::command()).prop_map(|(number, command)| {
        let mut buffer = [0; COMMAND];
        encode(number, &command, &mut buffer).unwrap().to_vec()
    });
    let told = told.boxed();
    let spoiled = (told.clone(), any::<(prop::sample::Index, u8)>());
    let spoiled = spoiled.prop_map(|(mut bytes, (at, byte))| {
        *at.get_mut(&mut bytes) = byte;
        bytes
    });
    let part = prop_oneof![1 => noise, 4 => told, 1 => spoiled];
    let part = part.prop_map(|mut bytes| {
        bytes.insert(0, bytes.len() as u8); // less than 128, so that it comes as it is
        bytes
    });
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_taken_well(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        commands::take(&bytes);
    }

    #[test]
    fn any_mixture_of_commands_and_noise_is_taken_well(bytes in packets()) {
        commands::take(&bytes);
    }
}
