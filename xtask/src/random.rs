//! Numbers that look random and depend on their index only, the same as in the baselines
//! (`benches/baselines/bench.h`): the mixing function of splitmix64.

/// The number at index `i`.
pub(crate) fn bits(i: u64) -> u64 {
    let x = i.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The number at index `i`, in [0, 1).
pub(crate) fn unit(i: u64) -> f64 {
    (bits(i) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_splitmix() {
        // The first output of the reference implementation with seed 0.
        assert_eq!(bits(0), 0xE220_A839_7B1D_CDAF);
        assert!((0..1000).all(|i| (0.0..1.0).contains(&unit(i))));
    }
}
