//! What is to go wrong in a rehearsal, and when.

use std::{fmt, str::FromStr};

use embassy_time::{Duration, Instant};
use planner_core::Side;
use thiserror::Error;

use super::TimeSpan;
use crate::physics::{
    floor::{self, Event, ObstacleKind},
    model::PhysicsModel,
};

/// How near a robot something steps into its way, in millimetres: it is driving at 200 mm/s, needs
/// two looks to be sure, and then 13 mm to stop.
const CLEARANCE: f64 = 60.0;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No proximity readings.
    Dropped,
    /// Old proximity readings.
    Frozen,
    /// A wall ahead that is not there.
    Ghost,
    /// No wall ahead, whether there is one or not.
    Missed,
    /// The gyro's bus fails.
    Gyro,
    /// The left encoder does not count.
    Encoder,
    /// The right motor has no power.
    Motor,
    /// Both wheels slip, the left one more.
    Slip,
    /// Somebody stands in the next cell.
    Person,
    /// A door closes beyond the next cell.
    Door,
    /// The power goes.
    Power,
}

impl FaultKind {
    /// All of them, with their names and how long they last unless told otherwise.
    const ALL: [(Self, &'static str, Duration); 11] = [
        (Self::Dropped, "dropped", Duration::from_millis(1000)),
        (Self::Frozen, "frozen", Duration::from_millis(1000)),
        (Self::Ghost, "ghost", Duration::from_millis(500)),
        (Self::Missed, "missed", Duration::from_millis(30)),
        (Self::Gyro, "gyro", Duration::from_millis(1000)),
        (Self::Encoder, "encoder", Duration::from_millis(1000)),
        (Self::Motor, "motor", Duration::from_millis(1000)),
        (Self::Slip, "slip", Duration::from_millis(500)),
        (Self::Person, "person", Duration::from_secs(10)),
        (Self::Door, "door", Duration::from_secs(15)),
        (Self::Power, "power", Duration::MAX),
    ];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().map(|(kind, ..)| kind)
    }

    /// How long it lasts unless told otherwise.
    #[must_use]
    pub fn usual(self) -> Duration {
        self.entry().1
    }

    fn entry(self) -> (&'static str, Duration) {
        let own = Self::ALL.into_iter().find(|&(kind, ..)| kind == self);
        // Every kind is there; a test sees to it.
        own.map_or(("", Duration::MAX), |(_, name, usual)| (name, usual))
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().0)
    }
}

/// What goes wrong, when, and for how long.
///
/// ```
/// use sim::physics::faults::{FaultKind, InjectedFault};
///
/// let trouble: InjectedFault = "frozen@12.5+0.3".parse()?;
/// assert_eq!(trouble.kind, FaultKind::Frozen);
/// assert_eq!((trouble.at.as_millis(), trouble.lasts.as_millis()), (12_500, 300));
/// # Ok::<(), sim::physics::faults::ParseFaultError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectedFault {
    /// What.
    pub kind: FaultKind,
    /// From when on.
    pub at: Instant,
    /// For how long.
    pub lasts: Duration,
}

/// What is typed is no trouble.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a fault is KIND@SECONDS or KIND@SECONDS+SECONDS, like frozen@12.5, where KIND is one of: {}",
    FaultKind::ALL.map(|(_, name, _)| name).join(", "))]
pub struct ParseFaultError;

impl FromStr for InjectedFault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        let (name, when) = text.split_once('@').ok_or(ParseFaultError)?;
        let (at, lasts) = match when.split_once('+') {
            Some((at, lasts)) => (at, Some(lasts)),
            None => (when, None),
        };
        let micros = |text: &str| {
            let seconds = text.parse::<f64>().ok();
            seconds
                .filter(|seconds| (0.0..=1e6).contains(seconds))
                .map(|seconds| (seconds * 1e6) as u64)
                .ok_or(ParseFaultError)
        };
        let (kind, _, usual) = FaultKind::ALL
            .into_iter()
            .find(|&(_, known, _)| known == name)
            .ok_or(ParseFaultError)?;
        Ok(Self {
            kind,
            at: Instant::from_micros(micros(at)?),
            lasts: match lasts {
                Some(lasts) => Duration::from_micros(micros(lasts)?),
                None => usual,
            },
        })
    }
}

impl InjectedFault {
    /// When it is.
    #[must_use]
    pub fn span(&self) -> TimeSpan {
        TimeSpan::new(self.at, self.lasts)
    }

    /// What steps into the way of the robot as it is now; `None` if nothing does, or there is no
    /// place for it there.
    #[must_use]
    pub fn in_the_way(&self, arena: &PhysicsModel) -> Option<Event> {
        let pose = arena.body().pose();
        let walls = arena.floor().walls();
        let heading = looking(pose.heading);
        let next = walls.beyond(floor::cell(pose.at), heading)?;
        let what = match self.kind {
            FaultKind::Person => ObstacleKind::InCell(next),
            FaultKind::Door => {
                walls.beyond(next, heading)?;
                ObstacleKind::Door(next, heading)
            }
            _ => return None,
        };
        Some(Event {
            what,
            from: arena.now(),
            until: arena.now().saturating_add(self.lasts.as_micros()),
            clearance: CLEARANCE,
        })
    }
}

/// The side that is nearest to a direction, in radians clockwise from north.
#[must_use]
pub fn looking(heading: f64) -> Side {
    let quarters = (heading / std::f64::consts::FRAC_PI_2).round();
    match quarters.rem_euclid(4.0) as u8 {
        0 => Side::North,
        1 => Side::East,
        2 => Side::South,
        _ => Side::West,
    }
}

#[cfg(test)]
mod tests {
    use planner_core::Cell;

    use super::*;
    use crate::{
        physics::{floor::Floor, model::angle, tolerances::Tolerances},
        world::{Maze, maze::SIDES},
    };

    #[test]
    fn what_cannot_be_understood_is_no_trouble() {
        for nonsense in [
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
        ] {
            assert_eq!(
                nonsense.parse::<InjectedFault>(),
                Err(ParseFaultError),
                "{nonsense}"
            );
        }
    }

    #[test]
    fn every_kind_has_its_name() {
        for kind in FaultKind::all() {
            let typed = format!("{kind}@2");
            let trouble: InjectedFault = typed.parse().unwrap();
            assert_eq!((trouble.kind, trouble.lasts), (kind, kind.usual()));
        }
    }

    #[test]
    fn a_robot_looks_where_it_is_turned() {
        for side in SIDES {
            for turns in -2..=2 {
                let full = f64::from(turns) * std::f64::consts::TAU;
                assert_eq!(looking(angle(side) + full + 0.7), side);
                assert_eq!(looking(angle(side) + full - 0.7), side);
            }
        }
    }

    #[test]
    fn people_step_into_the_cell_ahead_unless_there_is_a_wall() {
        let trouble: InjectedFault = "person@0".parse().unwrap();
        let stepped = |y, heading| {
            let floor = Floor::new(Maze::open(3, 3).unwrap());
            let arena = PhysicsModel::new(floor, Cell::new(1, y), heading, Tolerances::none(), 1);
            trouble.in_the_way(&arena).map(|event| event.what)
        };
        assert_eq!(
            stepped(1, Side::East),
            Some(ObstacleKind::InCell(Cell::new(2, 1)))
        );
        assert_eq!(stepped(0, Side::North), None);
    }
}
