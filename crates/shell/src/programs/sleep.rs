//! `sleep`, on the host's clock.

use super::usage;
use crate::run::Run;
use crate::{Failure, Output, Waiting, sleep_ms};

/// Maximum duration of one sleep.
const MAX_SLEEP_MS: i64 = 24 * 3_600_000;

pub(super) fn sleep(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut total: i64 = 0;
    for word in arguments {
        let Some(ms) = sleep_ms(word) else {
            let why = format!("invalid time interval '{word}'");
            return Err(usage("sleep", &why));
        };
        total = total.saturating_add(ms);
    }
    if arguments.is_empty() {
        return Err(usage("sleep", "missing operand"));
    }
    if total > MAX_SLEEP_MS {
        return Err(usage("sleep", "at most a day passes at once here"));
    }
    let until_ms = run.host.now_ms().saturating_add(total);
    Ok(run.wait(Waiting::Sleep { until_ms }))
}
