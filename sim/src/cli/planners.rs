//! `sim planners`: the list of planners.

use std::io::{self, Write};

use planner_core::width::{Bits16, Bits32};
use serde::Serialize;

use crate::{
    catalog::{self, Name},
    lab::table::Table,
    output,
};

/// Side of the map that memory is given for: the one that must fit the robot.
const SIDE: u16 = 101;

/// Options of `planners`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Bytes per cell: everything that grows with the map, the map included, with ids and costs of 16 or 32 bits.
Bucket bytes: once, whatever the map (with 16 bits).

Examples:
  sim planners
  sim planners --json | jq -r 'select(.incremental) | .name'")]
pub struct Args {
    /// Print one JSON object per planner
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: Name,
    paper: &'static str,
    incremental: bool,
    real_time: bool,
    known_map_only: bool,
    bytes_per_cell_16: f64,
    bytes_per_cell_32: f64,
    bucket_bytes: usize,
}

impl Row {
    fn new(name: Name) -> Self {
        let narrow = catalog::memory::<Bits16>(name, SIDE);
        let wide = catalog::memory::<Bits32>(name, SIDE);
        Self {
            name,
            paper: name.paper(),
            incremental: name.is_incremental(),
            real_time: name.is_real_time(),
            known_map_only: name.is_known_map_only(),
            bytes_per_cell_16: narrow.bytes_per_cell,
            bytes_per_cell_32: wide.bytes_per_cell,
            bucket_bytes: narrow.bucket_bytes,
        }
    }
}

/// Lists the planners.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let rows: Vec<Row> = Name::all().iter().copied().map(Row::new).collect();
    if args.json {
        return Ok(rows.iter().try_for_each(output::json_line)?);
    }
    let mut table = Table::new([
        "planner",
        "bytes/cell, 16-bit",
        "32-bit",
        "bucket bytes",
        "incremental",
        "real-time",
        "known map",
        "",
    ]);
    let tick = |is: bool| if is { "yes" } else { "-" }.to_owned();
    for row in rows {
        table.push([
            row.name.to_string(),
            format!("{:.2}", row.bytes_per_cell_16),
            format!("{:.2}", row.bytes_per_cell_32),
            row.bucket_bytes.to_string(),
            tick(row.incremental),
            tick(row.real_time),
            tick(row.known_map_only),
            row.paper.to_owned(),
        ]);
    }
    let note = format!("Memory on {SIDE}x{SIDE} cells with four moves, the map included.");
    writeln!(io::stdout().lock(), "{table}\n{note}")?;
    Ok(())
}
