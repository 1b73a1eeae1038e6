//! `seq`.

use super::usage;
use crate::run::Run;
use crate::{Failure, Output};

/// Maximum number of lines that are printed.
const MOST: usize = 10_000;

pub(super) fn seq(_: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let numbers: Option<Vec<i64>> = arguments.iter().map(|it| it.parse().ok()).collect();
    let (mut at, step, to) = match numbers.as_deref() {
        Some([to]) => (1, 1, *to),
        Some([from, to]) => (*from, 1, *to),
        Some([from, step, to]) if *step != 0 => (*from, *step, *to),
        _ => {
            let why = "only integers are simulated: seq [FIRST [STEP]] LAST";
            return Err(usage("seq", why));
        }
    };
    let mut output = Output::default();
    for _ in 0..MOST {
        if step > 0 && at > to || step < 0 && at < to {
            break;
        }
        output.line(at.to_string());
        at = at.saturating_add(step);
    }
    Ok(output)
}
