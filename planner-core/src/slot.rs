//! Hashing of keys into the slots of a small table.

/// Returns the slot of a key in a table of `slots` slots, at most 65,536.
///
/// Cells that are looked up together are in regular places, rows apart; a single multiplication would
/// put many of them into one slot on maps of some widths.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn slot(key: u32, slots: usize) -> usize {
    let mixed = key.wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
    (((mixed >> 16) * slots as u32) >> 16) as usize
}
