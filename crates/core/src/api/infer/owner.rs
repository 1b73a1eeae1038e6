//! A workload, inferred from its Pods.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{
    ReplicaSet, ReplicaSetSpec, StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy,
};
use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, PodSpec, PodTemplateSpec, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference};

use crate::api::object::Manifest;
use crate::api::prepare::TOPOLOGY_LABELS;
use crate::api::workloads::REVISION_HASH;

use super::Given;

/// Labels that a StatefulSet sets on each Pod.
const OF_ORDINAL: [&str; 3] = [
    REVISION_HASH,
    "statefulset.kubernetes.io/pod-name",
    "apps.kubernetes.io/pod-index",
];
/// The annotation and label of an Indexed Job's Pod.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The label with a Job's uid.
const JOB_UID: &str = "batch.kubernetes.io/controller-uid";
/// The volume that the ServiceAccount admission adds to every Pod.
const TOKEN_VOLUME: &str = "kube-api-access-";
/// Tolerations that the DefaultTolerationSeconds admission adds to every Pod, for five minutes.
const DEFAULT_TOLERATED: [&str; 2] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
];

/// The Pods of one absent owner.
pub(super) struct Family<'a> {
    pub namespace: &'a str,
    pub owner: &'a OwnerReference,
    pub pods: Vec<&'a Pod>,
}

impl<'a> Family<'a> {
    pub fn new(namespace: &'a str, owner: &'a OwnerReference) -> Self {
        Self {
            namespace,
            owner,
            pods: Vec::new(),
        }
    }

    /// Its replicas: not the Pods that have ended, nor those that were replaced already.
    pub fn active(&self) -> impl Iterator<Item = &'a Pod> {
        self.pods.iter().copied().filter(|pod| is_active(pod))
    }

    /// The owner; `None` if it has no Pod that it would replace.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub fn inferred(&self, given: &Given<'_>) -> Option<Manifest> {
        let model = self.active().next()?;
        let replicas = i32::try_from(self.active().count()).ok();
        let template = template_of(model);
        Some(match self.owner.kind.as_str() {
            "ReplicaSet" => Manifest::ReplicaSet(Box::new(ReplicaSet {
                metadata: self.metadata(Some(self.shared_labels(&[]))),
                spec: Some(ReplicaSetSpec {
                    replicas,
                    selector: selecting(self.shared_labels(&[])),
                    template: Some(template),
                    ..ReplicaSetSpec::default()
                }),
                status: None,
            })),
            "StatefulSet" => self.stateful_set(model, template, &given.claims),
            "Job" => self.job(template, replicas),
            "DaemonSet" => self.daemon_set(template, &given.nodes),
            _ => return None,
        })
    }

    pub fn metadata(&self, labels: Option<BTreeMap<String, String>>) -> ObjectMeta {
        let created = self
            .pods
            .iter()
            .filter_map(|pod| pod.metadata.creation_timestamp.clone());
        ObjectMeta {
            name: Some(self.owner.name.clone()),
            namespace: Some(self.namespace.to_owned()),
            uid: Some(self.owner.uid.clone()),
            labels,
            creation_timestamp: created.min_by_key(|time| time.0),
            ..ObjectMeta::default()
        }
    }

    /// The labels that all its Pods have, except these and those that admission copies from nodes.
    pub fn shared_labels(&self, without: &[&str]) -> BTreeMap<String, String> {
        let mut pods = self.pods.iter().map(|pod| pod.metadata.labels.as_ref());
        let mut shared = pods.next().flatten().cloned().unwrap_or_default();
        for labels in pods {
            shared.retain(|key, value| labels.and_then(|all| all.get(key)) == Some(value));
        }
        shared.retain(|key, _| {
            !without.contains(&key.as_str()) && !TOPOLOGY_LABELS.contains(&key.as_str())
        });
        shared
    }

    fn stateful_set(
        &self,
        model: &Pod,
        mut template: PodTemplateSpec,
        claims: &BTreeMap<(&str, &str), &PersistentVolumeClaim>,
    ) -> Manifest {
        let labels = self.shared_labels(&OF_ORDINAL);
        let ordinals = self.active().filter_map(|pod| {
            let name = pod.metadata.name.as_deref()?;
            name.rsplit_once('-')?.1.parse::<i32>().ok()
        });
        let replicas = ordinals.max().map_or(0, |last| last.saturating_add(1));
        template.metadata.get_or_insert_default().labels = Some(labels.clone());
        let mut spec = template.spec.take().unwrap_or_default();
        let service = spec.subdomain.take();
        spec.hostname = None;
        let templates = self.claim_templates(model, &mut spec, claims);
        template.spec = Some(spec);
        Manifest::StatefulSet(Box::new(StatefulSet {
            metadata: self.metadata(Some(labels.clone())),
            spec: Some(StatefulSetSpec {
                replicas: Some(replicas),
                selector: selecting(labels),
                service_name: service,
                template,
                // Its Pods are of a revision that is not known, and stay until they are evicted.
                update_strategy: Some(StatefulSetUpdateStrategy {
                    type_: Some("OnDelete".to_owned()),
                    ..StatefulSetUpdateStrategy::default()
                }),
                volume_claim_templates: Some(templates).filter(|all| !all.is_empty()),
                ..StatefulSetSpec::default()
            }),
            status: None,
        }))
    }

    /// Takes the volumes of the model's own claims out of its spec, and returns the templates that make them.
    fn claim_templates(
        &self,
        model: &Pod,
        spec: &mut PodSpec,
        claims: &BTreeMap<(&str, &str), &PersistentVolumeClaim>,
    ) -> Vec<PersistentVolumeClaim> {
        let pod = model.metadata.name.as_deref().unwrap_or_default();
        let is_own = |volume: &Volume| {
            let claim = volume.persistent_volume_claim.as_ref();
            claim.is_some_and(|claim| claim.claim_name == format!("{}-{pod}", volume.name))
        };
        let volumes = spec.volumes.take().unwrap_or_default();
        let (own, others): (Vec<Volume>, Vec<Volume>) = volumes.into_iter().partition(is_own);
        spec.volumes = Some(others).filter(|volumes| !volumes.is_empty());
        own.into_iter()
            .map(|volume| {
                let name = format!("{}-{pod}", volume.name);
                let known = claims.get(&(self.namespace, name.as_str()));
                let mut wanted = known
                    .and_then(|claim| claim.spec.clone())
                    .unwrap_or_default();
                wanted.volume_name = None;
                PersistentVolumeClaim {
                    metadata: ObjectMeta {
                        name: Some(volume.name),
                        ..ObjectMeta::default()
                    },
                    spec: Some(wanted),
                    status: None,
                }
            })
            .collect()
    }

    fn job(&self, template: PodTemplateSpec, parallelism: Option<i32>) -> Manifest {
        let indexes = self.pods.iter().filter_map(|pod| {
            let annotations = pod.metadata.annotations.as_ref()?;
            annotations.get(INDEX)?.parse::<i32>().ok()
        });
        let last = indexes.max();
        let counted = self.pods.iter().filter(|pod| phase_of(pod) != "Failed");
        let completions = match last {
            Some(last) => last.saturating_add(1),
            None => i32::try_from(counted.count()).unwrap_or(i32::MAX),
        };
        let mut template = template;
        if let Some(annotations) = &mut template.metadata.get_or_insert_default().annotations {
            annotations.remove(INDEX);
        }
        if let Some(labels) = &mut template.metadata.get_or_insert_default().labels {
            labels.remove(INDEX);
        }
        if last.is_some() {
            template.spec.get_or_insert_default().hostname = None;
        }
        let labels = self.shared_labels(&[INDEX]);
        let of_uid = labels.iter().filter(|(key, _)| *key == JOB_UID);
        let by_uid: BTreeMap<String, String> = of_uid
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let is_manual = by_uid.is_empty();
        Manifest::Job(Box::new(Job {
            metadata: self.metadata(Some(labels.clone())),
            spec: Some(JobSpec {
                parallelism,
                completions: Some(completions),
                completion_mode: last.map(|_| "Indexed".to_owned()),
                manual_selector: is_manual.then_some(true),
                selector: Some(selecting(if is_manual { labels } else { by_uid })),
                template,
                ..JobSpec::default()
            }),
            status: None,
        }))
    }
}

