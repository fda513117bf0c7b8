//! The one random generator of the simulator.
//!
//! Its stream is the same on every machine and in every release, so a seed in a report is enough
//! to see the same world again.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator everything random in the simulator draws from.
pub type Rng = ChaCha8Rng;

/// The generator of `seed`.
pub fn seeded(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// The generator of run `index` of an experiment with `seed`.
///
/// Each run has a stream of its own, none of them that of [`seeded`], so runs can be done in any
/// order and in parallel.
pub fn derived(seed: u64, index: u64) -> Rng {
    let mut rng = seeded(seed);
    // Stream 0 is that of `seeded`.
    rng.set_stream(index.wrapping_add(1));
    rng
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn every_seed_and_every_run_has_its_own_stream() {
        let seeds = (0..100).map(seeded);
        let runs = (0..100).map(|index| derived(0, index));
        let firsts: HashSet<u64> = seeds.chain(runs).map(|mut rng| rng.random()).collect();
        assert_eq!(firsts.len(), 200);
    }

    #[test]
    fn random_streams_never_change() {
        assert_eq!(seeded(0).random::<u64>(), 13_080_132_717_333_068_652);
        assert_eq!(derived(0, 0).random::<u64>(), 13_937_087_304_575_520_531);
    }
}
