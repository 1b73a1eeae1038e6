//! Expectations that are not met.

use std::io::{self, Write};

use berth_protocol::expectation::Outcome;
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_session::Printable;

use super::messages::Messages;
use super::terminal::{Style, Terminal};

/// Prints to standard error which expectations are not met. Returns whether there are any.
pub fn print_unmet(outcomes: &[Outcome], terminal: &Terminal) -> io::Result<bool> {
    let unmet = outcomes.iter().filter(|outcome| !outcome.met);
    let mut err = io::BufWriter::new(Messages);
    for outcome in unmet.clone() {
        let place = format!(
            "{}:{}:{}:",
            Printable(&outcome.file),
            outcome.line,
            outcome.column
        );
        writeln!(
            err,
            "{} {} {}: {}",
            terminal.paint_problem(Style::Bold, &place),
            terminal.paint_problem(Style::Bad, "unmet:"),
            Printable(&outcome.expected.to_string()),
            Printable(&outcome.why.to_string())
        )?;
    }
    let count = unmet.count();
    if count > 0 {
        writeln!(
            err,
            "{count} of {} expectations are not met.",
            outcomes.len()
        )?;
    }
    err.flush()?;
    Ok(count > 0)
}

/// An expectation that is not met, as a problem.
pub fn unmet(outcome: &Outcome) -> Problem {
    Problem {
        severity: Severity::Error,
        file: outcome.file.clone(),
        line: outcome.line,
        column: outcome.column,
        path: String::new(),
        message: Remark::prefixed(outcome.expected.clone(), outcome.why.clone()),
        help: Remark::default(),
        is_missing: false,
        unlisted: 0,
    }
}
