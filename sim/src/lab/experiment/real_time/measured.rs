//! The results of all contenders in all trials, and what they say.

use std::fmt;

use super::{
    Contender, TrialResult, Unit,
    contender::{RTD_LRTA, RTD_LSS, RTD_TBA, UNLIMITED},
    unit::cycles_per_unit,
    worlds_of,
};
use crate::lab::{
    experiment::{
        chart::{Chart, Curve},
        claim,
        report::Report,
        row::{DISTANCE_RATIO, Metric, STEPS_RATIO},
        sweep::Sweep,
    },
    significance,
    stats::{self, Summary, summary},
};

type Value = fn(&TrialResult) -> Option<f64>;

/// A rival against the contender that is judged, at one limit.
struct Comparison {
    other: Contender,
    limit: u32,
    /// The rival's ticks over the contender's.
    ratio: Summary,
    /// Ticks that the rival needs less, over the steps of a shortest path.
    fewer: Summary,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * (1.0 - self.ratio.mean);
        let interval = self.ratio.ci95.map_or(f64::NAN, |ci| 100.0 * ci);
        write!(
            f,
            "{} at limit {} by {percent:.1} ± {interval:.1} %",
            self.other, self.limit
        )
    }
}

/// The results of all contenders.
#[derive(Clone, Debug)]
pub struct Measured {
    contenders: Vec<Contender>,
    unit: Unit,
    /// By trial, contender and limit.
    trials: Vec<Vec<Vec<TrialResult>>>,
}

impl Measured {
    /// `trials` hold the results of `contenders`, in their order, under limits in a unit.
    pub fn new(contenders: &[Contender], unit: Unit, trials: Vec<Vec<Vec<TrialResult>>>) -> Self {
        Self {
            contenders: contenders.to_vec(),
            unit,
            trials,
        }
    }

    fn limits(&self) -> [u32; 8] {
        self.unit.limits()
    }

    /// A report on the planner that the robot runs; with claims of the paper as judged, if all contenders ran, and on the
    /// shares of Real-Time D*.
    pub fn report(
        &self,
        experiment: &'static str,
        title: String,
        sweep: Sweep,
        claims: Option<Vec<String>>,
    ) -> Report {
        let differ = |what: &str, shares: &[Contender]| {
            let claim = format!("Local shares of 25, 50 and 75 % differ little over {what}");
            self.spread(&claim, 10.0, shares)
        };
        let mut findings = vec![worlds_of(sweep)];
        if let Some(claims) = claims {
            findings.extend(claims);
            findings.extend([
                differ("LRTA*", &RTD_LRTA),
                differ("LSS-LRTA*", &RTD_LSS),
                self.best_shares(&RTD_LRTA),
                self.best_shares(&RTD_LSS),
            ]);
        }
        findings.extend([
            self.over_unlimited(RTD_TBA),
            self.never_worse(RTD_TBA),
            self.nearest_rivals(RTD_TBA),
        ]);
        let notes = self.on_unit().into_iter().chain(self.given_up());
        Report {
            experiment,
            title,
            rows: Vec::new(),
            charts: self.charts(),
            findings: findings.into_iter().chain(notes).collect(),
        }
    }

    /// States what a limit in cycles means for each contender.
    fn on_unit(&self) -> Option<String> {
        if self.unit == Unit::Expansions {
            return None;
        }
        let limited = self.contenders.iter().filter(|c| c.is_limited);
        let words = limited.filter_map(|&contender| {
            let cycles = cycles_per_unit(contender).ok()?;
            Some(format!("{contender} {cycles:.0}"))
        });
        let words: Vec<String> = words.collect();
        Some(format!(
            "A limit in cycles is that of as many expansions as fit, at least one. Mean cycles on the chip per expansion \
             or other work at its price (Anytime D* counts as D* Lite, though it runs on a heap): {}.",
            words.join(", ")
        ))
    }

    /// Ticks and distances over the limit, a curve for each contender. There is no distance where a
    /// walk was given up.
    pub fn charts(&self) -> Vec<Chart> {
        let metrics: [(Metric, Value); 2] = [
            (STEPS_RATIO, |result| Some(result.steps)),
            (DISTANCE_RATIO, |result| {
                result.has_arrived.then_some(result.distance)
            }),
        ];
        metrics
            .map(|(metric, value)| Chart {
                metric,
                axis: self.unit.axis(),
                unit: "limit",
                curves: (0..self.contenders.len())
                    .map(|contender| self.curve(contender, value))
                    .collect(),
            })
            .into()
    }

