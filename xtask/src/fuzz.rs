//! `cargo xtask fuzz`: random lives of clusters with their invariants, for any number of events.

use std::process::Command;

use crate::layout::{COMMAND, PACKAGE, TESTS};
use crate::process::{Result, cargo_test, run};

const USAGE: &str = "usage: cargo xtask fuzz [EVENTS [SEED]]";

/// Number of events in the random lives of `cargo xtask test`; plain `cargo test` plays fewer.
const BOUNDED: &str = "200000";

/// Plays random lives, starting with SEED, until EVENTS events (a million by default) have happened.
pub fn fuzz(args: &[String]) -> Result {
    if args.len() > 2 || args.iter().any(|arg| arg.parse::<u64>().is_err()) {
        return Err(USAGE.to_owned());
    }
    let mut command = cargo_test(&["--package", PACKAGE, "--features", COMMAND]);
    command.args(["--test", TESTS, "--", "--ignored", "--nocapture"]);
    command.args(["--exact", "lives::fuzz::on_and_on"]);
    for (variable, value) in ["BERTH_FUZZ_EVENTS", "BERTH_FUZZ_SEED"].iter().zip(args) {
        command.env(variable, value);
    }
    run(&mut command)
}

/// Makes a test command play more random lives than plain `cargo test`, and all of them in sessions.
pub fn more_lives(command: &mut Command) -> &mut Command {
    command
        .env("BERTH_FUZZ_EVENTS", BOUNDED)
        .env("BERTH_LIVES", "all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_that_is_no_number_is_refused() {
        assert_eq!(fuzz(&["many".to_owned()]).unwrap_err(), USAGE);
    }
}
