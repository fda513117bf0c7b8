//! A paper's claims, checked on pairs of runs in the same worlds.

use crate::lab::stats::{Summary, ratio, summary};

/// Says whether the first contender needs less than the second, with the numbers.
///
/// The claim holds, or does not, when the 95 per cent interval of the differences is on one side of
/// zero; otherwise these runs do not tell.
pub fn less(claim: &str, pairs: &[(f64, f64)]) -> String {
    let first = summary(pairs.iter().map(|pair| pair.0)).mean;
    let second = summary(pairs.iter().map(|pair| pair.1)).mean;
    let difference = difference(pairs);
    let verdict = verdict(difference);
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

/// Pairs of runs at several settings.
pub type Settings<'a> = &'a [(u32, Vec<(f64, f64)>)];

/// Says at which settings the first contender needs less than the second, with the numbers.
pub fn less_at(claim: &str, settings: Settings<'_>) -> String {
    by_setting(claim, settings, |pairs| verdict(difference(pairs)))
}

/// Says at which settings the two contenders' means are within `percent` of each other.
pub fn alike_at(claim: &str, percent: f64, settings: Settings<'_>) -> String {
    let verdict = |pairs: &[(f64, f64)]| holds((ratio(pairs).mean - 1.0).abs() <= percent / 100.0);
    let claim = format!("{claim} (within {percent} %)");
    by_setting(&claim, settings, verdict)
}

fn by_setting(
    claim: &str,
    settings: Settings<'_>,
    verdict: impl Fn(&[(f64, f64)]) -> &'static str,
) -> String {
    let mut verdicts: Vec<(&str, Vec<String>)> = Vec::new();
    let mut ratios = Vec::new();
    for (setting, pairs) in settings {
        let word = verdict(pairs);
        match verdicts.iter_mut().find(|(other, _)| *other == word) {
            Some((_, at)) => at.push(setting.to_string()),
            None => verdicts.push((word, vec![setting.to_string()])),
        }
        ratios.push(format!("{:.2}", ratio(pairs).mean));
    }
    let verdicts: Vec<String> = match &verdicts[..] {
        [(word, at)] if at.len() > 1 => vec![format!("{word} at every limit")],
        _ => verdicts
            .into_iter()
            .map(|(word, at)| format!("{word} at {}", at.join(", ")))
            .collect(),
    };
    format!(
        "{claim}: {}. First over second, by limit: {}.",
        verdicts.join("; "),
        ratios.join(", ")
    )
}

const HOLDS: &str = "holds";
const FAILS: &str = "does not hold";
const OPEN: &str = "these runs do not tell";

/// The words of a verdict, behind the colon that follows a claim: it holds, it does not, or that is not known.
pub const WORDS: [&str; 3] = [HOLDS, FAILS, OPEN];

/// The verdict on a claim that holds or does not.
pub fn holds(is_true: bool) -> &'static str {
    if is_true { HOLDS } else { FAILS }
}

/// Says whether a difference is below zero.
fn verdict(difference: Summary) -> &'static str {
    match difference.ci95 {
        Some(ci) if difference.mean + ci < 0.0 => HOLDS,
        Some(ci) if difference.mean - ci > 0.0 => FAILS,
        _ => OPEN,
    }
}

fn difference(pairs: &[(f64, f64)]) -> Summary {
    summary(pairs.iter().map(|pair| pair.0 - pair.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_judged_by_the_side_of_zero_on_which_the_interval_of_differences_is() {
        assert_eq!(
            less("few", &[(1.0, 2.0), (2.0, 4.0), (3.0, 4.0)]),
            "few: holds. 2.0 against 3.3, a difference of -1.3 ± 0.7; no more in 3 of 3 runs."
        );
        assert!(less("few", &[(3.0, 1.0), (4.0, 1.0)]).starts_with("few: does not hold."));
        assert!(less("few", &[(3.0, 1.0), (1.0, 3.0)]).contains("do not tell"));
        assert!(less("few", &[(1.0, 3.0)]).contains("do not tell"));
    }

    #[test]
    fn settings_are_judged_one_by_one() {
        let settings = [
            (1, vec![(3.0, 1.0), (4.0, 1.0)]),
            (8, vec![(1.0, 2.0), (2.0, 4.0), (3.0, 4.0)]),
            (16, vec![(1.0, 3.0), (1.0, 2.0)]),
        ];
        assert_eq!(
            less_at("few", &settings),
            "few: does not hold at 1; holds at 8, 16. First over second, by limit: 3.50, 0.60, 0.40."
        );
        assert!(less_at("few", &settings[1..]).starts_with("few: holds at every limit."));
    }

    #[test]
    fn means_are_alike_when_they_are_near() {
        let settings = [(1, vec![(1.0, 1.1), (1.0, 0.9)]), (2, vec![(1.2, 1.0)])];
        assert!(
            alike_at("same", 5.0, &settings)
                .starts_with("same (within 5 %): holds at 1; does not hold at 2.")
        );
    }
}
