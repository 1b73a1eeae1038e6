//! The first pass: completes the metadata of every object and adds it to its kind's list.

use berth_protocol::defaults::Edition;
use berth_protocol::remark::Remark;
use std::collections::{BTreeMap, HashSet};

use k8s_openapi::Metadata;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{LimitRange, Namespace, Pod, ResourceQuota};
use k8s_openapi::api::node::v1::RuntimeClass;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::api::config;
use crate::api::kinds::Kind;
use crate::api::meta::namespace_or_default;
use crate::api::names::GeneratedNames;
use crate::api::object::Manifest;
use crate::api::prepared::{DocumentIndex, Prepared};
use crate::api::workloads::TEMPLATE_GENERATION;
use berth_scheduler::release::Release;

use super::issue::Issue;
use super::meta::{name_of, namespace_of, settle};
use super::{devices, nodes, storage};

/// The label that every namespace has, with its name.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// An object that is, or creates, Pods.
pub(super) enum PodSource<'a> {
    /// A Pod with its settled metadata; its spec is copied when the Pod is admitted.
    Pod(&'a Pod, Box<ObjectMeta>),
    Deployment(Box<Deployment>),
    /// Indices into the lists of [`Prepared`].
    ReplicaSet(usize),
    ReplicationController(usize),
    StatefulSet(usize),
    DaemonSet(Box<DaemonSet>),
    Job(Box<Job>),
    CronJob(Box<CronJob>),
}

/// All objects, by kind.
#[derive(Default)]
pub(super) struct Gathered<'a> {
    pub prepared: Prepared,
    pub pod_sources: Vec<(DocumentIndex, PodSource<'a>)>,
    pub priority_classes: Vec<PriorityClass>,
    pub runtime_classes: Vec<RuntimeClass>,
    pub limit_ranges: Vec<LimitRange>,
    pub resource_quotas: Vec<ResourceQuota>,
    pub issues: Vec<Issue>,
    is_configured: bool,
    /// The names that were generated for documents.
    pub generated: GeneratedNames,
    edition: Edition,
    /// (kind, namespace, name) of the objects so far.
    names: HashSet<(Kind, String, String)>,
}

/// Sorts the objects by kind and gives each its name, namespace, uid and time.
pub(super) fn gather<'a>(
    objects: impl Iterator<Item = (DocumentIndex, &'a Manifest)>,
    release: Release,
    edition: Edition,
) -> Gathered<'a> {
    let mut all = Gathered {
        edition,
        ..Gathered::default()
    };
    all.prepared.release = release;
    for (document, object) in objects {
        all.add(document, object);
    }
    all
}

impl<'a> Gathered<'a> {
    fn add(&mut self, document: DocumentIndex, object: &'a Manifest) {
        match object {
            Manifest::Pod(pod) => {
                if let Some(meta) = self.settle_meta(Kind::Pod, &pod.metadata, document) {
                    self.pod_sources
                        .push((document, PodSource::Pod(pod, Box::new(meta))));
                }
            }
            Manifest::Namespace(namespace) => self.add_namespace(namespace, document),
            Manifest::PriorityClass(class) => {
                let class = self.settled(Kind::PriorityClass, &**class, document);
                self.priority_classes.extend(class);
            }
            Manifest::RuntimeClass(class) => {
                let class = self.settled(Kind::RuntimeClass, &**class, document);
                self.runtime_classes.extend(class);
            }
            Manifest::LimitRange(range) => {
                let range = self.settled(Kind::LimitRange, &**range, document);
                self.limit_ranges.extend(range);
            }
            Manifest::ResourceQuota(quota) => {
                let quota = self.settled(Kind::ResourceQuota, &**quota, document);
                self.resource_quotas.extend(quota);
            }
            Manifest::SchedulerConfiguration(value) => self.add_configuration(value, document),
            other => self.add_workload(document, other),
        }
    }

    fn add_configuration(&mut self, value: &Value, document: DocumentIndex) {
        if self.is_configured {
            let message = Remark::one_configuration();
            self.issues.push(
                Issue::error(document, "", message).with_help(Remark::all_profiles_into_first()),
            );
            return;
        }
        self.is_configured = true;
        let (configuration, problems) = config::read(value, &self.prepared.release);
        self.prepared.configuration = configuration;
        self.issues.extend(
            problems
                .into_iter()
                .map(|problem| Issue::of_configuration(document, problem)),
        );
    }

