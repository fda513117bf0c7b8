//! Whether commands come in their order.

use super::Refusal;

/// The numbers of commands: each is one more than the last, `65_535` is followed by `0`, and `0` begins
/// anew at any time.
///
/// A command that has arrived whole and in its turn uses up its number, even if it is then refused.
///
/// ```
/// use tinystar::report::{Refusal, Sequence};
///
/// let mut sequence = Sequence::new();
/// assert_eq!(sequence.follow(5), Err(Refusal::OutOfOrder)); // a stranger
/// assert_eq!(sequence.follow(0), Ok(()));
/// assert_eq!(sequence.follow(1), Ok(()));
/// assert_eq!(sequence.follow(1), Err(Refusal::OutOfOrder)); // twice
/// assert_eq!(sequence.follow(3), Err(Refusal::OutOfOrder)); // one is missing
/// assert_eq!(sequence.follow(2), Ok(()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// `0` before the first: only `0` may follow then, as it always may.
    next: u16,
}

impl Sequence {
    /// No command has come yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: 0 }
    }

    /// Takes the next command's number.
    ///
    /// # Errors
    /// [`Refusal::OutOfOrder`]; nothing has changed then.
    pub fn follow(&mut self, number: u16) -> Result<(), Refusal> {
        if number != 0 && number != self.next {
            return Err(Refusal::OutOfOrder);
        }
        self.next = number.wrapping_add(1);
        Ok(())
    }
}
