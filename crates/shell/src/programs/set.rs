//! `set`: of its options, only `-e` has an effect.

use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn set(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    if arguments.is_empty() {
        for (name, value) in &run.shell.variables {
            output.line(format!("{name}={value}"));
        }
    }
    for argument in arguments.iter().filter(|it| it.contains('e')) {
        if argument.starts_with(['-', '+']) {
            run.shell.stops_on_failure = Some(argument.starts_with('-'));
        }
    }
    Ok(output)
}
