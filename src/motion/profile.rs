//! Trapezoidal velocity profiles.

use super::divide;

/// Trapezoidal velocity profile from rest to rest, in any unit of length and per second.
///
/// ```
/// use tinystar::motion::VelocityProfile;
///
/// let mut profile = VelocityProfile::new(180_000, 200_000, 600_000);
/// let mut steps = 0;
/// while !profile.is_done() {
///     profile.step(5_000);
///     steps += 1;
/// }
/// assert_eq!(profile.position(), 180_000);
/// assert!((240..260).contains(&steps)); // 1.23 s, two thirds of a second of them for acceleration
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VelocityProfile {
    /// Not negative.
    length: i32,
    top: i32,
    acceleration: i32,
    /// `0..=length`.
    position: i32,
    speed: i32,
}

impl VelocityProfile {
    /// Profile over `length` at `top` speed; a negative `length` is zero.
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

    /// Advances by `us` microseconds.
    pub fn step(&mut self, us: u32) {
        let us = i64::from(us);
        let faster = self.speed + divide::<1_000_000>(i64::from(self.acceleration) * us) as i32;
        let stoppable = (2 * self.acceleration as u64 * self.remaining() as u64).isqrt();
        // A small minimum speed reaches the end in finite time.
        let least = self.top / 40 + 1;
        let stoppable = (stoppable as i32).max(least);
        self.speed = faster.min(self.top).min(stoppable);
        let step = divide::<1_000_000>(i64::from(self.speed) * us) as i32;
        self.position = (self.position + step.max(1)).min(self.length);
        if self.is_done() {
            self.speed = 0;
        }
    }

    /// Stops as early as this deceleration allows.
    pub fn brake(&mut self, acceleration: i32) {
        self.acceleration = acceleration;
        self.length = self
            .length
            .min(self.position + self.stopping_distance(acceleration));
    }

    /// Shortens the profile to `length`; returns `false` and changes nothing if it cannot stop there.
    pub fn shorten(&mut self, length: i32) -> bool {
        let is_possible = length <= self.length
            && length - self.position >= self.stopping_distance(self.acceleration);
        if is_possible {
            self.length = length;
        }
        is_possible
    }

    fn stopping_distance(&self, acceleration: i32) -> i32 {
        let speed = i64::from(self.speed);
        (speed * speed / (2 * i64::from(acceleration))) as i32
    }

    /// Distance covered.
    #[must_use]
    pub const fn position(&self) -> i32 {
        self.position
    }

    /// Distance left.
    #[must_use]
    pub const fn remaining(&self) -> i32 {
        self.length - self.position
    }

    /// Current speed.
    #[must_use]
    pub const fn speed(&self) -> i32 {
        self.speed
    }

    /// Whether the end is reached.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.position >= self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_and_acceleration_stay_within_bounds_up_to_the_end() {
        for length in [1, 999, 10_000, 33_333, 180_000, 1_800_000] {
            let mut profile = VelocityProfile::new(length, 200_000, 600_000);
            let mut last = 0;
            for _ in 0..10_000 {
                profile.step(5_000);
                assert!(profile.speed() <= 200_000);
                assert!(profile.speed() - last <= 3_000, "{length}");
                // The last step ends from the minimum speed.
                assert!(last - profile.speed() <= 10_000, "{length}: {last}");
                last = profile.speed();
            }
            assert_eq!((profile.position(), profile.speed()), (length, 0));
        }
    }

    #[test]
    fn braking_stops_within_the_stopping_distance() {
        let mut profile = VelocityProfile::new(1_000_000, 200_000, 600_000);
        while profile.speed() < 200_000 {
            profile.step(5_000);
        }
        let from = profile.position();
        profile.brake(600_000);
        while !profile.is_done() {
            profile.step(5_000);
        }
        assert!((33_000..=34_000).contains(&(profile.position() - from)));
    }

    #[test]
    fn an_empty_profile_is_done_at_once() {
        assert!(VelocityProfile::new(0, 200_000, 600_000).is_done());
        assert!(VelocityProfile::new(-5, 200_000, 600_000).is_done());
    }

    #[test]
    fn braking_never_lengthens_a_profile() {
        let mut profile = VelocityProfile::new(180_000, 200_000, 600_000);
        while profile.remaining() > 20_000 {
            profile.step(5_000);
        }
        // It would need twice the distance that is left.
        profile.brake(300_000);
        while !profile.is_done() {
            profile.step(5_000);
        }
        assert_eq!(profile.position(), 180_000);
    }
}
