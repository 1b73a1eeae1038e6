//! `cargo xtask fuzz`: lives of clusters at random with their invariants, for as long as one likes.

use std::process::Command;

use crate::process::{Result, cargo, run};

const USAGE: &str = "usage: cargo xtask fuzz [EVENTS [SEED]]";

/// Without the command line, which would be built as well.
const TEST: [&str; 5] = [
    "test",
    "--locked",
    "--no-default-features",
    "--test",
    "fuzz_lives",
];

/// Events of the step `lives` of `cargo xtask test`.
const BOUNDED: &str = "400000";

/// Cargo with our own code optimized a little: lives go five times as fast, and arithmetic that overflows still panics.
/// What it depends on is built as for all other tests.
pub fn brisk(args: &[&str]) -> Command {
    let mut command = cargo(args);
    for profile in ["DEV", "TEST"] {
        command.env(format!("CARGO_PROFILE_{profile}_OPT_LEVEL"), "1");
    }
    command
}

/// Plays until so many events (a million if it is not said) have happened, from a seed on.
pub fn fuzz(args: &[String]) -> Result {
    if args.len() > 2 || args.iter().any(|arg| arg.parse::<u64>().is_err()) {
        return Err(USAGE.to_owned());
    }
    let mut command = brisk(&TEST);
    command.args(["--", "--ignored", "--exact", "on_and_on", "--nocapture"]);
    for (variable, value) in ["BERTH_FUZZ_EVENTS", "BERTH_FUZZ_SEED"].iter().zip(args) {
        command.env(variable, value);
    }
    run(&mut command)
}

/// The bounded run of a test run, longer than that of plain `cargo test`; and all lives in sessions.
pub fn bounded() -> Result {
    let mut command = brisk(&TEST);
    command.args(["--test", "session_lives", "--", "--nocapture"]);
    command.env("BERTH_FUZZ_EVENTS", BOUNDED);
    run(command.env("BERTH_LIVES", "all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(fuzz(&["many".to_owned()]).unwrap_err(), USAGE);
    }
}
