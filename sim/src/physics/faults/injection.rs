//! Injected faults: kinds, times and their notation.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use clap::ValueEnum;
use embassy_time::{Duration, Instant};
use planner_core::Side;
use rand::{Rng, RngExt};
use thiserror::Error;

use crate::physics::{
    floor::{Obstacle, ObstacleKind},
    geometry::Pose,
    model::PhysicsModel,
};

/// Distance at which an obstacle appears, in millimetres: at 200 mm/s, the robot needs two readings and then
/// 13 mm to stop.
const CLEARANCE: f64 = 60.0;

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FaultKind {
    /// Missing proximity readings.
    Dropped,
    /// Stale proximity readings.
    Frozen,
    /// Phantom wall ahead.
    Ghost,
    /// Walls ahead are not detected.
    Missed,
    /// Failing bus of the gyro.
    Gyro,
    /// Left encoder without counts.
    Encoder,
    /// Right motor without power.
    Motor,
    /// Slip of both wheels, more of the left one.
    Slip,
    /// Person in the next cell.
    Person,
    /// Door that closes behind the next cell.
    Door,
    /// Power cut.
    Power,
    /// Person who picks the robot up, turns it, and puts it down at its home.
    Carried,
    /// Press of button A.
    ButtonA,
    /// Press of button B.
    ButtonB,
    /// Press of button C.
    ButtonC,
}

impl FaultKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied()
    }

    /// Duration unless another is given.
    #[must_use]
    pub fn default_duration(self) -> Duration {
        match self {
            Self::Missed => Duration::from_millis(30),
            Self::ButtonA | Self::ButtonB | Self::ButtonC => Duration::from_millis(150),
            Self::Ghost | Self::Slip => Duration::from_millis(500),
            Self::Dropped | Self::Frozen | Self::Gyro | Self::Encoder | Self::Motor => {
                Duration::from_secs(1)
            }
            Self::Carried => Duration::from_secs(2),
            Self::Person => Duration::from_secs(10),
            Self::Door => Duration::from_secs(15),
            // For good: the longest that can be given.
            Self::Power => Duration::from_secs(1_000_000),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// Fault with its start and duration.
///
/// ```
/// use sim::physics::faults::{FaultKind, InjectedFault};
///
/// let fault: InjectedFault = "frozen@12.5+0.3".parse()?;
/// assert_eq!(fault.kind, FaultKind::Frozen);
/// assert_eq!((fault.start.as_millis(), fault.duration.as_millis()), (12_500, 300));
/// # Ok::<(), sim::physics::faults::ParseFaultError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectedFault {
    pub kind: FaultKind,
    pub start: Instant,
    pub duration: Duration,
}

/// Fault whose start and duration are drawn from ranges.
///
/// ```
/// use sim::{physics::faults::FaultDraw, world::rng};
///
/// let fault = "slip@5..60+0.5..8".parse::<FaultDraw>()?.draw(&mut rng::seeded(1));
/// assert!((5_000..=60_000).contains(&fault.start.as_millis()));
/// assert!((500..=8_000).contains(&fault.duration.as_millis()));
/// # Ok::<(), sim::physics::faults::ParseFaultError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultDraw {
    pub kind: FaultKind,
    /// In microseconds.
    start: RangeInclusive<u64>,
    /// In microseconds.
    duration: RangeInclusive<u64>,
}

impl FaultDraw {
    /// Draws a fault.
    pub fn draw(&self, rng: &mut impl Rng) -> InjectedFault {
        InjectedFault {
            kind: self.kind,
            start: Instant::from_micros(rng.random_range(self.start.clone())),
            duration: Duration::from_micros(rng.random_range(self.duration.clone())),
        }
    }
}

/// Invalid notation of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a fault is KIND@SECONDS or KIND@SECONDS+SECONDS, like frozen@12.5, where KIND is one of: {}; seconds are drawn \
    from a range like 5..60",
    FaultKind::all().map(|kind| kind.to_string()).collect::<Vec<_>>().join(", "))]
pub struct ParseFaultError;

impl FromStr for FaultDraw {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        let (name, time) = text.split_once('@').ok_or(ParseFaultError)?;
        let (start, duration) = match time.split_once('+') {
            Some((start, duration)) => (start, Some(duration)),
            None => (time, None),
        };
        let micros = |text: &str| {
            let seconds = text.parse::<f64>().ok();
            seconds
                .filter(|seconds| (0.0..=1e6).contains(seconds))
                .map(|seconds| (seconds * 1e6) as u64)
                .ok_or(ParseFaultError)
        };
        let range = |text: &str| {
            let (first, last) = text.split_once("..").unwrap_or((text, text));
            let range = micros(first)?..=micros(last)?;
            if range.is_empty() {
                Err(ParseFaultError)
            } else {
                Ok(range)
            }
        };
        let kind = FaultKind::from_str(name, false).map_err(|_| ParseFaultError)?;
        let default_duration = kind.default_duration().as_micros();
        Ok(Self {
            kind,
            start: range(start)?,
            duration: duration.map_or(Ok(default_duration..=default_duration), range)?,
        })
    }
}

impl FromStr for InjectedFault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        let FaultDraw {
            kind,
            start,
            duration,
        } = text.parse()?;
        let is_fixed = start.start() == start.end() && duration.start() == duration.end();
        is_fixed.then_some(()).ok_or(ParseFaultError)?;
        Ok(Self {
            kind,
            start: Instant::from_micros(*start.start()),
            duration: Duration::from_micros(*duration.start()),
        })
    }
}

