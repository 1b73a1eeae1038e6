//! Edits of the manifests by fixes and gestures, and previews of their changes.

use std::collections::BTreeSet;

use super::delivery::Delivery;
use super::{Session, SourceFile, gesture};
use berth_core::api::edit;
use berth_core::api::load::Loaded;
use berth_kubectl::Output;
use berth_protocol::edit::{Change, Edit, EditError};
use berth_protocol::frame::ForkChange;
use berth_protocol::gesture::Gesture;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;

/// Name of the file that the first gesture of an empty session writes.
const FIRST_FILE: &str = "manifests.yaml";

/// What a gesture did.
#[derive(Debug)]
pub enum Performed {
    /// It changed the sources.
    Edited(Vec<Change>),
    /// It began a line of the terminal, with this output so far; [`Session::wait_on`] continues it.
    Begun { line: String, output: Output },
}

impl Session {
    /// The changes of the sources that the edits would make. Nothing is applied.
    ///
    /// # Errors
    /// As [`edit::apply`].
    pub fn changes(&self, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
        Ok(edit::apply(&self.editable(), &self.written(edits))?.changes)
    }

    /// The changes of the sources that a gesture would make. Nothing is applied.
    ///
    /// # Errors
    /// As [`gesture::edits`] and [`gesture::checked`].
    pub fn gesture_changes(&self, gesture: &Gesture) -> Result<Vec<Change>, EditError> {
        let loaded = self.editable();
        let edits = gesture::edits(&loaded, &self.manifests().prepared.release, gesture)?;
        Ok(gesture::checked(&loaded, &self.written(&edits))?.changes)
    }

    /// Edits the sources, and applies them as [`Session::edit`] does.
    ///
    /// # Errors
    /// As [`edit::apply`]; also if the edited sources are rejected, or the API server of a simulated cluster refuses an
    /// object. The session stays unchanged in all these cases.
    pub fn make_edits(&mut self, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
        self.sources_can_be_read()?;
        let edited = edit::apply(&self.editable(), &self.written(edits))?;
        self.take_edits(edited.loaded, edits)?;
        Ok(edited.changes)
    }

    /// The same at an earlier moment. If that begins a fork, the way back leads to the present moment.
    ///
    /// # Errors
    /// As [`Session::make_edits`].
    pub fn make_edits_at(&mut self, at: usize, edits: &[Edit]) -> Result<Vec<Change>, EditError> {
        let (shown, is_fork) = (self.position(), self.state.fork.is_some());
        self.seek(at);
        let made = self.make_edits(edits)?;
        if let (false, Some(fork)) = (is_fork, &mut self.state.fork) {
            fork.left_at(shown);
        }
        Ok(made)
    }

    /// The objects that [`Session::make_edits`] would produce, with the text of the files as it is: the objects alone
    /// decide what is scheduled, and [`edit::apply`] checks the text against them.
    ///
    /// # Errors
    /// As [`edit::on_objects`]; also if the current text was not accepted.
    pub(super) fn objects_after(&self, edits: &[Edit]) -> Result<Loaded, EditError> {
        self.sources_can_be_read()?;
        edit::on_objects(&self.editable(), &self.written(edits))
    }

    /// Performs a gesture: edits the sources, and applies them as [`Session::edit`] does. In a simulated cluster a drain
    /// begins `kubectl drain` instead.
    ///
    /// # Errors
    /// As [`Session::gesture_changes`] and [`Session::make_edits`].
    pub fn gesture(&mut self, gesture: &Gesture) -> Result<Performed, EditError> {
        if let Gesture::Drain { node } = gesture {
            return self.drain(node);
        }
        self.sources_can_be_read()?;
        let loaded = self.editable();
        let edits = gesture::edits(&loaded, &self.manifests().prepared.release, gesture)?;
        let edited = gesture::checked(&loaded, &self.written(&edits))?;
        let delivery = self.delivery_of(&edits);
        let delivery = Delivery {
            asked: self.asked_by(gesture, &edits).or(delivery.asked),
            ..delivery
        };
        self.deliver(edited.loaded, delivery)?;
        Ok(Performed::Edited(edited.changes))
    }

