//! `sed` in its simple forms: `[-i] [-n] 's/A/B/g'`, `'/A/d; 3p'`, `-e 's/A/B/' -e '/C/d'`.

use std::borrow::Cow;

use regex_lite::Regex;

use super::grep::extended;
use super::{Letters, inputs, usage};
use crate::kubectl::Output;
use crate::kubectl::shell::run::Run;

enum Edit {
    Substitute { from: Regex, to: String, all: bool },
    Delete,
    Print,
}

/// Lines that are meant.
enum Address {
    All,
    Number(usize),
    Fits(Regex),
}

pub(crate) fn sed(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "niEr", "e", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("sed", &why),
    };
    let mut words = letters.words.as_slice();
    let mut programs: Vec<&str> = letters.values('e').collect();
    if programs.is_empty() {
        let [program, rest @ ..] = words else {
            return Output::failure("Usage: sed [OPTION]... {script} [FILE]...", 1);
        };
        programs.push(program);
        words = rest;
    }
    let is_extended = letters.has('E') || letters.has('r');
    let program = programs.join("\n");
    let Some(steps) = read(&program, is_extended) else {
        return usage(
            "sed",
            &format!("{program:?}: only s/A/B/, /A/d, /A/p and Nd, Np are simulated here"),
        );
    };
    let files = match inputs(run, "sed", words, stdin) {
        Ok(files) => files,
        Err(why) => return Output::failure(&why.replace("sed: ", "sed: can't read "), 2),
    };
    let mut output = Output::default();
    for (name, text) in files {
        let edited = apply(&text, &steps, letters.has('n'));
        if letters.has('i') && !name.is_empty() {
            run.write(&name, edited, false);
        } else {
            output.stdout.push_str(&edited);
        }
    }
    output
}

/// Every line goes through all steps, unless one deletes it.
fn apply(text: &str, steps: &[(Address, Edit)], is_quiet: bool) -> String {
    let mut edited = String::new();
    let mut say = |line: &str| {
        edited.push_str(line);
        edited.push('\n');
    };
    'lines: for (index, line) in text.lines().enumerate() {
        let mut line = Cow::Borrowed(line);
        for (address, edit) in steps {
            let is_meant = match address {
                Address::All => true,
                Address::Number(number) => index + 1 == *number,
                Address::Fits(regex) => regex.is_match(&line),
            };
            match edit {
                _ if !is_meant => {}
                Edit::Delete => continue 'lines,
                Edit::Print => say(&line),
                Edit::Substitute { from, to, all } => {
                    let limit = if *all { 0 } else { 1 };
                    line = Cow::Owned(from.replacen(&line, limit, to.as_str()).into_owned());
                }
            }
        }
        if !is_quiet {
            say(&line);
        }
    }
    edited
}

/// The steps of a program; `;` and line ends stand between them.
fn read(program: &str, is_extended: bool) -> Option<Vec<(Address, Edit)>> {
    let mut steps = Vec::new();
    let mut rest = program;
    loop {
        rest = rest.trim_start_matches(|it: char| it == ';' || it.is_whitespace());
        if rest.is_empty() {
            return Some(steps);
        }
        let (step, behind) = read_step(rest, is_extended)?;
        steps.push(step);
        rest = behind;
    }
}

/// The first step of a program, and what follows it.
fn read_step(program: &str, is_extended: bool) -> Option<((Address, Edit), &str)> {
    let regex = |pattern: &str| {
        let pattern = if is_extended {
            pattern.to_owned()
        } else {
            extended(pattern)
        };
        Regex::new(&pattern).ok()
    };
    let (address, rest) = if let Some(behind) = program.strip_prefix('/') {
        let (pattern, rest) = until_mark(behind, '/')?;
        (Address::Fits(regex(&pattern)?), rest)
    } else {
        let rest = program.trim_start_matches(|it: char| it.is_ascii_digit());
        let digits = program.get(..program.len() - rest.len())?;
        match digits {
            "" => (Address::All, rest),
            digits => (Address::Number(digits.parse().ok()?), rest),
        }
    };
    let mut letters = rest.trim_start().chars();
    let (edit, flags) = match letters.next()? {
        'd' => (Edit::Delete, letters.as_str()),
        'p' => (Edit::Print, letters.as_str()),
        's' => {
            let mark = letters.next()?;
            let (from, rest) = until_mark(letters.as_str(), mark)?;
            let (to, flags) = until_mark(rest, mark)?;
            let edit = Edit::Substitute {
                from: regex(&from)?,
                to: replacement(&to),
                all: flags.starts_with('g'),
            };
            (edit, flags.trim_start_matches('g'))
        }
        _ => return None,
    };
    let behind = flags.trim_start_matches([' ', '\t']);
    let ends = behind.is_empty() || behind.starts_with([';', '\n']);
    ends.then_some(((address, edit), behind))
}

/// The text before a mark that has no backslash before it, and the text behind it.
fn until_mark(text: &str, mark: char) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == mark {
            return Some((part, letters.as_str()));
        }
        if letter == '\\' {
            match letters.next() {
                Some(next) if next == mark => part.push(next),
                next => {
                    part.push('\\');
                    part.extend(next);
                }
            }
        } else {
            part.push(letter);
        }
    }
    None
}

/// A replacement in the words of the regex library: `\1` is `${1}`, `&` is `${0}`.
fn replacement(text: &str) -> String {
    let mut made = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '$' => made.push_str("$$"),
            '&' => made.push_str("${0}"),
            '\\' => match letters.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    made.push_str("${");
                    made.push(digit);
                    made.push('}');
                }
                Some('n') => made.push('\n'),
                Some(other) => made.push(other),
                None => {}
            },
            other => made.push(other),
        }
    }
    made
}