impl InjectedFault {
    /// Obstacle that a person or door fault puts ahead of the robot; `None` for other faults, or if there
    /// is no place for it.
    pub fn obstacle_ahead(&self, model: &PhysicsModel) -> Option<Obstacle> {
        let pose = model.drivetrain().pose();
        let walls = model.floor().walls();
        let heading = nearest_side(pose.heading);
        let next = walls.beyond(model.floor().cell(pose.at), heading)?;
        let kind = match self.kind {
            FaultKind::Person => ObstacleKind::InCell(next),
            FaultKind::Door => {
                walls.beyond(next, heading)?;
                ObstacleKind::Door(next, heading)
            }
            _ => return None,
        };
        Some(Obstacle {
            kind,
            from: model.now(),
            until: model.now().saturating_add(self.duration.as_micros()),
            clearance: CLEARANCE,
        })
    }
}

/// Returns whether a fault of a kind is active at an instant.
pub fn is_active(faults: &[InjectedFault], kind: FaultKind, at: Instant) -> bool {
    let contains = |fault: &InjectedFault| {
        (fault.start..fault.start.saturating_add(fault.duration)).contains(&at)
    };
    let mut faults = faults.iter();
    faults.any(|fault| fault.kind == kind && contains(fault))
}

/// Turn rate of a robot that is carried, in degrees per second: a person turns around.
pub const CARRIED_DPS: f64 = 120.0;

/// Hand that picks the robot up and puts it down at its home.
#[derive(Clone, Debug)]
pub struct Hand {
    carried: Vec<InjectedFault>,
    home: Pose,
}

impl Hand {
    /// Hand of the `carried` faults; `home` is where it puts the robot down.
    pub fn new(faults: &[InjectedFault], home: Pose) -> Self {
        let faults = faults.iter().copied();
        Self {
            carried: faults.filter(|f| f.kind == FaultKind::Carried).collect(),
            home,
        }
    }

    /// Picks the robot up or puts it down when it is time.
    pub fn update(&self, now: Instant, model: &mut PhysicsModel) {
        match (
            is_active(&self.carried, FaultKind::Carried, now),
            model.is_carried(),
        ) {
            (true, false) => model.pick_up(CARRIED_DPS),
            (false, true) => model.put_down(self.home),
            _ => {}
        }
    }
}

/// Button presses among the faults, for A, B and C at an instant.
pub fn pressed(faults: &[InjectedFault], at: Instant) -> [bool; 3] {
    [FaultKind::ButtonA, FaultKind::ButtonB, FaultKind::ButtonC]
        .map(|kind| is_active(faults, kind, at))
}

/// People and doors that have not appeared yet.
#[derive(Clone, Debug)]
pub struct ObstacleSchedule(Vec<InjectedFault>);

impl ObstacleSchedule {
    /// Schedule of the person and door faults.
    pub fn new(faults: &[InjectedFault]) -> Self {
        let is_obstacle =
            |fault: &&InjectedFault| matches!(fault.kind, FaultKind::Person | FaultKind::Door);
        Self(faults.iter().filter(is_obstacle).copied().collect())
    }

    /// Adds the obstacles that are due, as soon as there is a place ahead of the robot.
    pub fn update(&mut self, now: Instant, model: &mut PhysicsModel) {
        self.0.retain(|fault| {
            let due = Some(fault).filter(|fault| fault.start <= now);
            let obstacle = due.and_then(|fault| fault.obstacle_ahead(model));
            obstacle
                .map(|obstacle| model.add_obstacle(obstacle))
                .is_none()
        });
    }
}

/// Side nearest to a direction, in radians clockwise from north.
pub fn nearest_side(heading: f64) -> Side {
    let quarters = (heading / std::f64::consts::FRAC_PI_2).round();
    Side::North.turned(quarters.rem_euclid(4.0) as usize)
}

#[cfg(test)]
mod tests {
    use planner_core::Cell;

    use super::*;
    use crate::{
        physics::{floor::Floor, model::angle, tolerances::Tolerances},
        world::Maze,
    };

    #[test]
    fn invalid_notation_is_an_error() {
        for invalid in [
            "",
            "ghost",
            "ghost@",
            "@3",
            "goat@3",
            "ghost@-1",
            "ghost@1e9",
            "ghost@NaN",
            "ghost@1+",
            "ghost@1+x",
            "ghost@2..1",
            "ghost@1..",
            "ghost@1+2..1",
        ] {
            let error = Err(ParseFaultError);
            assert_eq!(invalid.parse::<FaultDraw>(), error, "{invalid}");
        }
        assert_eq!(
            "ghost@1..2".parse::<InjectedFault>(),
            Err(ParseFaultError),
            "nothing draws it"
        );
    }

    #[test]
    fn nearest_side_is_periodic() {
        for side in Side::ALL {
            for turns in -2..=2 {
                let full = f64::from(turns) * std::f64::consts::TAU;
                assert_eq!(nearest_side(angle(side) + full + 0.7), side);
                assert_eq!(nearest_side(angle(side) + full - 0.7), side);
            }
        }
    }

    #[test]
    fn a_person_appears_in_the_cell_ahead_unless_there_is_a_wall() {
        let fault: InjectedFault = "person@0".parse().unwrap();
        let stepped = |y, heading| {
            let floor = Floor::new(Maze::open(3, 3).unwrap());
            let model = PhysicsModel::new(floor, Cell::new(1, y), heading, Tolerances::none(), 1);
            fault.obstacle_ahead(&model).map(|obstacle| obstacle.kind)
        };
        assert_eq!(
            stepped(1, Side::East),
            Some(ObstacleKind::InCell(Cell::new(2, 1)))
        );
        assert_eq!(stepped(0, Side::North), None);
    }
}