    fn curve(&self, contender: usize, value: Value) -> Curve {
        let point = |(place, limit)| {
            let results = self.trials.iter().map(|trial| &trial[contender][place]);
            let values: Option<Vec<f64>> = results.map(value).collect();
            Some((limit, summary(values?)))
        };
        Curve {
            label: self.contenders[contender].to_string(),
            points: self
                .limits()
                .into_iter()
                .enumerate()
                .filter_map(point)
                .collect(),
        }
    }

    /// Judges that the first contender needs fewer ticks than the second.
    pub fn less(&self, claim: &str, first: Contender, second: Contender) -> String {
        claim::less_at(claim, &self.settings(first, second))
    }

    /// Judges that two contenders need about as many ticks.
    pub fn alike(&self, claim: &str, percent: f64, first: Contender, second: Contender) -> String {
        claim::alike_at(claim, percent, &self.settings(first, second))
    }

    /// Judges that the first contender comes near the second at the largest limit.
    pub fn converges(
        &self,
        claim: &str,
        percent: f64,
        first: Contender,
        second: Contender,
    ) -> String {
        let settings = self.settings(first, second);
        claim::alike_at(
            claim,
            percent,
            &settings[settings.len().saturating_sub(1)..],
        )
    }

    /// Judges that the first contender gains more from the largest limit over that of 8 than the
    /// second does.
    pub fn gains_more(&self, claim: &str, first: Contender, second: Contender) -> String {
        let [_, small, .., large] = self.limits();
        let gain = |contender| {
            let at = |limit| self.ticks(contender, limit).mean;
            at(small) / at(large)
        };
        let (first, second) = (gain(first), gain(second));
        let verdict = claim::holds(first > second);
        format!(
            "{claim}: {verdict}. Ticks at limit {small} over those at {large}: {first:.2} and {second:.2}."
        )
    }

    /// Says how far the settings of Real-Time D*'s local share are apart.
    fn spread(&self, claim: &str, percent: f64, contenders: &[Contender]) -> String {
        let widest = self.limits().into_iter().map(|limit| {
            let means = contenders
                .iter()
                .map(|&contender| self.ticks(contender, limit).mean);
            let most = means.clone().fold(f64::MIN, f64::max);
            ((most / means.fold(f64::MAX, f64::min) - 1.0) * 100.0, limit)
        });
        let (apart, limit) = widest.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        let verdict = claim::holds(apart <= percent);
        format!(
            "{claim} (within {percent} %): {verdict}. At most {apart:.1} % apart, at limit {limit}."
        )
    }

    /// Says which local share is best at most limits, for each planner that has several.
    fn best_shares(&self, contenders: &[Contender]) -> String {
        let mut wins = vec![0; contenders.len()];
        for limit in self.limits() {
            let mean = |place: &usize| self.ticks(contenders[*place], limit).mean;
            let best = (0..contenders.len()).min_by(|a, b| mean(a).total_cmp(&mean(b)));
            wins[best.unwrap_or(0)] += 1;
        }
        let words = contenders.iter().zip(wins);
        let words: Vec<String> = words.map(|(c, wins)| format!("{c} at {wins}")).collect();
        format!(
            "Fewest ticks among local shares: {} limits.",
            words.join(", ")
        )
    }

    /// Ticks of a contender over those of D* Lite without a limit, mean by mean.
    pub fn over_unlimited(&self, contender: Contender) -> String {
        let words = self.limits().map(|limit| {
            let over = self.ticks(contender, limit).mean / self.ticks(UNLIMITED, limit).mean;
            format!("{over:.2} at {limit}")
        });
        format!(
            "Ticks of {contender} over those of D* Lite without a limit: {}.",
            words.join(", ")
        )
    }

