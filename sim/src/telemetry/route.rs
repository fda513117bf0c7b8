//! The route that a robot has decided on, as it will drive it.

use planner_core::{Cell, Side};
use tinystar::{
    boards::ZUMO2040, config::DECIDE_BEHIND_EDGE_UM, motion::SmoothTurn, signals::Exit,
    telemetry::State,
};

use super::RobotState;
use crate::physics::geometry::direction;

/// Pieces in which a smooth turn is drawn.
const PIECES: i32 = 8;

/// Smooth turn of the robot; all boards have the same.
const TURN: SmoothTurn = ZUMO2040.turn;

/// A cell of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leg {
    cell: Cell,
    /// Heading in which the robot enters it.
    heading: Side,
    /// Side by which it leaves; `None` if it is undecided.
    exit: Option<Exit>,
    /// True if that is a smooth turn, not one in place.
    is_smooth: bool,
}

/// A route: the cell of a robot, and those that it is about to enter.
///
/// Lengths are in millimetres; points lie east and south of the north-west corner of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRoute {
    state: State,
    cell_mm: f64,
    /// Two at least; only the last is undecided.
    legs: Vec<Leg>,
}

impl PlannedRoute {
    /// Route of a robot, as reported; `None` while there is none.
    pub fn of(robot: &RobotState) -> Option<Self> {
        let state = robot.state.filter(|state| state.activity.is_active())?;
        let mut legs = Vec::new();
        let (mut cell, mut heading) = (state.at, state.heading);
        for &next in &robot.route {
            let side = Side::between(cell, next)?;
            let exit = Exit::between(heading, side);
            // A robot that stands turns in place.
            let is_moving = !legs.is_empty() || state.speed_mm_s != 0;
            legs.push(Leg {
                cell,
                heading,
                exit: Some(exit),
                is_smooth: is_moving && matches!(exit, Exit::Left | Exit::Right),
            });
            (cell, heading) = (next, side);
        }
        let is_route = !legs.is_empty();
        legs.push(Leg {
            cell,
            heading,
            exit: None,
            is_smooth: false,
        });
        is_route.then(|| Self {
            state,
            cell_mm: robot.cell_mm().into(),
            legs,
        })
    }

    /// Cell of the next turn, and whether it leads left, right or back.
    pub fn turn(&self) -> Option<(Cell, Exit)> {
        let mut exits = self
            .legs
            .iter()
            .filter_map(|leg| Some((leg.cell, leg.exit?)));
        exits.find(|&(_, exit)| exit != Exit::Ahead)
    }

    /// The undecided cell.
    pub fn undecided(&self) -> Cell {
        self.legs[self.legs.len() - 1].cell
    }

    /// Place in the undecided cell where the robot has sensed its walls and decides how to leave it.
    pub fn decision_point(&self) -> [f64; 2] {
        let leg = self.legs[self.legs.len() - 1];
        self.point(&leg, mm(DECIDE_BEHIND_EDGE_UM) - self.cell_mm / 2.0, 0.0)
    }

    /// Distance to the decision point, as the robot drives; zero behind it.
    pub fn to_decision_mm(&self) -> f64 {
        let decided = self.legs.iter().filter(|leg| leg.exit.is_some());
        let whole: f64 = decided
            .map(|leg| match leg.is_smooth {
                true => mm(TURN.length_um() - 2 * TURN.entry_um()) + self.cell_mm,
                false => self.cell_mm,
            })
            .sum();
        // From the edge by which the robot has entered its cell.
        let turned = f64::from(self.state.yaw_ddeg.unsigned_abs()) / 900.0;
        let forward = f64::from(self.state.forward_mm);
        let position = match self.legs[0].is_smooth && forward > -mm(TURN.entry_um()) {
            true => turned * mm(TURN.length_um()) - mm(TURN.entry_um()),
            false => forward,
        };
        let driven = position + self.cell_mm / 2.0;
        (whole + mm(DECIDE_BEHIND_EDGE_UM) - driven).max(0.0)
    }

