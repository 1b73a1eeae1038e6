//! Runs the terminal's lines on the simulated cluster.

use std::rc::Rc;
use std::sync::Arc;

use super::Simulated;
use super::wait::Wait;
use crate::history::{Change, Now};
use crate::session::{Clock, Session};
use crate::simulated::wait;
use crate::{fork, lesson, simulated, undo};
use berth_core::api::source::SourceFile;
use berth_kubectl::rest::LineStart;
use berth_kubectl::shell::{Begun, Lacks, Shell};
use berth_kubectl::{OpenRequest, Output};
use berth_protocol::frame::ForkChange;
use berth_protocol::remark::Remark;

/// The input of the terminal's commands besides the manifests: files, and descriptions of fields.
#[derive(Clone, Debug, Default)]
pub struct TerminalFiles {
    files: Vec<SourceFile>,
    fields: Option<Arc<str>>,
}

/// What an incomplete text lacks: the command continues on the next line.
pub fn lacks(text: &str) -> Option<Lacks> {
    Shell::lacks(text)
}

/// Gives files to the terminal's commands, by name. They are not part of the manifests.
pub fn put_files(session: &mut Session, files: Vec<SourceFile>) {
    for file in files {
        session
            .terminal_files
            .files
            .retain(|own| own.name != file.name);
        session.terminal_files.files.push(file);
    }
}

/// Sets the descriptions of all fields (`www/editor/explain.json`), for `kubectl explain`.
pub fn describe_fields(session: &mut Session, fields: impl Into<Arc<str>>) {
    session.terminal_files.fields = Some(fields.into());
}

/// Runs a line of the terminal to its end. It is an edit at this moment: the log after it is discarded. It
/// switches the session to simulated mode.
pub fn command(session: &mut Session, line: &str) -> Output {
    let output = simulated::begin(session, line);
    output.and(simulated::wait_on(session, usize::MAX).unwrap_or_default())
}

/// Runs a line until it waits, and returns its output so far. [`crate::simulated::waits`]: whether it waits;
/// [`crate::simulated::wait_on`] continues it.
pub fn begin(session: &mut Session, line: &str) -> Output {
    let line = line.to_owned();
    begin_for(session, ForkChange::Command { line })
}

/// Runs the line of a [`ForkChange::Command`] or [`ForkChange::Drained`], as [`crate::simulated::begin`] does.
pub(crate) fn begin_for(session: &mut Session, asked: ForkChange) -> Output {
    let Some(line) = asked.line().map(str::to_owned) else {
        return Output::default();
    };
    session.line = None;
    act_on_cluster(session, &asked.into(), false, &mut |simulated| {
        simulated.shell.begin(&line, &mut simulated.terminal)
    })
}

/// Takes back a text that a line asked to edit; an edit as [`crate::simulated::command`] is.
pub fn edited(session: &mut Session, request: &OpenRequest, text: &str) -> Output {
    let line = edit_line(request);
    let asked = ForkChange::Command { line };
    session.line = None;
    act_on_cluster(session, &asked.into(), false, &mut |simulated| {
        Shell::edited(request, text, &mut simulated.terminal).into()
    })
}

/// Completions of the word before the cursor (in bytes). If Pods are only scheduled, those in the cluster as
/// its simulation would start.
pub fn complete(session: &Session, line: &str, cursor: usize) -> Vec<String> {
    let simulated = match session.history.simulated() {
        Some(simulated) => simulated.clone(),
        None => match Simulated::new(session.history.manifests(), &session.state.options) {
            Ok(simulated) => simulated,
            Err(_) => return Vec::new(),
        },
    };
    let simulated = with_files(session, simulated);
    simulated.shell.complete(line, cursor, &simulated.terminal)
}

/// The cluster with this moment's files.
fn with_files(session: &Session, mut simulated: Simulated) -> Simulated {
    let own = session.terminal_files.files.iter();
    let manifests = &session.history.manifests().loaded.files;
    let is_hidden = |file: &&SourceFile| manifests.iter().all(|it| it.name != file.name);
    let files = manifests.iter().chain(own.filter(is_hidden));
    simulated.give(
        files.cloned().collect(),
        session.terminal_files.fields.as_ref(),
    );
    if let Some(locks) = &session.state.locks {
        simulated.terminal.cluster.api_mut().lock(locks.all());
    }
    simulated
}

/// Changes the simulated cluster as an edit that a line of the terminal makes; `goes_on`: it belongs to the previous
/// edit and is undone with it.
pub(super) fn act_on_cluster(
    session: &mut Session,
    asked: &Rc<ForkChange>,
    goes_on: bool,
    act: &mut dyn FnMut(&mut Simulated) -> Begun,
) -> Output {
    let continues = goes_on;
    // Undone together with the change.
    let is_first = !session.is_simulated();
    let goes_on = goes_on || is_first;
    simulated::set_simulated(session, true);
    let Some(simulated) = session.history.simulated() else {
        return Output {
            stderr: "the manifests have errors, so no cluster can be created from them\n"
                .to_owned(),
            code: 1,
            ..Output::default()
        };
    };
    let mut simulated = with_files(session, simulated.clone());
    let line = LineStart::new(simulated.cluster(), is_first);
    let line = *session.line.get_or_insert(line);
    let before = simulated.cluster().api().stamp();
    let Begun { output, suspended } = act(&mut simulated);
    simulated.terminal.end_user_write();
    simulated.terminal.cluster.prepare();
    let changed = simulated.cluster().api().stamp() != before;
    if lesson::is_before(session) && (changed || suspended.is_some()) {
        return Output {
            stderr: format!("error: {}\n", Remark::before_lesson()),
            code: 1,
            ..Output::default()
        };
    }
    if changed || suspended.is_some() {
        undo::remember(session, goes_on);
        undo::name_change(session, asked);
        let position = session.history.position();
        if session.forks_at_end || position < session.history.log().len() {
            fork::keep_first_run(session, position);
        }
    }
    let ends = suspended.is_none() && output.open.is_none();
    let rest = line.rest(simulated.cluster()).filter(|_| ends);
    let position = session.history.position();
    if changed {
        session.change_count += 1;
        let happened = simulated.stepped();
        let manifests = Rc::clone(session.history.manifests());
        let change = Change {
            now: Now::Simulated(Box::new(simulated)),
            manifests,
            happened,
            stays: true,
            asked: Some(Rc::clone(asked)),
            only: None,
            by_hand: !continues,
        };
        session.history.edit(position, Some(change));
        session.state.since = session.state.since.min(position);
        fork::renew(session);
    } else {
        // Without a change there is nothing to undo. A command that waits, however, continues from here
        // instead of the log's next entry.
        if suspended.is_some() {
            session.history.edit(position, None);
        }
        session.history.replace_terminal(simulated);
    }
    let is_new = !changed && !goes_on;
    let here = session.history.position();
    session.wait = suspended.map(|it| Wait::new(it, Rc::clone(asked), here, is_new));
    session.rest = None;
    if let Some(rest) = rest.filter(|_| session.clock == Clock::Current) {
        wait::rest_until_still(session, rest, output.code);
    }
    output
}

/// The line that asked to edit a text.
fn edit_line(request: &OpenRequest) -> String {
    match request {
        OpenRequest::File { path, .. } => format!("vi {path}"),
        OpenRequest::Object { kind, name, .. } => format!("kubectl edit {kind} {name}"),
    }
}

#[cfg(test)]
mod tests;
