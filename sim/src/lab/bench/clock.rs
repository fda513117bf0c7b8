//! The time that it takes to read the clock.

use std::time::Instant;

/// Nanoseconds between two readings of the clock with nothing in between: what every timed step
/// holds beside its work.
pub fn reading_ns() -> f64 {
    const READINGS: u32 = 1_000;
    let batch = || {
        let begin = Instant::now();
        for _ in 0..READINGS {
            std::hint::black_box(Instant::now());
        }
        begin.elapsed().as_nanos() as f64 / f64::from(READINGS)
    };
    (0..100).map(|_| batch()).fold(f64::INFINITY, f64::min)
}
