//! The caller's buffer, cut into slices.
//!
//! A navigator is at the start of its memory, and the slices that it works in follow. Its type does not depend on the
//! size of the map, so one copy of the code serves maps of all sizes.

use core::fmt::Debug;

use planner_core::{
    local::{Learned, Tba},
    map::UnknownPolicy,
    navigator::GridSearch,
    queue::{BucketLink, Buckets},
    rtd::{LocalRatio, Rtd},
    search::{DStarLite, DStarLiteNode},
    storage::{BLOCK, Block, Lent, MAX_HEADS, blocks},
    width::Bits16,
};

use crate::{
    boundary::{Handle, check},
    types::{ALIGNMENT, Status},
};

/// Storage in the caller's memory, which lasts as long as the navigator is used.
pub(crate) type Memory = Lent<'static>;

/// D* Lite of the presets.
pub(crate) type Global<U> = DStarLite<Memory, Bits16, Buckets<16>, U>;
/// Data of D* Lite per cell.
pub(crate) type Node = DStarLiteNode<Bits16, BucketLink<u16>>;

/// Returns the bytes of a navigator: `state`, whatever the map, and `block` for each block of cells. 0 if 16-bit ids
/// cannot name all cells.
pub(crate) const fn size(vertices: usize, state: usize, block: usize) -> usize {
    if vertices > u16::MAX as usize - MAX_HEADS {
        return 0;
    }
    state + blocks(vertices) * block
}

/// The caller's memory, taken from its start.
pub(crate) struct Carver {
    next: *mut u8,
    left: usize,
}

impl Carver {
    /// Memory for a navigator `H` of `needed` bytes, and where the navigator begins: its tag is cleared, the rest is
    /// not written.
    ///
    /// # Safety
    /// The contract of the crate: `memory` is null or points to `size` bytes that the navigator owns from now on.
    pub(crate) unsafe fn new<H: Handle>(
        memory: *mut u8,
        size: usize,
        needed: usize,
    ) -> Result<(*mut H, Self), Status> {
        const { assert!(align_of::<H>() <= ALIGNMENT) };
        check(memory)?;
        if !memory.addr().is_multiple_of(ALIGNMENT) {
            return Err(Status::Misaligned);
        }
        if needed == 0 {
            return Err(Status::MapTooLarge);
        }
        if size < needed {
            return Err(Status::OutOfMemory);
        }
        let mut carver = Self {
            next: memory,
            left: size,
        };
        let handle = carver.take::<H>(1)?;
        // SAFETY: inside the memory just taken, which is aligned and belongs to the navigator.
        unsafe { H::tag(handle).write(0) };
        Ok((handle, carver))
    }

    /// Takes memory for `count` values, none of them written.
    pub(crate) fn take<T>(&mut self, count: usize) -> Result<*mut T, Status> {
        let padding = self.next.align_offset(align_of::<T>());
        let bytes = size_of::<T>().checked_mul(count);
        let bytes = bytes.and_then(|bytes| bytes.checked_add(padding));
        let bytes = bytes.filter(|&bytes| bytes <= self.left);
        let bytes = bytes.ok_or(Status::OutOfMemory)?;
        let start = self.next.wrapping_add(padding).cast::<T>();
        self.next = self.next.wrapping_add(bytes);
        self.left -= bytes;
        Ok(start)
    }

    /// A slice of `count` copies of a value.
    pub(crate) fn slice<T: Copy>(
        &mut self,
        count: usize,
        value: T,
    ) -> Result<&'static mut [T], Status> {
        let start = self.take::<T>(count)?;
        for index in 0..count {
            // SAFETY: inside the memory just taken, which is aligned and belongs to the navigator.
            unsafe { start.wrapping_add(index).write(value) };
        }
        // SAFETY: all of it is written, and nothing else uses it: the next call takes the memory behind it.
        Ok(unsafe { core::slice::from_raw_parts_mut(start, count) })
    }

    /// Blocks of values that are all zero.
    pub(crate) fn zeros<T: Copy + Default + Debug>(
        &mut self,
        blocks: usize,
    ) -> Result<&'static mut [Block<T>], Status> {
        self.slice(blocks, [T::default(); BLOCK])
    }
}

/// D* Lite in slices.
#[inline(always)]
pub(crate) fn global<U: UnknownPolicy>(nodes: &'static mut [Block<Node>]) -> Global<U> {
    DStarLite::in_storage(Buckets::new(), nodes)
}

/// The search of the presets in slices. Inlined, like all that makes a navigator: it is written to its place and never
/// lies on the stack, where it would take 20 kB.
#[inline(always)]
pub(crate) fn search(
    nodes: &'static mut [Block<Node>],
    learned: &'static mut [Block<u16>],
) -> GridSearch<Memory> {
    let local = Tba::with_learned(Learned::in_storage(learned));
    Rtd::new(global(nodes), local, LocalRatio::PRESET)
}
