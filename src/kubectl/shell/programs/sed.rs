//! `sed` in its simple forms: `[-i] [-n] 's/A/B/g'`, `'/A/d'`, `'3p'`.

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

pub(super) fn sed(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "niEr", "e", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("sed", &why),
    };
    let mut words = letters.words.as_slice();
    let program = match (letters.value('e'), words) {
        (Some(program), _) => program,
        (None, [program, rest @ ..]) => {
            words = rest;
            program
        }
        (None, []) => return Output::failure("Usage: sed [OPTION]... {script} [FILE]...", 1),
    };
    let is_extended = letters.has('E') || letters.has('r');
    let Some((address, edit)) = read(program, is_extended) else {
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
        let edited = apply(&text, &address, &edit, letters.has('n'));
        if letters.has('i') && !name.is_empty() {
            run.write(&name, edited, false);
        } else {
            output.stdout.push_str(&edited);
        }
    }
    output
}

fn apply(text: &str, address: &Address, edit: &Edit, is_quiet: bool) -> String {
    let mut edited = String::new();
    let mut say = |line: &str| {
        edited.push_str(line);
        edited.push('\n');
    };
    for (index, line) in text.lines().enumerate() {
        let is_meant = match address {
            Address::All => true,
            Address::Number(number) => index + 1 == *number,
            Address::Fits(regex) => regex.is_match(line),
        };
        match edit {
            _ if !is_meant => {
                if !is_quiet {
                    say(line);
                }
            }
            Edit::Delete => {}
            Edit::Print => {
                if !is_quiet {
                    say(line);
                }
                say(line);
            }
            Edit::Substitute { from, to, all } => {
                let limit = if *all { 0 } else { 1 };
                let line = from.replacen(line, limit, to.as_str());
                if !is_quiet {
                    say(&line);
                }
            }
        }
    }
    edited
}

fn read(program: &str, is_extended: bool) -> Option<(Address, Edit)> {
    let regex = |pattern: &str| {
        let pattern = if is_extended {
            pattern.to_owned()
        } else {
            extended(pattern)
        };
        Regex::new(&pattern).ok()
    };
    let program = program.trim();
    let (address, rest) = if let Some(behind) = program.strip_prefix('/') {
        let (pattern, rest) = behind.split_once('/')?;
        (Address::Fits(regex(pattern)?), rest)
    } else {
        let rest = program.trim_start_matches(|it: char| it.is_ascii_digit());
        let digits = program.get(..program.len() - rest.len())?;
        match digits {
            "" => (Address::All, rest),
            digits => (Address::Number(digits.parse().ok()?), rest),
        }
    };
    let edit = match rest.trim() {
        "d" => Edit::Delete,
        "p" => Edit::Print,
        rest => {
            let behind = rest.strip_prefix('s')?;
            let mark = behind.chars().next()?;
            let parts = split_unescaped(behind.get(mark.len_utf8()..)?, mark);
            let [from, to, flags] = parts.as_slice() else {
                return None;
            };
            if flags.chars().any(|it| !"g".contains(it)) {
                return None;
            }
            Edit::Substitute {
                from: regex(from)?,
                to: replacement(to),
                all: flags.contains('g'),
            }
        }
    };
    Some((address, edit))
}

/// Parts between marks that have no backslash before them.
fn split_unescaped(text: &str, mark: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let Some(last) = parts.last_mut() else { break };
        if letter == '\\' {
            match letters.next() {
                Some(next) if next == mark => last.push(next),
                next => {
                    last.push('\\');
                    last.extend(next);
                }
            }
        } else if letter == mark {
            parts.push(String::new());
        } else {
            last.push(letter);
        }
    }
    parts
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
