//! A planner's walk through a world, with a stopwatch on all that the planner does between two moves.

use planner_core::{Budget, Cell, Decision, Observation, Planner, Side, Work, map::Occupancy};

use crate::{Job, Situation, world::World};

/// A robot that has not arrived by then gives up: local searches wander in mazes for very long.
pub const MOST_TICKS: u32 = 2_000;
/// The same when a tick is a single expansion, or nothing.
const MOST_UNITS: u32 = 40_000;

/// Result of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub arrived: bool,
    pub moves: u32,
    pub ticks: u32,
    pub expansions: u32,
    pub requeues: u32,
    /// Bytes of RAM of the planner for a map of this size, all included.
    pub bytes: u32,
}

impl Report {
    /// Length of a report in words.
    pub const WORDS: usize = 6;

    pub fn words(&self) -> [u32; Self::WORDS] {
        [
            u32::from(self.arrived),
            self.moves,
            self.ticks,
            self.expansions,
            self.requeues,
            self.bytes,
        ]
    }
}

/// The work of a tick in two words: large counts are cut off at 65,535 or 4,095.
pub fn pack(work: Work) -> [u32; 2] {
    let expansions = work.expansions.min(0xffff);
    let changes = work.changes.min(0xff);
    [
        expansions | work.requeues.min(0xffff) << 16,
        changes | work.visits.min(0xfff) << 8 | work.trace_steps.min(0xfff) << 20,
    ]
}

/// The work in two [packed](pack) words. Operations on queues are not among it.
pub fn unpack([first, second]: [u32; 2]) -> Work {
    Work {
        expansions: first & 0xffff,
        requeues: first >> 16,
        changes: second & 0xff,
        visits: second >> 8 & 0xfff,
        trace_steps: second >> 20,
        ..Work::ZERO
    }
}

/// Observer of a walk.
pub trait Watch {
    /// The planner is at work, or no longer.
    fn stopwatch(&mut self, on: bool);

    /// Work of the planner in a tick.
    fn work(&mut self, tick: u32, work: Work);
}

/// Does not watch.
pub struct Nobody;

impl Watch for Nobody {
    fn stopwatch(&mut self, _on: bool) {}
    fn work(&mut self, _tick: u32, _work: Work) {}
}

/// Passes the stopwatch on, and not the work: an image then has no room for it.
pub struct Unrecorded<'w, W>(pub &'w mut W);

impl<W: Watch> Watch for Unrecorded<'_, W> {
    fn stopwatch(&mut self, on: bool) {
        self.0.stopwatch(on);
    }

    fn work(&mut self, _tick: u32, _work: Work) {}
}

/// Sensors of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// Its four neighbors.
    Cells,
    /// The four walls of its cell.
    Walls,
    /// The wall that it has driven at.
    Touch,
}

/// The tick before which a robot in a [rare situation](Situation::Rare) observes many changes: searches have begun.
const BURST_TICK: u32 = 8;

/// Walks a robot until it arrives. Each tick it senses what is around it and observes a door that changed.
///
/// With a limit of 1, every other tick is one expansion at most or four re-queues, and the stopwatch leaves out
/// the observations: what it then measures is the largest piece of work that cannot be divided.
pub fn walk(
    planner: &mut impl Planner,
    world: &mut World,
    sense: Sense,
    job: Job,
    watch: &mut impl Watch,
) -> Report {
    let budget = |tick: u32| match job.limit {
        0 => Budget::UNLIMITED,
        // Every other tick does nothing, to compare with.
        1 => Budget::limit(tick % 2),
        limit => Budget::limit(limit),
    };
    let single = job.limit == 1;
    let most = if single { MOST_UNITS } else { MOST_TICKS };
    let mut report = Report::default();
    let mut at = world.start();
    let mut touched = None;
    while report.ticks < most {
        let door = world.tick(at);
        let seen = look(world, sense, at, door);
        if job.situation == Situation::Rare && report.ticks == BURST_TICK {
            observe_burst(planner, world, sense, job.side);
        }
        // A single expansion is measured by itself.
        watch.stopwatch(!single);
        for seen in seen.into_iter().flatten().chain(touched.take()) {
            // A neighbor beyond the edge is outside the planner's map too.
            let _ = planner.observe(seen);
        }
        watch.stopwatch(true);
        let decision = planner.tick(at, budget(report.ticks));
        watch.stopwatch(false);
        watch.work(report.ticks, planner.stats().last_tick);
        report.ticks += 1;
        match decision {
            Ok(Decision::Step(next)) => {
                if sense == Sense::Touch {
                    touched = Side::between(at, next).map(|side| wall(world, at, side));
                }
                if !matches!(touched, Some(Observation::Wall(.., Occupancy::Blocked))) {
                    at = next;
                    report.moves += 1;
                }
            }
            Ok(Decision::Arrived) => {
                report.arrived = true;
                break;
            }
            // A door may open.
            Ok(Decision::Wait | Decision::Unreachable) => {}
            Err(_) => break,
        }
    }
    let total = planner.stats().total;
    report.expansions = total.expansions as u32;
    report.requeues = total.requeues as u32;
    report
}

