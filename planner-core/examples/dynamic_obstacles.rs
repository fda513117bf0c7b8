//! Real-Time D* in a hall whose gates open and close: a move in every tick, whatever changes, within the budget.

use planner_core::prelude::*;

const SIDE: u16 = 32;
const BUDGET: Budget = Budget::limit(16);

/// Walls across the hall, each with two gates of which one is open at a time.
fn is_blocked(cell: Cell, tick: u16) -> bool {
    let is_wall = cell.y % 4 == 2;
    let gate = if (tick / 16 + cell.y / 4).is_multiple_of(2) {
        2
    } else {
        SIDE - 3
    };
    is_wall && cell.x != gate
}

fn main() -> Result<(), planner_core::Error> {
    let mut robot = GridNavigator::<{ capacity(SIDE, SIDE) }, Eight<NeverCut, Coarse>>::new();
    let (mut at, goal) = (Cell::new(0, 0), Cell::new(SIDE - 1, SIDE - 1));
    robot.begin((SIDE, SIDE), at, &[goal])?;

    let mut ticks = 0;
    loop {
        // The robot sees five cells far.
        for x in at.x.saturating_sub(5)..SIDE.min(at.x + 6) {
            for y in at.y.saturating_sub(5)..SIDE.min(at.y + 6) {
                let occupancy = match is_blocked(Cell::new(x, y), ticks) {
                    true => Occupancy::Blocked,
                    false => Occupancy::Free,
                };
                robot.observe(Observation::Cell(Cell::new(x, y), occupancy))?;
            }
        }
        match robot.tick(at, BUDGET)? {
            Decision::Step(next) => {
                assert!(!is_blocked(next, ticks), "into a wall at {next:?}");
                at = next;
            }
            Decision::Arrived => break,
            Decision::Wait => {}
            // Both gates of a wall were closed when they were last seen; they may be open by now.
            Decision::Unreachable => {
                for y in (2..SIDE).step_by(4) {
                    for gate in [2, SIDE - 3] {
                        robot.observe(Observation::Cell(Cell::new(gate, y), Occupancy::Free))?;
                    }
                }
            }
        }
        ticks += 1;
        assert!(ticks < 2000, "lost at {at:?}");
    }
    let most = robot.stats().max_per_tick;
    println!(
        "{ticks} ticks, at most {} expansions in one",
        most.expansions
    );
    assert!(at == goal && most.expansions <= BUDGET.expansions);
    Ok(())
}
