//! StatefulSets: numbered Pods, each with its own claims.

use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};

use crate::api::names::json_hash;
use crate::api::prepared::DocumentIndex;
use crate::api::template_hash::{self, revision_data};
use crate::api::workloads;
use berth_protocol::defaults::Edition;

use super::super::meta::name_of;
use super::{Controllers, Owner, replicas_or_one};

impl Controllers<'_> {
    /// Creates the Pods of the missing ordinals and all missing claims.
    ///
    /// All at once: with `podManagementPolicy: OrderedReady` the controller would wait until each Pod
    /// is ready before it creates the next.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn sync_stateful_set(&mut self, set: &StatefulSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        let revision = self.revision_of(set, spec);
        let start = spec
            .ordinals
            .as_ref()
            .and_then(|ordinals| ordinals.start)
            .unwrap_or(0);
        for step in 0..replicas_or_one(spec.replicas) {
            let step = i32::try_from(step).unwrap_or(i32::MAX);
            let ordinal = start.max(0).saturating_add(step);
            let name = format!("{}-{ordinal}", owner.reference.name);
            if self
                .pod_names
                .contains(&format!("{}/{name}", owner.namespace))
            {
                continue;
            }
            let mut request = owner.request(&spec.template);
            let pod = (&mut request.labels, &mut request.spec);
            workloads::identify(set, spec, (ordinal, &revision), pod);
            let Ok(template) = self.admit(&owner, &name, request) else {
                return;
            };
            if self.create(&owner, name, &template).is_err() {
                return;
            }
            for (_, claim) in workloads::stateful_claims(&set.metadata, spec, ordinal) {
                self.create_claim(claim, document);
            }
        }
    }

    /// The name of the revision of a StatefulSet's template.
    fn revision_of(&self, set: &StatefulSet, spec: &StatefulSetSpec) -> String {
        let status = set.status.as_ref();
        let collisions = status.and_then(|status| status.collision_count);
        let hash = match self.edition {
            Edition::V0_1 => json_hash(&spec.template),
            Edition::V0_2 => {
                let stored = template_hash::stored(&spec.template, &self.prepared.release);
                template_hash::of_revision(&revision_data(&stored), collisions.unwrap_or(0))
            }
        };
        format!("{}-{hash}", name_of(&set.metadata))
    }
}
