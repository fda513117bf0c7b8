//! Faults of proximity sensors.

use tinystar::robot::{Levels, Proximity, Reading, SensorError};

use super::TimeSpan;
use crate::physics::proximity::Receiver;

/// Sensor without readings.
#[derive(Debug)]
pub struct DroppedReadings<P>(pub P, pub TimeSpan);

impl<P: Proximity> Proximity for DroppedReadings<P> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let reading = self.0.read().await?;
        if self.1.is_now() {
            return Err(SensorError);
        }
        Ok(reading)
    }
}

/// Sensor that repeats its last reading, with its original time.
#[derive(Debug)]
pub struct FrozenReadings<P> {
    inner: P,
    span: TimeSpan,
    last: Option<Reading>,
}

impl<P> FrozenReadings<P> {
    /// Repeats readings in a time span.
    pub fn new(inner: P, span: TimeSpan) -> Self {
        Self {
            inner,
            span,
            last: None,
        }
    }
}

impl<P: Proximity> Proximity for FrozenReadings<P> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let reading = self.inner.read().await?;
        let old = self.last.filter(|_| self.span.is_now());
        Ok(*self.last.insert(old.unwrap_or(reading)))
    }
}

/// Receiver that reports a near wall, as in bright sunlight.
#[derive(Debug)]
pub struct PhantomWall<P>(pub P, pub Receiver, pub TimeSpan);

impl<P: Proximity> Proximity for PhantomWall<P> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let mut reading = self.0.read().await?;
        if self.2.is_now() {
            *of(self.1, &mut reading.levels) = [Levels::MAX; 2];
        }
        Ok(reading)
    }
}

/// Receiver that detects nothing, as in front of black velvet.
#[derive(Debug)]
pub struct MissedWall<P>(pub P, pub Receiver, pub TimeSpan);

impl<P: Proximity> Proximity for MissedWall<P> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let mut reading = self.0.read().await?;
        if self.2.is_now() {
            *of(self.1, &mut reading.levels) = [0; 2];
        }
        Ok(reading)
    }
}

fn of(receiver: Receiver, levels: &mut Levels) -> &mut [u8; 2] {
    match receiver {
        Receiver::Front => &mut levels.front,
        Receiver::Left => &mut levels.left,
        Receiver::Right => &mut levels.right,
    }
}

#[cfg(test)]
mod tests {
    use embassy_time::{Duration, Instant, Timer};

    use super::*;
    use crate::physics::clock::{Ended, run_to_end};

    /// Reads level 3 everywhere, once per millisecond.
    struct LevelThree;

    impl Proximity for LevelThree {
        async fn read(&mut self) -> Result<Reading, SensorError> {
            Timer::after_millis(1).await;
            Ok(Reading {
                levels: Levels {
                    front: [3; 2],
                    left: [3; 2],
                    right: [3; 2],
                },
                taken: Instant::now(),
            })
        }
    }

    fn five_readings(mut proximity: impl Proximity) -> Vec<Result<Reading, SensorError>> {
        let read = async {
            let mut readings = Vec::new();
            for _ in 0..5 {
                readings.push(proximity.read().await);
            }
            readings
        };
        let Ended::Ready(readings) = run_to_end(read) else {
            panic!("readings end");
        };
        readings
    }

    /// The third and fourth reading.
    fn span() -> TimeSpan {
        TimeSpan::new(Instant::from_millis(3), Duration::from_millis(2))
    }

    #[test]
    fn readings_are_dropped_in_the_span() {
        let readings = five_readings(DroppedReadings(LevelThree, span()));
        let good: Vec<_> = readings.iter().map(Result::is_ok).collect();
        assert_eq!(good, [true, true, false, false, true]);
    }

    #[test]
    fn a_frozen_reading_keeps_its_time() {
        let readings = five_readings(FrozenReadings::new(LevelThree, span()));
        let taken: Vec<_> = readings
            .iter()
            .map(|reading| reading.unwrap().taken.as_millis())
            .collect();
        assert_eq!(taken, [1, 2, 2, 2, 5]);
    }

    #[test]
    fn phantom_and_missed_walls_affect_one_receiver() {
        let levels = |reading: &Result<Reading, SensorError>| reading.unwrap().levels;
        let ghosts = five_readings(PhantomWall(LevelThree, Receiver::Front, span()));
        let fronts: Vec<_> = ghosts.iter().map(|r| levels(r).front).collect();
        assert_eq!(fronts, [[3; 2], [3; 2], [6; 2], [6; 2], [3; 2]]);
        let missed = five_readings(MissedWall(LevelThree, Receiver::Left, span()));
        let lefts: Vec<_> = missed.iter().map(|r| levels(r).left).collect();
        assert_eq!(lefts, [[3; 2], [3; 2], [0; 2], [0; 2], [3; 2]]);
        assert!(missed.iter().all(|r| levels(r).front == [3; 2]));
    }
}
