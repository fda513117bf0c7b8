//! Why the chip was restarted, told to the next run in a word that outlives a reset.

use crate::fault::Fault;

/// Marks a word as ours: after power-on it is anything but this.
const MARK: u32 = 0x7153_A200;

/// The word of a program that runs: should the watchdog bite, it is what is found.
pub const RUNNING: u32 = MARK;

/// The word of a program that ends by a fault.
#[must_use]
pub const fn note(fault: Fault) -> u32 {
    MARK | fault.code() as u32
}

/// The fault that ended the last run, if one did: from the word that is found, and from whether the
/// watchdog ran out. That alone says little, since the boot ROM also restarts the chip by it.
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
    fn every_fault_is_told() {
        for fault in Fault::ALL {
            assert_eq!(cause(note(fault), false), Some(fault));
            assert_eq!(cause(note(fault), true), Some(fault));
        }
    }

    #[test]
    fn a_bite_is_told_only_of_a_program_that_ran() {
        assert_eq!(cause(RUNNING, true), Some(Fault::Watchdog));
        assert_eq!(cause(RUNNING, false), None); // a debugger's reset
        assert_eq!(cause(0, true), None); // the boot ROM, after a new program was copied
        assert_eq!(cause(0, false), None); // power-on
    }

    #[test]
    fn a_word_of_somebody_else_is_no_fault() {
        for word in [1, u32::MAX, MARK - 1, MARK + 12, MARK + 0x101] {
            assert_eq!(cause(word, true), None, "{word:#x}");
        }
    }
}
