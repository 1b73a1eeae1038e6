//! Lines of the terminal, run on a cluster that lives.

use std::rc::Rc;
use std::sync::Arc;

use super::Live;
use super::wait::Wait;
use crate::kubectl::shell::Shell;
use crate::kubectl::{OpenRequest, Output};
use crate::session::history::Now;
use crate::session::{Session, SourceFile};

/// Descriptions of fields and files that the terminal's commands find, beside the manifests.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    files: Vec<SourceFile>,
    fields: Option<Arc<str>>,
}

impl Session {
    /// Puts files where the terminal's commands find them by name, beside those of the manifests. They are not
    /// part of the manifests.
    pub fn put_files(&mut self, files: Vec<SourceFile>) {
        for file in files {
            self.beside.files.retain(|own| own.name != file.name);
            self.beside.files.push(file);
        }
    }

    /// Takes the descriptions of all fields (`www/editor/fields.json`), for `kubectl explain`.
    pub fn describe_fields(&mut self, fields: impl Into<Arc<str>>) {
        self.beside.fields = Some(fields.into());
    }

    /// Runs a line of the terminal at this moment, to its end: as an edit, it begins anew what came after it.
    /// The cluster lives from then on, if it did not.
    pub fn command(&mut self, line: &str) -> Output {
        let output = self.begin(line);
        output.and(self.wait_on(usize::MAX).unwrap_or_default())
    }

    /// Runs a line up to where it waits. What it printed by then; [`Session::waits`] says whether it does,
    /// and [`Session::wait_on`] goes on.
    pub fn begin(&mut self, line: &str) -> Output {
        self.act_live(false, &mut |live| live.shell.run(line, &mut live.cluster))
    }

    /// Takes a text back that a line of the terminal asked to edit, as [`Session::command`].
    pub fn edited(&mut self, request: &OpenRequest, text: &str) -> Output {
        self.act_live(false, &mut |live| {
            Shell::edited(request, text, &mut live.cluster)
        })
    }

    /// What the last word of a line of the terminal may become, before the cursor (in bytes): in the cluster
    /// as it would begin to live, if it does not.
    pub fn complete(&self, line: &str, cursor: usize) -> Vec<String> {
        let live = match self.history.live() {
            Some(live) => live.clone(),
            None => match Live::new(self.history.manifests(), self.options) {
                Ok(live) => live,
                Err(_) => return Vec::new(),
            },
        };
        let live = self.given(live);
        live.shell.complete(line, cursor, &live.cluster)
    }

    /// Whether a line of the terminal goes on in the next.
    pub fn needs_more(text: &str) -> bool {
        Shell::needs_more(text)
    }

    /// The same cluster with the files of this moment.
    fn given(&self, mut live: Live) -> Live {
        let own = self.beside.files.iter();
        let manifests = &self.history.manifests().loaded.files;
        let is_hidden = |file: &&SourceFile| manifests.iter().all(|it| it.name != file.name);
        let files = manifests.iter().chain(own.filter(is_hidden));
        live.give(files.cloned().collect(), self.beside.fields.as_ref());
        live
    }

    /// Does something to the cluster that lives, as an edit; `goes_on`: as part of the one before.
    pub(super) fn act_live(
        &mut self,
        goes_on: bool,
        act: &mut dyn FnMut(&mut Live) -> Output,
    ) -> Output {
        self.set_live(true);
        let Some(live) = self.history.live() else {
            return Output {
                stderr: "the cluster cannot live: see what is wrong with the manifests\n"
                    .to_owned(),
                code: 1,
                ..Output::default()
            };
        };
        let mut live = self.given(live.clone());
        let before = live.world().api().stamp();
        let output = act(&mut live);
        live.cluster.world.prepare();
        let left = live.cluster.take_left();
        let changed = live.world().api().stamp() != before;
        if changed || left.is_some() {
            self.remember(goes_on);
            let position = self.history.position();
            if position < self.history.log().len() {
                self.keep_first_run(position);
            }
        }
        let position = self.history.position();
        if changed {
            self.deeds += 1;
            let happened = live.stepped();
            let manifests = Rc::clone(self.history.manifests());
            let now = Now::Live(Box::new(live));
            self.history
                .edit(position, Some((now, manifests, happened)));
        } else {
            // Looking is no change, and need not be undone. What waits goes another way from here, though.
            if left.is_some() {
                self.history.edit(position, None);
            }
            self.history.look(live);
        }
        let is_new = !changed && !goes_on;
        self.wait = left.map(|left| Wait::new(left, self.history.position(), is_new));
        output
    }
}

#[cfg(test)]
mod tests;