    /// Path from the cell of the robot to the centre of the undecided one.
    pub fn path(&self) -> Vec<[f64; 2]> {
        let mut points = Vec::new();
        for leg in &self.legs {
            if !leg.is_smooth {
                points.push(self.point(leg, 0.0, 0.0));
                continue;
            }
            let side = if leg.exit == Some(Exit::Left) {
                -1.0
            } else {
                1.0
            };
            for piece in 0..=PIECES {
                let point = TURN.at(TURN.length_um() * piece / PIECES);
                let forward = mm(point.forward_um - TURN.entry_um());
                points.push(self.point(leg, forward, side * mm(point.lateral_um)));
            }
        }
        points
    }

    /// Point forward and right of the centre of a cell.
    fn point(&self, leg: &Leg, forward: f64, right: f64) -> [f64; 2] {
        let [x, y] = [leg.cell.x, leg.cell.y].map(|index| (f64::from(index) + 0.5) * self.cell_mm);
        let [east, south] = direction(leg.heading);
        [
            x + east * forward - south * right,
            y + south * forward + east * right,
        ]
    }
}

fn mm(um: i32) -> f64 {
    f64::from(um) / 1000.0
}

#[cfg(test)]
mod tests {
    use tinystar::{mission::Activity, telemetry::Frame};

    use super::*;

    /// A robot that drives north from 2,5, with these next cells.
    fn robot(speed_mm_s: i16, cells: &[(u16, u16)]) -> RobotState {
        let mut robot = RobotState::new((9, 9));
        robot.handle(&Frame::State(State {
            activity: Activity::Going,
            speed_mm_s,
            ..State::new(Cell::new(2, 5), Side::North)
        }));
        for &(x, y) in cells {
            robot.handle(&Frame::Next(Cell::new(x, y)));
        }
        robot
    }

    #[test]
    fn the_route_is_drawn_with_its_smooth_turns() {
        let route = PlannedRoute::of(&robot(300, &[(2, 4), (3, 4), (4, 4)])).unwrap();
        assert_eq!(route.turn(), Some((Cell::new(2, 4), Exit::Right)));
        assert_eq!(route.undecided(), Cell::new(4, 4));
        let path = route.path();
        assert_eq!(
            (path[0], path[path.len() - 1]),
            ([450.0, 990.0], [810.0, 810.0])
        );
        // Never at the corner of the two centre lines, and always between them.
        let corner = [450.0, 810.0];
        for [x, y] in &path[1..path.len() - 2] {
            assert!(f64::hypot(x - corner[0], y - corner[1]) > 25.0, "{x},{y}");
            assert!(*x >= 449.9 && *y >= 809.9, "{x},{y}");
        }
    }

    #[test]
    fn the_decision_point_is_behind_the_edge_of_the_undecided_cell() {
        let mut robot = robot(300, &[(2, 4), (3, 4)]);
        let route = PlannedRoute::of(&robot).unwrap();
        assert_eq!(route.decision_point(), [540.0 + 4.0, 810.0]);
        // Half a cell, a smooth turn, which is shorter than its corner, and 4 mm.
        let turn = 180.0 - 2.0 * mm(TURN.entry_um()) + mm(TURN.length_um());
        assert!((route.to_decision_mm() - (90.0 + turn + 4.0)).abs() < 0.01);
        assert!(turn < 180.0);
        // At the end of the turn.
        let state = robot.state.unwrap();
        robot.handle(&Frame::State(State {
            at: Cell::new(2, 4),
            forward_mm: 0,
            lateral_mm: 76,
            yaw_ddeg: 900,
            ..state
        }));
        let left = PlannedRoute::of(&robot).unwrap().to_decision_mm();
        assert!(
            (left - (90.0 - mm(TURN.entry_um()) + 4.0)).abs() < 0.01,
            "{left}"
        );
    }

    #[test]
    fn a_robot_that_stands_turns_in_place_and_a_robot_without_a_mission_has_no_route() {
        let mut standing = robot(0, &[(3, 5)]);
        let route = PlannedRoute::of(&standing).unwrap();
        assert_eq!(route.path(), [[450.0, 990.0], [630.0, 990.0]]);
        assert_eq!(PlannedRoute::of(&robot(300, &[])), None);
        let state = standing.state.unwrap();
        standing.handle(&Frame::State(State {
            activity: Activity::Done,
            ..state
        }));
        assert_eq!(PlannedRoute::of(&standing), None);
    }
}
