//! The first pass: every object gets its metadata and goes to its kind's list.

use std::collections::{BTreeMap, HashSet};

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{LimitRange, Namespace, Pod, ResourceQuota};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};
use serde_json::Value;

use crate::api::config;
use crate::api::object::Manifest;
use crate::api::prepared::{DocumentIndex, Prepared};

use super::issue::Issue;
use super::meta::{name_of, namespace_of, settle};
use super::{nodes, storage};

/// The label that every namespace has, with its name.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Something that stands for Pods, in document order.
pub(super) enum PodSource<'a> {
    /// A Pod with its settled metadata (the spec is copied later, if nobody shares it).
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
    pub limit_ranges: Vec<LimitRange>,
    pub resource_quotas: Vec<ResourceQuota>,
    pub issues: Vec<Issue>,
    is_configured: bool,
    /// (kind, namespace, name) of what exists.
    names: HashSet<(&'static str, String, String)>,
}

/// Sorts the objects by kind and gives each its name, namespace, uid and time.
pub(super) fn gather<'a>(
    objects: impl Iterator<Item = (DocumentIndex, &'a Manifest)>,
) -> Gathered<'a> {
    let mut all = Gathered::default();
    for (document, object) in objects {
        all.add(document, object);
    }
    all
}

impl<'a> Gathered<'a> {
    fn add(&mut self, document: DocumentIndex, object: &'a Manifest) {
        match object {
            Manifest::Pod(pod) => {
                if let Some(meta) = self.settled_meta::<Pod>(&pod.metadata, true, document) {
                    self.pod_sources
                        .push((document, PodSource::Pod(pod, Box::new(meta))));
                }
            }
            Manifest::Namespace(namespace) => self.add_namespace(namespace, document),
            Manifest::PriorityClass(class) => {
                let class = self.cluster_scoped(&**class, document);
                self.priority_classes.extend(class);
            }
            Manifest::LimitRange(range) => {
                let range = self.namespaced(&**range, document);
                self.limit_ranges.extend(range);
            }
            Manifest::ResourceQuota(quota) => {
                let quota = self.namespaced(&**quota, document);
                self.resource_quotas.extend(quota);
            }
            Manifest::SchedulerConfiguration(value) => self.add_configuration(value, document),
            other => self.add_workload(document, other),
        }
    }

