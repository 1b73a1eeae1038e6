//! `env`, `printenv`, `sudo` and `command`: programs that run other programs, or show their environment.

use super::{not_found, usage};
use crate::parse::is_name;
use crate::run::Run;
use crate::{Failure, Output};

/// `env`: the variables; `env NAME=VALUE… COMMAND`: the command with these variables.
pub(super) fn env(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let mut words = arguments;
    let mut own = Vec::new();
    while let [first, rest @ ..] = words
        && let Some((name, value)) = first.split_once('=')
        && is_name(name)
    {
        own.push((name.to_owned(), value.to_owned()));
        words = rest;
    }
    if let [flag, ..] = words
        && flag.starts_with('-')
    {
        return Err(usage(
            "env",
            &format!("option {flag} is not simulated here"),
        ));
    }
    run.spend_copy();
    let before = run.shell.variables.clone();
    run.shell.variables.extend(own);
    let ran = match words {
        [] => variables(run),
        words => given(run, words, stdin),
    };
    run.shell.variables = before;
    Ok(ran)
}

/// `printenv`: the variables; `printenv NAME…`: their values.
pub(super) fn printenv(run: &mut Run<'_>, names: &[String], _: &str) -> Result<Output, Failure> {
    if names.is_empty() {
        return Ok(variables(run));
    }
    let mut output = Output::default();
    for name in names {
        match run.variable(name) {
            Some(value) => output.line(value),
            None => output.code = 1,
        }
    }
    Ok(output)
}

fn variables(run: &Run<'_>) -> Output {
    let mut output = Output::default();
    for name in ["HOME", "PWD"] {
        let value = run.variable(name).unwrap_or_default();
        output.line(format!("{name}={value}"));
    }
    for (name, value) in &run.shell.variables {
        output.line(format!("{name}={value}"));
    }
    output
}

/// `sudo COMMAND`: the command; the user may do everything already.
pub(super) fn sudo(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let mut words = arguments;
    while let [flag, rest @ ..] = words
        && flag.starts_with('-')
    {
        let has_value = matches!(flag.as_str(), "-u" | "-g" | "--user" | "--group");
        words = rest.get(usize::from(has_value)..).unwrap_or_default();
    }
    if words.is_empty() {
        return Err(Failure::new(1, "usage: sudo COMMAND"));
    }
    env(run, words, stdin)
}

/// `command -v NAME…`: where programs are; `command COMMAND`: the command.
pub(super) fn command(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    match arguments {
        [flag, names @ ..] if matches!(flag.as_str(), "-v" | "-V") => which(run, names, stdin),
        [] => Ok(Output::default()),
        words => Ok(given(run, words, stdin)),
    }
}

/// `which NAME…`: where programs are.
pub(super) fn which(run: &mut Run<'_>, names: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    for name in names.iter().filter(|name| !name.starts_with('-')) {
        if super::find(name).is_some() {
            output.line(format!("/usr/bin/{name}"));
        } else if run.host.programs().contains(&name.as_str()) {
            output.line(format!("/usr/local/bin/{name}"));
        } else {
            output.code = 1;
        }
    }
    Ok(output)
}

/// Runs the command that is given as arguments.
fn given(run: &mut Run<'_>, words: &[String], stdin: &str) -> Output {
    let Some((program, arguments)) = words.split_first() else {
        return Output::default();
    };
    let may_suspend = std::mem::take(&mut run.may_suspend);
    let ran = run.nested(program, arguments, stdin, may_suspend);
    ran.unwrap_or_else(|| not_found(program))
}