    fn add_workload(&mut self, document: DocumentIndex, object: &'a Manifest) {
        let source = match object {
            Manifest::Deployment(it) => self
                .settled(Kind::Deployment, &**it, document)
                .map(|it| PodSource::Deployment(Box::new(it))),
            Manifest::DaemonSet(it) => self
                .settled(Kind::DaemonSet, &**it, document)
                .map(|it| PodSource::DaemonSet(Box::new(counted(it)))),
            Manifest::Job(it) => self
                .settled(Kind::Job, &**it, document)
                .map(|it| PodSource::Job(Box::new(it))),
            Manifest::CronJob(it) => self
                .settled(Kind::CronJob, &**it, document)
                .map(|it| PodSource::CronJob(Box::new(it))),
            Manifest::ReplicaSet(it) => {
                let it = self.settled(Kind::ReplicaSet, &**it, document);
                push(&mut self.prepared.replica_sets, it).map(PodSource::ReplicaSet)
            }
            Manifest::ReplicationController(it) => {
                let it = self.settled(Kind::ReplicationController, &**it, document);
                push(&mut self.prepared.replication_controllers, it)
                    .map(PodSource::ReplicationController)
            }
            Manifest::StatefulSet(it) => {
                let it = self.settled(Kind::StatefulSet, &**it, document);
                push(&mut self.prepared.stateful_sets, it).map(PodSource::StatefulSet)
            }
            other => return self.add_surroundings(document, other),
        };
        self.pod_sources
            .extend(source.map(|source| (document, source)));
    }

    /// The kinds that Pods depend on.
    fn add_surroundings(&mut self, document: DocumentIndex, object: &Manifest) {
        match object {
            Manifest::Node(node) => {
                if let Some(mut node) = self.settled(Kind::Node, &**node, document) {
                    nodes::settle_node(&mut node);
                    self.prepared.nodes.push(node);
                }
            }
            Manifest::PodDisruptionBudget(budget) => {
                let budget = self.settled(Kind::PodDisruptionBudget, &**budget, document);
                self.prepared.disruption_budgets.extend(budget);
            }
            Manifest::Service(service) => {
                let service = self.settled(Kind::Service, &**service, document);
                self.prepared.services.extend(service);
            }
            Manifest::PersistentVolume(volume) => {
                if let Some(mut volume) = self.settled(Kind::PersistentVolume, &**volume, document)
                {
                    storage::settle_volume(&mut volume);
                    self.prepared.persistent_volumes.push(volume);
                }
            }
            Manifest::PersistentVolumeClaim(claim) => {
                if let Some(mut claim) =
                    self.settled(Kind::PersistentVolumeClaim, &**claim, document)
                {
                    storage::settle_claim(&mut claim);
                    self.prepared.persistent_volume_claims.push(claim);
                }
            }
            Manifest::StorageClass(class) => {
                if let Some(mut class) = self.settled(Kind::StorageClass, &**class, document) {
                    storage::settle_storage_class(&mut class);
                    self.prepared.storage_classes.push(class);
                }
            }
            Manifest::CSINode(node) => {
                let node = self.settled(Kind::CSINode, &**node, document);
                self.prepared.csi_nodes.extend(node);
            }
            Manifest::CSIDriver(driver) => {
                if let Some(mut driver) = self.settled(Kind::CSIDriver, &**driver, document) {
                    storage::settle_csi_driver(&mut driver);
                    self.prepared.csi_drivers.push(driver);
                }
            }
            Manifest::CSIStorageCapacity(capacity) => {
                let capacity = self.settled(Kind::CSIStorageCapacity, &**capacity, document);
                self.prepared.csi_storage_capacities.extend(capacity);
            }
            Manifest::VolumeAttachment(attachment) => {
                let attachment = self.settled(Kind::VolumeAttachment, &**attachment, document);
                self.prepared.volume_attachments.extend(attachment);
            }
            other => self.add_devices(document, other),
        }
    }