    /// Judges that no other contender needs significantly fewer ticks at any limit, all limits and contenders together.
    pub fn never_worse(&self, contender: Contender) -> String {
        let comparisons = self.comparisons(contender);
        let fewer: Vec<Summary> = comparisons.iter().map(|one| one.fewer).collect();
        let is_significant = significance::above_zero(&fewer);
        let (mut worse, mut by_itself) = (Vec::new(), Vec::new());
        for (one, is_significant) in comparisons.iter().zip(is_significant) {
            if is_significant {
                worse.push(one.to_string());
            } else if one.fewer.ci95.is_some_and(|ci| one.fewer.mean > ci) {
                by_itself.push(one.to_string());
            }
        }
        let verdict = match worse.is_empty() {
            true => "holds".to_owned(),
            false => format!("does not hold. Fewer ticks: {}", worse.join(", ")),
        };
        let by_itself = match by_itself.is_empty() {
            true => "no single one".to_owned(),
            false => by_itself.join(", "),
        };
        format!(
            "{contender} is never significantly worse than another planner: {verdict}. {} paired comparisons, by Holm's \
             method as certain together as one 95 % interval. Fewer ticks by their own intervals alone: {by_itself}.",
            comparisons.len(),
        )
    }

    /// Names the best of the other contenders at each limit, and how near it comes.
    fn nearest_rivals(&self, contender: Contender) -> String {
        let comparisons = self.comparisons(contender);
        let words = self.limits().map(|limit| {
            let at_limit = comparisons.iter().filter(|one| one.limit == limit);
            let nearest = at_limit.min_by(|a, b| a.ratio.mean.total_cmp(&b.ratio.mean));
            nearest.map_or_else(String::new, |one| {
                let interval = one.ratio.ci95.map(|ci| format!(" ± {ci:.3}"));
                let interval = interval.unwrap_or_default();
                format!("{:.3}{interval} at {limit} ({})", one.ratio.mean, one.other)
            })
        });
        format!(
            "Ticks of the best other planner over those of {contender}, mean by mean, with the 95 % interval of pairs: {}.",
            words.join(", ")
        )
    }

    /// A contender against every other one that keeps to the limit, at every limit.
    fn comparisons(&self, contender: Contender) -> Vec<Comparison> {
        let is_rival =
            |other: &&Contender| other.is_limited && !other.free_requeues && **other != contender;
        let others = self.contenders.iter().filter(is_rival);
        others
            .flat_map(|&other| {
                let settings = self.settings(other, contender);
                settings.into_iter().map(move |(limit, pairs)| Comparison {
                    other,
                    limit,
                    ratio: stats::ratio(&pairs),
                    fewer: summary(pairs.iter().map(|pair| pair.1 - pair.0)),
                })
            })
            .collect()
    }

    /// Counts the walks that did not arrive, which enter the means with the ticks until then.
    fn given_up(&self) -> Option<String> {
        let mut words = Vec::new();
        for (place, contender) in self.contenders.iter().enumerate() {
            for (at, limit) in self.limits().into_iter().enumerate() {
                let results = self.trials.iter().map(|trial| trial[place][at]);
                let count = results.filter(|result| !result.has_arrived).count();
                if count > 0 {
                    words.push(format!("{contender} at limit {limit}: {count}"));
                }
            }
        }
        (!words.is_empty()).then(|| {
            format!(
                "Walks given up, of {} each; the means count the ticks until then: {}.",
                self.trials.len(),
                words.join("; ")
            )
        })
    }

    /// Ticks of a contender under a limit, over the steps of a shortest path.
    pub fn ticks(&self, contender: Contender, limit: u32) -> Summary {
        let of = self.of(contender, limit);
        summary(of.into_iter().map(|result| result.steps))
    }

    fn settings(&self, first: Contender, second: Contender) -> Vec<(u32, Vec<(f64, f64)>)> {
        self.limits()
            .into_iter()
            .map(|limit| {
                let (first, second) = (self.of(first, limit), self.of(second, limit));
                let pairs = first.into_iter().zip(second);
                (limit, pairs.map(|(a, b)| (a.steps, b.steps)).collect())
            })
            .collect()
    }

    /// The results of a contender at a limit, by trial.
    fn of(&self, contender: Contender, limit: u32) -> Vec<TrialResult> {
        let place = self.contenders.iter().position(|&other| other == contender);
        let at = self.limits().iter().position(|&other| other == limit);
        let Some((place, at)) = place.zip(at) else {
            return Vec::new();
        };
        self.trials.iter().map(|trial| trial[place][at]).collect()
    }
}
