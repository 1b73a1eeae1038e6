//! `berth bench`: the clock and the memory gauge that the library does not have.

#![allow(
    clippy::disallowed_types,
    reason = "a measurement needs the wall clock; nothing is decided by it"
)]

use std::time::Instant;

use crate::bench::{Environment, run};

/// Runs the measurements that the words name, and returns a table.
pub fn measure(words: &[String]) -> String {
    let begin = Instant::now();
    let environment = Environment {
        now_ms: &|| begin.elapsed().as_secs_f64() * 1000.0,
        memory_bytes: &resident_bytes,
    };
    run(&words.join(" "), &environment)
}

/// Resident memory on Linux.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}
