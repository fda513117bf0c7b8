//! Facts beside what was counted in runs.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use emulator::Largest;
use serde::Serialize;

use super::analysis::{Analysis, Check, NEVER};

/// All facts that are counted, by name.
#[derive(Default)]
pub struct Counts(BTreeMap<String, Counted>);

/// A fact, where a run came closest to what it allows.
#[derive(Clone, Debug, Serialize)]
struct Counted {
    /// `None` if no run has executed it.
    counted: Option<i64>,
    at_most: i64,
}

impl Counts {
    /// Compares what was counted in a run with what the facts allow. Fails if it is more.
    pub fn compare(
        &mut self,
        run: &str,
        analysis: &Analysis,
        checks: &[Check],
        largest: &[Largest],
    ) -> Result<()> {
        ensure!(
            checks.len() == largest.len(),
            "{run}: {} counters instead of {}",
            largest.len(),
            checks.len()
        );
        for (check, largest) in checks.iter().zip(largest) {
            let at_most = analysis.allowed(check, 0)?;
            let counted = None;
            let known = self.0.entry(check.fact.clone());
            let known = known.or_insert(Counted { counted, at_most });
            for &(key, counted) in largest {
                let at_most = analysis.allowed(check, key)?;
                ensure!(
                    counted <= at_most,
                    "{run}: {counted} instead of at most {at_most} at {}: {}",
                    check.place,
                    check.fact
                );
                let is_closer = known
                    .counted
                    .is_none_or(|before| counted * known.at_most > before * at_most);
                if is_closer {
                    (known.counted, known.at_most) = (Some(counted), at_most);
                }
            }
        }
        Ok(())
    }

    /// Facts that no run has executed, but for what [never happens](NEVER).
    pub fn idle(&self) -> impl Iterator<Item = &str> {
        let all = self.0.iter();
        all.filter(|(fact, counted)| counted.counted.is_none() && *fact != NEVER)
            .map(|(fact, _)| fact.as_str())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// One JSON object per fact.
    pub fn print_json(&self) -> Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            wcet: &'static str,
            name: &'a str,
            #[serde(flatten)]
            counted: &'a Counted,
        }
        for (name, counted) in &self.0 {
            let wcet = "fact";
            let line = Line {
                wcet,
                name,
                counted,
            };
            println!("{}", serde_json::to_string(&line)?);
        }
        Ok(())
    }

    /// A table of all facts.
    pub fn print(&self) {
        println!("{:>8} {:>8} ", "counted", "at most");
        for (name, Counted { counted, at_most }) in &self.0 {
            let counted = counted.map_or_else(String::new, |counted| counted.to_string());
            println!("{counted:>8} {at_most:>8} {name}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_that_is_never_executed_is_idle_even_if_it_allows_nothing() {
        let fact = |name: &str, counted, at_most| (name.to_owned(), Counted { counted, at_most });
        let counts = Counts(BTreeMap::from([
            fact("entered once", Some(0), 0),
            fact("never entered", None, 0),
            fact(NEVER, None, 0),
        ]));
        assert_eq!(counts.idle().collect::<Vec<_>>(), ["never entered"]);
    }
}
