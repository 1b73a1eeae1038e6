//! `cargo xtask fuzz`: random lives of clusters with their invariants, for any number of events.

use std::process::Command;

use crate::layout::{COMMAND, PACKAGE, TESTS};
use crate::process::{Result, cargo_test, run};

const USAGE: &str = "usage: cargo xtask fuzz [EVENTS [SEED]]";

/// Number of events in the random lives of `cargo xtask test all`; other tests play fewer.
const BOUNDED: &str = "200000";

/// The test that plays for as long as it is asked to.
const ON_AND_ON: &str = "lives::fuzz::on_and_on";

/// Plays random lives, starting with SEED, until EVENTS events (a million by default) have happened.
pub fn fuzz(args: &[String]) -> Result {
    if args.len() > 2 || args.iter().any(|arg| arg.parse::<u64>().is_err()) {
        return Err(USAGE.to_owned());
    }
    let mut command = cargo_test(&["--package", PACKAGE, "--features", COMMAND]);
    command.args(["--test", TESTS, "--", "--ignored", "--nocapture"]);
    command.args(["--exact", ON_AND_ON]);
    for (variable, value) in ["BERTH_FUZZ_EVENTS", "BERTH_FUZZ_SEED"].iter().zip(args) {
        command.env(variable, value);
    }
    run(&mut command)
}

/// Makes a command of cargo that runs the integration tests run all of them, with more random lives and every question
/// about large dumps.
pub fn more(command: &mut Command) {
    command
        .env("BERTH_FUZZ_EVENTS", BOUNDED)
        .env("BERTH_TESTS", "all")
        .args(["--", "--include-ignored", "--skip", ON_AND_ON]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_that_is_no_number_is_refused() {
        assert_eq!(fuzz(&["many".to_owned()]).unwrap_err(), USAGE);
    }
}
