//! Significance of many differences at once: Holm's step-down method.
//!
//! Of a hundred intervals of 95 %, several miss zero by chance. Holm's method keeps the probability of any false verdict
//! among them at that of a single one.

use super::stats::{Summary, Z95};

/// Returns which of several means are significantly above zero: all verdicts together are as certain as one by the 95 %
/// interval of its own.
///
/// ```
/// use sim::lab::{significance::above_zero, stats::Summary};
///
/// let of = |mean: f64| Summary { mean, ci95: Some(1.0), runs: 100 };
/// assert_eq!(above_zero(&[of(1.1)]), [true]);
/// assert_eq!(above_zero(&[of(1.1), of(0.0), of(3.0), of(-3.0)]), [false, false, true, false]);
/// ```
#[must_use]
pub fn above_zero(means: &[Summary]) -> Vec<bool> {
    let p_values: Vec<f64> = means.iter().map(|&mean| p_value(mean)).collect();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let level = upper_tail(Z95);
    let mut is_above = vec![false; means.len()];
    for (rank, &place) in order.iter().enumerate() {
        // The first that is not significant ends it: none that is less so can be.
        if p_values[place] >= level / (means.len() - rank) as f64 {
            break;
        }
        is_above[place] = true;
    }
    is_above
}

/// The probability of a mean at least this large where the true one is zero.
fn p_value(mean: Summary) -> f64 {
    match mean.ci95 {
        Some(ci) if ci > 0.0 => upper_tail(mean.mean / ci * Z95),
        Some(_) if mean.mean > 0.0 => 0.0,
        _ => 1.0,
    }
}

/// The probability that a normal variable is more than `z` standard deviations above its mean, to seven decimals
/// (Abramowitz & Stegun, 26.2.17).
fn upper_tail(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    if z < 0.0 {
        return 1.0 - upper_tail(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    density * polynomial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_normal_distribution() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_25),
            (-1.0, 0.841_344_75),
            (1.96, 0.024_997_90),
            (3.0, 0.001_349_90),
            (4.0, 0.000_031_67),
        ] {
            assert!(
                (upper_tail(z) - tail).abs() < 1e-7,
                "{z}: {}",
                upper_tail(z)
            );
        }
    }

    /// A mean that is so many standard errors above zero.
    fn at(z: f64) -> Summary {
        Summary {
            mean: z,
            ci95: Some(Z95),
            runs: 1000,
        }
    }

    #[test]
    fn a_single_mean_is_judged_by_its_interval() {
        assert_eq!(above_zero(&[at(1.95)]), [false]);
        assert_eq!(above_zero(&[at(1.97)]), [true]);
        assert_eq!(above_zero(&[]), [false; 0]);
    }

    /// Of two, the larger needs half the probability, 2.24 standard errors; then the other needs 1.96.
    #[test]
    fn the_more_means_the_larger_one_must_be_and_the_next_less_so() {
        assert_eq!(above_zero(&[at(2.2), at(0.0)]), [false, false]);
        assert_eq!(above_zero(&[at(2.3), at(0.0)]), [true, false]);
        assert_eq!(above_zero(&[at(2.0), at(2.3)]), [true, true]);
        assert_eq!(above_zero(&[at(2.0), at(2.2)]), [false, false]);
    }

    #[test]
    fn a_mean_without_an_interval_says_nothing_and_one_without_variance_all() {
        let exact = Summary::exact(0.1);
        let unknown = Summary {
            ci95: None,
            ..exact
        };
        assert_eq!(
            above_zero(&[exact, unknown, Summary::exact(0.0), Summary::exact(-1.0)]),
            [true, false, false, false]
        );
    }
}
