//! `sed`: `s/A/B/g`, `d` and `p`, for all lines, one line (`3`, `$`, `/A/`) or a range (`2,5`, `/A/,/B/`).

use std::borrow::Cow;

use regex_lite::{Captures, Regex};

use super::grep::extended;
use super::{Letters, inputs, usage};
use crate::limits::{Bounded, MAX_BYTES, TOO_LONG};
use crate::run::Run;
use crate::{Failure, Output};

enum Edit {
    Substitute { from: Regex, to: String, all: bool },
    Delete,
    Print,
}

/// The address of a line.
enum Line {
    Number(usize),
    Last,
    Matching(Regex),
}

/// An edit, the lines that it applies to, and whether the current line is inside its range.
struct Step {
    from: Option<Line>,
    to: Option<Line>,
    edit: Edit,
    is_inside: bool,
}

pub(super) fn sed(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("sed", arguments, "niEr", "e", &[])?;
    let mut words = letters.words.as_slice();
    let mut programs: Vec<&str> = letters.values('e').collect();
    if programs.is_empty() {
        let [program, rest @ ..] = words else {
            let why = "Usage: sed [OPTION]... {script} [FILE]...";
            return Err(Failure::new(1, why));
        };
        programs.push(program);
        words = rest;
    }
    let is_extended = letters.has('E') || letters.has('r');
    let program = programs.join("\n");
    let files = inputs(run, "sed: can't read", words, stdin);
    let files = files.map_err(|failure| failure.with_code(2))?;
    let mut output = Output::default();
    for (name, text) in files {
        // Ranges restart in every file, so parse the steps again.
        let Some(mut steps) = read(&program, is_extended) else {
            let why = "only s/A/B/, d and p with lines or ranges before them are simulated here";
            return Err(usage("sed", &format!("{program:?}: {why}")));
        };
        let edited = apply(&text, &mut steps, letters.has('n'));
        let edited = edited.map_err(|why| Failure::new(4, format!("sed: {why}")))?;
        if letters.has('i') && !name.is_empty() {
            let written = run.write(&name, &edited, false);
            written.map_err(|why| Failure::new(4, format!("sed: {why}")))?;
        } else {
            output.stdout.push_str(&edited);
        }
    }
    Ok(output)
}

/// Applies all steps to every line, until one deletes it.
fn apply(text: &str, steps: &mut [Step], is_quiet: bool) -> Result<String, &'static str> {
    let mut edited = Bounded::default();
    let mut print = |line: &str| {
        edited.push(line);
        edited.push("\n");
    };
    let count = text.lines().count();
    'lines: for (index, line) in text.lines().enumerate() {
        let mut line = Cow::Borrowed(line);
        for step in &mut *steps {
            if !step.is_for(&line, index + 1, count) {
                continue;
            }
            match &step.edit {
                Edit::Delete => continue 'lines,
                Edit::Print => print(&line),
                Edit::Substitute { from, to, all } => {
                    line = Cow::Owned(substituted(&line, from, to, *all)?);
                }
            }
        }
        if !is_quiet {
            print(&line);
        }
    }
    edited.whole()
}

/// A line with its first match replaced, or all of them.
fn substituted(line: &str, from: &Regex, to: &str, all: bool) -> Result<String, &'static str> {
    let mut is_full = false;
    let mut bytes = line.len();
    let limit = usize::from(!all);
    let edited = from.replacen(line, limit, |found: &Captures<'_>| {
        let mut made = String::new();
        // Each reference is three bytes or more, and becomes at most the match.
        bytes += to.len() + to.len() / 3 * found[0].len();
        is_full |= bytes > MAX_BYTES * 4;
        if !is_full {
            found.expand(to, &mut made);
        }
        made
    });
    match is_full || edited.len() > MAX_BYTES {
        true => Err(TOO_LONG),
        false => Ok(edited.into_owned()),
    }
}

impl Step {
    /// Whether the step applies to this line.
    fn is_for(&mut self, line: &str, number: usize, count: usize) -> bool {
        let Some(from) = &self.from else { return true };
        let Some(to) = &self.to else {
            return from.is(line, number, count);
        };
        if self.is_inside {
            self.is_inside = !to.is(line, number, count);
            return true;
        }
        let begins = from.is(line, number, count);
        // A range that ends at a number may end on its first line; one that ends at a pattern continues past it.
        self.is_inside = begins
            && match to {
                Line::Number(end) => *end > number,
                Line::Last => number < count,
                Line::Matching(_) => true,
            };
        begins
    }
}

impl Line {
    fn is(&self, line: &str, number: usize, count: usize) -> bool {
        match self {
            Line::Number(own) => *own == number,
            Line::Last => number == count,
            Line::Matching(regex) => regex.is_match(line),
        }
    }
}

/// The steps of a program, separated by `;` or newlines.
fn read(program: &str, is_extended: bool) -> Option<Vec<Step>> {
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
fn read_step(program: &str, is_extended: bool) -> Option<(Step, &str)> {
    let regex = |pattern: &str| {
        Regex::new(&if is_extended {
            pattern.to_owned()
        } else {
            extended(pattern)
        })
        .ok()
    };
    let (from, mut rest) = read_line(program, &regex)?;
    let mut to = None;
    if let Some(behind) = rest.strip_prefix(',') {
        (to, rest) = read_line(behind, &regex)?;
        to.as_ref()?;
    }
    let mut letters = rest.trim_start().chars();
    let (edit, flags) = match letters.next()? {
        'd' => (Edit::Delete, letters.as_str()),
        'p' => (Edit::Print, letters.as_str()),
        's' => {
            let mark = letters.next()?;
            let (pattern, rest) = until_mark(letters.as_str(), mark)?;
            let (with, flags) = until_mark(rest, mark)?;
            let edit = Edit::Substitute {
                from: regex(&pattern)?,
                to: replacement(&with),
                all: flags.starts_with('g'),
            };
            (edit, flags.trim_start_matches('g'))
        }
        _ => return None,
    };
    let behind = flags.trim_start_matches([' ', '\t']);
    let step = Step {
        from,
        to,
        edit,
        is_inside: false,
    };
    let ends = behind.is_empty() || behind.starts_with([';', '\n']);
    ends.then_some((step, behind))
}

/// The address that a program begins with, if any, and what follows it.
fn read_line<'p>(
    program: &'p str,
    regex: &dyn Fn(&str) -> Option<Regex>,
) -> Option<(Option<Line>, &'p str)> {
    if let Some(behind) = program.strip_prefix('/') {
        let (pattern, rest) = until_mark(behind, '/')?;
        return Some((Some(Line::Matching(regex(&pattern)?)), rest));
    }
    if let Some(rest) = program.strip_prefix('$') {
        return Some((Some(Line::Last), rest));
    }
    let rest = program.trim_start_matches(|it: char| it.is_ascii_digit());
    match program.strip_suffix(rest)? {
        "" => Some((None, rest)),
        digits => Some((Some(Line::Number(digits.parse().ok()?)), rest)),
    }
}

/// The text before the first unescaped mark, and the text after it.
pub(super) fn until_mark(text: &str, mark: char) -> Option<(String, &str)> {
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

/// A replacement in the syntax of the regex crate: `\1` is `${1}`, `&` is `${0}`.
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
