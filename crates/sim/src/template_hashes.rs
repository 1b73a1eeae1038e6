//! Numbers in place of the template hashes in names: `#1`, `#2`, … in order of first appearance. Scripts and recordings
//! use them.
use berth_core::api::workloads::TEMPLATE_HASH;

use k8s_openapi::api::apps::v1::{ControllerRevision, ReplicaSet};
use serde_json::{Map, Value};

use crate::store::{Change, controller_of, name_of};

/// All template hashes so far, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateHashes {
    hashes: Vec<String>,
}

impl TemplateHashes {
    /// Adds the hash of a new ReplicaSet or ControllerRevision.
    pub(crate) fn observe(&mut self, change: &Change) {
        let hash = if let Some((None, Some(set))) = change.of::<ReplicaSet>() {
            let labels = set.metadata.labels.as_ref();
            let owned = controller_of(&set.metadata).is_some();
            labels
                .filter(|_| owned)
                .and_then(|all| all.get(TEMPLATE_HASH).cloned())
        } else if let Some((None, Some(revision))) = change.of::<ControllerRevision>() {
            let name = name_of(&revision.metadata);
            name.rsplit_once('-').map(|(_, hash)| hash.to_owned())
        } else {
            None
        };
        if let Some(hash) = hash.filter(|hash| !self.hashes.contains(hash)) {
            self.hashes.push(hash);
        }
    }

    /// Replaces the hashes in a text by their numbers.
    pub(crate) fn shown(&self, text: &str) -> String {
        let mut shown = text.to_owned();
        for (hash, number) in self.hashes.iter().zip(1..) {
            if shown.contains(hash.as_str()) {
                shown = shown.replace(hash.as_str(), &format!("#{number}"));
            }
        }
        shown
    }

    /// Replaces the numbers in a text by their hashes.
    pub(crate) fn real(&self, text: &str) -> String {
        let mut real = text.to_owned();
        // From the last to the first, because `#1` is a prefix of `#12`.
        for (index, hash) in self.hashes.iter().enumerate().rev() {
            real = real.replace(&format!("#{}", index + 1), hash);
        }
        real
    }

    /// The hashes by number, as JSON.
    pub(crate) fn table(&self) -> Value {
        let entries = self
            .hashes
            .iter()
            .zip(1..)
            .map(|(hash, number)| (format!("#{number}"), hash.as_str().into()));
        Value::Object(entries.collect::<Map<String, Value>>())
    }
}
