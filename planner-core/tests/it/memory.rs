//! Memory per cell, map included, without the heads of buckets.

use crate::build::{DSTAR_LITE_BYTES, GRID_NAVIGATOR_BYTES};

#[test]
fn dstar_lite_on_buckets_takes_at_most_eight_and_a_half_bytes_per_cell() {
    for (side, bytes) in DSTAR_LITE_BYTES {
        let per_cell = bytes as f64 / f64::from(side).powi(2);
        println!("{per_cell:.3} bytes per cell of {side}x{side}");
        assert!(per_cell <= 8.5, "{per_cell} at {side}x{side}");
    }
}

#[test]
fn the_grid_navigator_takes_at_most_ten_and_a_half_bytes_per_cell() {
    let per_cell = GRID_NAVIGATOR_BYTES as f64 / (101.0 * 101.0);
    println!("{per_cell:.3} bytes per cell of 101x101");
    assert!(per_cell <= 10.5, "{per_cell}");
}
