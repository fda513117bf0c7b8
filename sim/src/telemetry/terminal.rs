//! Text view of a monitored robot.

use std::{fmt::Write, ops::RangeInclusive};

use planner_core::{Cell, Inspect, Side, map::Occupancy};
use tinystar::{
    mission::Activity,
    robot::{Distances, Interval},
};

use super::{Connection, Monitor, PlannedRoute, RobotState, text};
use crate::output::{count, grouped};

/// Columns of a cell.
const WIDE: usize = 3;
/// Columns of a cell in a narrow terminal.
const NARROW: usize = 1;

/// Smallest size of a drawing, in columns and rows.
const SMALLEST: usize = 3;

/// Draws the known part of the map around the robot, in at most `room` columns and rows.
pub fn draw(robot: &RobotState, room: (usize, usize)) -> String {
    let (Some(columns), Some(rows)) = known(robot) else {
        return String::new();
    };
    if room.0 < SMALLEST || room.1 < SMALLEST {
        return String::new();
    }
    let wide = match columns.clone().count() * (WIDE + 1) < room.0 {
        true => WIDE,
        false => NARROW,
    };
    let center = robot
        .state
        .map_or(Cell::new(*columns.start(), *rows.start()), |state| state.at);
    let columns = around(columns, center.x, room.0.saturating_sub(1) / (wide + 1));
    let rows = around(rows, center.y, room.1.saturating_sub(1) / 2);
    let mut picture = String::new();
    for y in 2 * rows.start()..=2 * rows.end() + 2 {
        let mut row = String::new();
        for x in 2 * columns.start()..=2 * columns.end() + 2 {
            let (times, character) = match (x % 2, y % 2) {
                (1, 1) => {
                    let pad = wide / 2;
                    let mark = mark(robot, Cell::new(x / 2, y / 2));
                    // Writing to a string cannot fail.
                    let _ = write!(row, "{:pad$}{mark}{:pad$}", "", "");
                    continue;
                }
                (0, 0) => (1, ['+', '.']),
                (1, _) => (wide, ['-', '.']),
                _ => (1, ['|', '.']),
            };
            let character = match robot.occupancy(Cell::new(x, y)) {
                Occupancy::Blocked => character[0],
                Occupancy::Unknown => character[1],
                Occupancy::Free => ' ',
            };
            row.extend(std::iter::repeat_n(character, times));
        }
        picture.push_str(row.trim_end());
        picture.push('\n');
    }
    picture
}

/// Symbol of a cell.
fn mark(robot: &RobotState, cell: Cell) -> char {
    if let Some(state) = robot.state.filter(|state| state.at == cell) {
        return match state.heading {
            Side::North => '^',
            Side::East => '>',
            Side::South => 'v',
            Side::West => '<',
        };
    }
    if robot.goals.contains(&cell) {
        'G'
    } else if robot.route.contains(&cell) {
        'x'
    } else if robot.has_walked(cell) {
        'o'
    } else {
        ' '
    }
}

/// Columns and rows with known content.
fn known(robot: &RobotState) -> (Option<RangeInclusive<u16>>, Option<RangeInclusive<u16>>) {
    let (width, height) = robot.size;
    let is_known = |cell: Cell| {
        let beside = Side::ALL;
        let seen = |side: &Side| {
            let beyond = cell.neighbor(*side);
            let is_inner = beyond.is_some_and(|cell| cell.x < width && cell.y < height);
            is_inner && robot.wall(cell, *side) != Occupancy::Unknown
        };
        mark(robot, cell) != ' ' || beside.iter().any(seen)
    };
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
    let (mut columns, mut rows) = (None, None);
    let wider = |range: Option<RangeInclusive<u16>>, at: u16| match range {
        None => Some(at..=at),
        Some(range) => Some(at.min(*range.start())..=at.max(*range.end())),
    };
    for cell in cells.filter(|&cell| is_known(cell)) {
        (columns, rows) = (wider(columns, cell.x), wider(rows, cell.y));
    }
    (columns, rows)
}

/// At most `most` elements of a range around `middle`; one at least.
fn around(range: RangeInclusive<u16>, middle: u16, most: usize) -> RangeInclusive<u16> {
    let (first, last) = range.into_inner();
    let most = u16::try_from(most.max(1)).unwrap_or(u16::MAX);
    if last - first < most {
        return first..=last;
    }
    let from = middle
        .saturating_sub(most / 2)
        .clamp(first, last + 1 - most);
    from..=from + (most - 1)
}

/// Draws the robot between the walls that it senses: nearer walls are closer to it.
pub fn draw_walls(distances: &Distances) -> String {
    // A column per 20 mm, a row per 40 mm, up to the wall of the next cell.
    let steps = |distance: Option<Interval>, step: i32, most: usize| match distance {
        Some(distance) if distance.is_in_range() => {
            let middle = distance.near.midpoint(distance.far).max(0);
            Some(((middle / step) as usize).min(most))
        }
        _ => None,
    };
    let [left, right] = [distances.left, distances.right].map(|side| steps(side, 20_000, 11));
    let mut picture = String::new();
    for row in (0..=5).rev() {
        let is_wall = steps(distances.front, 40_000, 5) == Some(row);
        picture += if is_wall {
            "             -----\n"
        } else {
            "\n"
        };
    }
    let left = match left {
        Some(steps) => format!("{:>1$}{2:3$}", "|", 12 - steps, "", steps),
        None => " ".repeat(12),
    };
    let right = right.map_or(String::new(), |steps| format!("{:1$}|", "", steps));
    for (number, row) in ["/-^-\\", "|   |", "\\---/"].into_iter().enumerate() {
        let [left, right] = match number {
            0 | 2 => ["            ", ""],
            _ => [left.as_str(), right.as_str()],
        };
        picture += &format!("{left} {row} {right}\n");
    }
    picture
}

