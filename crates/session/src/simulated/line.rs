//! Runs the terminal's lines on the simulated cluster.

use std::rc::Rc;
use std::sync::Arc;

use super::Simulated;
use super::wait::Wait;
use crate::history::{Change, Now};
use crate::{Clock, Session, SourceFile};
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

impl Session {
    /// Gives files to the terminal's commands, by name. They are not part of the manifests.
    pub fn put_files(&mut self, files: Vec<SourceFile>) {
        for file in files {
            self.terminal_files
                .files
                .retain(|own| own.name != file.name);
            self.terminal_files.files.push(file);
        }
    }

    /// Sets the descriptions of all fields (`www/editor/explain.json`), for `kubectl explain`.
    pub fn describe_fields(&mut self, fields: impl Into<Arc<str>>) {
        self.terminal_files.fields = Some(fields.into());
    }

    /// Runs a line of the terminal to its end. It is an edit at this moment: the log after it is discarded. It
    /// switches the session to simulated mode.
    pub fn command(&mut self, line: &str) -> Output {
        let output = self.begin(line);
        output.and(self.wait_on(usize::MAX).unwrap_or_default())
    }

    /// Runs a line until it waits, and returns its output so far. [`Session::waits`]: whether it waits;
    /// [`Session::wait_on`] continues it.
    pub fn begin(&mut self, line: &str) -> Output {
        let line = line.to_owned();
        self.begin_for(ForkChange::Command { line })
    }

    /// Runs the line of a [`ForkChange::Command`] or [`ForkChange::Drained`], as [`Session::begin`] does.
    pub(crate) fn begin_for(&mut self, asked: ForkChange) -> Output {
        let Some(line) = asked.line().map(str::to_owned) else {
            return Output::default();
        };
        self.line = None;
        self.act_on_cluster(&asked.into(), false, &mut |simulated| {
            simulated.shell.begin(&line, &mut simulated.terminal)
        })
    }

    /// Takes back a text that a line asked to edit; an edit as [`Session::command`] is.
    pub fn edited(&mut self, request: &OpenRequest, text: &str) -> Output {
        let line = edit_line(request);
        let asked = ForkChange::Command { line };
        self.line = None;
        self.act_on_cluster(&asked.into(), false, &mut |simulated| {
            Shell::edited(request, text, &mut simulated.terminal).into()
        })
    }

    /// Completions of the word before the cursor (in bytes). If Pods are only scheduled, those in the cluster as
    /// its simulation would start.
    pub fn complete(&self, line: &str, cursor: usize) -> Vec<String> {
        let simulated = match self.history.simulated() {
            Some(simulated) => simulated.clone(),
            None => match Simulated::new(self.history.manifests(), &self.state.options) {
                Ok(simulated) => simulated,
                Err(_) => return Vec::new(),
            },
        };
        let simulated = self.with_files(simulated);
        simulated.shell.complete(line, cursor, &simulated.terminal)
    }

    /// What an incomplete text lacks: the command continues on the next line.
    pub fn lacks(text: &str) -> Option<Lacks> {
        Shell::lacks(text)
    }

    /// The cluster with this moment's files.
    fn with_files(&self, mut simulated: Simulated) -> Simulated {
        let own = self.terminal_files.files.iter();
        let manifests = &self.history.manifests().loaded.files;
        let is_hidden = |file: &&SourceFile| manifests.iter().all(|it| it.name != file.name);
        let files = manifests.iter().chain(own.filter(is_hidden));
        simulated.give(
            files.cloned().collect(),
            self.terminal_files.fields.as_ref(),
        );
        if let Some(locks) = &self.state.locks {
            simulated.terminal.cluster.api_mut().lock(locks.all());
        }
        simulated
    }

    /// Changes the simulated cluster as an edit that a line of the terminal makes; `goes_on`: it belongs to the previous
    /// edit and is undone with it.
    pub(super) fn act_on_cluster(
        &mut self,
        asked: &Rc<ForkChange>,
        goes_on: bool,
        act: &mut dyn FnMut(&mut Simulated) -> Begun,
    ) -> Output {
        let continues = goes_on;
        // Undone together with the change.
        let is_first = !self.is_simulated();
        let goes_on = goes_on || is_first;
        self.set_simulated(true);
        let Some(simulated) = self.history.simulated() else {
            return Output {
                stderr: "the manifests have errors, so no cluster can be created from them\n"
                    .to_owned(),
                code: 1,
                ..Output::default()
            };
        };
        let mut simulated = self.with_files(simulated.clone());
        let line = LineStart::new(simulated.cluster(), is_first);
        let line = *self.line.get_or_insert(line);
        let before = simulated.cluster().api().stamp();
        let Begun { output, suspended } = act(&mut simulated);
        simulated.terminal.end_user_write();
        simulated.terminal.cluster.prepare();
        let changed = simulated.cluster().api().stamp() != before;
        if self.is_before_lesson() && (changed || suspended.is_some()) {
            return Output {
                stderr: format!("error: {}\n", Remark::before_lesson()),
                code: 1,
                ..Output::default()
            };
        }
        if changed || suspended.is_some() {
            self.remember(goes_on);
            self.name_change(asked);
            let position = self.history.position();
            if self.forks_at_end || position < self.history.log().len() {
                self.keep_first_run(position);
            }
        }
        let ends = suspended.is_none() && output.open.is_none();
        let rest = line.rest(simulated.cluster()).filter(|_| ends);
        let position = self.history.position();
        if changed {
            self.change_count += 1;
            let happened = simulated.stepped();
            let manifests = Rc::clone(self.history.manifests());
            let change = Change {
                now: Now::Simulated(Box::new(simulated)),
                manifests,
                happened,
                stays: true,
                asked: Some(Rc::clone(asked)),
                only: None,
                by_hand: !continues,
            };
            self.history.edit(position, Some(change));
            self.state.since = self.state.since.min(position);
            self.renew_fork();
        } else {
            // Without a change there is nothing to undo. A command that waits, however, continues from here
            // instead of the log's next entry.
            if suspended.is_some() {
                self.history.edit(position, None);
            }
            self.history.replace_terminal(simulated);
        }
        let is_new = !changed && !goes_on;
        let here = self.history.position();
        self.wait = suspended.map(|it| Wait::new(it, Rc::clone(asked), here, is_new));
        self.rest = None;
        if let Some(rest) = rest.filter(|_| self.clock == Clock::Current) {
            self.rest_until_still(rest, output.code);
        }
        output
    }
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
