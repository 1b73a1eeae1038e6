//! `alias` and `unalias`.

use crate::limits::{MAX_BYTES, TOO_LONG};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn alias(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    let line = |name: &str, text: &str| format!("alias {name}='{text}'");
    if arguments.is_empty() {
        for (name, text) in &run.shell.aliases {
            output.line(line(name, text));
        }
    }
    for argument in arguments {
        if let Some((name, text)) = argument.split_once('=') {
            let aliases = &mut run.shell.aliases;
            if aliases.values().map(String::len).sum::<usize>() + text.len() > MAX_BYTES {
                output.complain(format!("bash: alias: {name}: {TOO_LONG}"));
            } else {
                aliases.insert(name.to_owned(), text.to_owned());
            }
        } else if let Some(text) = run.shell.aliases.get(argument) {
            output.line(line(argument, text));
        } else {
            output.complain(format!("bash: alias: {argument}: not found"));
        }
    }
    Ok(output)
}

pub(super) fn unalias(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    for argument in arguments {
        if argument == "-a" {
            run.shell.aliases.clear();
        } else if run.shell.aliases.remove(argument).is_none() {
            output.complain(format!("bash: unalias: {argument}: not found"));
        }
    }
    Ok(output)
}
