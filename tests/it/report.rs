//! Encoding of frames and commands: round trips, noise and damage.

use crate::support::messages::{command, frame};
use heapless::Vec as Few;
use proptest::prelude::*;
use serde::Serialize;
use tinystar::{
    boards::ZUMO2040,
    config::FIELD,
    mission::{Mission, STOPS},
    planner::Cell,
    telemetry::{
        Command, CommandReceiver, Frame, MAP_BYTES, Refusal, Sequence,
        codec::{
            BufferTooSmall, COMMAND, CommandDecoder, DecodeError, FRAME, FrameDecoder, Message,
            encode,
        },
    },
};

fn sent(number: u16, frame: &Frame) -> Vec<u8> {
    encode(number, frame, &mut [0; FRAME]).unwrap().to_vec()
}

fn encoded(number: u16, command: &Command) -> Vec<u8> {
    encode(number, command, &mut [0; COMMAND]).unwrap().to_vec()
}

fn frames(bytes: &[u8]) -> Vec<Result<Message<Frame>, DecodeError>> {
    let mut decoder = FrameDecoder::new();
    let found = bytes.iter().filter_map(|&byte| decoder.feed(byte));
    found.collect()
}

fn farthest() -> Cell {
    Cell::new(u16::MAX, u16::MAX)
}

#[test]
fn buffers_fit_the_longest_frame_and_command_exactly() {
    let map = Frame::Map {
        offset: u16::MAX,
        bytes: [1; MAP_BYTES].into_iter().collect(),
        total: u16::MAX,
    };
    let goals = Frame::Goals([farthest(); STOPS].into_iter().collect());
    let longest = [map, goals].map(|frame| sent(1, &frame).len());
    assert_eq!(longest.into_iter().max(), Some(FRAME));
    let stops = [farthest(); STOPS].into_iter().collect();
    let patrol = Command::SetMission(Mission::Patrol(stops));
    assert_eq!(encoded(1, &patrol).len(), COMMAND);
    assert_eq!(
        encode(1, &patrol, &mut [0; COMMAND - 1]),
        Err(BufferTooSmall)
    );
}

#[test]
fn a_small_buffer_is_an_error() {
    let command = Command::SetCalibration(ZUMO2040.calibration);
    let bytes = encoded(7, &command);
    for len in 0..bytes.len() {
        let written = encode(7, &command, &mut vec![0; len]).map(<[u8]>::len);
        assert_eq!(written, Err(BufferTooSmall), "{len}");
    }
}

#[test]
fn endless_noise_does_not_affect_the_next_frame() {
    let mut bytes = vec![0xAA; 100_000];
    bytes.extend(sent(3, &Frame::Cleared));
    let cleared = Message {
        number: 3,
        body: Frame::Cleared,
    };
    assert_eq!(frames(&bytes), [Err(DecodeError::TooLong), Ok(cleared)]);
}

#[test]
fn an_intact_message_that_is_too_long_is_rejected() {
    let long = encode(9, &[7u8; 32], &mut [0; 300]).unwrap().to_vec();
    assert_eq!(frames(&long), [Err(DecodeError::Unknown(9))]);
    let longer = encode(9, &[[7u8; 32]; 8], &mut [0; 300]).unwrap().to_vec();
    assert_eq!(frames(&longer), [Err(DecodeError::TooLong)]);
}

#[test]
fn an_unknown_body_keeps_its_number() {
    fn body(body: impl Serialize) -> Vec<u8> {
        encode(5, &body, &mut [0; COMMAND]).unwrap().to_vec()
    }
    for bytes in [
        body(()),
        body(200u8),                 // no such command
        body((0u8, 3u8)),            // half a goal
        body((Command::Start, 0u8)), // and something else
        body([0xFFu8; 20]),
    ] {
        let found = CommandDecoder::new().take(&mut &bytes[..]);
        assert_eq!(found, Some(Err(DecodeError::Unknown(5))), "{bytes:?}");
    }
}