    /// Fails if the current text was not accepted: an edit starts from the last accepted sources, so that text would be
    /// lost.
    pub(super) fn sources_can_be_read(&self) -> Result<(), EditError> {
        if self.sources_accepted() {
            return Ok(());
        }
        Err(EditError::new(
            Remark::unreadable_manifests(),
            Remark::mend_manifests(),
        ))
    }

    /// The sources, with a first file if there is none.
    pub(super) fn editable(&self) -> Loaded {
        let mut loaded = self.manifests().loaded.clone();
        if loaded.files.is_empty() {
            loaded.files.push(SourceFile::new(FIRST_FILE, ""));
        }
        loaded
    }

    /// Applies manifests that edits have changed. The session stays unchanged on an error.
    pub(super) fn take_edits(&mut self, loaded: Loaded, edits: &[Edit]) -> Result<(), EditError> {
        self.deliver(loaded, self.delivery_of(edits))
    }

    /// The same, with this delivery.
    pub(super) fn deliver(
        &mut self,
        loaded: Loaded,
        mut delivery: Delivery<'_>,
    ) -> Result<(), EditError> {
        self.try_deliver(loaded, &mut delivery)
    }

    /// The same; the delivery then has the API server's refusals.
    pub(super) fn try_deliver(
        &mut self,
        loaded: Loaded,
        delivery: &mut Delivery<'_>,
    ) -> Result<(), EditError> {
        let before = self.state.problems.clone();
        let is_taken = self.edit_loaded(loaded, delivery);
        let error = match delivery.refused.first() {
            None if is_taken => return Ok(()),
            Some((_, refused)) => EditError::new(Remark::quoted(refused), Remark::default()),
            None => self.new_error(&before),
        };
        self.forget_edit();
        Err(error)
    }

    /// The placed Pod that an edit deletes although a controller that the manifests lack makes it again; where Pods are
    /// only scheduled, it waits again.
    fn made_again(&self, edit: &Edit) -> Option<String> {
        let Edit::Delete { object } = edit else {
            return None;
        };
        if object.kind != "Pod" || self.is_simulated() {
            return None;
        }
        let namespace = object.namespace_or_default();
        let pod = &self
            .run()
            .cluster()
            .pods()
            .find(namespace, &object.name)?
            .object;
        let owner = pod.template.controller.as_ref()?;
        let is_inferred = self
            .inferred_owners()
            .iter()
            .any(|it| it.kind == owner.kind && it.name == owner.name && it.namespace == namespace);
        (is_inferred && pod.node_name.is_some() && pod.is_replaced()).then(|| pod.key())
    }

    /// The edits that change the manifests.
    fn written(&self, edits: &[Edit]) -> Vec<Edit> {
        let written = edits.iter().filter(|edit| self.made_again(edit).is_none());
        written.cloned().collect()
    }

    /// How edits are delivered: see [`Session::made_again`].
    pub(super) fn delivery_of<'e>(&self, edits: &'e [Edit]) -> Delivery<'e> {
        let evicted: BTreeSet<String> = edits
            .iter()
            .filter_map(|edit| self.made_again(edit))
            .collect();
        let asked = match edits {
            [Edit::Delete { object }] if !evicted.is_empty() => Some(ForkChange::Deleted {
                object: object.clone(),
            }),
            _ => None,
        };
        Delivery {
            evicted,
            asked,
            ..Delivery::of(edits)
        }
    }

    /// The first error that is not among the problems from before.
    fn new_error(&self, before: &[Problem]) -> EditError {
        let is_new = |problem: &&Problem| {
            let same = |old: &Problem| old.path == problem.path && old.message == problem.message;
            problem.is_error() && !before.iter().any(same)
        };
        let first = self.state.problems.iter().find(is_new);
        first.map_or_else(
            || EditError::new(Remark::manifests_not_accepted(), Remark::default()),
            |problem| EditError::new(problem.message.clone(), problem.help.clone()),
        )
    }
}

#[cfg(test)]
mod tests;
