//! Runs steps one after the other up to the first failure, and times them.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// A step and the name that is printed.
pub struct Step {
    pub name: &'static str,
    pub run: fn() -> Result<()>,
}

/// Runs `steps` under a headline each, and ends with a table of the time each took.
///
/// The first failure ends the run; the error names the step and its cause.
pub fn run(steps: &[Step]) -> Result<()> {
    let mut times = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        println!("\n== {}/{} {}", index + 1, steps.len(), step.name);
        let start = Instant::now();
        (step.run)().with_context(|| format!("step \"{}\" failed", step.name))?;
        times.push((step.name, start.elapsed()));
    }
    print!("\n{}", table(&times));
    Ok(())
}

/// Formats a line per step and one for the sum, in seconds.
fn table(times: &[(&str, Duration)]) -> String {
    const TOTAL: &str = "all passed";
    let width = times.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = width.max(TOTAL.len());
    let total = times.iter().map(|(_, time)| *time).sum();

    let mut text = String::new();
    for (name, time) in times.iter().chain([&(TOTAL, total)]) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:width$} {:7.1} s", time.as_secs_f64());
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    const GOOD: Step = Step {
        name: "good",
        run: || Ok(()),
    };
    const BAD: Step = Step {
        name: "bad",
        run: || bail!("cargo oops"),
    };
    const NEVER: Step = Step {
        name: "never",
        run: || unreachable!("a step ran after a failure"),
    };

    #[test]
    fn all_steps_pass() {
        run(&[GOOD, GOOD]).unwrap();
    }

    #[test]
    fn first_failure_ends_the_run() {
        let error = run(&[GOOD, BAD, NEVER]).unwrap_err();
        assert_eq!(format!("{error:#}"), "step \"bad\" failed: cargo oops");
    }

    #[test]
    fn table_is_aligned_and_summed() {
        let times = [
            ("format", Duration::from_millis(440)),
            ("a longer name", Duration::from_secs(123)),
        ];
        assert_eq!(
            table(&times),
            "format            0.4 s\n\
             a longer name   123.0 s\n\
             all passed      123.4 s\n"
        );
    }
}
