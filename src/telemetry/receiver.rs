//! Reception of commands on the robot.

use super::{
    Command, Frame, Refusal, Sequence,
    codec::{CommandDecoder, DecodeError, Message},
};
use crate::mission::Field;

/// Refused command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Number of the command, if it could be read.
    pub number: Option<u16>,
    /// Reason.
    pub why: Refusal,
}

impl From<Refused> for Frame {
    fn from(Refused { number, why }: Refused) -> Self {
        Self::Refused { number, why }
    }
}

/// Decodes commands and checks their sequence and their validity on a field.
///
/// ```
/// use tinystar::{config::FIELD, telemetry::{Command, CommandReceiver, Refusal, codec::{COMMAND, encode}}};
///
/// let mut receiver = CommandReceiver::new(FIELD);
/// let mut buffer = [0; COMMAND];
/// for (number, expected) in [(0, Ok(())), (2, Err(Refusal::OutOfOrder)), (1, Ok(()))] {
///     let mut bytes = encode(number, &Command::Start, &mut buffer)?;
///     let got = receiver.take(&mut bytes).expect("a whole message");
///     assert_eq!(got.map(|_| ()).map_err(|refused| refused.why), expected);
/// }
/// # Ok::<(), tinystar::telemetry::codec::BufferTooSmall>(())
/// ```
#[derive(Debug)]
pub struct CommandReceiver {
    field: Field,
    decoder: CommandDecoder,
    sequence: Sequence,
}

impl CommandReceiver {
    /// Receiver of a new connection.
    #[must_use]
    pub const fn new(field: Field) -> Self {
        Self {
            field,
            decoder: CommandDecoder::new(),
            sequence: Sequence::new(),
        }
    }

    /// Sets the field on which commands must be valid.
    pub fn set_field(&mut self, field: Field) {
        self.field = field;
    }

    /// Takes bytes up to the end of the next command and leaves the rest in `bytes`.
    pub fn take(&mut self, bytes: &mut &[u8]) -> Option<Result<Message<Command>, Refused>> {
        self.decoder.take(bytes).map(|message| self.check(message))
    }

    fn check(
        &mut self,
        message: Result<Message<Command>, DecodeError>,
    ) -> Result<Message<Command>, Refused> {
        let number = match &message {
            Ok(message) => Some(message.number),
            Err(DecodeError::Unknown(number)) => Some(*number),
            Err(DecodeError::Damaged | DecodeError::TooLong) => None,
        };
        let refused = |why| Refused { number, why };
        if let Some(number) = number {
            self.sequence.follow(number).map_err(refused)?;
        }
        let message = message.map_err(|error| {
            refused(match error {
                DecodeError::Damaged => Refusal::Damaged,
                DecodeError::TooLong => Refusal::TooLong,
                DecodeError::Unknown(_) => Refusal::Unknown,
            })
        })?;
        message.body.check(self.field).map_err(refused)?;
        Ok(message)
    }
}
