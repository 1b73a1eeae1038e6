//! `cargo xtask snapshots`: writes the expected output of tests anew, after a change on purpose.

use crate::layout::{PACKAGE, TESTS};
use crate::process::{Result, cargo, run};

/// Tests that compare with committed text: fingerprints of runs, digests and transcripts of lives.
const SNAPSHOTS: [&str; 3] = [
    "conformance::fingerprints",
    "lives::every_life_has_the_committed_digest",
    "lives::transcripts",
];

/// Runs those tests so that they write what they would compare; `git diff` shows what has changed.
pub fn snapshots() -> Result {
    run(cargo(&["test", "--locked", "--package", PACKAGE])
        .args(["--test", TESTS, "--"])
        .args(SNAPSHOTS)
        .env("BERTH_WRITE_SNAPSHOTS", "1"))
}
