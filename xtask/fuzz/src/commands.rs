//! Properties that hold for all bytes a robot receives, checked by a fuzzer and by the tests.

use serde::{Serialize, Serializer, ser::SerializeTuple};
use tinystar::{
    config::FIELD,
    telemetry::{
        Command, CommandReceiver, Refusal,
        codec::{COMMAND, Message, encode},
    },
};

/// Gives a robot these bytes, packet by packet. The first byte of each says how long it is, and, if it
/// is 128 or more, that it comes with a checksum and between zeros: no fuzzer would guess those.
pub fn take(bytes: &[u8]) {
    let mut inbox = CommandReceiver::new(FIELD);
    let mut last = None;
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let (packet, after) = after.split_at(after.len().min(usize::from(first) % 128));
        rest = after;
        let mut sealed = [0; 256];
        let mut packet = match packet {
            [low, high, body @ ..] if first >= 128 => {
                let number = u16::from_le_bytes([*low, *high]);
                encode(number, &Raw(body), &mut sealed).expect("there is room")
            }
            _ => packet,
        };
        // There is a zero at the end of each.
        let most = packet.iter().filter(|&&byte| byte == 0).count();
        let mut found = 0;
        while let Some(taken) = inbox.take(&mut packet) {
            found += 1;
            match taken {
                Ok(message) => {
                    check(&message, last);
                    last = Some(message.number);
                }
                Err(refused) => {
                    let is_whole = !matches!(refused.why, Refusal::Damaged | Refusal::TooLong);
                    assert_eq!(refused.number.is_some(), is_whole);
                    if is_whole && refused.why != Refusal::OutOfOrder {
                        last = refused.number;
                    }
                }
            }
        }
        assert!(found <= most && packet.is_empty());
    }

    // And then somebody says something sensible.
    let mut buffer = [0; COMMAND];
    let mut bytes = encode(0, &Command::Stop, &mut buffer).expect("there is room");
    let taken = std::iter::from_fn(|| inbox.take(&mut bytes)).last();
    let stop = Message {
        number: 0,
        body: Command::Stop,
    };
    assert_eq!(taken, Some(Ok(stop)));
}

/// Bytes as the body of a message, as they are.
struct Raw<'b>(&'b [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        for byte in self.0 {
            tuple.serialize_element(byte)?;
        }
        tuple.end()
    }
}

/// Asserts that an accepted message is in sequence, is valid and can be encoded.
fn check(message: &Message<Command>, last: Option<u16>) {
    let Message { number, body } = message;
    assert!(*number == 0 || last.and_then(|last| last.checked_add(1)) == Some(*number));
    assert_eq!(body.check(FIELD), Ok(()));
    let mut buffer = [0; COMMAND];
    let mut bytes = encode(0, body, &mut buffer).expect("there is room");
    let again = CommandReceiver::new(FIELD).take(&mut bytes);
    assert_eq!(
        again.map(|again| again.map(|m| m.body)),
        Some(Ok(body.clone()))
    );
}
