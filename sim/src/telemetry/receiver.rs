//! Reception of frames from a byte stream.

use tinystar::telemetry::{
    Frame,
    codec::{DecodeError, FrameDecoder, Message},
};

/// Result of reception.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// Intact frame.
    Frame {
        /// Number of the frame.
        number: u16,
        /// Frames missing before it, not counting damaged ones.
        missing: u16,
        /// Content.
        frame: Frame,
    },
    /// Invalid bytes.
    Invalid(DecodeError),
    /// The stream ended within a frame.
    Truncated,
}

impl Received {
    /// Returns whether this is the first frame after power-on.
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

/// Longest gap in the numbers; a longer one is a restart.
const LONGEST_GAP: u16 = u16::MAX / 2;

/// Decodes frames from a stream, by default from its start, and counts missing ones.
///
/// ```
/// use sim::telemetry::{FrameReceiver, Received};
/// use tinystar::telemetry::{Frame, codec::{DecodeError, FRAME, encode}};
///
/// let mut receiver = FrameReceiver::default();
/// let mut buffer = [0; FRAME];
/// let mut received = Vec::new();
/// for number in [3, 6] {
///     let bytes = encode(number, &Frame::Cleared, &mut buffer)?;
///     received.extend(bytes.iter().filter_map(|&byte| receiver.feed(byte)));
/// }
/// received.extend(b"noise\0".iter().filter_map(|&byte| receiver.feed(byte)));
/// let frame = |number, missing| Received::Frame { number, missing, frame: Frame::Cleared };
/// assert_eq!(received, [frame(3, 0), frame(6, 2), Received::Invalid(DecodeError::Damaged)]);
/// # Ok::<(), tinystar::telemetry::codec::BufferTooSmall>(())
/// ```
#[derive(Debug, Default)]
pub struct FrameReceiver {
    decoder: FrameDecoder,
    /// True to skip bytes before the first zero.
    is_joining: bool,
    /// True if bytes have arrived since the last zero.
    is_inside: bool,
    /// Number of the next frame; unknown before the first.
    next: Option<u16>,
    /// Damaged frames since the last intact one; they explain part of a gap.
    damaged: u16,
}

impl FrameReceiver {
    /// Receiver in the middle of a stream: the rest of a frame is skipped.
    pub fn joining() -> Self {
        Self {
            is_joining: true,
            ..Self::default()
        }
    }

    /// Takes a byte; returns the result that it completes.
    pub fn feed(&mut self, byte: u8) -> Option<Received> {
        if self.is_joining {
            self.is_joining = byte != 0;
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
            Err(error) => {
                match error {
                    DecodeError::Unknown(number) => self.expect(number),
                    DecodeError::Damaged | DecodeError::TooLong => {
                        self.damaged = self.damaged.saturating_add(1)
                    }
                }
                Received::Invalid(error)
            }
        })
    }

    /// Ends the stream; returns a truncated frame, if any.
    pub fn end(&mut self) -> Option<Received> {
        std::mem::take(&mut self.is_inside).then_some(Received::Truncated)
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

    /// Frames missing before each one received; `None` for damaged ones.
    fn missing(mut receiver: FrameReceiver, bytes: &[u8]) -> Vec<Option<u16>> {
        let received = bytes.iter().filter_map(|&byte| receiver.feed(byte));
        let missing = received.map(|received| match received {
            Received::Frame { missing, .. } => Some(missing),
            Received::Invalid(_) | Received::Truncated => None,
        });
        missing.collect()
    }

    #[test]
    fn a_damaged_frame_does_not_also_count_as_missing() {
        for (numbers, last) in [([1, 2, 3], 0), ([1, 2, 5], 2)] {
            let mut all = bytes(&numbers);
            let third = all.len() / 3;
            all[third + 4] ^= 64;
            let expected = [Some(0), None, Some(last)];
            assert_eq!(missing(FrameReceiver::default(), &all), expected);
        }
    }

    #[test]
    fn numbers_wrap_and_restart() {
        let all = bytes(&[u16::MAX - 1, u16::MAX, 0, 1, 900, 7]);
        let expected = [0, 0, 0, 0, 898, 0].map(Some);
        assert_eq!(missing(FrameReceiver::default(), &all), expected);
    }

    #[test]
    fn joining_late_counts_nothing_as_missing() {
        let all = bytes(&[8, 9, 10]);
        let missing = missing(FrameReceiver::joining(), &all[5..]);
        assert_eq!(missing, [Some(0), Some(0)]);
    }

    #[test]
    fn a_stream_that_ends_within_a_frame_is_truncated() {
        let all = bytes(&[8, 9]);
        for len in 0..=all.len() {
            let mut receiver = FrameReceiver::default();
            let received = all[..len].iter().filter_map(|&byte| receiver.feed(byte));
            assert_eq!(received.count(), 2 * len / all.len(), "{len}");
            let is_within = ![0, 1, all.len() / 2, all.len() / 2 + 1, all.len()].contains(&len);
            assert_eq!(receiver.end().is_some(), is_within, "{len}");
        }
    }
}
