//! Placement of the code and the tables of a function: in RAM, or in flash, whose cache may miss.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{
    analysis::Analysis,
    facts::File,
    program::{FLASH, Program},
};
use crate::cargo::root;

/// The code of a function and of all that it calls.
pub struct Placed {
    pub name: String,
    pub functions: Vec<Code>,
    /// Functions and tables in flash.
    pub in_flash: Vec<String>,
}

/// Runs before RAM is initialised.
const START_UP: &str = "=__pre_init";

/// The code of a function.
pub struct Code {
    pub at: u32,
    pub bytes: u32,
    pub name: String,
}

/// Lists the functions of each root of the facts' file, and what of them is in flash.
pub fn placed(path: &Path) -> Result<Vec<Placed>> {
    let program = Program::read(path)?;
    let file = File::read(&root().join(super::FACTS))?;
    let analysis = Analysis::new(&program, &file, root(), 1)?;
    for function in analysis.closure(analysis.find(START_UP)?)? {
        let name = &analysis.cfg(function)?.name;
        ensure!(
            FLASH.contains(&function),
            "{name} runs before it is copied to RAM"
        );
    }
    let mut all = Vec::new();
    for entry in &file.root {
        let at = analysis.find(&entry.function)?;
        let mut placed = Placed {
            name: entry.name.clone(),
            functions: Vec::new(),
            in_flash: Vec::new(),
        };
        for function in analysis.closure(at)? {
            let cfg = analysis.cfg(function)?;
            let range = program.function(function).map_or(0..0, |f| f.range.clone());
            placed.functions.push(Code {
                at: function,
                bytes: range.end - range.start,
                name: cfg.name.clone(),
            });
            if FLASH.contains(&function) {
                placed.in_flash.push(cfg.name.clone());
            }
            for literal in &cfg.literals {
                if let Some(word) = program.word(*literal)
                    && FLASH.contains(&word)
                {
                    placed
                        .in_flash
                        .push(format!("a table at {word:#x}, read by {}", cfg.name));
                }
            }
        }
        all.push(placed);
    }
    Ok(all)
}
