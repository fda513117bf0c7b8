//! `sim planners`: the list of planners.

use std::io::{self, Write};

use planner_core::width::{Bits16, Bits32};
use serde::Serialize;

use crate::{
    catalog::{self, LOCAL_CELLS, Name, TREE_CELLS},
    lab::table::Table,
    options::planner::PlannerName,
    output,
};

/// Side of the map that memory is given for: the one that must fit the robot.
const SIDE: u16 = 101;

/// Options of `planners`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Bytes per cell: everything that grows with the map, the map included, with ids
and costs of 16 or 32 bits. Bytes once: buckets and the table of the local
search, whatever the map (16 bits).

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
    title: &'static str,
    use_when: &'static str,
    /// True for the planner that commands use unless told otherwise.
    default: bool,
    paper: &'static str,
    incremental: bool,
    real_time: bool,
    known_map_only: bool,
    bytes_per_cell_16: f64,
    bytes_per_cell_32: f64,
    bucket_bytes: usize,
    local_bytes: usize,
}

impl Row {
    fn new(name: Name) -> Self {
        let narrow = catalog::memory::<Bits16>(name, SIDE);
        let wide = catalog::memory::<Bits32>(name, SIDE);
        Self {
            name,
            title: name.title(),
            use_when: name.use_when(),
            default: name == PlannerName::DEFAULT,
            paper: name.paper(),
            incremental: name.is_incremental(),
            real_time: name.is_real_time(),
            known_map_only: name.is_known_map_only(),
            bytes_per_cell_16: narrow.bytes_per_cell,
            bytes_per_cell_32: wide.bytes_per_cell,
            bucket_bytes: narrow.bucket_bytes,
            local_bytes: narrow.local_bytes,
        }
    }
}

/// Lists the planners.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let rows: Vec<Row> = Name::all().iter().copied().map(Row::new).collect();
    if args.json {
        return Ok(rows.iter().try_for_each(output::json_line)?);
    }
    let mut uses = Table::new(["planner", ""]);
    let mut memory = Table::new(["planner", "16-bit", "32-bit", "bytes once", ""]);
    for row in &rows {
        let name = match row.default {
            true => format!("{} (default)", row.name),
            false => row.name.to_string(),
        };
        uses.push([name, row.use_when.to_owned()]);
        memory.push([
            row.name.to_string(),
            format!("{:.2}", row.bytes_per_cell_16),
            format!("{:.2}", row.bytes_per_cell_32),
            (row.bucket_bytes + row.local_bytes).to_string(),
            row.paper.to_owned(),
        ]);
    }
    writeln!(
        io::stdout().lock(),
        "Use it when ...\n\n{uses}\n\
         Bytes per cell on {SIDE}x{SIDE} cells with four moves, the map included, by the\n\
         width of ids and costs; bytes of buckets and of the local search (a tree of\n\
         {TREE_CELLS} cells, a look-ahead of {LOCAL_CELLS}) once, with 16 bits; and the paper.\n\n{memory}"
    )?;
    Ok(())
}
