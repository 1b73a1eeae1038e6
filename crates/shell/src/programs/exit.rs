//! `exit`.

use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn exit(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let word = arguments.iter().find(|it| *it != "--");
    let code = match word.map(|word| word.parse::<i32>()) {
        None => run.shell.status,
        Some(Ok(code)) => code.rem_euclid(256),
        Some(Err(_)) => {
            run.shell.exited = Some(2);
            let word = word.map_or("", String::as_str);
            let why = format!("bash: exit: {word}: numeric argument required");
            return Err(Failure::new(2, why));
        }
    };
    run.shell.exited = Some(code);
    Ok(Output::code(code))
}
