//! `grep`.

use regex_lite::{Regex, RegexBuilder};

use super::{Letters, inputs, usage};
use crate::run::Run;
use crate::{Failure, Output};

const LONG: &[(&str, char)] = &[
    ("ignore-case", 'i'),
    ("invert-match", 'v'),
    ("count", 'c'),
    ("color", '_'),
    ("line-buffered", '_'),
    ("extended-regexp", 'E'),
    ("quiet", 'q'),
];

/// Maximum bytes of a pattern: the size of the compiled matcher grows with it.
const MAX_PATTERN: usize = 2_000;

/// `grep -E`.
pub(super) fn egrep(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    grep(run, &[&["-E".to_owned()], arguments].concat(), stdin)
}

/// `grep -F`.
pub(super) fn fgrep(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    grep(run, &[&["-F".to_owned()], arguments].concat(), stdin)
}

/// Prints the lines that match a pattern.
pub(super) fn grep(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let letters = Letters::read("grep", arguments, "ivcEwoqnhHFxlsr_", "ABCem", LONG)?;
    let mut words = letters.words.as_slice();
    let mut patterns: Vec<&str> = letters.values('e').collect();
    if patterns.is_empty() {
        let Some((pattern, rest)) = words.split_first() else {
            let why = "Usage: grep [OPTION]... PATTERNS [FILE]...";
            return Err(Failure::new(2, why));
        };
        patterns.push(pattern);
        words = rest;
    }
    let regex = build(&patterns.join("\n"), &letters).map_err(|why| usage("grep", &why))?;
    let files = inputs(run, "grep", words, stdin).map_err(|failure| failure.with_code(2))?;
    let mut output = Output::default();
    let names = (files.len() > 1 || letters.has('H')) && !letters.has('h');
    let mut any = false;
    for (name, text) in &files {
        let prefix = if names {
            format!("{name}:")
        } else {
            String::new()
        };
        any |= one_file(text, &prefix, &regex, &letters, &mut output);
    }
    output.code = i32::from(!any);
    Ok(output)
}

/// Prints the matching lines of a text; returns whether there are any.
fn one_file(
    text: &str,
    prefix: &str,
    regex: &Regex,
    letters: &Letters,
    output: &mut Output,
) -> bool {
    let number = |letter| {
        letters
            .value(letter)
            .and_then(|it| it.parse::<usize>().ok())
    };
    let around = number('C').unwrap_or(0);
    let before = number('B').unwrap_or(around);
    let after = number('A').unwrap_or(around);
    let most = number('m').unwrap_or(usize::MAX);
    let lines: Vec<&str> = text.lines().collect();
    let fitting: Vec<usize> = (0..lines.len())
        .filter(|index| {
            let line = lines.get(*index).copied().unwrap_or_default();
            regex.is_match(line) != letters.has('v')
        })
        .take(most)
        .collect();
    if letters.has('q') {
        return !fitting.is_empty();
    }
    if letters.has('c') {
        output.line(format!("{prefix}{}", fitting.len()));
        return !fitting.is_empty();
    }
    if letters.has('l') {
        if !fitting.is_empty() {
            output.line(prefix.trim_end_matches(':'));
        }
        return !fitting.is_empty();
    }
    let mut printed: Option<usize> = None;
    let mut matched = fitting.iter().copied().peekable();
    while let Some(index) = matched.next() {
        if letters.has('o') {
            let line = lines.get(index).copied().unwrap_or_default();
            for found in regex.find_iter(line).filter(|found| !found.is_empty()) {
                output.line(format!("{prefix}{}", found.as_str()));
            }
            continue;
        }
        let next = printed.map_or(0, |last| last + 1);
        let start = index.saturating_sub(before).max(next);
        if before + after > 0 && printed.is_some() && start > next {
            output.line("--");
        }
        let end = index.saturating_add(after);
        let end = end.min(lines.len().saturating_sub(1));
        let end = matched.peek().map_or(end, |next| end.min(next - 1));
        for at in start..=end {
            let line = lines.get(at).copied().unwrap_or_default();
            let mark = if at == index { ':' } else { '-' };
            let number = if letters.has('n') {
                format!("{}{mark}", at + 1)
            } else {
                String::new()
            };
            output.line(format!("{prefix}{number}{line}"));
        }
        printed = Some(end.max(index));
    }
    !fitting.is_empty()
}

fn build(pattern: &str, letters: &Letters) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err("regular expression too big".to_owned());
    }
    let parts: Vec<String> = pattern
        .split('\n')
        .map(|part| {
            if letters.has('F') {
                regex_lite::escape(part)
            } else if letters.has('E') {
                part.to_owned()
            } else {
                extended(part)
            }
        })
        .collect();
    let mut pattern = parts.join("|");
    if letters.has('w') {
        pattern = format!(r"\b(?:{pattern})\b");
    }
    if letters.has('x') {
        pattern = format!("^(?:{pattern})$");
    }
    let built = RegexBuilder::new(&pattern)
        .case_insensitive(letters.has('i'))
        .build();
    built.map_err(|error| format!("{error}"))
}

/// Converts a basic regular expression, whose operators are `\|`, `\+`, `\?`, `\(` and `\{`, to an extended one.
pub(super) fn extended(basic: &str) -> String {
    let mut pattern = String::new();
    let mut letters = basic.chars().peekable();
    let mut in_list = false;
    while let Some(letter) = letters.next() {
        match letter {
            '[' if !in_list => in_list = true,
            ']' if in_list && !pattern.ends_with('[') && !pattern.ends_with("[^") => {
                in_list = false;
            }
            '\\' if !in_list => {
                match letters.next() {
                    Some(next @ ('|' | '+' | '?' | '(' | ')' | '{' | '}')) => pattern.push(next),
                    Some('<' | '>') => pattern.push_str(r"\b"),
                    Some(next) => {
                        pattern.push('\\');
                        pattern.push(next);
                    }
                    None => pattern.push_str(r"\\"),
                }
                continue;
            }
            '|' | '+' | '?' | '(' | ')' | '{' | '}' if !in_list => pattern.push('\\'),
            '*' if pattern.is_empty() => pattern.push('\\'),
            _ => {}
        }
        pattern.push(letter);
    }
    pattern
}
