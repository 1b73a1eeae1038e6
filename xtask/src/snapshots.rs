//! `cargo xtask snapshots`: rewrites the expected output of tests, after an intended change.

use crate::layout::{COMMAND, PACKAGE, TESTS};
use crate::process::{Result, cargo_test, run};

/// Tests that compare with committed text: fingerprints of runs, pictures of examples and the page's first, the course's list, digests and
/// transcripts of lives, a picture and an explanation, the API's TypeScript types.
const SNAPSHOTS: [&str; 10] = [
    "conformance::fingerprints",
    "examples::every_example_ends_with_the_committed_digests",
    "examples::every_example_has_its_picture",
    "examples::the_page_begins_with_a_picture_of_the_first_example",
    "lessons::the_course_lists_what_its_files_say",
    "lives::every_life_has_the_committed_digest",
    "lives::transcripts",
    "pictures::a_picture_is_the_same_everywhere",
    "pictures::native::an_explanation_is_markdown",
    "typescript::the_types_are_those_that_are_serialized",
];

/// Runs those tests so that they write the text they would compare with; `git diff` shows the changes.
pub fn snapshots() -> Result {
    run(cargo_test(&["--package", PACKAGE, "--features", COMMAND])
        .args(["--test", TESTS, "--"])
        .args(SNAPSHOTS)
        .env("BERTH_WRITE_SNAPSHOTS", "1"))
}
