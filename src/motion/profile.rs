//! A trapezoid of speed: as fast as allowed, and at rest at the end.

/// A way from rest to rest, in any unit of length and per second.
///
/// ```
/// use tinystar::motion::Profile;
///
/// let mut way = Profile::new(180_000, 200_000, 600_000);
/// let mut steps = 0;
/// while !way.is_done() {
///     way.step(5_000);
///     steps += 1;
/// }
/// assert_eq!(way.position(), 180_000);
/// assert!((240..260).contains(&steps)); // 1.23 s, of which two thirds of a second speed up or down
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Not negative.
    length: i32,
    top: i32,
    acceleration: i32,
    /// `0..=length`.
    position: i32,
    speed: i32,
}

impl Profile {
    /// From rest over `length` to rest. A `length` below zero is none.
    #[must_use]
    pub const fn new(length: i32, top: i32, acceleration: i32) -> Self {
        Self {
            length: if length > 0 { length } else { 0 },
            top,
            acceleration,
            position: 0,
            speed: 0,
        }
    }

    /// Goes on by `us` microseconds.
    pub fn step(&mut self, us: u32) {
        let us = i64::from(us);
        let faster = self.speed + (i64::from(self.acceleration) * us / 1_000_000) as i32;
        let stoppable = (2 * self.acceleration as u64 * self.remaining() as u64).isqrt();
        // Never quite at rest before the end.
        let least = self.top / 40 + 1;
        let stoppable = (stoppable as i32).max(least);
        self.speed = faster.min(self.top).min(stoppable);
        let step = (i64::from(self.speed) * us / 1_000_000) as i32;
        self.position = (self.position + step.max(1)).min(self.length);
        if self.is_done() {
            self.speed = 0;
        }
    }

    /// Stops as soon as it can with this acceleration.
    pub fn brake(&mut self, acceleration: i32) {
        self.acceleration = acceleration;
        self.length = self.length.min(self.position + self.stop(acceleration));
    }

    /// Ends at `length` instead, if it can still stop there; whether it can.
    pub fn shorten(&mut self, length: i32) -> bool {
        let can = length <= self.length && length - self.position >= self.stop(self.acceleration);
        if can {
            self.length = length;
        }
        can
    }

    /// The way it takes to stop.
    fn stop(&self, acceleration: i32) -> i32 {
        let speed = i64::from(self.speed);
        (speed * speed / (2 * i64::from(acceleration))) as i32
    }

    /// How far it has come.
    #[must_use]
    pub const fn position(&self) -> i32 {
        self.position
    }

    /// How far it has to go.
    #[must_use]
    pub const fn remaining(&self) -> i32 {
        self.length - self.position
    }

    /// How fast it is.
    #[must_use]
    pub const fn speed(&self) -> i32 {
        self.speed
    }

    /// Whether it has come to its end.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.position >= self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_and_acceleration_stay_within_bounds_and_the_end_is_met() {
        for length in [1, 999, 10_000, 33_333, 180_000, 1_800_000] {
            let mut way = Profile::new(length, 200_000, 600_000);
            let mut last = 0;
            for _ in 0..10_000 {
                way.step(5_000);
                assert!(way.speed() <= 200_000);
                assert!(way.speed() - last <= 3_000, "{length}");
                // The end is met from the least speed, and from what a step of time leaves over.
                assert!(last - way.speed() <= 10_000, "{length}: {last}");
                last = way.speed();
            }
            assert_eq!((way.position(), way.speed()), (length, 0));
        }
    }

    #[test]
    fn a_brake_stops_within_the_way_that_acceleration_needs() {
        let mut way = Profile::new(1_000_000, 200_000, 600_000);
        while way.speed() < 200_000 {
            way.step(5_000);
        }
        let from = way.position();
        way.brake(600_000);
        while !way.is_done() {
            way.step(5_000);
        }
        assert!((33_000..=34_000).contains(&(way.position() - from)));
    }

    #[test]
    fn no_way_is_done_at_once() {
        assert!(Profile::new(0, 200_000, 600_000).is_done());
        assert!(Profile::new(-5, 200_000, 600_000).is_done());
    }
}
