//! Proximity sensors of a Zumo: infrared pulses of a chosen width from either side, and receivers that
//! detect a reflection or not.
//!
//! A board implements [`Infrared`], one burst at a time; [`PulsedProximity`] makes readings of bursts. The
//! simulator's model implements the same trait, so that the very same driver runs there.
//!
//! A burst of a width tells on which side of one distance the nearest wall is. Which distances these are is
//! decided by the [`PulsePlan`]: the calibration chooses widths whose thresholds lie at the distances that
//! matter, for any reflectance of the walls.

use embassy_time::{Duration, Instant};

use crate::{
    calibration::{Calibration, WallCalibration},
    config::CELL_MM,
    motion::CellSize,
    robot::{Distances, Interval, Proximity, Reading, SensorError, Thresholds},
};

/// Carrier frequency of the receivers.
const CARRIER_HZ: u32 = 56_000;
/// Duration of a burst: 14 pulses. A receiver responds within 13.
pub const ON: Duration = Duration::from_micros(250);
/// Pause after a burst: 18 pulses. A receiver recovers within 17.
pub const OFF: Duration = Duration::from_micros(321);

/// Bursts of each side's LEDs in a reading.
pub const PULSES: usize = 6;
/// Step of pulse widths, in nanoseconds: a cycle at 125 MHz.
const STEP_NS: u16 = 8;
/// Narrowest pulse, in nanoseconds.
const NARROWEST_NS: u16 = 3 * STEP_NS;
/// Widest pulse, in nanoseconds: the brightest of the maker's own driver, 42 % of the carrier's period.
const WIDEST_NS: u16 = 7_568;

/// Carrier period in steps of a counter at `clock_hz`.
#[must_use]
pub const fn period(clock_hz: u32) -> u16 {
    (clock_hz / CARRIER_HZ) as u16
}

/// Pulse width in steps of a counter at `clock_hz`, to the nearest.
#[must_use]
pub const fn width(ns: u32, clock_hz: u32) -> u16 {
    ((ns as u64 * clock_hz as u64 + 500_000_000) / 1_000_000_000) as u16
}

/// Emitter side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emitter {
    /// LEDs on the left.
    Left,
    /// LEDs on the right.
    Right,
}

impl Emitter {
    /// Both sides.
    pub const ALL: [Self; 2] = [Self::Left, Self::Right];
}

/// Receivers that detect a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detections {
    /// Front receiver.
    pub front: bool,
    /// Left receiver.
    pub left: bool,
    /// Right receiver.
    pub right: bool,
}

impl Detections {
    /// Left, front and right.
    const fn receivers(self) -> [bool; 3] {
        [self.left, self.front, self.right]
    }
}

/// Infrared LEDs and receivers, one burst at a time.
///
/// ```
/// use tinystar::drivers::proximity::{Detections, Emitter, Infrared};
///
/// /// A wall ahead that reflects pulses of a microsecond and more.
/// struct WallAhead;
///
/// impl Infrared for WallAhead {
///     async fn burst(&mut self, _: Emitter, width_ns: u32) -> Detections {
///         Detections { front: width_ns >= 1000, ..Detections::default() }
///     }
/// }
/// ```
#[allow(async_fn_in_trait)] // tasks run where they are spawned, nothing is sent between threads
pub trait Infrared {
    /// Pulses the LEDs of one side for [`ON`] with pulses of a width in nanoseconds, samples the receivers
    /// at the end, and keeps the LEDs dark for [`OFF`]. With a width of zero, the LEDs stay dark.
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections;
}

/// Pulse widths of a reading, and the distance at which each is just detected.
///
/// ```
/// use tinystar::{boards::ZUMO2040, drivers::proximity::PulsePlan, motion::CellSize};
///
/// let plan = PulsePlan::new(&ZUMO2040.calibration.walls, CellSize::mm(180));
/// let nothing = plan.distances([0; 3]).front.unwrap();
/// assert!(!nothing.is_in_range() && nothing.near > 230_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PulsePlan {
    /// Widths of the left and the right LEDs' pulses, in nanoseconds.
    widths_ns: [[u16; PULSES]; 2],
    /// Distances of the left, front and right receiver for each of the pulses, in micrometres.
    thresholds_um: [[i32; 2 * PULSES]; 3],
}

