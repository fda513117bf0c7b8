//! Devices with faults.

use embassy_time::Instant;
use tinystar::{
    calibration::Calibration,
    drivers::proximity::{Detections, Emitter, Infrared},
    motion::CellSize,
    robot::{Drive, Duty, Odometry, Proximity, Reading, SensorError, Thresholds},
};

use super::{FaultKind, InjectedFault, SLIP, is_active};
use crate::physics::devices::SharedModel;

/// Receivers of which the front one detects everything, as in bright sunlight, or nothing, as before black
/// velvet.
#[derive(Debug)]
pub struct FaultyInfrared<'f, I> {
    pub inner: I,
    pub faults: &'f [InjectedFault],
}

impl<I: Infrared> Infrared for FaultyInfrared<'_, I> {
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections {
        let mut detections = self.inner.burst(emitter, width_ns).await;
        let is = |kind| is_active(self.faults, kind, Instant::now());
        detections.front |= is(FaultKind::Ghost);
        detections.front &= !is(FaultKind::Missed);
        detections
    }
}

/// Proximity sensors whose readings are missing or stale.
#[derive(Debug)]
pub struct FaultyProximity<'f, P> {
    inner: P,
    faults: &'f [InjectedFault],
    last: Option<Reading>,
}

impl<'f, P> FaultyProximity<'f, P> {
    /// Adds faults to sensors.
    pub fn new(inner: P, faults: &'f [InjectedFault]) -> Self {
        let last = None;
        Self {
            inner,
            faults,
            last,
        }
    }
}

impl<P: Proximity> Proximity for FaultyProximity<'_, P> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let reading = self.inner.read().await?;
        let is = |kind| is_active(self.faults, kind, Instant::now());
        // With its original time.
        let old = self.last.filter(|_| is(FaultKind::Frozen));
        let reading = *self.last.insert(old.unwrap_or(reading));
        match is(FaultKind::Dropped) {
            true => Err(SensorError),
            false => Ok(reading),
        }
    }

    fn calibrate(&mut self, calibration: &Calibration, cell: CellSize) {
        self.inner.calibrate(calibration, cell);
    }

    async fn sweep(&mut self) -> Result<Thresholds, SensorError> {
        self.inner.sweep().await
    }
}

/// Odometry whose left encoder does not count, or whose gyro's bus fails.
#[derive(Debug)]
pub struct FaultyOdometry<'f, O> {
    inner: O,
    faults: &'f [InjectedFault],
    last: Option<i32>,
    /// Counts of the left encoder that were lost.
    lost: i32,
}

impl<'f, O> FaultyOdometry<'f, O> {
    /// Adds faults to odometry.
    pub fn new(inner: O, faults: &'f [InjectedFault]) -> Self {
        Self {
            inner,
            faults,
            last: None,
            lost: 0,
        }
    }
}

impl<O: Odometry> Odometry for FaultyOdometry<'_, O> {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        let [left, right] = self.inner.counts().await?;
        let before = self.last.replace(left).unwrap_or(left);
        if is_active(self.faults, FaultKind::Encoder, Instant::now()) {
            self.lost = self.lost.wrapping_add(left.wrapping_sub(before));
        }
        Ok([left.wrapping_sub(self.lost), right])
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        let rate = self.inner.yaw_rate().await?;
        match is_active(self.faults, FaultKind::Gyro, Instant::now()) {
            true => Err(SensorError),
            false => Ok(rate),
        }
    }
}

/// Motors of which the right one has no power, or whose wheels slip, as on sand. Slip acts on the model, since
/// no device knows the floor under the wheels.
#[derive(Debug)]
pub struct FaultyMotors<'f, D> {
    pub inner: D,
    /// Model with the wheels.
    pub model: SharedModel,
    pub faults: &'f [InjectedFault],
}

impl<D> FaultyMotors<'_, D> {
    fn update_slip(&self) {
        let is_slipping = is_active(self.faults, FaultKind::Slip, Instant::now());
        let shares = if is_slipping { SLIP } else { [0.0; 2] };
        self.model.now().drivetrain_mut().set_slip(shares);
    }
}

impl<D: Drive> Drive for FaultyMotors<'_, D> {
    fn set(&mut self, left: Duty, right: Duty) {
        self.update_slip();
        match is_active(self.faults, FaultKind::Motor, Instant::now()) {
            true => self.inner.set(left, Duty::default()),
            false => self.inner.set(left, right),
        }
    }

    fn off(&mut self) {
        self.update_slip();
        self.inner.off();
    }
}

