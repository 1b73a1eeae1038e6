//! `xargs`.

use super::usage;
use crate::limits::{MAX_BYTES, TOO_LONG};
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
        let call = call.map_err(|why| usage("xargs", why))?;
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
        if output.stdout.len() + output.stderr.len() > MAX_BYTES {
            return Err(usage("xargs", TOO_LONG));
        }
        if run.shell.exited.is_some() {
            break;
        }
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

/// The arguments of a run.
type Arguments = Result<Vec<String>, &'static str>;

/// The arguments of each run.
fn calls<'c>(
    flags: &Flags<'c>,
    own: &'c [String],
    stdin: &'c str,
) -> Box<dyn Iterator<Item = Arguments> + 'c> {
    if let Some(mark) = flags.mark {
        let lines = stdin.lines().map(str::trim).filter(|line| !line.is_empty());
        return Box::new(lines.map(move |line| replaced(own, mark, line)));
    }
    let words: Vec<String> = stdin.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        let once = (!flags.skips_empty).then(|| Ok(own.to_vec()));
        return Box::new(once.into_iter());
    }
    let each = flags.each.unwrap_or(words.len());
    let count = words.len().div_ceil(each);
    Box::new((0..count).map(move |number| {
        let chunk = words.iter().skip(number * each).take(each);
        Ok(own.iter().chain(chunk).cloned().collect())
    }))
}

/// The arguments with a line in place of each mark.
fn replaced(own: &[String], mark: &str, line: &str) -> Arguments {
    let bytes = |it: &String| it.len() + it.matches(mark).count() * line.len();
    match own.iter().map(bytes).sum::<usize>() > MAX_BYTES {
        true => Err(TOO_LONG),
        false => Ok(own.iter().map(|it| it.replace(mark, line)).collect()),
    }
}
