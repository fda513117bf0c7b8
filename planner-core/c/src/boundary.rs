//! Checks of pointers and values from C.

use core::mem::MaybeUninit;

use planner_core::{
    graph::Grid,
    map::{AsFree, Map},
};

use crate::types::{Cell, MAX_GOALS, Occupancy, Side, Status};

/// The status of a call.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Status>) -> Status {
    match body() {
        Ok(()) => Status::Ok,
        Err(status) => status,
    }
}

/// Refuses null and misaligned pointers.
pub(crate) fn check<T>(pointer: *const T) -> Result<(), Status> {
    if pointer.is_null() {
        Err(Status::NullPointer)
    } else if !pointer.is_aligned() {
        Err(Status::Misaligned)
    } else {
        Ok(())
    }
}

/// A navigator at the start of its memory.
pub(crate) trait Handle {
    /// A number that memory does not hold by accident; another for each kind of navigator.
    const TAG: u32;

    /// Address of the tag. Reads nothing.
    fn tag(handle: *mut Self) -> *mut u32;
}

/// The navigator behind a pointer.
///
/// # Safety
/// The contract of the crate.
unsafe fn get<'a, H: Handle>(handle: *const H) -> Result<&'a H, Status> {
    check(handle)?;
    // SAFETY: not null and aligned, and the caller's memory is as large as a navigator.
    let tag = unsafe { H::tag(handle.cast_mut()).read() };
    if tag != H::TAG {
        return Err(Status::NotInitialized);
    }
    // SAFETY: only `init` writes the tag, and only after the rest is valid. Nothing writes to it during the call.
    Ok(unsafe { &*handle })
}

/// The navigator behind a pointer, to be changed.
///
/// # Safety
/// The contract of the crate.
unsafe fn get_mut<'a, H: Handle>(handle: *mut H) -> Result<&'a mut H, Status> {
    // SAFETY: the same contract.
    unsafe { get(handle.cast_const()) }?;
    // SAFETY: valid, as just checked, and calls for one navigator do not overlap.
    Ok(unsafe { &mut *handle })
}

/// Calls a function that changes a navigator.
///
/// # Safety
/// The contract of the crate.
pub(crate) unsafe fn change<H: Handle>(
    handle: *mut H,
    body: impl FnOnce(&mut H) -> Result<(), Status>,
) -> Status {
    // SAFETY: the same contract.
    call(|| body(unsafe { get_mut(handle) }?))
}

/// Calls a function that changes a navigator and takes goals.
///
/// # Safety
/// The contract of the crate.
pub(crate) unsafe fn change_goals<H: Handle>(
    handle: *mut H,
    goals: *const Cell,
    count: usize,
    body: impl FnOnce(&mut H, &[planner_core::Cell]) -> Result<(), Status>,
) -> Status {
    // SAFETY: the same contract.
    let body = |handle: &mut H| body(handle, unsafe { GoalCells::new(goals, count) }?.as_slice());
    // SAFETY: the same contract.
    unsafe { change(handle, body) }
}

/// Writes what a function reads from a navigator to `*to`.
///
/// # Safety
/// The contract of the crate.
pub(crate) unsafe fn read<H: Handle, T>(
    handle: *const H,
    to: *mut T,
    body: impl FnOnce(&H) -> Result<T, Status>,
) -> Status {
    call(|| {
        // SAFETY: the same contract.
        let value = body(unsafe { get(handle) }?)?;
        // SAFETY: the same contract.
        unsafe { answer(to, value) }
    })
}

/// A copy of the goals in an array of C, and their number.
pub(crate) struct GoalCells {
    cells: [planner_core::Cell; MAX_GOALS],
    count: usize,
}

impl GoalCells {
    /// Copies goals.
    ///
    /// # Safety
    /// The contract of the crate: `goals` is null or points to `count` cells.
    pub(crate) unsafe fn new(goals: *const Cell, count: usize) -> Result<Self, Status> {
        check(goals)?;
        if count == 0 {
            return Err(Status::NoGoal);
        }
        if count > MAX_GOALS {
            return Err(Status::TooManyGoals);
        }
        // SAFETY: not null, aligned, and `count` cells long.
        let goals = unsafe { core::slice::from_raw_parts(goals, count) };
        let mut cells = [planner_core::Cell::default(); MAX_GOALS];
        for (to, from) in cells.iter_mut().zip(goals) {
            *to = (*from).into();
        }
        Ok(Self { cells, count })
    }

    /// Returns the cells.
    pub(crate) fn as_slice(&self) -> &[planner_core::Cell] {
        self.cells.get(..self.count).unwrap_or_default()
    }
}

/// Refuses a start or goals outside a map before a restart changes anything.
pub(crate) fn check_cells<M: Map>(
    map: &M,
    start: planner_core::Cell,
    goals: &[planner_core::Cell],
) -> Result<(), Status> {
    let view = map.view::<AsFree>();
    let grid: &Grid = planner_core::graph::Graph::grid(&view);
    grid.vertex(start)?;
    for &goal in goals {
        grid.vertex(goal)?;
    }
    Ok(())
}

/// Writes an answer.
///
/// # Safety
/// The contract of the crate: `to` is null or can be written.
pub(crate) unsafe fn answer<T>(to: *mut T, value: T) -> Result<(), Status> {
    check(to)?;
    // SAFETY: not null and aligned, and the caller's to be written.
    unsafe { to.write(value) };
    Ok(())
}

/// The byte of an enumeration from C. `MaybeUninit`, because C may pass any byte, and a Rust enumeration may not hold
/// any.
fn byte<T>(value: MaybeUninit<T>) -> u8 {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: one byte long, and C passes one.
    unsafe { value.as_ptr().cast::<u8>().read() }
}

/// Decodes a side; any other byte is an error.
pub(crate) fn side(side: MaybeUninit<Side>) -> Result<planner_core::Side, Status> {
    let side = planner_core::Side::ALL.get(usize::from(byte(side)));
    side.copied().ok_or(Status::InvalidValue)
}

/// Decodes an occupancy; any other byte is an error.
pub(crate) fn occupancy(
    occupancy: MaybeUninit<Occupancy>,
) -> Result<planner_core::map::Occupancy, Status> {
    match byte(occupancy) {
        0 => Ok(planner_core::map::Occupancy::Unknown),
        1 => Ok(planner_core::map::Occupancy::Free),
        2 => Ok(planner_core::map::Occupancy::Blocked),
        _ => Err(Status::InvalidValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_and_occupancies_have_the_numbers_of_the_header() {
        for (number, expected) in planner_core::Side::ALL.into_iter().enumerate() {
            assert_eq!(expected as usize, number);
        }
        let all = [Side::South, Side::West, Side::North, Side::East];
        for (from_c, expected) in all.into_iter().zip(planner_core::Side::ALL) {
            assert_eq!(side(MaybeUninit::new(from_c)), Ok(expected));
        }
        for from_c in [Occupancy::Unknown, Occupancy::Free, Occupancy::Blocked] {
            let decoded = occupancy(MaybeUninit::new(from_c)).unwrap();
            assert_eq!(Occupancy::from(decoded), from_c);
        }
    }
}
