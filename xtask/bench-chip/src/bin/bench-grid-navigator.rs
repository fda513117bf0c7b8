//! The preset `GridNavigator`: Real-Time D* on cells.
#![cfg_attr(target_os = "none", no_std, no_main)]

use planner_core::navigator::GridNavigator;

bench_chip::planner_image!(GridNavigator, GridNavigator::new());
