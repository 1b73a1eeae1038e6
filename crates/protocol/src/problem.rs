//! Problems of the input: position, message, and advice.

use std::cmp::Ordering;
use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use crate::remark::Remark;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The API server would reject the object.
    Error,
    /// The object is accepted, but probably does not mean what its author intended.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One problem of the input.
///
/// Displayed as `pods.yaml:7:5: error: spec.containers: Required value (help)`. Text from the input is displayed
/// with control and bidirectional characters escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Problem {
    pub severity: Severity,
    /// Name of the file.
    pub file: String,
    /// From 1; 0 if the problem is in no file, but in the option that `file` names.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The field in the API server's notation: `spec.containers[0].resources.requests[cpu]`. Empty if the
    /// problem concerns the document as a whole.
    pub path: String,
    /// The problem, in the API server's wording if it has one.
    pub message: Remark,
    /// How to fix it; may be empty.
    pub help: Remark,
    /// There is no value at `path`, and one is required.
    #[serde(skip)]
    pub is_missing: bool,
    /// Number of unlisted problems that this one counts; 0 for an ordinary problem.
    #[serde(skip)]
    pub unlisted: usize,
}

impl Problem {
    /// Whether the problem is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Orders by file and position; the problem that counts unlisted ones is last.
    fn sort_key(&self) -> (&str, u32, u32, bool, Severity, &str, &Remark) {
        (
            &self.file,
            self.line,
            self.column,
            self.unlisted > 0,
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
            .then_with(|| self.unlisted.cmp(&other.unlisted))
    }
}

impl PartialOrd for Problem {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Problem {
    /// The parts of its line, safe to print: place, severity, path with message, and help.
    pub fn parts(&self) -> [String; 4] {
        let file = Printable(&self.file);
        let place = match self.line {
            0 => format!("{file}:"),
            line => format!("{file}:{line}:{}:", self.column),
        };
        let mut text = Printable(&self.message.to_string()).to_string();
        if !self.path.is_empty() {
            text = format!("{}: {text}", Printable(&self.path));
        }
        let mut help = self.help.to_string();
        if !help.is_empty() {
            help = format!(" ({})", Printable(&help));
        }
        [place, format!("{}:", self.severity), text, help]
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [place, severity, text, help] = self.parts();
        write!(f, "{place} {severity} {text}{help}")
    }
}

/// Displays untrusted text on one line. Characters that could change how the rest is displayed (control,
/// bidirectional, zero-width) are escaped as in Rust: `\u{202e}`.
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