impl PulsePlan {
    /// Chooses the widths whose thresholds lie at the distances that matter in cells of a size.
    ///
    /// The LEDs of one side are bright to the receiver on their own side and dim to the other, so that one
    /// tells a wall from the next cell's and the other tells which side of the centre the robot is on. Both
    /// reach the front receiver; each takes every other of its six distances.
    #[must_use]
    pub fn new(walls: &WallCalibration, cell: CellSize) -> Self {
        const LEFT: usize = 0;
        const FRONT: usize = 1;
        const RIGHT: usize = 2;
        let front = [
            [
                cell.front_near_um(),
                cell.front_wall_um(),
                cell.between_um(202_000),
            ],
            // The last is the widest pulse.
            [cell.between_um(87_000), cell.between_um(163_000), 800_000],
        ];
        let widths_ns = [(0, LEFT, RIGHT), (1, RIGHT, LEFT)].map(|(leds, own, cross)| {
            [
                (cross, cell.receiver_um()),
                (own, cell.side_near_um()),
                (own, cell.side_wall_um()),
                (FRONT, front[leds][0]),
                (FRONT, front[leds][1]),
                (FRONT, front[leds][2]),
            ]
            .map(|(receiver, distance)| {
                let width = walls.width_ns(walls.near_ns[receiver][leds], distance);
                (width.saturating_add(STEP_NS / 2) / STEP_NS * STEP_NS)
                    .clamp(NARROWEST_NS, WIDEST_NS)
            })
        });
        let thresholds_um = walls.near_ns.map(|near_ns| {
            let mut thresholds = [0; 2 * PULSES];
            let pulses = widths_ns.as_flattened().iter();
            for (pulse, (threshold, &width)) in thresholds.iter_mut().zip(pulses).enumerate() {
                *threshold = walls.distance(near_ns[pulse / PULSES], width);
            }
            thresholds
        });
        Self {
            widths_ns,
            thresholds_um,
        }
    }

    /// Distances from what the left, front and right receiver detected: a bit per pulse, those of the left
    /// LEDs lowest.
    #[must_use]
    pub fn distances(&self, detected: [u16; 3]) -> Distances {
        let [left, front, right] = [0, 1, 2]
            .map(|receiver: usize| interval(&self.thresholds_um[receiver], detected[receiver]));
        Distances { left, front, right }
    }
}

/// Interval between the thresholds of the pulses that were detected and those that were not; `None` if they
/// contradict each other by more than noise.
fn interval(thresholds: &[i32; 2 * PULSES], detected: u16) -> Option<Interval> {
    let mut between = Interval::beyond(0);
    for (pulse, &threshold) in thresholds.iter().enumerate() {
        if detected >> pulse & 1 != 0 {
            between.far = between.far.min(threshold);
        } else {
            between.near = between.near.max(threshold);
        }
    }
    let Interval { near, far } = between;
    if near < far {
        Some(between)
    } else if near - far <= far / 4 {
        // Around a threshold, noise decides.
        Some(Interval {
            near: far - 1,
            far: near,
        })
    } else {
        None
    }
}

/// Proximity sensors that read by bursts of six widths from either side.
#[derive(Debug)]
pub struct PulsedProximity<I> {
    infrared: I,
    plan: PulsePlan,
}

impl<I> PulsedProximity<I> {
    /// Sensors with a calibration, in cells of the usual size until [`Proximity::calibrate`] tells another.
    pub fn new(infrared: I, calibration: &Calibration) -> Self {
        Self {
            infrared,
            plan: PulsePlan::new(&calibration.walls, CellSize::mm(CELL_MM as u16)),
        }
    }
}

