//! Runs terminal commands in the session.

#![deny(clippy::wildcard_enum_match_arm)]

use super::refused;
use berth_protocol::command::Input;
use berth_protocol::gesture::Gesture;
use berth_protocol::happening::Happening;
use berth_protocol::page::Update;
use berth_protocol::terminal::{OpenRequest, Part, Printed};
use berth_session::terminal::{Lacks, Output, Printed as Piece};
use berth_session::{Performed, Session, SourceFile, edit, lesson, simulated};

/// Maximum number of happenings that the page receives.
pub const HAPPENINGS: usize = 60;
/// Maximum bytes of output; the rest is cut, with a note of how many lines are missing.
const PRINTED_BYTES: usize = 60_000;

/// Handles terminal input; returns its output.
#[inline(never)]
pub fn handle(session: &mut Session, input: Input) -> Option<Update> {
    match input {
        Input::Line { line } => Some(run(session, line)),
        Input::Edited { asked, text } => Some(edited(session, &asked, &text)),
        Input::Files(files) => {
            let files = files
                .into_iter()
                .map(|(name, text)| SourceFile::new(name, text));
            simulated::put_files(session, files.collect());
            None
        }
    }
}

/// Switches between a simulated cluster and scheduling alone.
#[inline(never)]
pub fn set_simulated(session: &mut Session, live: bool) -> Option<Update> {
    lesson::choose_mode(session, live).err().map(refused)
}

/// Starts the current mode from the manifests.
#[inline(never)]
pub fn begin_anew(session: &mut Session) -> Option<Update> {
    let begun = lesson::start_again(session, simulated::restart_mode);
    begun.err().map(refused)
}

/// Provides the descriptions of all fields, for `kubectl explain`.
#[inline(never)]
pub fn describe_fields(session: &mut Session, fields: String) {
    simulated::describe_fields(session, fields);
}

/// Runs a command line, unless it is incomplete.
#[inline(never)]
fn run(session: &mut Session, line: String) -> Update {
    if let Some(lacks) = simulated::lacks(&line) {
        return Update::Printed(Box::new(Printed {
            line,
            goes_on: true,
            document_end: match lacks {
                Lacks::Line(end) => Some(end),
                Lacks::More => None,
            },
            ..Printed::default()
        }));
    }
    session.catch_up(usize::MAX);
    let before = session.change_count();
    let output = simulated::begin(session, &line);
    printed(line, output, session, before)
}

/// Performs a gesture; returns the output of the command that stands for it, if there is one.
#[inline(never)]
pub fn perform(session: &mut Session, gesture: &Gesture) -> Option<Update> {
    let before = session.change_count();
    match edit::perform(session, gesture) {
        Ok(Performed::Edited(_)) => None,
        Ok(Performed::Begun { line, output }) => Some(printed(line, output, session, before)),
        Err(error) => Some(refused(error.remark())),
    }
}

/// Continues a waiting command for at most this many steps; `None` if no command waits.
#[inline(never)]
pub fn wait_on(session: &mut Session, steps: usize) -> Option<Update> {
    let (before, rests) = (session.change_count(), simulated::rests(session));
    let output = simulated::wait_on(session, steps)?;
    // What happens by itself is no change that the line made.
    let before = if rests {
        session.change_count()
    } else {
        before
    };
    Some(printed(String::new(), output, session, before))
}

/// Handles Ctrl+C; `None` if no command waits.
#[inline(never)]
pub fn interrupt(session: &mut Session) -> Option<Update> {
    let before = session.change_count();
    let output = simulated::interrupt(session)?;
    Some(printed(String::new(), output, session, before))
}

/// Applies a text that a command opened for editing.
fn edited(session: &mut Session, request: &OpenRequest, text: &str) -> Update {
    session.catch_up(usize::MAX);
    let before = session.change_count();
    let output = simulated::edited(session, request, text);
    printed(String::new(), output, session, before)
}

/// Completions of the word before the cursor.
#[inline(never)]
pub fn complete(session: &Session, line: String, cursor: usize) -> Update {
    let words = simulated::complete(session, &line, cursor);
    Update::Completions {
        line,
        cursor,
        words,
    }
}

/// The last happenings before this moment, up to a maximum number, oldest first.
pub fn happened(session: &Session, most: usize) -> Vec<Happening> {
    if session.simulated_cluster().is_none() {
        return Vec::new();
    }
    let mut last: Vec<Happening> = session
        .log()
        .iter()
        .take(session.position())
        .rev()
        .flat_map(|entry| entry.happened().iter().rev())
        .take(most)
        .cloned()
        .collect();
    last.reverse();
    last
}

fn printed(line: String, output: Output, session: &Session, before: u64) -> Update {
    Update::Printed(Box::new(Printed {
        line,
        parts: shortened(&output),
        code: output.code,
        open: output.open,
        goes_on: false,
        document_end: None,
        waits: simulated::waits(session),
        changed: session.change_count() != before,
        passed_ms: simulated::line_passed_ms(session),
    }))
}

/// The output in order; what is too long to show is cut at the end of a line.
fn shortened(output: &Output) -> Vec<Part> {
    let (mut parts, mut room, mut lines) = (Vec::new(), PRINTED_BYTES, 0);
    for piece in output.printed() {
        let (text, is_error) = match piece {
            Piece::Out(text) => (text, false),
            Piece::Err(text) => (text, true),
        };
        let kept = if lines == 0 { head(text, room) } else { "" };
        lines += text.get(kept.len()..).unwrap_or_default().lines().count();
        room -= kept.len();
        if !kept.is_empty() {
            let text = kept.to_owned();
            parts.push(Part { text, is_error });
        }
    }
    if lines > 0 {
        parts.push(Part {
            text: format!("… {lines} more lines\n"),
            is_error: false,
        });
    }
    parts
}

/// The lines of a text that have room; part of a line if not even one has.
fn head(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let mut end = room;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = text.get(..end).unwrap_or_default();
    let end = kept.rfind('\n').map_or(kept.len(), |at| at + 1);
    kept.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
