//! Integration tests, in one binary: linking one takes longer than running most of them.

#[path = "../../xtask/fuzz/src/commands.rs"]
mod commands;
mod memory_map;
mod report;
mod support;
