//! `bash` and `sh`: a script in a shell of its own.

use crate::run::Run;
use crate::{Failure, Output};

/// `bash FILE ARGUMENT…`, `bash -c TEXT`, or the lines of standard input. The arguments are `$1`, `$2` and so on.
pub(super) fn bash(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let mut words = arguments;
    let mut is_text = false;
    while let [flag, rest @ ..] = words
        && flag.starts_with('-')
    {
        is_text |= !flag.starts_with("--") && flag.contains('c');
        words = rest;
    }
    let (text, stdin) = match words {
        [text, ..] if is_text => (text.clone(), stdin),
        [] if is_text => return Err(Failure::new(2, "bash: -c: option requires an argument")),
        [] => (stdin.to_owned(), ""),
        [name, ..] => match run.read(name) {
            Some(text) => (text, stdin),
            None => {
                let why = format!("bash: {name}: No such file or directory");
                return Err(Failure::new(127, why));
            }
        },
    };
    run.spend_copy();
    let before = run.shell.clone();
    let given = words
        .iter()
        .skip(1)
        .enumerate()
        .map(|(index, word)| ((index + 1).to_string(), word.clone()));
    run.shell.variables.extend(given);
    let mut output = run.line(&text, stdin);
    output.code = run.shell.exited.unwrap_or(output.code);
    *run.shell = before;
    Ok(output)
}