impl<I: Infrared> Proximity for PulsedProximity<I> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        // What is detected without light is none of ours: the receiver is dazzled.
        let dazzled = self.infrared.burst(Emitter::Left, 0).await.receivers();
        let mut taken = Instant::now();
        let mut raw = [0; 3];
        for pulse in 0..PULSES {
            if pulse == PULSES / 2 {
                // The middle of the reading: the robot moves by a millimetre and more meanwhile.
                taken = Instant::now();
            }
            for emitter in Emitter::ALL {
                let side = emitter as usize;
                let width = self.plan.widths_ns[side][pulse];
                let detections = self.infrared.burst(emitter, width.into()).await;
                for (raw, is_detected) in raw.iter_mut().zip(detections.receivers()) {
                    *raw |= u16::from(is_detected) << (side * PULSES + pulse);
                }
            }
        }
        let Distances { left, front, right } = self.plan.distances(raw);
        let [left_dazzled, front_dazzled, right_dazzled] = dazzled;
        Ok(Reading {
            distances: Distances {
                left: left.filter(|_| !left_dazzled),
                front: front.filter(|_| !front_dazzled),
                right: right.filter(|_| !right_dazzled),
            },
            raw,
            taken,
        })
    }

    fn calibrate(&mut self, calibration: &Calibration, cell: CellSize) {
        self.plan = PulsePlan::new(&calibration.walls, cell);
    }

    async fn sweep(&mut self) -> Result<Thresholds, SensorError> {
        // Detected widths are counted, so that noise around a threshold is averaged.
        let mut missed = [[0_usize; 2]; 3];
        let mut steps = 0;
        let mut width = NARROWEST_NS;
        while width <= WIDEST_NS {
            for emitter in Emitter::ALL {
                let detections = self.infrared.burst(emitter, width.into()).await;
                for (missed, is_detected) in missed.iter_mut().zip(detections.receivers()) {
                    missed[emitter as usize] += usize::from(!is_detected);
                }
            }
            steps += 1;
            width = next_width(width);
        }
        Ok(missed.map(|by_leds| by_leds.map(|missed| (missed < steps).then(|| nth_width(missed)))))
    }
}

/// Next width of a sweep: 4 % more, and a [`STEP_NS`] at least.
const fn next_width(width: u16) -> u16 {
    width + (width / 25 + 1).next_multiple_of(STEP_NS)
}

/// Width of a sweep after a number of steps, less half a step: where the threshold lies on average.
fn nth_width(steps: usize) -> u16 {
    let (mut before, mut width) = (NARROWEST_NS - STEP_NS, NARROWEST_NS);
    for _ in 0..steps {
        (before, width) = (width, next_width(width));
    }
    before.midpoint(width)
}

#[cfg(test)]
mod tests {
    use core::{
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;
    use crate::{
        boards::ZUMO2040,
        config::{FRONT_NEAR_UM, FRONT_WALL_UM, SIDE_NEAR_UM, SIDE_WALL_UM},
    };

    /// Walls at a distance to the left, ahead and to the right, in millimetres, and how far each receiver
    /// sees by each LED, relative to the nominal robot.
    struct Walls {
        distances: [f64; 3],
        factors: [[f64; 2]; 3],
        bursts: usize,
    }

    impl Infrared for Walls {
        async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections {
            self.bursts += 1;
            let detected = |receiver: usize| {
                let leds = emitter as usize;
                let near = f64::from(ZUMO2040.calibration.walls.near_ns[receiver][leds]);
                let range = 39.0 * (f64::from(width_ns) / near).sqrt();
                self.distances[receiver] <= range * self.factors[receiver][leds]
            };
            Detections {
                left: detected(0),
                front: detected(1),
                right: detected(2),
            }
        }
    }

    /// Completes a future that never waits.
    fn complete<T>(future: impl Future<Output = T>) -> T {
        let mut context = Context::from_waker(Waker::noop());
        match pin!(future).poll(&mut context) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("it waits"),
        }
    }

    fn sensors(factors: [[f64; 2]; 3]) -> PulsedProximity<Walls> {
        let walls = Walls {
            distances: [39.0; 3],
            factors,
            bursts: 0,
        };
        PulsedProximity::new(walls, &ZUMO2040.calibration)
    }

    /// Calibrates by a sweep with walls all around.
    fn calibrated(factors: [[f64; 2]; 3]) -> PulsedProximity<Walls> {
        let mut sensors = sensors(factors);
        let thresholds = complete(sensors.sweep()).unwrap();
        let mut calibration = ZUMO2040.calibration;
        calibration.walls.near_ns = thresholds.map(|of| of.map(|width| width.unwrap()));
        sensors.calibrate(&calibration, CellSize::mm(180));
        sensors
    }

    fn read(sensors: &mut PulsedProximity<Walls>, distances: [f64; 3]) -> [Interval; 3] {
        sensors.infrared.distances = distances;
        let raw = {
            sensors.infrared.bursts = 0;
            complete(raw(sensors))
        };
        assert_eq!(sensors.infrared.bursts, 12);
        let Distances { left, front, right } = sensors.plan.distances(raw);
        [left.unwrap(), front.unwrap(), right.unwrap()]
    }