    fn add_configuration(&mut self, value: &Value, document: DocumentIndex) {
        if self.is_configured {
            let message = "only one KubeSchedulerConfiguration is taken".to_owned();
            self.issues.push(
                Issue::error(document, "", message)
                    .with_help("the first one counts; put all profiles into it"),
            );
            return;
        }
        self.is_configured = true;
        let (configuration, problems) = config::read(value);
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
                .namespaced(&**it, document)
                .map(|it| PodSource::Deployment(Box::new(it))),
            Manifest::DaemonSet(it) => self
                .namespaced(&**it, document)
                .map(|it| PodSource::DaemonSet(Box::new(it))),
            Manifest::Job(it) => self
                .namespaced(&**it, document)
                .map(|it| PodSource::Job(Box::new(it))),
            Manifest::CronJob(it) => self
                .namespaced(&**it, document)
                .map(|it| PodSource::CronJob(Box::new(it))),
            Manifest::ReplicaSet(it) => {
                let it = self.namespaced(&**it, document);
                push(&mut self.prepared.replica_sets, it).map(PodSource::ReplicaSet)
            }
            Manifest::ReplicationController(it) => {
                let it = self.namespaced(&**it, document);
                push(&mut self.prepared.replication_controllers, it)
                    .map(PodSource::ReplicationController)
            }
            Manifest::StatefulSet(it) => {
                let it = self.namespaced(&**it, document);
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
                if let Some(mut node) = self.cluster_scoped(&**node, document) {
                    nodes::settle_node(&mut node);
                    self.prepared.nodes.push(node);
                }
            }
            Manifest::PodDisruptionBudget(budget) => {
                let budget = self.namespaced(&**budget, document);
                self.prepared.disruption_budgets.extend(budget);
            }
            Manifest::Service(service) => {
                let service = self.namespaced(&**service, document);
                self.prepared.services.extend(service);
            }
            Manifest::PersistentVolume(volume) => {
                if let Some(mut volume) = self.cluster_scoped(&**volume, document) {
                    storage::settle_volume(&mut volume);
                    self.prepared.persistent_volumes.push(volume);
                }
            }
            Manifest::PersistentVolumeClaim(claim) => {
                if let Some(mut claim) = self.namespaced(&**claim, document) {
                    storage::settle_claim(&mut claim);
                    self.prepared.persistent_volume_claims.push(claim);
                }
            }
            Manifest::StorageClass(class) => {
                if let Some(mut class) = self.cluster_scoped(&**class, document) {
                    storage::settle_storage_class(&mut class);
                    self.prepared.storage_classes.push(class);
                }
            }
            Manifest::CsiNode(node) => {
                let node = self.cluster_scoped(&**node, document);
                self.prepared.csi_nodes.extend(node);
            }
            Manifest::CsiDriver(driver) => {
                if let Some(mut driver) = self.cluster_scoped(&**driver, document) {
                    storage::settle_csi_driver(&mut driver);
                    self.prepared.csi_drivers.push(driver);
                }
            }
            _ => {}
        }
    }

    fn add_namespace(&mut self, namespace: &Namespace, document: DocumentIndex) {
        let Some(namespace) = self.cluster_scoped(namespace, document) else {
            return;
        };
        let name = name_of(&namespace.metadata).to_owned();
        let known = self.prepared.namespaces.entry(name.clone()).or_default();
        *known = namespace.metadata.labels.unwrap_or_default();
        known.insert(NAMESPACE_NAME.to_owned(), name);
    }

    fn namespaced<T>(&mut self, object: &T, document: DocumentIndex) -> Option<T>
    where
        T: Clone + Resource + Metadata<Ty = ObjectMeta>,
    {
        let meta = self.settled_meta::<T>(object.metadata(), true, document)?;
        Some(with_meta(object, meta))
    }

    fn cluster_scoped<T>(&mut self, object: &T, document: DocumentIndex) -> Option<T>
    where
        T: Clone + Resource + Metadata<Ty = ObjectMeta>,
    {
        let meta = self.settled_meta::<T>(object.metadata(), false, document)?;
        Some(with_meta(object, meta))
    }

    /// The object's metadata, or an issue if an object of that name exists already.
    fn settled_meta<T: Resource>(
        &mut self,
        meta: &ObjectMeta,
        namespaced: bool,
        document: DocumentIndex,
    ) -> Option<ObjectMeta> {
        let mut meta = meta.clone();
        settle(&mut meta, T::KIND, namespaced, document);
        let (namespace, name) = (namespace_of(&meta), name_of(&meta));
        if !self
            .names
            .insert((T::KIND, namespace.to_owned(), name.to_owned()))
        {
            self.issues.push(already_exists::<T>(document, name));
            return None;
        }
        if namespaced {
            self.use_namespace(namespace);
        }
        Some(meta)
    }

    /// A namespace that an object lives in exists, declared or not.
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

fn with_meta<T: Clone + Metadata<Ty = ObjectMeta>>(object: &T, meta: ObjectMeta) -> T {
    let mut object = object.clone();
    *object.metadata_mut() = meta;
    object
}

/// The API server's answer to a second object of the same name.
fn already_exists<T: Resource>(document: DocumentIndex, name: &str) -> Issue {
    let group = if T::GROUP.is_empty() {
        String::new()
    } else {
        format!(".{}", T::GROUP)
    };
    let message = format!("{}{group} \"{name}\" already exists", T::URL_PATH_SEGMENT);
    Issue::error(document, "metadata.name", message)
        .with_help("the first one counts; rename or remove this one")
}
