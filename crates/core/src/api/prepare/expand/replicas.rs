//! ReplicaSets and ReplicationControllers: the requested number of equal Pods.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{PodTemplateSpec, ReplicationController};

use crate::api::prepared::DocumentIndex;

use super::{Controllers, Owner, replicas_or_one};

impl Controllers<'_> {
    pub(super) fn sync_replica_set(&mut self, set: &ReplicaSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        self.replicate(&owner, spec.replicas, spec.template.as_ref());
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn sync_replication_controller(
        &mut self,
        controller: &ReplicationController,
        document: DocumentIndex,
    ) {
        let Some(spec) = &controller.spec else { return };
        let owner = Owner::new(controller, document);
        self.replicate(&owner, spec.replicas, spec.template.as_ref());
    }

    fn replicate(
        &mut self,
        owner: &Owner,
        replicas: Option<i32>,
        template: Option<&PodTemplateSpec>,
    ) {
        let Some(template) = template else { return };
        let owned = self.owned.of(&owner.namespace, &owner.reference);
        let active = owned.iter().filter(|pod| pod.is_active()).count();
        let missing = replicas_or_one(replicas).saturating_sub(active);
        let base = format!("{}-", owner.reference.name);
        self.create_alike(owner, &base, owner.request(template), missing);
    }
}
