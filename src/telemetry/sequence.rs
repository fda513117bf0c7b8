//! Sequence numbers of commands.

use super::Refusal;

/// Checks the numbers of commands: each is one more than the last, wrapping, and `0` starts a new sequence
/// at any time.
///
/// An intact command in sequence uses up its number even if it is refused.
///
/// ```
/// use tinystar::telemetry::{Refusal, Sequence};
///
/// let mut sequence = Sequence::new();
/// assert_eq!(sequence.follow(5), Err(Refusal::OutOfOrder)); // not started
/// assert_eq!(sequence.follow(0), Ok(()));
/// assert_eq!(sequence.follow(1), Ok(()));
/// assert_eq!(sequence.follow(1), Err(Refusal::OutOfOrder)); // twice
/// assert_eq!(sequence.follow(3), Err(Refusal::OutOfOrder)); // one is missing
/// assert_eq!(sequence.follow(2), Ok(()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// `0` before the first, so that only `0` can start.
    next: u16,
}

impl Sequence {
    /// Sequence before its first command.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: 0 }
    }

    /// Accepts the number of the next command.
    ///
    /// # Errors
    /// [`Refusal::OutOfOrder`]; nothing has changed.
    pub fn follow(&mut self, number: u16) -> Result<(), Refusal> {
        if number != 0 && number != self.next {
            return Err(Refusal::OutOfOrder);
        }
        self.next = number.wrapping_add(1);
        Ok(())
    }
}
