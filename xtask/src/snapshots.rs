//! `cargo xtask snapshots`: rewrites the expected output of tests, after an intended change.

use crate::layout::{FEATURES, PACKAGE, TESTS};
use crate::process::{Result, cargo_test, run};

/// Tests that compare with committed text: fingerprints of runs, pictures of examples, digests and transcripts of lives.
const SNAPSHOTS: [&str; 4] = [
    "conformance::fingerprints",
    "examples::every_example_has_its_picture",
    "lives::every_life_has_the_committed_digest",
    "lives::transcripts",
];

/// Runs those tests so that they write the text they would compare with; `git diff` shows the changes.
pub fn snapshots() -> Result {
    run(cargo_test(&["--package", PACKAGE, "--features", FEATURES])
        .args(["--test", TESTS, "--"])
        .args(SNAPSHOTS)
        .env("BERTH_WRITE_SNAPSHOTS", "1"))
}
