//! Generic ephemeral volumes: a claim for each, owned by the Pod.

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::api::storage::v1::StorageClass;

use crate::api::meta::reference_to;
use crate::api::prepared::{ControllerRef, PodObject};
use crate::api::workloads::ephemeral_claim;

use super::super::storage;
use super::Controllers;

impl Controllers<'_> {
    /// Creates the missing claims `POD-VOLUME`, as the ephemeral volume controller does.
    pub(super) fn sync_ephemeral_volumes(&mut self) {
        let claims: Vec<_> = self
            .prepared
            .pods
            .iter()
            .filter(|pod| !pod.phase.is_terminal())
            .flat_map(|pod| {
                claims_of(pod)
                    .into_iter()
                    .map(|claim| (pod.document, claim))
            })
            .collect();
        for (document, claim) in claims {
            self.create_claim(claim, document);
        }
    }
}

/// The claims of a new Pod's generic ephemeral volumes, as the API server stores them.
pub fn ephemeral_claims(pod: &PodObject, classes: &[StorageClass]) -> Vec<PersistentVolumeClaim> {
    let mut claims = claims_of(pod);
    for claim in &mut claims {
        storage::settle_claim(claim);
        storage::admit_claim(claim, storage::default_class(classes));
    }
    claims
}

fn claims_of(pod: &PodObject) -> Vec<PersistentVolumeClaim> {
    let owner = ControllerRef {
        api_version: "v1".to_owned(),
        kind: "Pod".to_owned(),
        name: pod.name.to_string(),
        uid: pod.uid.to_string(),
    };
    let volumes = pod.template.spec.volumes.iter().flatten();
    let claims = volumes.filter_map(|volume| {
        let pod = (&*pod.namespace, &*pod.name);
        ephemeral_claim(pod, reference_to(&owner), volume)
    });
    claims.collect()
}
