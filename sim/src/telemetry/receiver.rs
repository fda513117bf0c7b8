//! Frames out of bytes, and what is wrong with the bytes between them.

use tinystar::telemetry::{
    Frame,
    codec::{DecodeError, FrameDecoder, Message},
};

/// What a desktop hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A whole frame.
    Frame {
        /// Its number.
        number: u16,
        /// Frames before it that were sent and did not come, not even damaged.
        missing: u16,
        /// What is said.
        frame: Frame,
    },
    /// Bytes that are no frame.
    Invalid(DecodeError),
    /// The stream ended in the middle of a frame.
    Cut,
}

impl Received {
    /// Whether the robot has just been powered on.
    #[must_use]
    pub fn is_restart(&self) -> bool {
        matches!(
            self,
            Self::Frame {
                number: 0,
                frame: Frame::Hello { .. },
                ..
            }
        )
    }
}

/// A gap in the numbers that is longer was a restart: nobody loses so much and does not notice.
const LONGEST_GAP: u16 = u16::MAX / 2;

/// Finds frames in a stream, and what is missing between them.
///
/// ```
/// use sim::telemetry::{FrameReceiver, Received};
/// use tinystar::telemetry::{Frame, codec::{DecodeError, FRAME, encode}};
///
/// let mut ear = FrameReceiver::new();
/// let mut buffer = [0; FRAME];
/// let mut heard = Vec::new();
/// for number in [3, 6] {
///     let bytes = encode(number, &Frame::Cleared, &mut buffer)?;
///     heard.extend(bytes.iter().filter_map(|&byte| ear.feed(byte)));
/// }
/// heard.extend(b"noise\0".iter().filter_map(|&byte| ear.feed(byte)));
/// let frame = |number, missing| Received::Frame { number, missing, frame: Frame::Cleared };
/// assert_eq!(heard, [frame(3, 0), frame(6, 2), Received::Invalid(DecodeError::Damaged)]);
/// # Ok::<(), tinystar::telemetry::codec::BufferTooSmall>(())
/// ```
#[derive(Debug, Default)]
pub struct FrameReceiver {
    decoder: FrameDecoder,
    /// Whether it is to be passed over what comes before the first zero.
    is_late: bool,
    /// Whether bytes have come since the last zero.
    is_inside: bool,
    /// The number of the frame that is to come; unknown before the first.
    next: Option<u16>,
    /// Frames that came damaged since the last whole one: they are missing, but were counted.
    damaged: u16,
}

impl FrameReceiver {
    /// At the beginning of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// In the middle of a stream: the end of a frame is no damage.
    #[must_use]
    pub fn joining() -> Self {
        Self {
            is_late: true,
            ..Self::default()
        }
    }

    /// Takes a byte; what it ends, if it ends something.
    pub fn feed(&mut self, byte: u8) -> Option<Received> {
        if self.is_late {
            self.is_late = byte != 0;
            return None;
        }
        self.is_inside = byte != 0;
        Some(match self.decoder.feed(byte)? {
            Ok(Message { number, body }) => {
                let is_restart = number == 0 && matches!(body, Frame::Hello { .. });
                let missing = match is_restart {
                    true => 0,
                    false => self.gap(number).saturating_sub(self.damaged),
                };
                self.expect(number);
                Received::Frame {
                    number,
                    missing,
                    frame: body,
                }
            }
            Err(bad) => {
                match bad {
                    DecodeError::Unknown(number) => self.expect(number),
                    DecodeError::Damaged | DecodeError::TooLong => {
                        self.damaged = self.damaged.saturating_add(1)
                    }
                }
                Received::Invalid(bad)
            }
        })
    }

    /// The stream has ended.
    #[must_use]
    pub fn end(&mut self) -> Option<Received> {
        std::mem::take(&mut self.is_inside).then_some(Received::Cut)
    }

    fn gap(&self, number: u16) -> u16 {
        let gap = self.next.map_or(0, |next| number.wrapping_sub(next));
        if gap > LONGEST_GAP { 0 } else { gap }
    }

    fn expect(&mut self, number: u16) {
        self.next = Some(number.wrapping_add(1));
        self.damaged = 0;
    }
}

#[cfg(test)]
mod tests {
    use tinystar::telemetry::codec::{FRAME, encode};

    use super::*;

    fn bytes(numbers: &[u16]) -> Vec<u8> {
        let mut buffer = [0; FRAME];
        let mut bytes = Vec::new();
        for &number in numbers {
            bytes.extend(encode(number, &Frame::Cleared, &mut buffer).unwrap());
        }
        bytes
    }

    fn hear(ear: &mut FrameReceiver, bytes: &[u8]) -> Vec<Received> {
        let heard = bytes.iter().filter_map(|&byte| ear.feed(byte));
        heard.collect()
    }

    fn missing(heard: &[Received]) -> Vec<Option<u16>> {
        let missing = heard.iter().map(|heard| match heard {
            Received::Frame { missing, .. } => Some(*missing),
            Received::Invalid(_) | Received::Cut => None,
        });
        missing.collect()
    }

    #[test]
    fn a_damaged_frame_is_not_missing_too() {
        let mut all = bytes(&[1, 2, 3]);
        let third = all.len() / 3;
        all[third + 4] ^= 64;
        assert_eq!(
            missing(&hear(&mut FrameReceiver::new(), &all)),
            [Some(0), None, Some(0)]
        );
        let mut all = bytes(&[1, 2, 5]);
        all[third + 4] ^= 64;
        assert_eq!(
            missing(&hear(&mut FrameReceiver::new(), &all)),
            [Some(0), None, Some(2)]
        );
    }

    #[test]
    fn numbers_go_around_and_begin_anew() {
        let heard = hear(
            &mut FrameReceiver::new(),
            &bytes(&[u16::MAX - 1, u16::MAX, 0, 1, 900, 7]),
        );
        let expected = [0, 0, 0, 0, 898, 0].map(Some);
        assert_eq!(missing(&heard), expected);
    }

    #[test]
    fn who_comes_late_has_missed_nothing() {
        let all = bytes(&[8, 9, 10]);
        let heard = hear(&mut FrameReceiver::joining(), &all[5..]);
        assert_eq!(missing(&heard), [Some(0), Some(0)]);
    }

    #[test]
    fn a_stream_that_ends_within_a_frame_is_cut() {
        let all = bytes(&[8, 9]);
        for len in 0..=all.len() {
            let mut ear = FrameReceiver::new();
            let heard = hear(&mut ear, &all[..len]).len();
            let is_within = ![0, 1, all.len() / 2, all.len() / 2 + 1, all.len()].contains(&len);
            assert_eq!(ear.end().is_some(), is_within, "{len}");
            assert_eq!(heard, 2 * len / all.len(), "{len}");
        }
    }
}
