use std::collections::HashMap;

use crate::Image;

/// Cycles per function, counted, not sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Most cycles first.
    pub functions: Vec<FunctionCycles>,
    pub total: u64,
}

/// Cycles of a function without its callees; inlined functions count to their caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCycles {
    pub name: String,
    pub cycles: u64,
}

impl Profile {
    /// Profile from pairs of address and cycles.
    pub(crate) fn new(image: &Image, counts: &[(u32, f64)]) -> Self {
        let mut by_name = HashMap::<&str, u64>::new();
        for (address, cycles) in counts {
            let name = image.function_at(*address).unwrap_or("(no function)");
            // Counts of events are whole numbers far below 2^53.
            *by_name.entry(name).or_default() += *cycles as u64;
        }
        let total = by_name.values().sum();
        let mut functions: Vec<_> = by_name
            .into_iter()
            .map(|(name, cycles)| FunctionCycles {
                name: name.to_owned(),
                cycles,
            })
            .collect();
        functions.sort_by(|a, b| b.cycles.cmp(&a.cycles).then_with(|| a.name.cmp(&b.name)));
        Self { functions, total }
    }
}
