//! A robot that is watched, in characters.

use std::{fmt::Write, ops::RangeInclusive};

use planner_core::{Cell, Inspect, Side, map::Occupancy};
use tinystar::mission::Activity;

use super::{Contact, Monitor, RobotState, text as words};
use crate::output::{count, grouped};

/// Columns for a cell: as much as makes it square, ...
const WIDE: usize = 3;
/// ... and where there is no room for that.
const NARROW: usize = 1;

/// Columns and rows for a cell and what is around it.
const SMALLEST: usize = 3;

/// The part of the map of which something is known, in at most so many columns and rows of characters,
/// around the robot.
#[must_use]
pub fn draw(told: &RobotState, room: (usize, usize)) -> String {
    let (Some(columns), Some(rows)) = known(told) else {
        return String::new();
    };
    if room.0 < SMALLEST || room.1 < SMALLEST {
        return String::new();
    }
    let wide = match columns.clone().count() * (WIDE + 1) < room.0 {
        true => WIDE,
        false => NARROW,
    };
    let robot = told
        .state()
        .map_or(Cell::new(*columns.start(), *rows.start()), |state| state.at);
    let columns = around(columns, robot.x, room.0.saturating_sub(1) / (wide + 1));
    let rows = around(rows, robot.y, room.1.saturating_sub(1) / 2);
    let mut picture = String::new();
    for y in 2 * rows.start()..=2 * rows.end() + 2 {
        let mut row = String::new();
        for x in 2 * columns.start()..=2 * columns.end() + 2 {
            let (times, character) = match (x % 2, y % 2) {
                (1, 1) => {
                    let pad = wide / 2;
                    let mark = mark(told, Cell::new(x / 2, y / 2));
                    // Writing to a string cannot fail.
                    let _ = write!(row, "{:pad$}{mark}{:pad$}", "", "");
                    continue;
                }
                (0, 0) => (1, ['+', '.']),
                (1, _) => (wide, ['-', '.']),
                _ => (1, ['|', '.']),
            };
            let character = match told.occupancy(Cell::new(x, y)) {
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

/// What stands in a cell.
fn mark(told: &RobotState, cell: Cell) -> char {
    if let Some(state) = told.state().filter(|state| state.at == cell) {
        return match state.heading {
            Side::North => '^',
            Side::East => '>',
            Side::South => 'v',
            Side::West => '<',
        };
    }
    if told.goals().contains(&cell) {
        'G'
    } else if told.next() == Some(cell) {
        'x'
    } else if told.has_walked(cell) {
        'o'
    } else {
        ' '
    }
}

/// Columns and rows of which something is known.
fn known(told: &RobotState) -> (Option<RangeInclusive<u16>>, Option<RangeInclusive<u16>>) {
    let (width, height) = told.size();
    let is_known = |cell: Cell| {
        let beside = crate::world::maze::SIDES;
        let seen = |side: &Side| {
            let beyond = crate::world::maze::neighbour(cell, *side);
            let is_inner = beyond.x < width && beyond.y < height;
            is_inner && told.wall(cell, *side) != Occupancy::Unknown
        };
        mark(told, cell) != ' ' || beside.iter().any(seen)
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

/// So many of a range, with `middle` in their middle or at the edge; one at least.
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

/// How the robot is, and the way to it, in a few lines; `name` is where it is heard.
#[must_use]
pub fn report(watched: &Monitor, name: &str) -> String {
    let told = watched.told();
    let mut lines = Vec::new();
    let contact = words::contact(watched);
    let time = f64::from(told.ms()) / 1000.0;
    lines.push(format!("{name}: {contact}, {time:.1} s after power-on"));
    if let Contact::Gone(why) = watched.contact() {
        lines.push(format!("{why}; trying again"));
    }
    lines.extend(watched.doubt());
    if let Some(state) = told.state() {
        let mut line = format!(
            "{}, at {} looking {}",
            words::activity(state.activity),
            words::cell(state.at),
            words::side(state.heading)
        );
        if let Some(next) = told.next() {
            line += &format!(", next {}", words::cell(next));
        }
        if !told.goals().is_empty() {
            line += &format!(", goal {}", words::cells(told.goals()));
        }
        lines.push(line);
        if let Some(fault) = state.fault {
            lines.push(words::fault(fault));
        } else if state.activity != Activity::Faulty
            && let Some(&(ms, fault)) = told.faults().back()
        {
            let at = f64::from(ms) / 1000.0;
            lines.push(format!("last {} (at {at:.1} s)", words::fault(fault)));
        }
        let battery = match state.battery_mv {
            Some(mv) => format!("battery {:.2} V", f64::from(mv) / 1000.0),
            None => "battery not told".to_owned(),
        };
        let stored = told.stored().map_or("not told", words::stored);
        lines.push(format!("{battery}; map {stored}"));
    }
    if let Some((_, load)) = told.loads().back() {
        lines.push(format!(
            "hardest of the last {}: {}, {}, {} us",
            count(load.ticks.into(), "tick", "ticks"),
            count(load.worst_expansions.into(), "expansion", "expansions"),
            count(load.worst_requeues.into(), "re-queue", "re-queues"),
            grouped(load.worst_us.into()),
        ));
    }
    lines.push(words::tally(watched.tally()));
    if let Some((_, command, answer)) = watched.commands().back() {
        lines.push(format!(
            "{}: {}",
            words::command(command),
            words::answer(*answer)
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

    fn told() -> RobotState {
        let mut told = RobotState::new((0, 0));
        let field = Field {
            width: 9,
            height: 9,
            home: Cell::new(3, 3),
            heading: Side::East,
        };
        told.hear(&Frame::Hello {
            protocol: 1,
            field,
            stored: None,
        });
        for x in 3..5 {
            told.hear(&Frame::State(State {
                ms: 100,
                at: Cell::new(x, 3),
                heading: Side::East,
                forward_mm: 0,
                lateral_mm: 0,
                yaw_ddeg: 0,
                activity: Activity::Going,
                fault: None,
                battery_mv: Some(5000),
            }));
        }
        told.hear(&Frame::Wall(Cell::new(3, 3), Side::East, Occupancy::Free));
        told.hear(&Frame::Wall(
            Cell::new(4, 3),
            Side::North,
            Occupancy::Blocked,
        ));
        told.hear(&Frame::Next(Cell::new(5, 3)));
        told.hear(&Frame::Goals([Cell::new(5, 4)].into_iter().collect()));
        told
    }

    #[test]
    fn only_what_is_known_is_drawn() {
        let picture = "\
.............
.   .   .   .
....+---+....
. o   > . x .
.............
.   .   . G .
.............
";
        assert_eq!(draw(&told(), (100, 100)), picture);
        assert_eq!(draw(&RobotState::new((0, 0)), (100, 100)), "");
    }

    #[test]
    fn a_small_terminal_shows_what_is_around_the_robot() {
        let picture = draw(&told(), (7, 3));
        assert_eq!(picture, "..+-+..\n.o >.x.\n.......\n");
        assert_eq!(draw(&told(), (3, 3)), "+-+\n >.\n...\n");
        for room in [(0, 0), (2, 5), (300, 2)] {
            assert_eq!(draw(&told(), room), "", "{room:?}");
        }
    }
}
