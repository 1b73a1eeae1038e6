//! `seq`.

use super::usage;
use crate::run::Run;
use crate::{Failure, Output};

/// Maximum number of lines that are printed.
const MOST: usize = 10_000;

pub(super) fn seq(_: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let numbers = seq_numbers(arguments).ok_or_else(|| {
        usage(
            "seq",
            "only integers are simulated: seq [FIRST [STEP]] LAST",
        )
    })?;
    let mut output = Output::default();
    for number in numbers.map_err(|why| Failure::new(1, format!("seq: {why}")))? {
        output.line(number.to_string());
    }
    Ok(output)
}

/// The numbers that `seq` prints with these arguments, at most 10,000, or its error; `None` if the arguments are not
/// one to three integers.
pub fn seq_numbers(arguments: &[impl AsRef<str>]) -> Option<Result<Vec<i64>, String>> {
    let given = arguments.iter().map(|it| it.as_ref().parse().ok());
    let (mut at, step, to) = match given.collect::<Option<Vec<i64>>>()?.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [_, 0, _] => return Some(Err("invalid Zero increment value: '0'".to_owned())),
        [from, step, to] => (*from, *step, *to),
        _ => return None,
    };
    let mut numbers = Vec::new();
    while numbers.len() < MOST && if step > 0 { at <= to } else { at >= to } {
        numbers.push(at);
        let Some(next) = at.checked_add(step) else {
            break;
        };
        at = next;
    }
    Some(Ok(numbers))
}
