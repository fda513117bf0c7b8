//! A planner's walk through a world, with a stopwatch on all that the planner does between two moves.

use planner_core::{Budget, Cell, Decision, Observation, Planner, map::Fact};

use crate::{
    Job,
    world::{FLAPS, World},
};

/// A robot that has not arrived by then gives up: local searches wander in mazes for very long.
pub const MOST_TICKS: u32 = 2_000;

/// How a walk went.
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
    /// How many words a report takes.
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

/// Walks a robot until it arrives. Each tick it sees its four neighbours and hears of doors that changed.
pub fn walk(
    planner: &mut impl Planner,
    world: &mut World,
    job: Job,
    mut stopwatch: impl FnMut(bool),
) -> Report {
    let budget = match job.limit {
        0 => Budget::UNLIMITED,
        // The work of a single unit: one expansion and one re-queue at most.
        1 => Budget {
            requeues: 1,
            ..Budget::limit(1)
        },
        limit => Budget::limit(limit),
    };
    let mut report = Report::default();
    let mut at = world.start();
    while report.ticks < MOST_TICKS {
        let doors = world.tick(at);
        let seen = look(world, at, doors);
        stopwatch(true);
        for seen in seen.into_iter().flatten() {
            // A neighbour beyond the edge is outside the planner's map too.
            let _ = planner.observe(seen);
        }
        let decision = planner.tick(at, budget);
        stopwatch(false);
        report.ticks += 1;
        match decision {
            Ok(Decision::Step(next)) => {
                at = next;
                report.moves += 1;
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

fn look(world: &World, at: Cell, doors: [Option<Cell>; FLAPS]) -> [Option<Observation>; 4 + FLAPS] {
    let neighbours = [
        at.y.checked_sub(1).map(|y| Cell::new(at.x, y)),
        at.x.checked_sub(1).map(|x| Cell::new(x, at.y)),
        Some(Cell::new(at.x + 1, at.y)),
        Some(Cell::new(at.x, at.y + 1)),
    ];
    let mut seen = [None; 4 + FLAPS];
    for (place, cell) in seen.iter_mut().zip(neighbours.into_iter().chain(doors)) {
        *place = cell.map(|cell| {
            let blocked = world.is_blocked(cell);
            Observation::Cell(cell, if blocked { Fact::Blocked } else { Fact::Free })
        });
    }
    seen
}
