//! Executes motion commands, and switches the motors off at a stop and whenever there is a fault.

use embassy_time::{Duration, Instant, Ticker};

use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    config::{CONTROL_PERIOD, ENCODER_MISSES, GYRO_MISSES, STALE},
    fault::Fault,
    log::debug,
    motion::{ControlInput, MotionController, Stillness, WallView, divide},
    robot::{Drive, Duty, Odometry, SensorError},
    signals::{DriveSample, DriveState, MotionCommand, Signals, Task, WallReading},
};

/// Runs the control loop.
pub async fn drive(
    signals: &Signals,
    board: &'static BoardConfig,
    odometry: &mut impl Odometry,
    motors: &mut impl Drive,
) -> ! {
    let mut ticker = Ticker::every(CONTROL_PERIOD);
    let mut controller = MotionController::new(board, signals.settings().cell_mm);
    let mut open_loop = None;
    let mut filter = OdometryFilter::default();
    let mut last = Instant::now();
    let mut last_reading = 0;
    motors.off();
    loop {
        ticker.next().await;
        let counts = odometry.counts().await;
        let yaw_rate = odometry.yaw_rate().await;
        let now = Instant::now();
        let us = now.saturating_duration_since(last).as_micros() as u32;
        last = now;

        let reading = signals.wall_reading.try_get();
        let new = reading.filter(|reading| reading.count != last_reading);
        last_reading = new.map_or(last_reading, |reading| reading.count);
        let calibration = signals.calibration();
        // In every motion, at once: the pose is lost then, and the plan task knows.
        if signals.take_stop() || signals.fault().is_some() {
            signals.motion_commands.clear();
            controller.abort();
            open_loop = None;
        } else if let Ok(command) = signals.motion_commands.try_receive() {
            debug!("motion {}", command);
            open_loop = match command {
                MotionCommand::OpenLoop(duties, ms) => {
                    controller.abort();
                    Some((duties, now + Duration::from_millis(ms.into())))
                }
                _ => {
                    controller.command(command, &calibration);
                    None
                }
            };
        }
        open_loop = open_loop.filter(|&(_, until)| now < until);

        let is_at_rest = controller.is_at_rest() && open_loop.is_none();
        let stepped = filter
            .update(counts, yaw_rate, &calibration, us, is_at_rest)
            .map(|(wheels, turned)| ControlInput {
                us,
                wheels,
                turned,
                view: new.map(|reading| WallView {
                    distances: reading.distances,
                    age_us: now.saturating_duration_since(reading.taken).as_micros() as u32,
                }),
            })
            .and_then(|input| {
                check_freshness(reading, now, controller.is_at_rest())?;
                controller.step(&input, &calibration)
            });
        let (duties, result) = stepped.unwrap_or_else(|fault| {
            signals.raise(fault);
            (None, None)
        });
        let duties = open_loop.map(|(duties, _)| duties).or(duties);
        // Another task may have raised a fault.
        let is_ok = signals.fault().is_none();
        let duties = duties.filter(|_| is_ok);
        match duties {
            Some([left, right]) => motors.set(left, right),
            None => motors.off(),
        }
        signals.set_moving(duties.is_some());
        if !is_ok {
            controller.abort();
        } else if let Some(result) = result {
            debug!("motion result {}, {}", result, controller.pose());
            signals.motion_result.signal(result);
        }
        signals.set_still_ms(filter.stillness.ms());
        signals.set_drive_sample(DriveSample {
            counts: counts.unwrap_or_default(),
            yaw_rate: yaw_rate.unwrap_or_default(),
            yaw_bias: filter.stillness.bias(),
            turned_mdeg: filter.turned_mdeg,
            duty: duties.unwrap_or([Duty::default(); 2]),
        });
        signals.set_drive_state(DriveState {
            pose: controller.pose(),
            uncertainty: controller.uncertainty(),
            fixes: controller.fixes(),
            driven_um: controller.driven(),
            cell: controller.cell_number(),
            quarters: controller.quarters(),
            speed_um_s: controller.speed(),
            stop_margin_um: controller.stop_margin_um(),
            is_at_rest: controller.is_at_rest(),
        });
        signals.check_in(Task::Drive);
    }
}

/// Checks that a moving robot has a recent wall reading.
fn check_freshness(
    reading: Option<WallReading>,
    now: Instant,
    is_at_rest: bool,
) -> Result<(), Fault> {
    let is_fresh =
        reading.is_some_and(|reading| now.saturating_duration_since(reading.taken) <= STALE);
    if is_fresh || is_at_rest {
        Ok(())
    } else {
        Err(Fault::Proximity)
    }
}

/// Converts encoder counts and yaw rates to travel and turn, bridges missed readings, and removes the
/// gyro bias.
#[derive(Default)]
struct OdometryFilter {
    counts: Option<[i32; 2]>,
    encoder_misses: u8,
    gyro_misses: u8,
    /// Fraction of a turn not yet returned, in thousandths of a mdeg.
    remainder: i64,
    /// Turn since power-on, in mdeg.
    turned_mdeg: i32,
    /// Knows the gyro bias.
    stillness: Stillness,
}

impl OdometryFilter {
    /// Returns the travel of the wheels in micrometres, and the turn in mdeg if the gyro was read.
    #[inline(never)] // runs from RAM: see memory.x
    fn update(
        &mut self,
        counts: Result<[i32; 2], SensorError>,
        yaw_rate: Result<i32, SensorError>,
        calibration: &Calibration,
        us: u32,
        is_at_rest: bool,
    ) -> Result<([i32; 2], Option<i32>), Fault> {
        let wheels = match counts {
            Ok(counts) => {
                self.encoder_misses = 0;
                let before = self.counts.replace(counts).unwrap_or(counts);
                [0, 1].map(|wheel| {
                    let counted = i64::from(counts[wheel].wrapping_sub(before[wheel]));
                    divide::<1000>(counted * i64::from(calibration.nm_per_count)) as i32
                })
            }
            Err(SensorError) => {
                self.encoder_misses += 1;
                if self.encoder_misses > ENCODER_MISSES {
                    self.encoder_misses = 0;
                    return Err(Fault::Encoder);
                }
                [0, 0]
            }
        };
        let turned = match yaw_rate {
            Ok(rate) => {
                self.gyro_misses = 0;
                self.stillness.update(rate, is_at_rest && wheels == [0, 0]);
                if self.stillness.is_still() {
                    Some(0)
                } else {
                    // No motion starts before the bias is known.
                    let rate = rate.saturating_sub(self.stillness.bias().unwrap_or(0));
                    let turned = divide::<1_000>(i64::from(rate) * i64::from(us));
                    // Thousandths of a mdeg: less than 2^31 in a second of the fastest turn.
                    let scaled =
                        divide::<1_000_000>(turned * i64::from(1_000_000 + calibration.gyro_ppm));
                    let whole = divide::<1_000>(scaled + self.remainder);
                    self.remainder += scaled - 1_000 * whole;
                    Some(whole as i32)
                }
            }
            Err(SensorError) => {
                self.gyro_misses += 1;
                if self.gyro_misses > GYRO_MISSES {
                    self.gyro_misses = 0;
                    return Err(Fault::Gyro);
                }
                None
            }
        };
        self.turned_mdeg = self.turned_mdeg.wrapping_add(turned.unwrap_or(0));
        Ok((wheels, turned))
    }
}
