//! `sim planners`: the list of planners.

use std::io::{self, Write};

use planner_core::width::{Bits16, Bits32};
use serde::Serialize;

use crate::{
    catalog::{self, Name},
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
        for row in &rows {
            output::json_line(row)?;
        }
    } else {
        table(&mut io::stdout().lock(), &rows)?;
    }
    Ok(())
}

fn table(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let width = rows
        .iter()
        .map(|row| row.name.to_string().len())
        .max()
        .unwrap_or(0);
    writeln!(
        out,
        "{:width$}  {:>13}  {:>7}  incre-  real-  known",
        "", "bytes/cell", "bucket"
    )?;
    writeln!(
        out,
        "{:width$}  {:>6} {:>6}  {:>7}  mental  time   map    paper",
        "planner", "16-bit", "32-bit", "bytes"
    )?;
    let tick = |is: bool| if is { "yes" } else { "-" };
    for row in rows {
        writeln!(
            out,
            "{:width$}  {:>6.2} {:>6.2}  {:>7}  {:6}  {:5}  {:5}  {}",
            row.name.to_string(),
            row.bytes_per_cell_16,
            row.bytes_per_cell_32,
            row.bucket_bytes,
            tick(row.incremental),
            tick(row.real_time),
            tick(row.known_map_only),
            row.paper,
        )?;
    }
    writeln!(
        out,
        "\nMemory on {SIDE}x{SIDE} cells with four moves, the map included."
    )
}
