//! What is wrong with the input: where, what, and what to do about it.

use std::cmp::Ordering;
use std::fmt;

use serde::Serialize;

use super::source::Position;
use crate::base::sort;

/// Problems listed for one document; the rest is counted in a last one.
pub const MAX_PROBLEMS_PER_DOCUMENT: usize = 50;

/// Problems listed in all; the rest is counted in a last one.
pub const MAX_PROBLEMS: usize = 1_000;

/// How the message of a problem begins that stands for others.
const AND_MORE: &str = "… and ";

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The API server would refuse the object.
    Error,
    /// The object is taken, but probably not as it was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// One thing that is wrong with the input.
///
/// Shown as `pods.yaml:7:5: error: spec.containers: Required value (help)`. Text that came from
/// the input is shown with control and bidirectional characters escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub severity: Severity,
    /// Name of the file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The field, as the API server writes it: `spec.containers[0].resources.requests[cpu]`.
    /// Empty if the problem is with the document as a whole.
    pub path: String,
    /// What is wrong, in the API server's words where it has some.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl Problem {
    /// Where the problem is.
    pub fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
        }
    }

    fn sort_key(&self) -> (&str, u32, u32, bool, Severity, &str, &str) {
        // What counts the rest comes last.
        let counts_rest = self.message.starts_with(AND_MORE);
        (
            &self.file,
            self.line,
            self.column,
            counts_rest,
            self.severity,
            &self.path,
            &self.message,
        )
    }
}

impl Ord for Problem {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sort_key()
            .cmp(&other.sort_key())
            .then_with(|| self.help.cmp(&other.help))
    }
}

impl PartialOrd for Problem {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem {
            severity,
            file,
            line,
            column,
            path,
            message,
            help,
        } = self;
        write!(f, "{}:{line}:{column}: {severity}: ", Printable(file))?;
        if !path.is_empty() {
            write!(f, "{}: ", Printable(path))?;
        }
        write!(f, "{}", Printable(message))?;
        if !help.is_empty() {
            write!(f, " ({})", Printable(help))?;
        }
        Ok(())
    }
}

/// Shows text of unknown origin on one line, with every character that could change how the
/// rest is shown (control, bidirectional, zero-width) escaped as in Rust: `\u{202e}`.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if is_deceptive(c) {
                write!(f, "{}", c.escape_default())?;
            } else {
                fmt::Write::write_char(f, c)?;
            }
        }
        Ok(())
    }
}

fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Puts problems in order (files in the order given, then by position) and keeps the first
/// [`MAX_PROBLEMS`], errors before warnings, with one more that counts the ones left out, here and
/// (`unlisted`) before.
pub fn arrange(
    mut problems: Vec<Problem>,
    unlisted: usize,
    file_order: &dyn Fn(&str) -> usize,
) -> Vec<Problem> {
    let order = |a: &Problem, b: &Problem| {
        file_order(&a.file)
            .cmp(&file_order(&b.file))
            .then_with(|| a.cmp(b))
    };
    let left_out = problems
        .len()
        .saturating_sub(MAX_PROBLEMS)
        .saturating_add(unlisted);
    if problems.len() > MAX_PROBLEMS {
        sort::sort_by(&mut problems, |a, b| {
            a.severity.cmp(&b.severity).then_with(|| order(a, b))
        });
        problems.truncate(MAX_PROBLEMS);
    }
    sort::sort_by(&mut problems, order);
    let more = and_more(problems.last(), left_out);
    problems.extend(more);
    problems
}

/// The problem that stands for `left_out` others, at the place of the last one shown.
pub(crate) fn and_more(last: Option<&Problem>, left_out: usize) -> Option<Problem> {
    let last = last?;
    (left_out > 0).then(|| Problem {
        path: String::new(),
        message: format!("{AND_MORE}{left_out} more"),
        help: "correct the ones above first".to_owned(),
        ..last.clone()
    })
}