/// Summary of the robot and the link in a few lines; `name` is that of the source.
pub fn summary(monitor: &Monitor, name: &str) -> String {
    let robot = &monitor.robot;
    let mut lines = Vec::new();
    let contact = text::connection(monitor);
    let time = f64::from(robot.ms()) / 1000.0;
    lines.push(format!("{name}: {contact}, {time:.1} s after power-on"));
    if let Connection::Disconnected(why) = &monitor.connection {
        lines.push(format!("{why}; trying again"));
    }
    lines.extend(monitor.protocol_warning());
    if let Some(state) = &robot.state {
        let mut line = format!(
            "{}, at {} looking {}",
            text::activity(state.activity),
            text::cell(state.at),
            text::side(state.heading)
        );
        if !robot.goals.is_empty() {
            line += &format!(", goal {}", text::cells(&robot.goals));
        }
        lines.push(line);
        let route = PlannedRoute::of(robot).map(|route| format!(", {}", text::route(&route)));
        let route = route.unwrap_or_default();
        lines.push(format!("{} mm/s{route}", state.speed_mm_s));
        if let Some(fault) = state.fault {
            lines.push(text::fault(fault));
        } else if state.activity != Activity::Faulty
            && let Some(&(ms, fault)) = robot.faults.back()
        {
            let at = f64::from(ms) / 1000.0;
            lines.push(format!("last {} (at {at:.1} s)", text::fault(fault)));
        }
        let battery = match state.battery_mv {
            Some(mv) => format!("battery {:.2} V", f64::from(mv) / 1000.0),
            None => "battery unknown".to_owned(),
        };
        let stored = robot.stored.map_or("unknown", text::stored);
        lines.push(format!("{battery}; map {stored}"));
    }
    if let Some(sensors) = &robot.sensors {
        lines.extend(text::sensors(sensors));
    }
    if let Some((calibration, progress)) = &robot.calibration {
        let missing = text::uncalibrated(calibration);
        let calibrated = match missing.as_str() {
            "" => "calibrated".to_owned(),
            missing => format!("not calibrated: {missing}"),
        };
        lines.push(format!("{calibrated} ({})", text::progress(*progress)));
    }
    if let Some((_, load)) = robot.loads.back() {
        lines.push(format!(
            "hardest of the last {}: {}, {}, {} us",
            count(load.ticks.into(), "tick", "ticks"),
            count(load.worst_expansions.into(), "expansion", "expansions"),
            count(load.worst_requeues.into(), "re-queue", "re-queues"),
            grouped(load.worst_us.into()),
        ));
    }
    lines.push(text::link_stats(monitor.stats));
    if let Some((_, command, answer)) = monitor.commands.back() {
        lines.push(format!(
            "{}: {}",
            text::command(command),
            text::answer(*answer)
        ));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use tinystar::{
        mission::Field,
        telemetry::{Frame, State},
    };

    use super::*;

    fn robot() -> RobotState {
        let mut robot = RobotState::new((0, 0));
        let field = Field {
            width: 9,
            height: 9,
            home: Cell::new(3, 3),
            heading: Side::East,
        };
        robot.handle(&Frame::Hello {
            protocol: 1,
            field,
            stored: None,
        });
        for x in 3..5 {
            robot.handle(&Frame::State(State {
                activity: Activity::Going,
                ..State::new(Cell::new(x, 3), Side::East)
            }));
        }
        robot.handle(&Frame::Wall(Cell::new(3, 3), Side::East, Occupancy::Free));
        robot.handle(&Frame::Wall(
            Cell::new(4, 3),
            Side::North,
            Occupancy::Blocked,
        ));
        robot.handle(&Frame::Next(Cell::new(5, 3)));
        robot.handle(&Frame::Goals([Cell::new(5, 4)].into_iter().collect()));
        robot
    }

    #[test]
    fn only_the_known_part_is_drawn() {
        let picture = "\
.............
.   .   .   .
....+---+....
. o   > . x .
.............
.   .   . G .
.............
";
        assert_eq!(draw(&robot(), (100, 100)), picture);
        assert_eq!(draw(&RobotState::new((0, 0)), (100, 100)), "");
    }

    #[test]
    fn a_small_terminal_shows_the_surroundings_of_the_robot() {
        let picture = draw(&robot(), (7, 3));
        assert_eq!(picture, "..+-+..\n.o >.x.\n.......\n");
        assert_eq!(draw(&robot(), (3, 3)), "+-+\n >.\n...\n");
        for room in [(0, 0), (2, 5), (300, 2)] {
            assert_eq!(draw(&robot(), room), "", "{room:?}");
        }
    }
}
