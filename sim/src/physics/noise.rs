//! Noise that belongs to a place: the same whenever the robot comes by.

/// Mixes numbers to one that looks random (SplitMix64's finalizer).
pub fn hash<const N: usize>(numbers: [u64; N]) -> u64 {
    numbers.into_iter().fold(0, |state, number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Number in `0.0..1.0` of a hash, by its upper bits.
pub fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_and_fill_the_range() {
        let units: Vec<f64> = (0..1000).map(|x| unit(hash([x, 7]))).collect();
        let mean = units.iter().sum::<f64>() / 1000.0;
        assert!((0.47..0.53).contains(&mean), "{mean}");
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)));
        assert_eq!(hash([1, 2]), hash([1, 2]));
        assert_ne!(hash([1, 2]), hash([2, 1]));
    }
}
