//! Snapshot of a monitored robot.

use planner_core::Side;
use sim::{
    telemetry::{PlannedRoute, RobotState},
    world::cells,
};
use tinystar::telemetry::State;

use crate::snapshot::{CellSnapshot, Pose, Route, Snapshot};

/// Fills a snapshot with the state of a robot.
pub fn draw(robot: &RobotState, snapshot: &mut Snapshot) {
    snapshot.size = robot.size;
    snapshot.cells.clear();
    snapshot
        .cells
        .extend(cells(snapshot.size).map(|cell| CellSnapshot {
            occupancy: robot.cell(cell),
            is_walked: robot.has_walked(cell),
            ..CellSnapshot::default()
        }));
    snapshot.walls.clear();
    let walls = |cell| [Side::North, Side::West].map(|side| robot.wall(cell, side));
    snapshot.walls.extend(cells(snapshot.size).map(walls));
    let state = robot.state.as_ref();
    let home = robot.field.map(|field| field.home);
    let at = state.map(|state| state.at);
    snapshot.robot = at.or(home).unwrap_or_default();
    snapshot.start = home.unwrap_or(snapshot.robot);
    snapshot.pose = state.map(|state| pose(state, robot.cell_mm().into()));
    snapshot.goals.clear();
    snapshot.goals.extend(&robot.goals);
    snapshot.trail.clear();
    snapshot.trail.extend(&robot.trail);
    snapshot.route = PlannedRoute::of(robot).map_or_else(Route::default, |route| {
        let cell_mm = f64::from(robot.cell_mm());
        let place = |point: [f64; 2]| point.map(|mm| (1000.0 * mm / cell_mm).round() as i32);
        Route {
            path: route.path().into_iter().map(place).collect(),
            decision: place(route.decision_point()),
        }
    });
}

/// Pose of a robot in its cell.
fn pose(state: &State, cell_mm: i32) -> Pose {
    // Forward, as east and south.
    let (quarters, [east, south]) = match state.heading {
        Side::North => (0, [0, -1]),
        Side::East => (1, [1, 0]),
        Side::South => (2, [0, 1]),
        Side::West => (3, [-1, 0]),
    };
    let (forward, lateral) = (i32::from(state.forward_mm), i32::from(state.lateral_mm));
    let place = |cell: u16, mm: i32| 1000 * i32::from(cell) + 500 + 1000 * mm / cell_mm;
    Pose {
        at: [
            place(state.at.x, east * forward - south * lateral),
            place(state.at.y, south * forward + east * lateral),
        ],
        heading: 900 * quarters + i32::from(state.yaw_ddeg),
    }
}

#[cfg(test)]
mod tests {
    use planner_core::Cell;

    use super::*;

    #[test]
    fn a_robot_is_drawn_where_it_says_it_is() {
        let state = |heading| State {
            forward_mm: 90,
            lateral_mm: 18,
            yaw_ddeg: -50,
            ..State::new(Cell::new(2, 5), heading)
        };
        for (heading, at, angle) in [
            (Side::North, [2600, 5000], -50),
            (Side::East, [3000, 5600], 850),
            (Side::South, [2400, 6000], 1750),
            (Side::West, [2000, 5400], 2650),
        ] {
            let pose = pose(&state(heading), 180);
            assert_eq!((pose.at, pose.heading), (at, angle), "{heading:?}");
        }
    }
}
