//! Carries out orders, one at a time, and stops the motors whenever something is wrong.

use embassy_time::{Instant, Ticker};

use crate::{
    config::{CONTROL_PERIOD, ENCODER_MISSES, GYRO_MISSES, REST_STEPS, STALE, STILL_STEPS},
    fault::Fault,
    motion::{Inputs, Manoeuvre},
    robot::{Drive, NoReading, Odometry},
    signals::{Sight, Signals, Task},
};

/// What is read of the wheels and the gyro.
struct Senses {
    counts: Option<[i32; 2]>,
    encoder_misses: u8,
    gyro_misses: u8,
    /// Steps for which the wheels have been still, without power.
    still: u8,
    /// What the gyro says at rest, times [`REST_STEPS`], in thousandths of a degree per second.
    bias: Option<i32>,
}

/// Drives for ever.
pub async fn drive(signals: &Signals, odometry: &mut impl Odometry, motors: &mut impl Drive) -> ! {
    let mut ticker = Ticker::every(CONTROL_PERIOD);
    let mut manoeuvre = Manoeuvre::new();
    let mut senses = Senses {
        counts: None,
        encoder_misses: 0,
        gyro_misses: 0,
        still: 0,
        bias: None,
    };
    let mut last = Instant::now();
    let mut looks = 0;
    motors.off();
    loop {
        ticker.next().await;
        let counts = odometry.counts().await;
        let yaw = odometry.yaw_rate().await;
        let now = Instant::now();
        let us = now.saturating_duration_since(last).as_micros() as u32;
        last = now;

        let sight = signals.sight.try_get();
        let seen = sight.filter(|sight| sight.count != looks);
        looks = seen.map_or(looks, |sight| sight.count);
        if signals.fault().is_some() {
            signals.orders.clear();
        } else if let Ok(order) = signals.orders.try_receive() {
            manoeuvre.order(order);
        }

        let calibration = signals.calibration();
        let nm_per_count = calibration.nm_per_count;
        let stepped = senses
            .read(counts, yaw, nm_per_count, us, manoeuvre.is_at_rest())
            .map(|(wheels, turned)| Inputs {
                us,
                wheels,
                turned,
                seen: seen.map(|sight| sight.levels),
            })
            .and_then(|inputs| {
                check_sight(sight, now, &manoeuvre)?;
                manoeuvre.step(&inputs, &calibration)
            });
        let (powers, outcome) = stepped.unwrap_or_else(|fault| {
            signals.raise(fault);
            (None, None)
        });
        // Another task may have raised it.
        let is_well = signals.fault().is_none();
        match powers {
            Some([left, right]) if is_well => motors.set(left, right),
            _ => motors.off(),
        }
        if !is_well {
            manoeuvre.abort();
        } else if let Some(outcome) = outcome {
            signals.outcome.signal(outcome);
        }
        signals.set_offset(manoeuvre.offset());
        signals.check_in(Task::Drive);
    }
}

/// A robot that moves must see.
fn check_sight(sight: Option<Sight>, now: Instant, manoeuvre: &Manoeuvre) -> Result<(), Fault> {
    let is_fresh = sight.is_some_and(|sight| now.saturating_duration_since(sight.taken) <= STALE);
    if is_fresh || manoeuvre.is_at_rest() {
        Ok(())
    } else {
        Err(Fault::Proximity)
    }
}

impl Senses {
    /// The way of the wheels in micrometres, and the turn in thousandths of a degree if the gyro tells.
    fn read(
        &mut self,
        counts: Result<[i32; 2], NoReading>,
        yaw: Result<i32, NoReading>,
        nm_per_count: u32,
        us: u32,
        is_at_rest: bool,
    ) -> Result<([i32; 2], Option<i32>), Fault> {
        let wheels = match counts {
            Ok(counts) => {
                self.encoder_misses = 0;
                let before = self.counts.replace(counts).unwrap_or(counts);
                [0, 1].map(|wheel| {
                    let counted = i64::from(counts[wheel].wrapping_sub(before[wheel]));
                    (counted * i64::from(nm_per_count) / 1000) as i32
                })
            }
            Err(NoReading) => {
                self.encoder_misses += 1;
                if self.encoder_misses > ENCODER_MISSES {
                    self.encoder_misses = 0;
                    return Err(Fault::Encoder);
                }
                [0, 0]
            }
        };
        let turned = match yaw {
            Ok(rate) => {
                self.gyro_misses = 0;
                self.still = if is_at_rest && wheels == [0, 0] {
                    self.still.saturating_add(1)
                } else {
                    0
                };
                let bias = self.bias.get_or_insert(rate.saturating_mul(REST_STEPS));
                if self.still > STILL_STEPS {
                    *bias += rate - *bias / REST_STEPS;
                    Some(0)
                } else {
                    let rate = i64::from(rate - *bias / REST_STEPS);
                    Some((rate * i64::from(us) / 1_000_000) as i32)
                }
            }
            Err(NoReading) => {
                self.gyro_misses += 1;
                if self.gyro_misses > GYRO_MISSES {
                    self.gyro_misses = 0;
                    return Err(Fault::Gyro);
                }
                None
            }
        };
        Ok((wheels, turned))
    }
}
