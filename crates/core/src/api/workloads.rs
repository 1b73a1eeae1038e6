//! What controllers add to the templates of workloads: the ReplicaSet of a Deployment, and what sets the Pods of a
//! StatefulSet, a DaemonSet and an Indexed Job apart. Scheduling alone and the controllers of a cluster share it.

mod indexes;

use std::collections::BTreeMap;
use std::fmt::Display;

use k8s_openapi::api::apps::v1::{
    DaemonSet, Deployment, ReplicaSet, ReplicaSetSpec, StatefulSet, StatefulSetSpec,
};
use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, PodSpec, Volume,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::meta::{name_of, namespace_of, reference};

pub use indexes::Indexes;

/// Label with the hash of a Deployment's template, on its ReplicaSets and their Pods.
pub const TEMPLATE_HASH: &str = "pod-template-hash";
/// Label of the Pods of StatefulSets and DaemonSets with the hash of their revision, and of a DaemonSet's revisions.
pub const REVISION_HASH: &str = "controller-revision-hash";
/// Label and annotation of an Indexed Job's Pods with their index.
pub const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The annotation that counts a DaemonSet's templates; `apps/v1` has no field for it.
pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Label of a DaemonSet's Pods with [`TEMPLATE_GENERATION`].
const GENERATION_LABEL: &str = "pod-template-generation";
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

type Labels = BTreeMap<String, String>;

/// The ReplicaSet of a Deployment's template, which has this hash; `None` if the Deployment has no spec.
pub fn replica_set(deployment: &Deployment, hash: &str, replicas: i32) -> Option<ReplicaSet> {
    let spec = deployment.spec.as_ref()?;
    let mark = |labels: &mut Option<Labels>| {
        let labels = labels.get_or_insert_default();
        labels.insert(TEMPLATE_HASH.to_owned(), hash.to_owned());
    };
    let mut template = spec.template.clone();
    mark(&mut template.metadata.get_or_insert_default().labels);
    let mut selector = spec.selector.clone();
    mark(&mut selector.match_labels);
    let meta = &deployment.metadata;
    let labels = template.metadata.as_ref();
    Some(ReplicaSet {
        metadata: ObjectMeta {
            name: Some(format!("{}-{hash}", name_of(meta))),
            namespace: Some(namespace_of(meta).to_owned()),
            owner_references: Some(vec![reference(deployment)]),
            labels: labels.and_then(|meta| meta.labels.clone()),
            ..ObjectMeta::default()
        },
        spec: Some(ReplicaSetSpec {
            replicas: Some(replicas),
            min_ready_seconds: spec.min_ready_seconds,
            selector,
            template: Some(template),
        }),
        status: None,
    })
}

/// The claims of a StatefulSet's Pod, each with the name of its volume.
pub fn stateful_claims(
    set: &ObjectMeta,
    spec: &StatefulSetSpec,
    ordinal: i32,
) -> Vec<(String, PersistentVolumeClaim)> {
    let templates = spec.volume_claim_templates.iter().flatten();
    let claims = templates.map(|template| {
        let volume = name_of(&template.metadata).to_owned();
        let mut claim = template.clone();
        claim.metadata.name = Some(format!("{volume}-{}-{ordinal}", name_of(set)));
        claim.metadata.namespace = Some(namespace_of(set).to_owned());
        claim.metadata.uid = None;
        let selected = spec.selector.match_labels.clone().unwrap_or_default();
        let labels = claim.metadata.labels.get_or_insert_default();
        labels.extend(selected);
        claim.status = None;
        (volume, claim)
    });
    claims.collect()
}

/// Gives a Pod of a StatefulSet its labels, its stable hostname, and the volumes of its claims; returns its name.
pub fn identify(
    set: &StatefulSet,
    spec: &StatefulSetSpec,
    (ordinal, revision): (i32, &str),
    (labels, pod): (&mut Labels, &mut PodSpec),
) -> String {
    let name = format!("{}-{ordinal}", name_of(&set.metadata));
    labels.insert(POD_NAME.to_owned(), name.clone());
    labels.insert(POD_INDEX.to_owned(), ordinal.to_string());
    labels.insert(REVISION_HASH.to_owned(), revision.to_owned());
    pod.hostname = Some(name.clone());
    let service = spec.service_name.clone();
    pod.subdomain = service.filter(|name| !name.is_empty());
    let claims = stateful_claims(&set.metadata, spec, ordinal);
    let mounted = claims.iter().map(|(volume, claim)| Volume {
        name: volume.clone(),
        persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
            claim_name: name_of(&claim.metadata).to_owned(),
            read_only: None,
        }),
        ..Volume::default()
    });
    let mut volumes: Vec<Volume> = mounted.collect();
    // A claim's volume replaces the template's volume of the same name.
    let own = pod.volumes.take().unwrap_or_default().into_iter();
    volumes.extend(own.filter(|own| claims.iter().all(|(volume, _)| *volume != own.name)));
    pod.volumes = (!volumes.is_empty()).then_some(volumes);
    name
}

/// The claim of a Pod's generic ephemeral volume; `None` if the volume is another.
pub fn ephemeral_claim(
    (namespace, pod): (&str, &str),
    owner: OwnerReference,
    volume: &Volume,
) -> Option<PersistentVolumeClaim> {
    let template = volume.ephemeral.as_ref()?.volume_claim_template.as_ref()?;
    let meta = template.metadata.clone().unwrap_or_default();
    Some(PersistentVolumeClaim {
        metadata: ObjectMeta {
            name: Some(format!("{pod}-{}", volume.name)),
            namespace: Some(namespace.to_owned()),
            labels: meta.labels,
            annotations: meta.annotations,
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        spec: Some(template.spec.clone()),
        status: None,
    })
}

/// Labels a Pod of a DaemonSet with the hash of its template, and with its generation.
pub fn label_daemon(set: &DaemonSet, hash: &str, labels: &mut Labels) {
    labels.insert(REVISION_HASH.to_owned(), hash.to_owned());
    let annotations = set.metadata.annotations.as_ref();
    if let Some(number) = annotations.and_then(|all| all.get(TEMPLATE_GENERATION)) {
        labels.insert(GENERATION_LABEL.to_owned(), number.clone());
    }
}

/// Gives a Pod of an Indexed Job its index; returns the base of its name.
pub fn index_pod(
    job: &str,
    index: impl Display,
    (labels, annotations): (&mut Labels, &mut BTreeMap<String, String>),
    pod: &mut PodSpec,
) -> String {
    labels.insert(COMPLETION_INDEX.to_owned(), index.to_string());
    annotations.insert(COMPLETION_INDEX.to_owned(), index.to_string());
    pod.hostname = Some(format!("{job}-{index}"));
    format!("{job}-{index}-")
}
