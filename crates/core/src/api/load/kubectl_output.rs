//! What kubectl prints besides objects: messages, and output for people to read.

use std::sync::Arc;

use berth_protocol::remark::Remark;

use super::Loaded;
use crate::api::kinds::dump_command;
use crate::api::problem::{Problem, Severity};
use crate::api::yaml;

/// Reports the messages of kubectl that are in the text of a file.
pub(super) fn report_messages(loaded: &mut Loaded, file: usize) {
    let Some(text) = loaded.files.get(file).map(|file| Arc::clone(&file.text)) else {
        return;
    };
    for (line, message) in (1..).zip(text.lines()) {
        if let Some((severity, help)) = yaml::is_message(message)
            .then(|| of_message(message))
            .flatten()
        {
            loaded.list(Problem {
                severity,
                file: loaded
                    .files
                    .get(file)
                    .map(|it| it.name.clone())
                    .unwrap_or_default(),
                line,
                column: 1,
                path: String::new(),
                message: Remark::quoted(message.trim_end()),
                help,
                is_missing: false,
                unlisted: 0,
            });
        }
    }
}

/// How grave a message of kubectl is, and what to do about it; `None` if it says nothing about what was read.
fn of_message(line: &str) -> Option<(Severity, Remark)> {
    let says = |text: &str| line.contains(text);
    let help = if line.starts_with("No resources found") {
        return Some((Severity::Warning, Remark::nothing_there()));
    } else if line.starts_with("Warning: ") {
        return None;
    } else if says("(Forbidden)") || says("(NotFound)") {
        Remark::kind_not_listed()
    } else if says("the server doesn't have a resource type") || says("no matches for kind") {
        Remark::leave_type_out()
    } else if says("logged in") || says("Unauthorized") || says("provide credentials") {
        Remark::log_in()
    } else if line.starts_with(['E', 'U', 'T', 'e']) {
        Remark::kubectl_failed()
    } else {
        return None;
    };
    Some((Severity::Error, help))
}

/// What to do about a text that kubectl printed without `-o yaml`: a table, or `describe`.
pub(super) fn table_help(text: &str) -> Option<Remark> {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !(line.is_empty() || line.starts_with("$ ")))?;
    let mut words = first.split_ascii_whitespace();
    let is_table = matches!(words.next()?, "NAME" | "NAMESPACE" | "LAST")
        && words.next().is_some()
        && !first.contains(|c: char| c.is_ascii_lowercase());
    let is_description = first.starts_with("Name: ");
    (is_table || is_description).then(for_people)
}

pub(super) fn for_people() -> Remark {
    Remark::printed_for_people(dump_command())
}