    /// The kinds of dynamic resource allocation.
    #[inline(never)]
    fn add_devices(&mut self, document: DocumentIndex, object: &Manifest) {
        let release = self.prepared.release;
        match object {
            Manifest::ResourceClaim(claim) => {
                let claim = self.settled(Kind::ResourceClaim, &**claim, document);
                self.prepared.resource_claims.extend(claim.map(|mut it| {
                    devices::settle_claim(&mut it, &release);
                    it
                }));
            }
            Manifest::ResourceClaimTemplate(template) => {
                let template = self.settled(Kind::ResourceClaimTemplate, &**template, document);
                let templates = &mut self.prepared.resource_claim_templates;
                templates.extend(template.map(|mut it| {
                    devices::settle_template(&mut it, &release);
                    it
                }));
            }
            Manifest::ResourceSlice(slice) => {
                let slice = self.settled(Kind::ResourceSlice, &**slice, document);
                self.prepared.resource_slices.extend(slice.map(|mut it| {
                    devices::drop_gated_slice(&mut it, &release);
                    it
                }));
            }
            Manifest::DeviceClass(class) => {
                let class = self.settled(Kind::DeviceClass, &**class, document);
                self.prepared.device_classes.extend(class.map(|mut it| {
                    devices::drop_gated_class(&mut it, &release);
                    it
                }));
            }
            other => self.note_name(other, document),
        }
    }

    /// Records only the name and the namespace of an object that does not affect scheduling.
    fn note_name(&mut self, object: &Manifest, document: DocumentIndex) {
        if let Some((kind, meta)) = object.object() {
            self.settle_meta(kind, meta, document);
        }
    }

    fn add_namespace(&mut self, namespace: &Namespace, document: DocumentIndex) {
        let Some(namespace) = self.settled(Kind::Namespace, namespace, document) else {
            return;
        };
        let name = name_of(&namespace.metadata).to_owned();
        let known = self.prepared.namespaces.entry(name.clone()).or_default();
        *known = namespace.metadata.labels.unwrap_or_default();
        known.insert(NAMESPACE_NAME.to_owned(), name);
    }

    /// The object with its settled metadata; `None` if one of that name exists already. Not inlined: most visits need
    /// few kinds, and download the others later.
    #[inline(never)]
    fn settled<T>(&mut self, kind: Kind, object: &T, document: DocumentIndex) -> Option<T>
    where
        T: Clone + Metadata<Ty = ObjectMeta>,
    {
        let meta = self.settle_meta(kind, object.metadata(), document)?;
        let mut object = object.clone();
        *object.metadata_mut() = meta;
        Some(object)
    }

    /// Names an object with `generateName`, as the API server does.
    fn generate_name(&mut self, kind: Kind, meta: &mut ObjectMeta) {
        let base = meta.generate_name.as_deref().unwrap_or_default();
        if base.is_empty() || !name_of(meta).is_empty() {
            return;
        }
        let namespace = match kind.info().namespaced {
            true => namespace_or_default(meta),
            false => "",
        };
        let names = &self.names;
        let name = self
            .generated
            .next([kind.info().kind, namespace, base], base, |name| {
                names.contains(&(kind, namespace.to_owned(), name.to_owned()))
            });
        meta.name = Some(name);
    }

    /// The object's metadata, or an issue if an object of that name exists already.
    fn settle_meta(
        &mut self,
        kind: Kind,
        meta: &ObjectMeta,
        document: DocumentIndex,
    ) -> Option<ObjectMeta> {
        let mut meta = meta.clone();
        let info = kind.info();
        if self.edition != Edition::V0_1 {
            self.generate_name(kind, &mut meta);
        }
        settle(&mut meta, info.kind, info.namespaced, document);
        let (namespace, name) = (namespace_of(&meta), name_of(&meta));
        let place = (kind, namespace.to_owned(), name.to_owned());
        if !self.names.insert(place) {
            self.issues.push(already_exists(kind, document, name));
            return None;
        }
        if info.namespaced {
            self.use_namespace(namespace);
        }
        Some(meta)
    }

    /// Adds an object's namespace, declared or not.
    fn use_namespace(&mut self, name: &str) {
        if !self.prepared.namespaces.contains_key(name) {
            let labels = BTreeMap::from([(NAMESPACE_NAME.to_owned(), name.to_owned())]);
            self.prepared.namespaces.insert(name.to_owned(), labels);
        }
    }
}

fn push<T>(list: &mut Vec<T>, item: Option<T>) -> Option<usize> {
    list.push(item?);
    list.len().checked_sub(1)
}

/// The API server's answer to a second object of the same name.
/// A DaemonSet whose templates are counted, as the API server begins to.
fn counted(mut set: DaemonSet) -> DaemonSet {
    let annotations = set.metadata.annotations.get_or_insert_default();
    annotations
        .entry(TEMPLATE_GENERATION.to_owned())
        .or_insert_with(|| "1".to_owned());
    set
}

fn already_exists(kind: Kind, document: DocumentIndex, name: &str) -> Issue {
    let message = format!("{} \"{name}\" already exists", kind.info().resource());
    Issue::error(document, "metadata.name", message).with_help(Remark::rename_this())
}