#[cfg(test)]
mod tests {
    use embassy_time::Timer;
    use planner_core::{Cell, Side};
    use tinystar::{boards::ZUMO2040, drivers::proximity::PulsedProximity};

    use super::*;
    use crate::{
        physics::{
            clock::{Ended, run_to_end},
            devices::SimMotors,
            floor::Floor,
            model::PhysicsModel,
            tolerances::Tolerances,
        },
        world::Maze,
    };

    /// Detects pulses from a microsecond on, makes ten counts per millisecond, and turns by one degree per
    /// second.
    struct Device;

    impl Infrared for Device {
        async fn burst(&mut self, _: Emitter, width_ns: u32) -> Detections {
            let [front, left, right] = [width_ns >= 1000; 3];
            Detections { front, left, right }
        }
    }

    impl Odometry for Device {
        async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
            Ok([10 * Instant::now().as_millis() as i32; 2])
        }

        async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
            Ok(1000)
        }
    }

    /// A fault in the third and the fourth millisecond.
    fn fault(kind: &str) -> [InjectedFault; 1] {
        [format!("{kind}@0.003+0.002").parse().unwrap()]
    }

    /// Results of a device in each of six milliseconds.
    fn each_ms<T>(mut act: impl AsyncFnMut() -> T) -> Vec<T> {
        let job = async {
            let mut results = Vec::new();
            for _ in 0..6 {
                Timer::after_millis(1).await;
                results.push(act().await);
            }
            results
        };
        let Ended::Ready(results) = run_to_end(job) else {
            panic!("the job ends");
        };
        results
    }

    fn readings(kind: &str) -> Vec<Option<Reading>> {
        let faults = fault(kind);
        let mut proximity =
            FaultyProximity::new(PulsedProximity::new(Device, &ZUMO2040.calibration), &faults);
        each_ms(async || proximity.read().await.ok())
    }

    #[test]
    fn readings_are_missing_or_stale_in_the_span() {
        let taken = |reading: &Option<Reading>| reading.map(|r| r.taken.as_millis());
        let dropped: Vec<_> = readings("dropped").iter().map(taken).collect();
        assert_eq!(dropped, [Some(1), Some(2), None, None, Some(5), Some(6)]);
        let frozen: Vec<_> = readings("frozen").iter().map(taken).collect();
        assert_eq!(frozen, [1, 2, 2, 2, 5, 6].map(Some));
    }

    #[test]
    fn the_front_receiver_detects_everything_or_nothing_in_the_span() {
        for (kind, is_detected) in [("ghost", true), ("missed", false)] {
            let faults = fault(kind);
            let mut infrared = FaultyInfrared {
                inner: Device,
                faults: &faults,
            };
            let bursts = each_ms(async || {
                let wide = infrared.burst(Emitter::Left, 1000).await;
                let narrow = infrared.burst(Emitter::Right, 999).await;
                assert!(wide.left && wide.right && !narrow.left && !narrow.right);
                [wide.front, narrow.front]
            });
            let normal = [true, false];
            let faulty = [is_detected; 2];
            assert_eq!(bursts, [normal, normal, faulty, faulty, normal, normal]);
        }
    }

    #[test]
    fn a_failed_encoder_stops_and_then_counts_on() {
        let faults = fault("encoder");
        let mut odometry = FaultyOdometry::new(Device, &faults);
        let counts = each_ms(async || odometry.counts().await.unwrap());
        let left = [10, 20, 20, 20, 30, 40];
        let expected: Vec<[i32; 2]> = left
            .into_iter()
            .zip(1..)
            .map(|(l, r)| [l, 10 * r])
            .collect();
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_failed_gyro_is_an_error_and_recovers() {
        let faults = fault("gyro");
        let mut odometry = FaultyOdometry::new(Device, &faults);
        let rates = each_ms(async || odometry.yaw_rate().await.ok());
        let good = Some(1000);
        assert_eq!(rates, [good, good, None, None, good, good]);
    }

    #[test]
    fn a_failed_motor_gets_no_power() {
        let floor = Floor::new(Maze::open(3, 3).unwrap());
        let home = Cell::new(1, 1);
        let model = PhysicsModel::new(floor, home, Side::North, Tolerances::none(), 1);
        let model = SharedModel::new(model);
        let mut motors = FaultyMotors {
            inner: SimMotors(model.clone()),
            model: model.clone(),
            faults: &fault("motor"),
        };
        let duties = each_ms(async || {
            motors.set(Duty::permille(300), Duty::permille(400));
            model.last().duty()
        });
        let right = [400, 400, 0, 0, 400, 400];
        assert_eq!(duties, right.map(|right| [300, right]));
    }
}
