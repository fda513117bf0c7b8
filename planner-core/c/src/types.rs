//! Types of the C interface.

/// Major version of this header.
pub const VERSION_MAJOR: u32 = 0;
/// Minor version of this header.
pub const VERSION_MINOR: u32 = 1;
/// Patch version of this header.
pub const VERSION_PATCH: u32 = 0;

/// Alignment of the memory of every navigator, in bytes.
pub const ALIGNMENT: usize = 8;

/// Largest number of goals.
pub const MAX_GOALS: usize = 16;

/// Largest weight of a cell: the cost of a step into it.
pub const MAX_WEIGHT: u8 = 15;

/// The result of a call. After an error nothing has changed, unless the function says otherwise.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A pointer is null.
    NullPointer = 1,
    /// A pointer is not aligned as its type, or as `TINYSTAR_ALIGNMENT` for a navigator's memory.
    Misaligned = 2,
    /// The memory holds no navigator of this kind: `init` was not called, or failed.
    NotInitialized = 3,
    /// The memory is smaller than the map needs.
    OutOfMemory = 4,
    /// The map has no rows or no columns.
    EmptyMap = 5,
    /// The map has too many cells for 16-bit ids, or its paths may cost more than 65,534.
    MapTooLarge = 6,
    /// A cell is outside the map.
    OffMap = 7,
    /// There is no goal.
    NoGoal = 8,
    /// There are more than `TINYSTAR_MAX_GOALS` goals.
    TooManyGoals = 9,
    /// A side, an occupancy or a weight is out of range.
    InvalidValue = 10,
    /// The navigator has no weights: use `tinystar_grid_init_weighted`.
    Unsupported = 11,
}

/// A cell: column `x` from the west edge and row `y` from the north edge, both from zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Column, counted from the west edge.
    pub x: u16,
    /// Row, counted from the north edge.
    pub y: u16,
}

/// A side of a cell, clockwise.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards larger `y`.
    South = 0,
    /// Towards smaller `x`.
    West = 1,
    /// Towards smaller `y`.
    North = 2,
    /// Towards larger `x`.
    East = 3,
}

/// Knowledge of one cell or one wall.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupancy {
    /// Not observed yet, or forgotten. The planner assumes that the robot can pass.
    Unknown = 0,
    /// Observed, and the robot can pass.
    Free = 1,
    /// Observed, and the robot cannot pass.
    Blocked = 2,
}

/// The kind of a decision.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Move to the adjacent cell `next`.
    Step = 0,
    /// Stay and tick again: the budget ran out before a decision was found.
    Wait = 1,
    /// The robot is at a goal.
    Arrived = 2,
    /// No path to a goal exists, as far as is known.
    Unreachable = 3,
}

/// The next action of the robot.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Action to take.
    pub action: Action,
    /// The cell to move to; unless the action is a step, the robot's own.
    pub next: Cell,
}

/// The phase of a mission in a maze.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Moving to a goal for the first time.
    Search = 0,
    /// Observing what may be part of a shorter path.
    Explore = 1,
    /// Returning home.
    Return = 2,
    /// Moving to a goal by the shortest known path.
    Run = 3,
    /// At the goal after a run.
    Done = 4,
    /// Moving to a goal without exploring, after `tinystar_maze_go_to`.
    Travel = 5,
}

/// Work of one tick, by kind.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Cells expanded by the global search.
    pub expansions: u32,
    /// Queue entries that were moved to the place of their current key instead of being expanded.
    pub requeues: u32,
    /// Changes of the map that were absorbed.
    pub changes: u32,
    /// Quarters of an expansion: one for a cell that the local search expands, takes over or learns the value of, two for a
    /// cell of a sweep, four for a table that is cleared.
    pub visits: u32,
    /// Sixteenths of an expansion: one for a neighbor of a cell that the local search visits, two more if it joins OPEN, two
    /// for an edge of a path that is traced and for a visited cell among several goals.
    pub trace_steps: u32,
    /// Insertions into queues, removals from them and changes of key.
    pub queue_ops: u32,
}

/// Work of all ticks, by kind.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalWork {
    /// Cells expanded.
    pub expansions: u64,
    /// Queue entries that were moved to the place of their current key instead of being expanded.
    pub requeues: u64,
    /// Changes of the map that were absorbed.
    pub changes: u64,
    /// Quarters of an expansion: one for a cell that the local search expands, takes over or learns the value of, two for a
    /// cell of a sweep, four for a table that is cleared.
    pub visits: u64,
    /// Sixteenths of an expansion: one for a neighbor of a cell that the local search visits, two more if it joins OPEN, two
    /// for an edge of a path that is traced and for a visited cell among several goals.
    pub trace_steps: u64,
    /// Insertions into queues, removals from them and changes of key.
    pub queue_ops: u64,
}

/// Statistics since `init` or `restart`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All work.
    pub total: TotalWork,
    /// Work of the last tick and of the observations before it.
    pub last_tick: Work,
    /// Maximum of each kind of work in one tick.
    pub max_per_tick: Work,
    /// Ticks with expansions.
    pub searches: u32,
}

/// Returns the alignment of the memory of every navigator in bytes: `TINYSTAR_ALIGNMENT`.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub extern "C" fn tinystar_alignment() -> usize {
    ALIGNMENT
}

/// Returns the version of the library: `TINYSTAR_VERSION` of the header that it was built with.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub extern "C" fn tinystar_version() -> u32 {
    VERSION_MAJOR << 16 | VERSION_MINOR << 8 | VERSION_PATCH
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn header_and_package_have_the_same_version() {
        let version = std::format!("{VERSION_MAJOR}.{VERSION_MINOR}.{VERSION_PATCH}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn constants_are_those_of_the_planner() {
        assert_eq!(MAX_GOALS, planner_core::Goals::MAX);
        assert_eq!(u32::MAX, planner_core::Budget::UNLIMITED.expansions);
    }
}
