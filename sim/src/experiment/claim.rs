//! What a paper says in words, checked on pairs of runs in the same worlds.

use crate::stats::summary;

/// Says whether the first contender needs less than the second, with the numbers.
///
/// The claim holds, or does not, when the 95 per cent interval of the differences is on one side of
/// zero; otherwise these runs do not tell.
#[must_use]
pub fn less(claim: &str, pairs: &[(f64, f64)]) -> String {
    let first = summary(pairs.iter().map(|pair| pair.0)).mean;
    let second = summary(pairs.iter().map(|pair| pair.1)).mean;
    let difference = summary(pairs.iter().map(|pair| pair.0 - pair.1));
    let verdict = match difference.ci95 {
        Some(ci) if difference.mean + ci < 0.0 => "holds",
        Some(ci) if difference.mean - ci > 0.0 => "does not hold",
        _ => "these runs do not tell",
    };
    let no_more = pairs.iter().filter(|pair| pair.0 <= pair.1).count();
    let interval = difference
        .ci95
        .map_or_else(String::new, |ci| format!(" ± {ci:.1}"));
    format!(
        "{claim}: {verdict}. {first:.1} against {second:.1}, a difference of {:.1}{interval}; no more in {no_more} of {} runs.",
        difference.mean,
        pairs.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_when_the_interval_of_differences_is_below_zero() {
        assert_eq!(
            less("few", &[(1.0, 2.0), (2.0, 4.0), (3.0, 4.0)]),
            "few: holds. 2.0 against 3.3, a difference of -1.3 ± 0.7; no more in 3 of 3 runs."
        );
    }

    #[test]
    fn it_does_not_hold_when_the_interval_is_above() {
        assert!(less("few", &[(3.0, 1.0), (4.0, 1.0)]).starts_with("few: does not hold."));
    }

    #[test]
    fn otherwise_the_runs_do_not_tell() {
        assert!(less("few", &[(3.0, 1.0), (1.0, 3.0)]).contains("do not tell"));
        assert!(less("few", &[(1.0, 3.0)]).contains("do not tell"));
    }
}
