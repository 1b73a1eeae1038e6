//! Generic ephemeral volumes: a claim for each, owned by the Pod.

use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::meta::reference_to;
use crate::api::prepared::{ControllerRef, PodObject};

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
    let claims = pod
        .template
        .spec
        .volumes
        .iter()
        .flatten()
        .filter_map(|volume| {
            let template = volume.ephemeral.as_ref()?.volume_claim_template.as_ref()?;
            let meta = template.metadata.clone().unwrap_or_default();
            let owner = ControllerRef {
                api_version: "v1".to_owned(),
                kind: "Pod".to_owned(),
                name: pod.name.to_string(),
                uid: pod.uid.to_string(),
            };
            Some(PersistentVolumeClaim {
                metadata: ObjectMeta {
                    name: Some(format!("{}-{}", pod.name, volume.name)),
                    namespace: Some(pod.namespace.to_string()),
                    labels: meta.labels,
                    annotations: meta.annotations,
                    owner_references: Some(vec![reference_to(&owner)]),
                    ..ObjectMeta::default()
                },
                spec: Some(template.spec.clone()),
                status: None,
            })
        });
    claims.collect()
}