    /// A reading without its time: unit tests have no clock.
    async fn raw(sensors: &mut PulsedProximity<Walls>) -> [u16; 3] {
        let mut raw = [0; 3];
        for pulse in 0..PULSES {
            for emitter in Emitter::ALL {
                let side = emitter as usize;
                let width = sensors.plan.widths_ns[side][pulse];
                let detections = sensors.infrared.burst(emitter, width.into()).await;
                for (raw, is_detected) in raw.iter_mut().zip(detections.receivers()) {
                    *raw |= u16::from(is_detected) << (side * PULSES + pulse);
                }
            }
        }
        raw
    }

    #[test]
    fn pulses_at_125_mhz_have_the_carrier_period_and_their_widths() {
        assert_eq!(period(125_000_000), 2232);
        let steps = [313, 1000, 7568].map(|ns| width(ns, 125_000_000));
        assert_eq!(steps, [39, 125, 946]);
    }

    #[test]
    fn a_reading_takes_less_than_eight_milliseconds_and_a_sweep_an_eighth_of_a_second() {
        // One burst of them without light.
        let reading = (ON + OFF) * (1 + 2 * PULSES as u32);
        assert_eq!(reading.as_micros(), 7423);
        assert!(reading < crate::config::SENSE_PERIOD);
        let mut sensors = sensors([[1.0; 2]; 3]);
        complete(sensors.sweep()).unwrap();
        let sweep = (ON + OFF) * sensors.infrared.bursts as u32;
        assert!((100..130).contains(&sweep.as_millis()), "{sweep}");
    }

    #[test]
    fn every_interval_holds_the_distance() {
        let mut sensors = calibrated([[1.0; 2]; 3]);
        for mm in 10..300 {
            let mm = f64::from(mm);
            for Interval { near, far } in read(&mut sensors, [mm; 3]) {
                // The thresholds were found with a resolution of 2 %.
                assert!(f64::from(near) <= mm * 1000.0 * 1.03, "{mm}: {near}");
                assert!(f64::from(far) >= mm * 1000.0 * 0.97, "{mm}: {far}");
            }
        }
    }

    #[test]
    fn calibrated_thresholds_lie_at_the_distances_that_matter_for_any_reflectance() {
        let factors = [0.5, 0.8, 1.25, 2.0];
        for draw in 0..4096_usize {
            let factor = |place: usize| factors[draw >> (2 * place) & 3];
            let each = [
                [factor(0), factor(1)],
                [factor(2), factor(3)],
                [factor(4), factor(5)],
            ];
            let mut sensors = calibrated(each);
            // A wall of this cell, 6 % nearer and further than the centre.
            for (mm, is_nearer) in [(36.5, true), (41.5, false)] {
                let [left, front, right] = read(&mut sensors, [mm; 3]);
                for side in [left, right] {
                    assert!(side.is_within(SIDE_NEAR_UM), "{each:?} {mm}: {side:?}");
                    let centre = WallCalibration::NEAR_UM;
                    assert_eq!(side.is_within(centre), is_nearer, "{each:?} {mm}: {side:?}");
                    assert_eq!(
                        side.is_beyond(centre),
                        !is_nearer,
                        "{each:?} {mm}: {side:?}"
                    );
                }
                assert!(front.is_within(FRONT_NEAR_UM), "{each:?}: {front:?}");
            }
            // The wall of the next cell.
            for next in read(&mut sensors, [200.0; 3]) {
                assert!(next.is_beyond(SIDE_WALL_UM), "{each:?}: {next:?}");
            }
        }
    }

    #[test]
    fn an_uncalibrated_sensor_mistakes_the_wall_of_the_next_cell() {
        let mut sensors = sensors([[2.0; 2]; 3]);
        let [_, front, _] = read(&mut sensors, [219.0; 3]);
        assert!(front.is_within(FRONT_WALL_UM), "{front:?}");
    }

    #[test]
    fn noise_around_a_threshold_is_a_narrow_interval_and_more_is_a_contradiction() {
        let thresholds = [50, 51, 60, 70, 80, 90, 50, 51, 60, 70, 80, 90].map(|mm| mm * 1000);
        let detected = 0b111_101_111_111;
        let noisy = interval(&thresholds, detected).unwrap();
        assert_eq!((noisy.near, noisy.far), (49_999, 51_000));
        assert_eq!(interval(&thresholds, 0b011_111_111_111), None);
        assert_eq!(interval(&thresholds, 0), Some(Interval::beyond(90_000)));
    }
}
