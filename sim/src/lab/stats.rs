//! The one statistics routine: a mean and its 95 per cent interval.

use average::Variance;

/// Half the width of the 95 per cent interval of a normal distribution, in standard errors.
pub const Z95: f64 = 1.96;

/// A mean and how far off it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub mean: f64,
    /// Half the width of the 95 per cent interval; `None` when one sample says nothing about it.
    pub ci95: Option<f64>,
    pub runs: u64,
}

impl Summary {
    /// A number that comes out the same however often it is measured.
    pub fn exact(value: f64) -> Self {
        Self {
            mean: value,
            ci95: Some(0.0),
            runs: 1,
        }
    }
}

/// The mean of samples, with the interval that the normal distribution gives it.
///
/// ```
/// let summary = sim::lab::stats::summary([1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(summary.mean, 2.5);
/// // The sample variance is 5/3, the standard error the root of a quarter of that.
/// assert!((summary.ci95.unwrap() - 1.96 * (5.0_f64 / 12.0).sqrt()).abs() < 1e-12);
/// ```
pub fn summary(samples: impl IntoIterator<Item = f64>) -> Summary {
    let variance: Variance = samples.into_iter().collect();
    Summary {
        mean: variance.mean(),
        ci95: (variance.len() > 1).then(|| Z95 * variance.error()),
        runs: variance.len(),
    }
}

/// The sum of the first numbers over the sum of the second ones.
///
/// Its interval is that of the pairs' distances from the ratio, so what both numbers of a pair
/// owe to a hard problem does not widen it.
pub fn ratio(pairs: &[(f64, f64)]) -> Summary {
    let below = summary(pairs.iter().map(|pair| pair.1)).mean;
    let mean = summary(pairs.iter().map(|pair| pair.0)).mean / below;
    let distances = summary(pairs.iter().map(|pair| (pair.0 - mean * pair.1) / below));
    Summary { mean, ..distances }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn equal_samples_leave_no_doubt_and_one_sample_leaves_all() {
        assert_eq!(summary([3.0; 5]).ci95, Some(0.0));
        assert_eq!(summary([3.0]).ci95, None);
        assert_eq!(summary([3.0]).mean, 3.0);
    }

    #[test]
    fn a_ratio_is_that_of_the_sums() {
        let found = ratio(&[(1.0, 2.0), (5.0, 6.0)]);
        assert_near(found.mean, 6.0 / 8.0);
        // Distances (1 - 1.5) / 4 and (5 - 4.5) / 4, around zero: variance 1/32, of two samples.
        assert_near(found.ci95.unwrap(), 1.96 * (1.0_f64 / 64.0).sqrt());
        assert_eq!(found.runs, 2);
    }

    #[test]
    fn a_constant_ratio_is_certain_however_the_pairs_differ() {
        let found = ratio(&[(1.0, 2.0), (10.0, 20.0), (300.0, 600.0)]);
        assert_near(found.mean, 0.5);
        assert_near(found.ci95.unwrap(), 0.0);
    }
}
