//! Expands workloads to Pods: one pass of the controllers (kube-controller-manager v1.34).
//!
//! Pods in the input count: only the missing ones are created, with the document of their workload.
//! Names are those that the controllers generate ([`crate::api::names`]). Nothing waits
//! here: all Pods of a StatefulSet exist at once, and a Deployment's old ReplicaSets stay unchanged.

mod daemonset;
mod deployment;
mod ephemeral;
mod job;
mod owned;
mod replicas;
mod statefulset;

use berth_protocol::defaults::Edition;
use berth_protocol::remark::Remark;
use std::collections::HashSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};

use crate::api::names::{GeneratedNames, NameOwner, json_hash};
use crate::api::prepared::{
    ControllerRef, DocumentIndex, Origin, Phase, PodObject, PodTemplate, Prepared,
};

use crate::api::template_hash;
use berth_scheduler::pod_object::pod_object;

use super::admission::Admission;
use super::gather::PodSource;
use super::issue::Issue;
use super::meta::{
    controller_of, created_ms, is_from_cluster, made_uid, name_of, namespace_of, settle, uid_of,
};
use super::pods;
use super::priority::Refusal;
use super::request::PodRequest;
use super::storage;

pub use ephemeral::ephemeral_claims;
use owned::OwnedPods;

/// Maximum number of created Pods: what Kubernetes supports in one cluster. `replicas: 2000000000`
/// is a mistake.
const MAX_CREATED_PODS: usize = 150_000;

/// The workload controllers of a cluster.
pub(super) struct Controllers<'a> {
    prepared: &'a mut Prepared,
    admission: &'a mut Admission,
    issues: &'a mut Vec<Issue>,
    owned: OwnedPods,
    /// Existing Pods and claims as `namespace/name`; used for lookups only.
    pod_names: HashSet<String>,
    claim_names: HashSet<String>,
    /// CronJobs with Jobs in the input, as `namespace/name`; used for lookups only.
    started_cron_jobs: HashSet<String>,
    created: usize,
    names: GeneratedNames,
    /// Whose rules for names hold.
    edition: Edition,
}

/// The workload that creates Pods.
struct Owner {
    document: DocumentIndex,
    namespace: Arc<str>,
    reference: ControllerRef,
}

impl Owner {
    fn new<T: Resource + Metadata<Ty = ObjectMeta>>(object: &T, document: DocumentIndex) -> Self {
        let meta = object.metadata();
        Owner {
            document,
            namespace: Arc::from(namespace_of(meta)),
            reference: ControllerRef {
                api_version: T::API_VERSION.to_owned(),
                kind: T::KIND.to_owned(),
                name: name_of(meta).to_owned(),
                uid: uid_of(meta).to_owned(),
            },
        }
    }

    /// What the names of its Pods belong to.
    fn of_names(&self) -> NameOwner<'_> {
        [&self.reference.kind, &self.namespace, &self.reference.name]
    }

    /// A request for a Pod of the template, owned by this workload.
    fn request(&self, template: &PodTemplateSpec) -> PodRequest {
        let meta = template.metadata.clone().unwrap_or_default();
        PodRequest {
            labels: meta.labels.unwrap_or_default(),
            annotations: meta.annotations.unwrap_or_default(),
            controller: Some(self.reference.clone()),
            spec: template.spec.clone().unwrap_or_default(),
            from_cluster: false,
        }
    }
}

/// No more Pods of this workload can be created; the reason has been reported.
struct Stopped;

