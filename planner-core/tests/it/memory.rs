//! Memory per cell, all included.

use crate::build::{dstar_lite_bytes, rtd_bytes};

#[test]
fn dstar_lite_on_buckets_takes_at_most_eight_and_a_half_bytes_per_cell() {
    for side in [64, 101] {
        let per_cell = dstar_lite_bytes(side) as f64 / f64::from(side).powi(2);
        assert!(per_cell <= 8.5, "{per_cell} at {side}x{side}");
    }
}

#[test]
fn the_robots_planner_takes_ten_and_a_half_bytes_per_cell() {
    let (bytes, fixed) = rtd_bytes(101);
    let per_cell = bytes as f64 / (101.0 * 101.0);
    println!("{per_cell:.3} bytes per cell of 101x101, with {fixed} bytes that any map takes");
    assert!(per_cell <= 10.5, "{per_cell}");
}
