//! The digests of the lives, as they are committed: `SEED DIGEST` in each line.
//!
//! A helper, not a test. After a change of what clusters do, `cargo test --test lives -- --ignored` writes them
//! anew.

use super::generator::Size;

pub const LIVES: u64 = 200;

/// Lives that are short enough to be played many times.
pub const SMALL: Size = Size {
    nodes: 4,
    workloads: 2,
    replicas: 3,
    acts: 24,
    seconds: 60,
    is_rough: true,
    is_wild: false,
};

/// By seed.
#[allow(dead_code, reason = "not every test compares them")]
pub fn committed() -> Vec<(u64, u64)> {
    let lines = include_str!("digests.txt").lines();
    let pairs = lines.map(|line| {
        let (seed, digest) = line.split_once(' ').expect("SEED DIGEST");
        let seed = seed.parse().expect("a number");
        let digest = u64::from_str_radix(digest, 16).expect("a digest");
        (seed, digest)
    });
    pairs.collect()
}
