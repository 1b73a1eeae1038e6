//! `berth replay -o timeline`: prints what the workload controllers do over time.

use std::io::{self, Write};

use berth_session::replay::timeline;
use berth_session::{Choice, SourceFile};

use super::messages::Messages;
use super::open::problem_line;
use super::terminal::{Style, Terminal};
use super::{Outcome, Status};

/// Plays the files' objects and script, and prints the record.
pub fn run(
    files: &[SourceFile],
    release: &Choice,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Outcome {
    let played = timeline(files, release);
    let mut err = Messages;
    for problem in &played.problems {
        let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
        writeln!(err, "{}", problem_line(problem, paint))?;
    }
    if let Some(record) = &played.record {
        serde_json::to_writer_pretty(&mut *out, record).map_err(io::Error::from)?;
        writeln!(out)?;
    }
    let has_errors = played.problems.iter().any(|it| it.is_error());
    Ok(if has_errors {
        Status::BadInput
    } else {
        Status::Good
    })
}
