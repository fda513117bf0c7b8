//! Many runs of an experiment, on all processors, with the same result on any number of them.

use rayon::prelude::*;

use crate::{
    lab::progress,
    world::rng::{self, Rng},
};

/// Number of runs, and the seed of their worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub runs: u32,
    pub seed: u64,
}

impl Sweep {
    /// Returns the result of each run, in order. A run is given its number and a random
    /// generator of its own.
    pub fn each<T: Send>(
        self,
        label: &str,
        run: impl Fn(u32, Rng) -> anyhow::Result<T> + Sync,
    ) -> anyhow::Result<Vec<T>> {
        let bar = progress::bar(label, self.runs.into());
        let results = (0..self.runs)
            .into_par_iter()
            .map(|index| {
                let result = run(index, rng::derived(self.seed, index.into()))?;
                bar.inc(1);
                Ok(result)
            })
            .collect();
        bar.finish_and_clear();
        results
    }
}
