//! `xargs`.

use super::usage;
use crate::run::Run;
use crate::{Failure, Output};

/// The flags `-n COUNT`, `-I MARK`, `-r` and `-t`.
#[derive(Default)]
struct Flags<'a> {
    each: Option<usize>,
    mark: Option<&'a str>,
    skips_empty: bool,
    /// Prints each command on standard error before it runs.
    traces: bool,
}

/// Runs a program with the words of standard input appended to its arguments.
pub(super) fn xargs(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let (flags, command) = read(arguments)?;
    let echo = ["echo".to_owned()];
    let command = if command.is_empty() { &echo } else { command };
    let Some((program, own)) = command.split_first() else {
        return Ok(Output::default());
    };
    let mut output = Output::default();
    for call in calls(&flags, own, stdin) {
        if flags.traces {
            let line = format!("{program} {}", call.join(" "));
            output.stderr.push_str(line.trim_end());
            output.stderr.push('\n');
        }
        let Some(ran) = run.nested(program, &call, "", false) else {
            let why = format!("xargs: {program}: No such file or directory");
            return Err(Failure::new(127, why));
        };
        output.stdout.push_str(&ran.stdout);
        output.stderr.push_str(&ran.stderr);
        if ran.code != 0 {
            output.code = 123;
        }
    }
    Ok(output)
}

fn read(arguments: &[String]) -> Result<(Flags<'_>, &[String]), Failure> {
    let mut flags = Flags::default();
    let mut rest = arguments;
    while let [flag, behind @ ..] = rest {
        if !flag.starts_with('-') {
            break;
        }
        rest = behind;
        match flag.as_str() {
            "-r" | "--no-run-if-empty" => {
                flags.skips_empty = true;
                continue;
            }
            "-t" | "--verbose" => {
                flags.traces = true;
                continue;
            }
            _ => {}
        }
        let Some((letter, value)) = flag
            .split_at_checked(2)
            .filter(|(it, _)| matches!(*it, "-n" | "-I"))
        else {
            return Err(usage("xargs", &format!("invalid option '{flag}'")));
        };
        let value = match (value, rest) {
            ("", [next, behind @ ..]) => {
                rest = behind;
                next.as_str()
            }
            (value, _) => value,
        };
        if letter == "-I" {
            flags.mark = Some(value).filter(|mark| !mark.is_empty());
        } else {
            flags.each = value.parse().ok().filter(|count| *count > 0);
        }
    }
    Ok((flags, rest))
}

/// The arguments of each run.
fn calls(flags: &Flags<'_>, own: &[String], stdin: &str) -> Vec<Vec<String>> {
    if let Some(mark) = flags.mark {
        let lines = stdin.lines().map(str::trim).filter(|line| !line.is_empty());
        return lines
            .map(|line| own.iter().map(|it| it.replace(mark, line)).collect())
            .collect();
    }
    let words: Vec<String> = stdin.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return if flags.skips_empty {
            Vec::new()
        } else {
            vec![own.to_vec()]
        };
    }
    words
        .chunks(flags.each.unwrap_or(words.len()))
        .map(|chunk| own.iter().chain(chunk).cloned().collect())
        .collect()
}
