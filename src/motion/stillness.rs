//! Detects whether the robot is still, by the spread of its yaw rate, and measures the bias of the gyro meanwhile.
//!
//! Wheels at rest are not enough: they also rest while the robot is carried.

use crate::config::{CONTROL_PERIOD, GYRO_BIAS_LIMIT, GYRO_BIAS_WEIGHT, STILL_SPREAD, STILL_STEPS};

/// Detects a still robot and learns its gyro bias.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stillness {
    /// Control steps in the current block.
    steps: u8,
    /// Smallest and largest yaw rate of the block, in mdeg/s.
    range: (i32, i32),
    /// Sum of the yaw rates of the block.
    sum: i32,
    /// Consecutive blocks before this one in which the robot was still, saturating.
    blocks: u8,
    /// Bias in mdeg/s, once the robot has been still.
    bias: Option<i32>,
}

impl Stillness {
    /// Takes the yaw rate of a control step, in mdeg/s; `is_at_rest` if the motors are off and the wheels
    /// did not move.
    pub fn update(&mut self, rate: i32, is_at_rest: bool) {
        let (least, most) = match self.steps {
            0 => (rate, rate),
            _ => (self.range.0.min(rate), self.range.1.max(rate)),
        };
        let is_steady = most.saturating_sub(least) <= STILL_SPREAD;
        let is_slow = rate.saturating_abs() <= GYRO_BIAS_LIMIT;
        if !(is_at_rest && is_steady && is_slow) {
            (self.steps, self.sum, self.blocks) = (0, 0, 0);
            return;
        }
        self.range = (least, most);
        self.sum += rate;
        self.steps += 1;
        if self.steps < STILL_STEPS {
            return;
        }
        let mean = self.sum / i32::from(STILL_STEPS);
        let bias = self.bias.unwrap_or(mean);
        self.bias = Some(bias + (mean - bias) / GYRO_BIAS_WEIGHT);
        self.blocks = self.blocks.saturating_add(1);
        (self.steps, self.sum) = (0, 0);
    }

    /// Returns whether the robot has been still for a whole block.
    #[must_use]
    pub const fn is_still(&self) -> bool {
        self.blocks > 0
    }

    /// Time for which the robot has been still, in milliseconds; stops counting after 25 seconds.
    #[must_use]
    pub const fn ms(&self) -> u32 {
        let steps = self.blocks as u32 * STILL_STEPS as u32 + self.steps as u32;
        steps * CONTROL_PERIOD.as_millis() as u32
    }

    /// Gyro bias in mdeg/s, once the robot has been still.
    #[must_use]
    pub const fn bias(&self) -> Option<i32> {
        self.bias
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a yaw rate with noise for a number of control steps at rest.
    fn feed(stillness: &mut Stillness, rate: i32, noise: i32, steps: i32) {
        for step in 0..steps {
            let noise = [0, noise, -noise, noise / 2][step as usize % 4];
            stillness.update(rate + noise, true);
        }
    }

    #[test]
    fn the_bias_of_a_still_gyro_is_learned() {
        let mut stillness = Stillness::default();
        feed(&mut stillness, 900, 350, 200);
        assert!(stillness.is_still());
        assert_eq!(stillness.ms(), 1000);
        let bias = stillness.bias().unwrap();
        assert!((900..1000).contains(&bias), "{bias}");
    }

    #[test]
    fn a_robot_in_a_hand_is_not_still_and_teaches_no_bias() {
        // Steadily turned, and held as still as a hand can.
        for (rate, noise) in [(120_000, 0), (0, 2_000)] {
            let mut stillness = Stillness::default();
            feed(&mut stillness, 900, 350, 200);
            let bias = stillness.bias();
            feed(&mut stillness, rate, noise, 400);
            assert!(!stillness.is_still() && stillness.bias() == bias, "{rate}");
            assert!(stillness.ms() < 100, "{rate}");
        }
    }

    #[test]
    fn moving_wheels_are_a_motion_however_steady_the_gyro() {
        let mut stillness = Stillness::default();
        (0..100).for_each(|_| stillness.update(0, false));
        assert_eq!((stillness.ms(), stillness.bias()), (0, None));
    }
}
