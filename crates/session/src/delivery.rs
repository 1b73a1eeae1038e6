//! Delivers changed manifests to a run or a simulated cluster.

use std::collections::BTreeSet;

use berth_core::api::edit::object_of;
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::frame::ForkChange;
use berth_sim::store::Key;

/// How changed manifests are applied to a simulated cluster, and its API server's answer.
#[derive(Default)]
pub(super) struct Delivery<'e> {
    /// Continues the last edit, and replaces its entry in the log.
    pub goes_on: bool,
    pub edits: &'e [Edit],
    /// Without a simulated cluster: Pods (`namespace/name`) that lose their place and wait again.
    pub evicted: BTreeSet<String>,
    /// The command or gesture behind the edits, if they do not show it. It has its own entry in the log.
    pub asked: Option<ForkChange>,
    /// Objects that the new text writes on purpose.
    pub written: Vec<ObjectRef>,
    /// The objects that `edits` or `written` name and that the API server refused, with its answer.
    pub refused: Vec<(ObjectRef, String)>,
}

impl<'e> Delivery<'e> {
    /// Edits of single objects.
    pub(super) fn of(edits: &'e [Edit]) -> Self {
        Self {
            edits,
            ..Self::default()
        }
    }

    /// A new text. `goes_on`: it continues the last edit.
    pub(super) fn of_text(goes_on: bool) -> Self {
        Self {
            goes_on,
            ..Self::default()
        }
    }

    /// Whether objects change, even if the text of the files stays as it is.
    pub(super) fn changes_objects(&self) -> bool {
        !self.edits.is_empty() || !self.evicted.is_empty()
    }

    /// Whether the object is to be deleted and created again.
    pub(super) fn replaces(&self, kind: &str, key: &Key) -> bool {
        let mut edits = self.edits.iter();
        edits.any(|edit| matches!(edit, Edit::Replace { object } if is_named(object, kind, key)))
    }

    /// Records a refusal of the API server, if the edits name the object. Other refusals are older: there, the
    /// manifests already differed from the cluster.
    pub(super) fn refuse(&mut self, kind: &str, key: &Key, error: &impl ToString) {
        let edited = self.edits.iter().filter_map(object_of);
        let mut objects = edited.chain(self.written.iter().cloned());
        if let Some(object) = objects.find(|object| is_named(object, kind, key)) {
            self.refused.push((object, error.to_string()));
        }
    }
}

fn is_named(object: &ObjectRef, kind: &str, key: &Key) -> bool {
    object.kind == kind
        && object.name == key.name()
        && (key.namespace().is_empty() || key.namespace() == object.namespace_or_default())
}
