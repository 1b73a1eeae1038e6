//! The terminal's lines, run in the session.

use crate::protocol::page::Update;
use crate::protocol::terminal::{Asked, Printed};
use crate::session::Session;
use crate::session::terminal::{OpenRequest, Output};

/// Lines of which the page is told, for each of the last entries of the log.
const TOLD: usize = 60;
/// What is printed beyond this is left out, and said to be.
const PRINTED_BYTES: usize = 60_000;

/// Runs a line, unless it goes on in the next.
#[inline(never)]
pub fn run(session: &mut Session, line: String) -> Update {
    if Session::needs_more(&line) {
        return Update::Printed(Box::new(Printed {
            line,
            goes_on: true,
            ..Printed::default()
        }));
    }
    session.catch_up(usize::MAX);
    let output = session.command(&line);
    printed(line, output)
}

/// Takes a text back that a line asked to edit.
#[inline(never)]
pub fn edited(session: &mut Session, asked: Asked, text: &str) -> Update {
    let request = match asked {
        Asked::Object {
            kind,
            namespace,
            name,
            text,
        } => OpenRequest::Object {
            kind,
            namespace,
            name,
            text,
        },
        Asked::File { path, text } => OpenRequest::File { path, text },
    };
    session.catch_up(usize::MAX);
    let output = session.edited(&request, text);
    printed(String::new(), output)
}

/// What the word before the cursor may become.
#[inline(never)]
pub fn complete(session: &Session, line: String, cursor: usize) -> Update {
    let words = session.complete(&line, cursor);
    Update::Completions {
        line,
        cursor,
        words,
    }
}

/// What happened last before this moment, a line each, the newest last.
pub fn told(session: &Session) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if session.live().is_some() {
        let past = session.log().iter().take(session.position()).rev();
        let past = past.flat_map(|entry| entry.told().iter().rev());
        lines.extend(past.take(TOLD).cloned());
        lines.reverse();
    }
    lines
}

fn printed(line: String, output: Output) -> Update {
    let open = output.open.map(|request| match request {
        OpenRequest::Object {
            kind,
            namespace,
            name,
            text,
        } => Asked::Object {
            kind,
            namespace,
            name,
            text,
        },
        OpenRequest::File { path, text } => Asked::File { path, text },
    });
    Update::Printed(Box::new(Printed {
        line,
        stdout: shortened(output.stdout),
        stderr: shortened(output.stderr),
        code: output.code,
        open,
        goes_on: false,
    }))
}

/// The beginning of a text that is too long to be shown, up to the end of a line.
fn shortened(mut text: String) -> String {
    if text.len() > PRINTED_BYTES {
        let mut end = PRINTED_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let kept = text.get(..end).unwrap_or_default();
        let end = kept.rfind('\n').map_or(end, |at| at + 1);
        let lines = text.get(end..).unwrap_or_default().lines().count();
        text.truncate(end);
        text.push_str(&format!("… {lines} more lines\n"));
    }
    text
}

#[cfg(test)]
mod tests;
