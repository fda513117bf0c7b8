//! Faults of encoders, gyro, motors and wheels.

use tinystar::robot::{Drive, Duty, Odometry, SensorError};

use super::TimeSpan;
use crate::physics::devices::SharedModel;

/// Gyro whose bus fails.
#[derive(Debug)]
pub struct GyroFailure<O>(pub O, pub TimeSpan);

impl<O: Odometry> Odometry for GyroFailure<O> {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        self.0.counts().await
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        let rate = self.0.yaw_rate().await?;
        if self.1.is_now() {
            return Err(SensorError);
        }
        Ok(rate)
    }
}

/// Encoder of one wheel that does not count.
#[derive(Debug)]
pub struct EncoderFailure<O> {
    inner: O,
    /// `0` is left.
    wheel: usize,
    span: TimeSpan,
    last: Option<i32>,
    /// Lost counts.
    lost: i32,
}

impl<O> EncoderFailure<O> {
    /// Loses counts of one wheel.
    pub fn new(inner: O, is_right: bool, span: TimeSpan) -> Self {
        Self {
            inner,
            wheel: usize::from(is_right),
            span,
            last: None,
            lost: 0,
        }
    }
}

impl<O: Odometry> Odometry for EncoderFailure<O> {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        let mut counts = self.inner.counts().await?;
        let count = &mut counts[self.wheel];
        let before = self.last.replace(*count).unwrap_or(*count);
        if self.span.is_now() {
            self.lost = self.lost.wrapping_add(count.wrapping_sub(before));
        }
        *count = count.wrapping_sub(self.lost);
        Ok(counts)
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        self.inner.yaw_rate().await
    }
}

/// Motor without power.
#[derive(Debug)]
pub struct MotorFailure<D> {
    /// The motors.
    pub inner: D,
    /// Whether it is the right motor.
    pub is_right: bool,
    /// Time span.
    pub span: TimeSpan,
}

impl<D: Drive> Drive for MotorFailure<D> {
    fn set(&mut self, left: Duty, right: Duty) {
        let none = Duty::default();
        match (self.span.is_now(), self.is_right) {
            (false, _) => self.inner.set(left, right),
            (true, false) => self.inner.set(none, right),
            (true, true) => self.inner.set(left, none),
        }
    }

    fn off(&mut self) {
        self.inner.off();
    }
}

/// Wheels that lose a share of their travel, as on sand. It acts on the model, since no device knows the
/// floor under the wheels.
#[derive(Debug)]
pub struct WheelSlip<D> {
    /// The motors.
    pub inner: D,
    /// Model with the wheels.
    pub model: SharedModel,
    /// Shares lost by the left and right wheel, `0.0..=1.0`.
    pub shares: [f64; 2],
    /// Time span.
    pub span: TimeSpan,
}

impl<D: Drive> WheelSlip<D> {
    fn update(&self) {
        let shares = if self.span.is_now() {
            self.shares
        } else {
            [0.0; 2]
        };
        self.model.now().drivetrain_mut().set_slip(shares);
    }
}

impl<D: Drive> Drive for WheelSlip<D> {
    fn set(&mut self, left: Duty, right: Duty) {
        self.update();
        self.inner.set(left, right);
    }

    fn off(&mut self) {
        self.update();
        self.inner.off();
    }
}

#[cfg(test)]
mod tests {
    use embassy_time::{Duration, Instant, Timer};

    use super::*;
    use crate::physics::clock::{Ended, run_to_end};

    /// Moves by ten counts per millisecond and one degree per second.
    struct Rolling;

    impl Odometry for Rolling {
        async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
            Timer::after_millis(1).await;
            Ok([10 * Instant::now().as_millis() as i32; 2])
        }

        async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
            Ok(1000)
        }
    }

    struct Recorder([i32; 2]);

    impl Drive for Recorder {
        fn set(&mut self, left: Duty, right: Duty) {
            self.0 = [left.get(), right.get()];
        }

        fn off(&mut self) {
            self.0 = [0; 2];
        }
    }

    fn in_time<T>(job: impl Future<Output = T>) -> T {
        let Ended::Ready(output) = run_to_end(job) else {
            panic!("the job ends");
        };
        output
    }

    /// The third and the fourth millisecond.
    fn span() -> TimeSpan {
        TimeSpan::new(Instant::from_millis(3), Duration::from_millis(2))
    }

    #[test]
    fn a_failed_encoder_stops_and_then_counts_on() {
        let counts = in_time(async {
            let mut odometry = EncoderFailure::new(Rolling, true, span());
            let mut counts = Vec::new();
            for _ in 0..6 {
                counts.push(odometry.counts().await.unwrap());
            }
            counts
        });
        let [left, right] =
            [0, 1].map(|wheel| -> Vec<i32> { counts.iter().map(|counts| counts[wheel]).collect() });
        assert_eq!(left, [10, 20, 30, 40, 50, 60]);
        assert_eq!(right, [10, 20, 20, 20, 30, 40]);
    }

    #[test]
    fn a_failed_gyro_is_an_error_and_recovers() {
        let rates = in_time(async {
            let mut odometry = GyroFailure(Rolling, span());
            let mut rates = Vec::new();
            for _ in 0..5 {
                odometry.counts().await.unwrap();
                rates.push(odometry.yaw_rate().await.ok());
            }
            rates
        });
        assert_eq!(rates, [Some(1000), Some(1000), None, None, Some(1000)]);
    }

    #[test]
    fn a_failed_motor_gets_no_power() {
        let powers = in_time(async {
            let mut motors = MotorFailure {
                inner: Recorder([0; 2]),
                is_right: false,
                span: span(),
            };
            let mut powers = Vec::new();
            for _ in 0..5 {
                Timer::after_millis(1).await;
                motors.set(Duty::permille(300), Duty::permille(400));
                powers.push(motors.inner.0[0]);
                assert_eq!(motors.inner.0[1], 400);
            }
            powers
        });
        assert_eq!(powers, [300, 300, 0, 0, 300]);
    }
}
