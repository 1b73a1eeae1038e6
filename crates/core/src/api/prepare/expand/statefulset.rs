//! StatefulSets: numbered Pods, each with its own claims.

use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, PodSpec, Volume,
};

use crate::api::prepared::DocumentIndex;

use super::super::meta::name_of;
use super::super::random::template_hash;
use super::{Controllers, Owner, REVISION_HASH, replicas_or_one};

const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

impl Controllers<'_> {
    /// Creates the Pods of the missing ordinals and all missing claims.
    ///
    /// All at once: with `podManagementPolicy: OrderedReady` the controller would wait until each Pod
    /// is ready before it creates the next.
    /// A first visit does not run it.
    #[inline(never)]
    pub(super) fn sync_stateful_set(&mut self, set: &StatefulSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        let revision = format!("{}-{}", owner.reference.name, template_hash(&spec.template));
        let start = spec
            .ordinals
            .as_ref()
            .and_then(|ordinals| ordinals.start)
            .unwrap_or(0);
        for step in 0..replicas_or_one(spec.replicas) {
            let ordinal = u64::try_from(start)
                .unwrap_or(0)
                .saturating_add(step as u64);
            let name = format!("{}-{ordinal}", owner.reference.name);
            if self
                .pod_names
                .contains(&format!("{}/{name}", owner.namespace))
            {
                continue;
            }
            let mut request = owner.request(&spec.template);
            request
                .labels
                .insert(REVISION_HASH.to_owned(), revision.clone());
            request.labels.insert(POD_NAME.to_owned(), name.clone());
            request
                .labels
                .insert(POD_INDEX.to_owned(), ordinal.to_string());
            identify(&mut request.spec, spec, &name);
            let claims = mount_claims(&mut request.spec, spec, &owner, ordinal);
            let Ok(template) = self.admit(&owner, &name, request) else {
                return;
            };
            if self.create(&owner, name, &template).is_err() {
                return;
            }
            for claim in claims {
                self.create_claim(claim, document);
            }
        }
    }
}

/// Sets the Pod's stable hostname and subdomain.
fn identify(pod: &mut PodSpec, spec: &StatefulSetSpec, name: &str) {
    pod.hostname = Some(name.to_owned());
    pod.subdomain = spec
        .service_name
        .clone()
        .filter(|service| !service.is_empty());
}

/// Inserts a volume for each claim template before the template's own volumes, replacing one of the
/// same name, and returns the claims.
fn mount_claims(
    pod: &mut PodSpec,
    spec: &StatefulSetSpec,
    owner: &Owner,
    ordinal: u64,
) -> Vec<PersistentVolumeClaim> {
    let templates = spec.volume_claim_templates.as_deref().unwrap_or_default();
    let mut volumes = Vec::new();
    let mut claims = Vec::new();
    for template in templates {
        let volume = name_of(&template.metadata).to_owned();
        let mut claim = template.clone();
        let name = format!("{volume}-{}-{ordinal}", owner.reference.name);
        claim.metadata.name = Some(name.clone());
        claim.metadata.namespace = Some(owner.namespace.to_string());
        claim.metadata.uid = None;
        claim.status = None;
        let selected = spec.selector.match_labels.clone().unwrap_or_default();
        claim
            .metadata
            .labels
            .get_or_insert_default()
            .extend(selected);
        claims.push(claim);
        volumes.push(Volume {
            name: volume,
            persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                claim_name: name,
                read_only: None,
            }),
            ..Volume::default()
        });
    }
    let own = pod.volumes.take().unwrap_or_default();
    let is_replaced = |volume: &Volume| {
        templates
            .iter()
            .any(|t| name_of(&t.metadata) == volume.name)
    };
    volumes.extend(own.into_iter().filter(|volume| !is_replaced(volume)));
    pod.volumes = Some(volumes);
    claims
}
