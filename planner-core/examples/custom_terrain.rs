//! A map of one's own: hills that a robot climbs only where the slope is gentle.

use planner_core::{
    BuildError, ObserveError,
    graph::{Graph, Grid, MoveSet, Trend},
    map::{CellGraph, Change, Uniform, UnknownPolicy},
    prelude::*,
    search::DStarLite,
};

const SIDE: u16 = 12;
const N: usize = capacity(SIDE, SIDE);

/// Cells with altitudes, which are observed as weights. A step may climb or descend one unit.
#[derive(Debug)]
struct Hills {
    cells: CellMap<Array<N>>,
    /// Of each vertex; unobserved cells are at the level of the sea.
    altitudes: [u8; N * 16],
}

/// The hills as a search sees them.
#[derive(Clone, Copy)]
struct HillGraph<'a, U> {
    cells: CellGraph<'a, Four, Uniform, U>,
    altitudes: &'a [u8],
}

impl<U: UnknownPolicy> HillGraph<'_, U> {
    fn altitude(&self, vertex: usize) -> u8 {
        self.altitudes.get(vertex).copied().unwrap_or(u8::MAX)
    }
}

impl<U: UnknownPolicy> Graph for HillGraph<'_, U> {
    const MOVES: usize = 4;
    const CORNERS: bool = false;

    fn grid(&self) -> &Grid {
        self.cells.grid()
    }

    fn moves(&self, from: usize) -> MoveSet {
        let is_gentle = |&m: &usize| {
            let into = self.grid().neighbor(from, m);
            self.altitude(into).abs_diff(self.altitude(from)) <= 1
        };
        MoveSet::from_bits((0..4).filter(is_gentle).fold(0, |bits, m| bits | 1 << m))
    }

    fn is_passable(&self, vertex: usize) -> bool {
        self.cells.is_passable(vertex)
    }

    fn cost(&self, _m: usize, _into: usize) -> usize {
        1
    }

    fn heuristic(&self, dx: usize, dy: usize) -> usize {
        dx + dy
    }
}

impl Map for Hills {
    type Graph<'a, U: UnknownPolicy> = HillGraph<'a, U>;

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError> {
        self.altitudes.fill(0);
        self.cells.resize(width, height)
    }

    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Weight(cell, altitude) = observation else {
            return self.cells.observe(observation);
        };
        let vertex = self
            .view::<planner_core::map::AsFree>()
            .grid()
            .vertex(cell)?;
        let Some(kept) = self.altitudes.get_mut(vertex) else {
            return Err(ObserveError::Unsupported);
        };
        let before = std::mem::replace(kept, altitude);
        // Slopes around the cell may be steeper or gentler now; `Fall` is right for both.
        Ok((before != altitude).then_some(Change::Weight(vertex, Trend::Fall)))
    }

    fn view<U: UnknownPolicy>(&self) -> HillGraph<'_, U> {
        HillGraph {
            cells: self.cells.view(),
            altitudes: &self.altitudes,
        }
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.cells.occupancy(cell)
    }

    fn is_known(&self, from: usize, m: usize) -> bool {
        self.cells.is_known(from, m)
    }
}

/// A ridge across the field with a pass at its east end.
fn altitude(cell: Cell) -> u8 {
    match (cell.x, cell.y) {
        (11, 5) => 1,
        (_, 5) => 2,
        _ => 0,
    }
}

fn main() -> Result<(), planner_core::Error> {
    let hills = Hills {
        cells: CellMap::new(),
        altitudes: [0; N * 16],
    };
    let mut robot = Navigator::from_parts(hills, DStarLite::<Array<N>>::new());
    let (mut at, goal) = (Cell::new(3, 1), Cell::new(3, 9));
    robot.begin((SIDE, SIDE), at, &[goal])?;

    let mut steps = 0;
    loop {
        for next in Side::ALL.into_iter().filter_map(|side| at.neighbor(side)) {
            if next.x < SIDE && next.y < SIDE {
                robot.observe(Observation::Weight(next, altitude(next)))?;
            }
        }
        let Decision::Step(next) = robot.tick(at, Budget::UNLIMITED)? else {
            break;
        };
        assert!(altitude(next).abs_diff(altitude(at)) <= 1, "too steep");
        (at, steps) = (next, steps + 1);
    }
    println!("{steps} steps, over the pass");
    assert_eq!((at, robot.map().occupancy(at)), (goal, Occupancy::Unknown));
    assert!(steps >= 8 + 2 * 8, "the only path leads over the pass");
    Ok(())
}
