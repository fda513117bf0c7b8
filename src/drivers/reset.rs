//! Reset cause, passed to the next run in a scratch word that survives a reset.

use crate::fault::Fault;

/// Upper bits of a valid word; after power-on they are different.
const MARK: u32 = 0x7153_A200;

/// Word of a running program; found after a watchdog timeout.
pub const RUNNING: u32 = MARK;

/// Word of a program that ends with a fault.
#[must_use]
pub const fn word(fault: Fault) -> u32 {
    MARK | fault.code() as u32
}

/// Fault that ended the last run, from the word and the watchdog's timeout flag. The flag alone is not
/// enough: the boot ROM also restarts the chip by the watchdog.
#[must_use]
pub fn cause(word: u32, timed_out: bool) -> Option<Fault> {
    if word == RUNNING {
        return timed_out.then_some(Fault::Watchdog);
    }
    let code = u8::try_from(word.checked_sub(MARK)?).ok()?;
    Fault::from_code(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_survives_a_reset() {
        for fault in Fault::ALL {
            assert_eq!(cause(word(fault), false), Some(fault));
            assert_eq!(cause(word(fault), true), Some(fault));
        }
    }

    #[test]
    fn a_timeout_counts_only_after_a_running_program() {
        assert_eq!(cause(RUNNING, true), Some(Fault::Watchdog));
        assert_eq!(cause(RUNNING, false), None); // a debugger's reset
        assert_eq!(cause(0, true), None); // the boot ROM, after a new program was copied
        assert_eq!(cause(0, false), None); // power-on
    }

    #[test]
    fn an_unknown_word_is_no_fault() {
        for unknown in [1, u32::MAX, MARK - 1, MARK + 13, MARK + 0x101] {
            assert_eq!(cause(unknown, true), None, "{unknown:#x}");
        }
    }
}
