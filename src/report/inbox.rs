//! What comes in from a desktop, up to where it is either a command that makes sense or refused.

use super::{
    Command, Frame, Refusal, Sequence,
    codec::{Bad, CommandDecoder, Message},
};
use crate::mission::Field;

/// A command that will not be carried out: its number, if that could be read, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its number, if that could be read.
    pub number: Option<u16>,
    /// Why.
    pub why: Refusal,
}

impl From<Refused> for Frame {
    fn from(Refused { number, why }: Refused) -> Self {
        Self::Refused { number, why }
    }
}

/// Commands out of bytes: whole, in their order, and valid on a field.
///
/// ```
/// use tinystar::{config::FIELD, report::{Command, Inbox, Refusal, codec::{COMMAND, encode}}};
///
/// let mut inbox = Inbox::new(FIELD);
/// let mut buffer = [0; COMMAND];
/// for (number, expected) in [(0, Ok(())), (2, Err(Refusal::OutOfOrder)), (1, Ok(()))] {
///     let mut bytes = encode(number, &Command::Start, &mut buffer)?;
///     let got = inbox.take(&mut bytes).expect("a whole message");
///     assert_eq!(got.map(|_| ()).map_err(|refused| refused.why), expected);
/// }
/// # Ok::<(), tinystar::report::codec::DoesNotFit>(())
/// ```
#[derive(Debug)]
pub struct Inbox {
    field: Field,
    decoder: CommandDecoder,
    sequence: Sequence,
}

impl Inbox {
    /// Nothing has come yet.
    #[must_use]
    pub const fn new(field: Field) -> Self {
        Self {
            field,
            decoder: CommandDecoder::new(),
            sequence: Sequence::new(),
        }
    }

    /// Takes bytes up to the end of the next command, and leaves the rest in `bytes`.
    pub fn take(&mut self, bytes: &mut &[u8]) -> Option<Result<Message<Command>, Refused>> {
        self.decoder.take(bytes).map(|message| self.judge(message))
    }

    fn judge(
        &mut self,
        message: Result<Message<Command>, Bad>,
    ) -> Result<Message<Command>, Refused> {
        let number = match &message {
            Ok(message) => Some(message.number),
            Err(Bad::Unknown(number)) => Some(*number),
            Err(Bad::Damaged | Bad::TooLong) => None,
        };
        let refused = |why| Refused { number, why };
        if let Some(number) = number {
            self.sequence.follow(number).map_err(refused)?;
        }
        let message = message.map_err(|bad| {
            refused(match bad {
                Bad::Damaged => Refusal::Damaged,
                Bad::TooLong => Refusal::TooLong,
                Bad::Unknown(_) => Refusal::Unknown,
            })
        })?;
        message.body.check(self.field).map_err(refused)?;
        Ok(message)
    }
}