pub(super) fn selecting(labels: BTreeMap<String, String>) -> LabelSelector {
    LabelSelector {
        match_labels: Some(labels),
        ..LabelSelector::default()
    }
}

fn phase_of(pod: &Pod) -> &str {
    let status = pod.status.as_ref();
    status
        .and_then(|status| status.phase.as_deref())
        .unwrap_or_default()
}

fn is_active(pod: &Pod) -> bool {
    !matches!(phase_of(pod), "Succeeded" | "Failed") && pod.metadata.deletion_timestamp.is_none()
}

/// The template of a Pod: its spec without its node, and without what admission added.
fn template_of(pod: &Pod) -> PodTemplateSpec {
    let mut spec = pod.spec.clone().unwrap_or_default();
    spec.node_name = None;
    // The priority class implies it.
    if spec.priority_class_name.is_some() {
        spec.priority = None;
        spec.preemption_policy = None;
    }
    let is_token = |name: &str| name.starts_with(TOKEN_VOLUME);
    if let Some(volumes) = &mut spec.volumes {
        volumes.retain(|volume| !is_token(&volume.name));
    }
    let inits = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(inits) {
        if let Some(mounts) = &mut container.volume_mounts {
            mounts.retain(|mount| !is_token(&mount.name));
        }
    }
    if let Some(tolerations) = &mut spec.tolerations {
        tolerations.retain(|it| {
            let key = it.key.as_deref().unwrap_or_default();
            it.toleration_seconds != Some(300) || !DEFAULT_TOLERATED.contains(&key)
        });
    }
    let mut labels = pod.metadata.labels.clone();
    if let Some(labels) = &mut labels {
        labels.retain(|key, _| !TOPOLOGY_LABELS.contains(&key.as_str()));
    }
    PodTemplateSpec {
        metadata: Some(ObjectMeta {
            labels,
            annotations: pod.metadata.annotations.clone(),
            ..ObjectMeta::default()
        }),
        spec: Some(spec),
    }
}
