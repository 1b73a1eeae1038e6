//! `grep`.

use regex_lite::{Regex, RegexBuilder};

use super::{Letters, inputs, usage};
use crate::kubectl::Output;
use crate::kubectl::shell::run::Run;

const LONG: &[(&str, char)] = &[
    ("ignore-case", 'i'),
    ("invert-match", 'v'),
    ("count", 'c'),
    ("color", '_'),
    ("line-buffered", '_'),
    ("extended-regexp", 'E'),
    ("quiet", 'q'),
];

/// Longest pattern: what a matcher is made of grows with it.
const MAX_PATTERN: usize = 2_000;

/// `grep -E`.
pub(crate) fn egrep(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    with_letter("-E", run, arguments, stdin)
}

/// `grep -F`.
pub(crate) fn fgrep(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    with_letter("-F", run, arguments, stdin)
}

fn with_letter(letter: &str, run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let mut all = vec![letter.to_owned()];
    all.extend_from_slice(arguments);
    grep(run, &all, stdin)
}

/// Prints the lines that fit a pattern.
pub(crate) fn grep(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "ivcEwoqnhHFxlsr_", "ABCem", LONG) {
        Ok(letters) => letters,
        Err(why) => return usage("grep", &why),
    };
    let mut words = letters.words.as_slice();
    let mut patterns = letters.flags.iter().filter(|(letter, _)| *letter == 'e');
    let pattern = match (patterns.next(), words) {
        (Some((_, pattern)), _) => pattern.clone(),
        (None, [pattern, rest @ ..]) => {
            words = rest;
            pattern.clone()
        }
        (None, []) => {
            return Output::failure("Usage: grep [OPTION]... PATTERNS [FILE]...", 2);
        }
    };
    let pattern = patterns.fold(pattern, |all, (_, more)| format!("{all}\n{more}"));
    let regex = match build(&pattern, &letters) {
        Ok(regex) => regex,
        Err(why) => return usage("grep", &why),
    };
    let files = match inputs(run, "grep", words, stdin) {
        Ok(files) => files,
        Err(why) => return Output::failure(&why, 2),
    };
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
    output
}

/// Prints what fits in a text. Whether anything did.
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
    let fitting = lines.iter().enumerate();
    let fitting = fitting.filter(|(_, line)| regex.is_match(line) != letters.has('v'));
    let fitting: Vec<usize> = fitting.map(|(index, _)| index).take(most).collect();
    if letters.has('q') {
        return !fitting.is_empty();
    }
    if letters.has('c') {
        output.say(format!("{prefix}{}", fitting.len()));
        return !fitting.is_empty();
    }
    if letters.has('l') {
        if !fitting.is_empty() {
            output.say(prefix.trim_end_matches(':'));
        }
        return !fitting.is_empty();
    }
    let mut printed: Option<usize> = None;
    let mut matched = fitting.iter().copied().peekable();
    while let Some(index) = matched.next() {
        if letters.has('o') {
            let line = lines.get(index).copied().unwrap_or_default();
            for found in regex.find_iter(line).filter(|found| !found.is_empty()) {
                output.say(format!("{prefix}{}", found.as_str()));
            }
            continue;
        }
        let next = printed.map_or(0, |last| last + 1);
        let start = index.saturating_sub(before).max(next);
        if before + after > 0 && printed.is_some() && start > next {
            output.say("--");
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
            output.say(format!("{prefix}{number}{line}"));
        }
        printed = Some(end.max(index));
    }
    !fitting.is_empty()
}

fn build(pattern: &str, letters: &Letters) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err("regular expression too big".to_owned());
    }
    let parts = pattern.split('\n').map(|part| {
        if letters.has('F') {
            regex_lite::escape(part)
        } else if letters.has('E') {
            part.to_owned()
        } else {
            extended(part)
        }
    });
    let parts: Vec<String> = parts.collect();
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

/// A basic regular expression as an extended one: there `\|`, `\+`, `\?`, `\(`, `\{` are the operators.
pub(crate) fn extended(basic: &str) -> String {
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
