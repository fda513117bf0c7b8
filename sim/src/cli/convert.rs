//! `sim convert`: converts mazes between formats.

use std::path::PathBuf;

use crate::error::{BadInput, OrBadInput};
use crate::output;
use crate::world::{
    file,
    micromouse::{draw_num, draw_text},
};

/// Options of `convert`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A .num file has no start and goals: they are those of competitions.

Examples:
  sim convert --map maze.txt -o maze.num
  sim convert --map maze.num -o maze.txt")]
pub struct Args {
    /// Maze file (.txt or .num)
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// File to write: a drawing as `.txt`, numbers as `.num`
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Converts a maze.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let maze = file::load_maze(&args.map).or_bad_input()?;
    let out = args.out.display();
    let text = match args
        .out
        .extension()
        .and_then(|extension| extension.to_str())
    {
        Some("txt") => draw_text(&maze),
        Some("num") => draw_num(&maze),
        _ => return Err(BadInput(format!("{out}: a maze is a .txt or a .num file")).into()),
    };
    Ok(output::write_file(&args.out, text)?)
}