/// Observations of one tick: those around the robot, and those of a door that changed.
const MOST_SEEN: usize = 4 + 4;

/// Returns what the robot senses at a cell, and what has changed elsewhere.
fn look(
    world: &World,
    sense: Sense,
    at: Cell,
    door: Option<Cell>,
) -> [Option<Observation>; MOST_SEEN] {
    let mut seen = [None; MOST_SEEN];
    let mut slots = seen.iter_mut();
    let mut push = |observation| {
        if let Some(slot) = slots.next() {
            *slot = Some(observation);
        }
    };
    let cell = |cell| Observation::Cell(cell, occupancy(world.is_blocked(cell)));
    for side in [Side::North, Side::West, Side::East, Side::South] {
        match (sense, at.neighbor(side)) {
            (Sense::Walls, _) => push(wall(world, at, side)),
            (Sense::Cells, Some(neighbor)) => push(cell(neighbor)),
            (Sense::Cells, None) | (Sense::Touch, _) => {}
        }
    }
    match (sense, door) {
        (Sense::Walls, Some(door)) => Side::ALL
            .map(|side| wall(world, door, side))
            .into_iter()
            .for_each(push),
        (Sense::Cells, Some(door)) => push(cell(door)),
        (Sense::Touch, _) | (_, None) => {}
    }
    seen
}

/// Lets a planner observe all cells, or walls on their south, as blocked, and then those that are not as unknown: more
/// changes at once than its backlog holds, so that it sweeps the map for them.
fn observe_burst(planner: &mut impl Planner, world: &World, sense: Sense, side: u16) {
    for is_true in [false, true] {
        for cell in (0..side).flat_map(|y| (0..side).map(move |x| Cell::new(x, y))) {
            let is_blocked = match sense {
                Sense::Cells => world.is_blocked(cell),
                Sense::Walls | Sense::Touch => has_wall(world, cell, Side::South),
            };
            let occupancy = match is_blocked || !is_true {
                true => Occupancy::Blocked,
                false => Occupancy::Unknown,
            };
            // All cells are on the map.
            let _ = planner.observe(match sense {
                Sense::Cells => Observation::Cell(cell, occupancy),
                Sense::Walls | Sense::Touch => Observation::Wall(cell, Side::South, occupancy),
            });
        }
    }
}

/// Returns whether there is a wall: a blocked cell has walls on all sides.
fn has_wall(world: &World, cell: Cell, side: Side) -> bool {
    let beyond = cell.neighbor(side);
    world.is_blocked(cell) || beyond.is_none_or(|cell| world.is_blocked(cell))
}

/// Returns what a robot senses of a wall.
fn wall(world: &World, cell: Cell, side: Side) -> Observation {
    Observation::Wall(cell, side, occupancy(has_wall(world, cell, side)))
}

fn occupancy(is_blocked: bool) -> Occupancy {
    match is_blocked {
        true => Occupancy::Blocked,
        false => Occupancy::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_packed_into_two_words() {
        let work = Work {
            expansions: 16_641,
            requeues: 256,
            changes: 5,
            visits: 256,
            trace_steps: 512,
            ..Work::ZERO
        };
        assert_eq!(unpack(pack(work)), work);
        let most = Work {
            expansions: u32::MAX,
            trace_steps: u32::MAX,
            ..Work::ZERO
        };
        let cut = unpack(pack(most));
        assert_eq!((cut.expansions, cut.trace_steps), (65_535, 4_095));
    }
}