#[test]
fn zeros_are_ignored() {
    assert_eq!(frames(&[0; 50]), []);
}

#[test]
fn a_single_byte_is_damaged() {
    for byte in 1..=255 {
        assert_eq!(frames(&[byte, 0]), [Err(DecodeError::Damaged)], "{byte}");
    }
}

#[test]
fn message_numbers_wrap() {
    let mut sequence = Sequence::new();
    for number in (0..=u16::MAX).chain(0..3) {
        assert_eq!(sequence.follow(number), Ok(()));
    }
}

fn cells(cells: &[Cell]) -> Few<Cell, STOPS> {
    cells.iter().copied().collect()
}

#[test]
fn invalid_commands_are_refused_and_use_up_their_number() {
    let inside = Cell::new(FIELD.width - 1, FIELD.height - 1);
    let (east, south) = (Cell::new(FIELD.width, 0), Cell::new(0, FIELD.height));
    let mut crooked = ZUMO2040.calibration;
    crooked.walls.near_ns[1][0] = 0;
    let refused = [
        Command::SetGoal(east),
        Command::SetGoal(south),
        Command::SetMission(Mission::GoTo(farthest())),
        Command::SetMission(Mission::Patrol(cells(&[]))),
        Command::SetMission(Mission::Patrol(cells(&[inside, east]))),
        Command::SetMission(Mission::Explore(cells(&[]))),
        Command::SetMission(Mission::Explore(cells(&[south]))),
        Command::SetCalibration(crooked),
    ];
    let accepted = [
        Command::SetGoal(inside),
        Command::SetMission(Mission::GoTo(inside)),
        Command::SetMission(Mission::Home),
        Command::SetMission(Mission::Patrol(cells(&[inside; STOPS]))),
        Command::SetMission(Mission::Explore(cells(&[inside]))),
        Command::SetCalibration(ZUMO2040.calibration),
        Command::GetMap,
    ];
    let mut inbox = CommandReceiver::new(FIELD);
    let mut numbers = 0..;
    for command in refused {
        let number = numbers.next().unwrap();
        let got = inbox.take(&mut &encoded(number, &command)[..]).unwrap();
        let refused = got.unwrap_err();
        assert_eq!(refused.why, Refusal::Invalid, "{command:?}");
        assert_eq!(refused.number, Some(number));
    }
    for body in accepted {
        let number = numbers.next().unwrap();
        let got = inbox.take(&mut &encoded(number, &body)[..]);
        assert_eq!(got, Some(Ok(Message { number, body })));
    }
}

#[test]
fn a_lost_command_is_detected_and_can_be_repeated() {
    let mut inbox = CommandReceiver::new(FIELD);
    let mut take = |mut bytes: Vec<u8>, spoil: bool| {
        bytes[1] ^= u8::from(spoil);
        let taken = inbox.take(&mut &bytes[..]).unwrap();
        taken
            .map(|message| message.number)
            .map_err(|r| (r.number, r.why))
    };
    assert_eq!(take(encoded(0, &Command::Start), false), Ok(0));
    let damaged = Err((None, Refusal::Damaged));
    assert_eq!(take(encoded(1, &Command::Stop), true), damaged);
    let late = Err((Some(2), Refusal::OutOfOrder));
    assert_eq!(take(encoded(2, &Command::Home), false), late);
    assert_eq!(take(encoded(1, &Command::Stop), false), Ok(1));
    assert_eq!(take(encoded(2, &Command::Home), false), Ok(2));
    let twice = Err((Some(2), Refusal::OutOfOrder));
    assert_eq!(take(encoded(2, &Command::Home), false), twice);
    assert_eq!(take(encoded(0, &Command::Start), false), Ok(0)); // another desktop
}

