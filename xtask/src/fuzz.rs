//! `cargo xtask fuzz`: lives of clusters at random with their invariants, for as long as one likes.

use crate::process::{Result, cargo, run};

const USAGE: &str = "usage: cargo xtask fuzz [EVENTS [SEED]]";

/// Plays until so many events (a million if it is not said) have happened, from a seed on.
pub fn fuzz(args: &[String]) -> Result {
    if args.len() > 2 || args.iter().any(|arg| arg.parse::<u64>().is_err()) {
        return Err(USAGE.to_owned());
    }
    let mut command = cargo(&["test", "--locked", "--release", "--test", "fuzz_lives"]);
    command.args(["--", "--ignored", "--exact", "on_and_on", "--nocapture"]);
    for (variable, value) in ["BERTH_FUZZ_EVENTS", "BERTH_FUZZ_SEED"].iter().zip(args) {
        command.env(variable, value);
    }
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(fuzz(&["many".to_owned()]).unwrap_err(), USAGE);
    }
}