impl<'a> Controllers<'a> {
    pub(super) fn new(
        prepared: &'a mut Prepared,
        admission: &'a mut Admission,
        issues: &'a mut Vec<Issue>,
        sources: &[(DocumentIndex, PodSource<'_>)],
        (names, edition): (GeneratedNames, Edition),
    ) -> Self {
        let key = |meta: &ObjectMeta| format!("{}/{}", namespace_of(meta), name_of(meta));
        let pod_names = sources.iter().filter_map(|(_, source)| match source {
            PodSource::Pod(_, meta) => Some(key(meta)),
            _ => None,
        });
        let claims = prepared.persistent_volume_claims.iter();
        Controllers {
            pod_names: pod_names.collect(),
            claim_names: claims.map(|claim| key(&claim.metadata)).collect(),
            started_cron_jobs: started_cron_jobs(sources),
            owned: OwnedPods::new(sources),
            created: 0,
            names,
            edition,
            prepared,
            admission,
            issues,
        }
    }

    /// Creates the Pods of all documents, in order; those of workloads only if `expand` is set.
    pub(super) fn create_pods(&mut self, sources: &[(DocumentIndex, PodSource<'_>)], expand: bool) {
        for (_, source) in sources {
            match source {
                PodSource::Pod(pod, meta) => self.count_existing_pod(pod, meta),
                PodSource::Deployment(deployment) if expand => self.scale_known_sets(deployment),
                _ => {}
            }
        }
        for (document, source) in sources {
            match source {
                PodSource::Pod(pod, meta) => self.create_written_pod(pod, meta, *document),
                workload if expand => self.sync(*document, workload),
                _ => {}
            }
        }
        if expand {
            self.sync_ephemeral_volumes();
        }
    }

    /// Counts an existing Pod against quotas before new ones are created.
    fn count_existing_pod(&mut self, pod: &Pod, meta: &ObjectMeta) {
        let namespace = namespace_of(meta);
        let counts =
            self.admission.has_quota(namespace) && exists_already(pod) && !is_finished(pod);
        // A rejected Pod is reported when it is created.
        if counts && let Ok(template) = self.admission.admit(namespace, pods::request_of(pod)) {
            self.admission.count(namespace, &template);
        }
    }

    /// Creates a Pod that has its own document, under its own name.
    fn create_written_pod(&mut self, pod: &Pod, meta: &ObjectMeta, document: DocumentIndex) {
        let namespace = namespace_of(meta);
        let admitted = self
            .admission
            .admit(namespace, pods::request_of(pod))
            .and_then(|template| {
                if !exists_already(pod) && !is_finished(pod) {
                    self.admission.charge(namespace, &template)?;
                }
                Ok(template)
            });
        match admitted {
            Ok(template) => {
                let object = pod_object(pod, meta, template, document, created_ms(document));
                self.prepared.pods.push(PodObject {
                    origin: pods::origin(pod),
                    ..object
                });
            }
            Err((path, reason)) => {
                let message = format!("pods \"{}\" is forbidden: {reason}", name_of(meta));
                self.issues.push(Issue::error(document, path, message));
            }
        }
    }

    /// Creates the missing Pods of one document's workload.
    fn sync(&mut self, document: DocumentIndex, source: &PodSource<'_>) {
        match source {
            PodSource::Pod(..) => {}
            PodSource::Deployment(deployment) => self.sync_deployment(deployment, document),
            PodSource::ReplicaSet(index) => {
                if let Some(set) = self.prepared.replica_sets.get(*index).cloned() {
                    self.sync_replica_set(&set, document);
                }
            }
            PodSource::ReplicationController(index) => {
                if let Some(controller) = self.prepared.replication_controllers.get(*index).cloned()
                {
                    self.sync_replication_controller(&controller, document);
                }
            }
            PodSource::StatefulSet(index) => {
                if let Some(set) = self.prepared.stateful_sets.get(*index).cloned() {
                    self.sync_stateful_set(&set, document);
                }
            }
            PodSource::DaemonSet(set) => self.sync_daemon_set(set, document),
            PodSource::Job(job) => self.sync_job(job, document),
            PodSource::CronJob(job) => self.note_cron_job(job, document),
        }
    }

    /// Creates `count` Pods of one template, named `base` plus five characters each.
    fn create_alike(&mut self, owner: &Owner, base: &str, request: PodRequest, count: usize) {
        if count == 0 {
            return;
        }
        let Ok(template) = self.admit(owner, base, request) else {
            return;
        };
        for _ in 0..count {
            let name = self.free_name(owner, base);
            if self.create(owner, name, &template).is_err() {
                return;
            }
        }
    }

    /// A generated name that no Pod of the namespace has.
    fn free_name(&mut self, owner: &Owner, base: &str) -> String {
        let taken = &self.pod_names;
        self.names.next(owner.of_names(), base, |name| {
            taken.contains(&format!("{}/{name}", owner.namespace))
        })
    }

    /// The hash of a template in names and labels, with the number of its collisions.
    fn template_hash(&self, template: &PodTemplateSpec, collisions: Option<i32>) -> String {
        match self.edition {
            Edition::V0_1 => json_hash(template),
            Edition::V0_2 => {
                let stored = template_hash::stored(template, &self.prepared.release);
                template_hash::of_template(&stored, collisions)
            }
        }
    }

    /// Admits the template; `name` appears in the message.
    fn admit(
        &mut self,
        owner: &Owner,
        name: &str,
        request: PodRequest,
    ) -> Result<Arc<PodTemplate>, Stopped> {
        let admitted = self.admission.admit(&owner.namespace, request);
        admitted.map_err(|refusal| self.report(owner, name, refusal))
    }

    /// Creates one Pod, if the quotas allow it.
    fn create(
        &mut self,
        owner: &Owner,
        name: String,
        template: &Arc<PodTemplate>,
    ) -> Result<(), Stopped> {
        if self.created >= MAX_CREATED_PODS {
            let message = Remark::most_pods(MAX_CREATED_PODS);
            let issue = Issue::error(owner.document, "spec", message);
            self.issues.push(issue.with_help(Remark::fewer_replicas()));
            return Err(Stopped);
        }
        if let Err(refusal) = self.admission.charge(&owner.namespace, template) {
            return Err(self.report(owner, &name, refusal));
        }
        self.created += 1;
        self.pod_names.insert(format!("{}/{name}", owner.namespace));
        self.prepared.pods.push(PodObject {
            namespace: Arc::clone(&owner.namespace),
            uid: Arc::from(made_uid("Pod", &owner.namespace, &name)),
            name: Arc::from(name),
            document: owner.document,
            template: Arc::clone(template),
            node_name: None,
            phase: Phase::Pending,
            created_ms: created_ms(owner.document),
            origin: Origin::New,
            start_ms: None,
            terminating: false,
            nominated_node: None,
            preempted_by_scheduler: false,
            resized: None,
            claim_names: Arc::default(),
        });
        Ok(())
    }

    /// Reports the message of the workload's FailedCreate event.
    fn report(&mut self, owner: &Owner, name: &str, (path, reason): Refusal) -> Stopped {
        let path = format!("spec.template.{path}");
        let path = if path.starts_with("spec.template.spec") {
            path.as_str()
        } else {
            "spec"
        };
        let message = format!("Error creating: pods \"{name}\" is forbidden: {reason}");
        self.issues
            .push(Issue::error(owner.document, path, message));
        Stopped
    }

    /// Creates a claim unless one of that name exists.
    fn create_claim(&mut self, mut claim: PersistentVolumeClaim, document: DocumentIndex) {
        settle(
            &mut claim.metadata,
            PersistentVolumeClaim::KIND,
            true,
            document,
        );
        let key = format!(
            "{}/{}",
            namespace_of(&claim.metadata),
            name_of(&claim.metadata)
        );
        if self.claim_names.insert(key) {
            storage::settle_claim(&mut claim);
            let default_class = storage::default_class(&self.prepared.storage_classes);
            storage::admit_claim(&mut claim, default_class);
            self.prepared.persistent_volume_claims.push(claim);
        }
    }
}

/// Whether a Pod exists before any is created: it runs, or it was dumped.
fn exists_already(pod: &Pod) -> bool {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    is_from_cluster(&pod.metadata) || node.is_some_and(|node| !node.is_empty())
}

fn is_finished(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    phase == Some("Succeeded") || phase == Some("Failed")
}

fn started_cron_jobs(sources: &[(DocumentIndex, PodSource<'_>)]) -> HashSet<String> {
    let owners = sources.iter().filter_map(|(_, source)| {
        let PodSource::Job(job) = source else {
            return None;
        };
        let owner = controller_of(&job.metadata).filter(|owner| owner.kind == "CronJob")?;
        Some(format!("{}/{}", namespace_of(&job.metadata), owner.name))
    });
    owners.collect()
}

/// The number of replicas: 1 if absent, 0 if negative.
fn replicas_or_one(replicas: Option<i32>) -> usize {
    usize::try_from(replicas.unwrap_or(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