/// Mixture of noise and commands, intact and damaged.
fn packets() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..80);
    let number = prop_oneof![4 => 0..4u16, 1 => any::<u16>()];
    let valid = (number, command()).prop_map(|(number, command)| encoded(number, &command));
    let valid = valid.boxed();
    let spoiled = (valid.clone(), any::<(prop::sample::Index, u8)>());
    let spoiled = spoiled.prop_map(|(mut bytes, (at, byte))| {
        *at.get_mut(&mut bytes) = byte;
        bytes
    });
    let part = prop_oneof![1 => noise, 4 => valid, 1 => spoiled];
    let part = part.prop_map(|mut bytes| {
        bytes.insert(0, bytes.len() as u8); // less than 128, so that it comes as it is
        bytes
    });
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    // Without failure files.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_frame_survives_a_round_trip(number: u16, body in frame()) {
        let bytes = sent(number, &body);
        prop_assert!(bytes.len() <= FRAME);
        prop_assert_eq!(frames(&bytes), [Ok(Message { number, body })]);
    }

    #[test]
    fn every_command_survives_a_round_trip(number: u16, body in command()) {
        let bytes = encoded(number, &body);
        prop_assert!(bytes.len() <= COMMAND);
        let found = CommandDecoder::new().take(&mut &bytes[..]);
        prop_assert_eq!(found, Some(Ok(Message { number, body })));
    }

    #[test]
    fn decoding_does_not_depend_on_packet_boundaries(
        bodies in prop::collection::vec(frame(), 1..8),
        lengths in prop::collection::vec(1..70usize, 1..8),
    ) {
        let bytes: Vec<u8> = (0..).zip(&bodies).flat_map(|(n, body)| sent(n, body)).collect();
        let mut decoder = FrameDecoder::new();
        let (mut found, mut rest) = (Vec::new(), &bytes[..]);
        let mut lengths = lengths.iter().cycle();
        while !rest.is_empty() {
            let length = lengths.next().unwrap();
            let (mut packet, after) = rest.split_at(rest.len().min(*length));
            found.extend(std::iter::from_fn(|| decoder.take(&mut packet)));
            rest = after;
        }
        prop_assert_eq!(found, frames(&bytes));
    }

    #[test]
    fn intact_frames_are_found_in_noise(
        parts in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..100), frame()), 0..8),
    ) {
        let mut bytes = Vec::new();
        for (number, (noise, frame)) in (0..).zip(&parts) {
            bytes.extend(noise);
            bytes.extend(sent(number, frame));
        }
        let found: Vec<_> = frames(&bytes).into_iter().flatten().collect();
        let good: Vec<_> = (0..)
            .zip(parts)
            .map(|(number, (_, body))| Message { number, body })
            .collect();
        prop_assert_eq!(found, good);
    }

    #[test]
    fn a_bit_flip_is_detected_and_does_not_affect_the_next_frame(
        number: u16, body in frame(), next in frame()
    ) {
        let bytes = sent(number, &body);
        let after = Message { number: number.wrapping_add(1), body: next };
        // The zeros around the frame are not part of it.
        for bit in 8..8 * (bytes.len() - 1) {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped.extend(sent(after.number, &after.body));
            let found = frames(&flipped);
            let (last, bad) = found.split_last().unwrap();
            prop_assert_eq!(last, &Ok(after.clone()));
            prop_assert!(!bad.is_empty() && bad.iter().all(Result::is_err), "bit {}", bit);
        }
    }

    #[test]
    fn a_truncated_frame_is_detected(number: u16, body in frame(), next in frame()) {
        let bytes = sent(number, &body);
        for len in 2..bytes.len() - 1 {
            let mut cut = bytes[..len].to_vec();
            cut.extend(sent(7, &next));
            let good = Message { number: 7, body: next.clone() };
            prop_assert_eq!(frames(&cut), [Err(DecodeError::Damaged), Ok(good)], "{} bytes", len);
        }
    }

    #[test]
    fn any_bytes_are_handled(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        crate::commands::take(&bytes);
    }

    #[test]
    fn any_mixture_of_commands_and_noise_is_handled(bytes in packets()) {
        crate::commands::take(&bytes);
    }
}
