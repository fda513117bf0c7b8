//! Trapezoidal velocity profiles.

use super::divide;

/// Binary places dropped from speeds before they are squared: the squares of all speeds fit 32 bits.
const COARSE: u32 = 6;

/// Trapezoidal velocity profile, in any unit of length and per second, from any speed to rest or to another
/// speed. Its end may be moved while it runs.
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
    /// Speed at the end.
    end: i32,
    /// Not negative; at most `length` if the profile ends at rest.
    position: i32,
    speed: i32,
    /// Change of the speed in the last step.
    change: i32,
}

impl VelocityProfile {
    /// Profile from rest to rest over `length` at `top` speed; a negative `length` is zero.
    #[must_use]
    pub const fn new(length: i32, top: i32, acceleration: i32) -> Self {
        Self::from_speed(0, length, top, acceleration)
    }

    /// As [`new`](Self::new), from a speed. It must be able to stop within `length`.
    #[must_use]
    pub const fn from_speed(speed: i32, length: i32, top: i32, acceleration: i32) -> Self {
        Self {
            length: if length > 0 { length } else { 0 },
            top,
            acceleration,
            end: 0,
            position: 0,
            speed,
            change: 0,
        }
    }

    /// Advances by `us` microseconds.
    pub fn step(&mut self, us: u32) {
        let before = self.speed;
        let us = i64::from(us);
        let more = divide::<1_000_000>(i64::from(self.acceleration) * us) as i32;
        // A small minimum speed reaches the end in finite time.
        let least = self.top / 40 + 1;
        let stoppable = self.stoppable(more).max(least);
        self.speed = (before + more).min(self.top).min(stoppable);
        let step = divide::<1_000_000>(i64::from(self.speed) * us) as i32;
        self.position += step.max(1);
        if self.end == 0 && self.position >= self.length {
            (self.position, self.speed) = (self.length, 0);
        }
        self.change = self.speed - before;
    }

    /// Largest speed from which the profile can end as it must, after one more step at that speed; `change` is the
    /// largest change of the speed in a step.
    fn stoppable(&self, change: i32) -> i32 {
        let remaining = self.remaining().max(0);
        let squared = (2 * self.acceleration as u64 * remaining as u64) >> (2 * COARSE);
        let (end, step) = (self.end >> COARSE, change >> COARSE);
        let squared = squared + (end * end + step * step) as u64;
        let squared = u32::try_from(squared).unwrap_or(u32::MAX);
        (squared.isqrt() << COARSE) as i32 - change
    }

    /// Stops as early as this deceleration allows.
    pub fn brake(&mut self, acceleration: i32) {
        self.acceleration = acceleration;
        let stop = self.position + stopping_distance(self.speed, acceleration);
        self.length = if self.end == 0 {
            self.length.min(stop)
        } else {
            stop
        };
        self.end = 0;
    }

    /// Moves the end to `length`, to be passed at a speed; returns `false` and changes nothing if the profile cannot
    /// be that slow there.
    pub fn retarget(&mut self, length: i32, end: i32) -> bool {
        let mut target = *self;
        (target.length, target.end) = (length, end);
        // What rounding costs is made up for in the next steps.
        let is_possible = target.length >= target.position
            && target.stoppable(0) + (2 << COARSE) + self.top / 64 >= self.speed;
        if is_possible {
            *self = target;
        }
        is_possible
    }

    /// As [`retarget`](Self::retarget), with another deceleration.
    pub fn brake_to(&mut self, length: i32, acceleration: i32) -> bool {
        let mut target = Self {
            acceleration,
            ..*self
        };
        let is_possible = target.retarget(length, 0);
        if is_possible {
            *self = target;
        }
        is_possible
    }

    /// Sets the top speed from here on; a profile that is faster keeps its speed until it brakes.
    pub fn set_top(&mut self, top: i32) {
        self.top = top.max(self.speed);
    }

    /// Top speed.
    #[must_use]
    pub const fn top(&self) -> i32 {
        self.top
    }

    /// Distance in which the profile can stop from its speed.
    #[must_use]
    pub fn stopping_distance(&self) -> i32 {
        stopping_distance(self.speed, self.acceleration)
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

    /// Change of the speed in the last step.
    #[must_use]
    pub const fn change(&self) -> i32 {
        self.change
    }

    /// Returns whether the end is reached.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.position >= self.length
    }

    /// Returns whether the profile ends at rest.
    #[must_use]
    pub const fn ends_at_rest(&self) -> bool {
        self.end == 0
    }
}

/// Distance in which a speed becomes zero.
pub(super) fn stopping_distance(speed: i32, acceleration: i32) -> i32 {
    let speed = speed >> COARSE;
    speed * speed / ((2 * acceleration) >> (2 * COARSE)).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Steps of 5 ms to the end; checks that the limits hold in each.
    fn run(profile: &mut VelocityProfile, top: i32, acceleration: i32) -> u32 {
        let per_step = acceleration / 200 + 1;
        for steps in 0..100_000 {
            if profile.is_done() {
                return steps;
            }
            let before = profile.speed();
            profile.step(5_000);
            assert!(profile.speed() <= top.max(before), "{profile:?}");
            assert!(profile.change() <= per_step, "{profile:?}");
            // Rounding, and the last step at the minimum speed.
            let slack = top / 25 + 256;
            assert!(-profile.change() <= per_step + slack, "{profile:?}");
        }
        panic!("it does not end: {profile:?}");
    }

    proptest! {
        #[test]
        fn limits_hold_and_the_end_is_met_from_any_speed(
            length in 1..3_000_000_i32,
            top in 20_000..1_000_000_i32,
            acceleration in 100_000..5_000_000_i32,
            share in 0..=100_i32,
        ) {
            // Any speed from which it can stop.
            let stoppable = (2 * acceleration as u64 * length as u64).isqrt() as i32;
            let speed = (i64::from(top.min(stoppable)) * i64::from(share) / 100) as i32;
            let mut profile = VelocityProfile::from_speed(speed, length, top, acceleration);
            run(&mut profile, top, acceleration);
            prop_assert_eq!((profile.position(), profile.speed()), (length, 0));
        }

        #[test]
        fn an_end_that_is_passed_at_a_speed_is_passed_at_no_more(
            length in 1..3_000_000_i32,
            end in 10_000..400_000_i32,
            acceleration in 100_000..5_000_000_i32,
        ) {
            let mut profile = VelocityProfile::new(0, 700_000, acceleration);
            prop_assert!(profile.retarget(length, end));
            run(&mut profile, 700_000, acceleration);
            prop_assert!(profile.speed() <= end + 700_000 / 40 + 1 + acceleration / 200);
            // Less than a step beyond.
            prop_assert!(profile.position() - length <= profile.speed() / 200 + 1);
            // From there it goes on to rest.
            let stop = (i64::from(profile.speed()).pow(2) / (2 * i64::from(acceleration))) as i32;
            let last = profile.position() + stop + profile.speed() / 100;
            prop_assert!(profile.retarget(last, 0));
            run(&mut profile, 700_000, acceleration);
            prop_assert_eq!((profile.position(), profile.speed()), (last, 0));
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
    fn an_end_too_near_to_stop_there_is_refused() {
        let mut profile = VelocityProfile::new(1_000_000, 400_000, 1_000_000);
        while profile.speed() < 400_000 {
            profile.step(5_000);
        }
        let before = profile;
        assert!(!profile.retarget(before.position() + 60_000, 0));
        assert_eq!(profile, before);
        assert!(profile.retarget(before.position() + 85_000, 0));
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
