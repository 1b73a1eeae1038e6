//! The dense state that the scheduler reads. [`Cluster::apply`] is its only writer.

pub mod changes;
pub mod class;
mod compile;
pub mod counts;
pub mod devices;
pub mod digest;
pub mod domain_counts;
pub mod event;
pub mod matcher;
pub mod namespaces;
pub mod node;
pub mod node_order;
pub mod nominations;
pub mod owners;
pub mod pod;
pub mod resources;
mod shape;
pub mod spec;
mod stored;
pub mod topology;
pub mod volumes;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::Metadata;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::resource::v1::DeviceClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::pod_object::{DocumentIndex, PodObject, PodTemplate};
use crate::release::Release;
use crate::topology_labels::{TOPOLOGY_LABELS, labels_on};
use berth_base::index::IndexVec;
use berth_base::sort;
use berth_protocol::node_order::interleaved;
use changes::{Changes, Placement};
use class::{AffinityTerm, ClassIx, Hit, PodClass, SpecIx};
use counts::NodeCounts;
use devices::Devices;
use domain_counts::DomainCounts;
use event::Event;
use matcher::Matchers;
use namespaces::Namespaces;
use node::NodeInfo;
use node_order::NodeOrder;
use nominations::Nominations;
use owners::Owners;
use pod::{PodInfo, Pods};
use spec::SpecInfo;
use topology::Topology;
use volumes::Volumes;

berth_base::index_types! {
    /// A node, dense and stable.
    NodeIx;
    /// A Pod, dense and stable.
    PodIx;
}

/// An image that nodes have pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// The size that the first node with the image reports.
    pub size_bytes: i64,
    /// Number of nodes that have it.
    pub nodes: u32,
}

/// The number of classes with terms that were checked, and the hits among them.
type KnownHits = (usize, Arc<Vec<Hit>>);

/// The address of a template, and the region and zone of a node.
type BoundKey = (usize, [Option<String>; 2]);

/// A template, kept so that its address stays taken, and the same with the labels of a node.
type BoundTemplate = (Arc<PodTemplate>, Arc<PodTemplate>);

/// The node version that the verdicts hold for, and each node's verdict.
type Accepting = (u64, Arc<Vec<bool>>);

/// Nodes, Pods and everything else that the plugins read.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The release whose rules the scheduler follows.
    release: Release,
    /// Milliseconds since the Unix epoch; `None` where no API server answers the scheduler.
    clock_ms: Option<i64>,
    nodes: IndexVec<NodeIx, NodeInfo>,
    node_by_name: HashMap<Arc<str>, NodeIx>,
    /// Existing nodes in the order in which the scheduler visits them.
    node_order: NodeOrder,
    pods: Pods,
    specs: IndexVec<SpecIx, Arc<SpecInfo>>,
    classes: IndexVec<ClassIx, Arc<PodClass>>,
    /// Whether Pods of a class claim devices.
    claims_devices: bool,
    class_index: compile::ClassIndex,
    /// Pods on nodes, by class.
    placed: IndexVec<ClassIx, NodeCounts>,
    matchers: Matchers,
    topology: Topology,
    namespaces: Namespaces,
    volumes: Volumes,
    devices: Devices,
    owners: Owners,
    budgets: BTreeMap<(String, String), Arc<PodDisruptionBudget>>,
    nominations: Nominations,
    /// Classes with Pod affinity or anti-affinity terms.
    affine_classes: Vec<ClassIx>,
    hits: RefCell<BTreeMap<ClassIx, KnownHits>>,
    /// By spec: the nodes that its node affinity accepts.
    accepting: RefCell<BTreeMap<SpecIx, Accepting>>,
    /// Templates with the topology labels of a node, by the template's address and the labels.
    bound_templates: RefCell<BTreeMap<BoundKey, BoundTemplate>>,
    /// Existing nodes in the alphabetical order of their names.
    by_name: NodeOrder,
    domain_counts: RefCell<DomainCounts>,
    /// Images on existing nodes.
    images: BTreeMap<String, ImageInfo>,
    /// Incremented when a node itself changes; changes of its Pods do not count.
    node_version: u64,
    changes: Changes,
}

impl Cluster {
    /// An empty cluster of a release.
    pub fn new(release: Release) -> Self {
        Self {
            release,
            ..Self::default()
        }
    }

    /// The release whose rules the scheduler follows.
    #[inline]
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// The time of the API server, in milliseconds since the Unix epoch; `None` where the scheduler is alone, and no time
    /// passes while it waits.
    pub fn clock_ms(&self) -> Option<i64> {
        self.clock_ms
    }

    /// Sets the time of the API server.
    pub fn set_clock_ms(&mut self, now_ms: i64) {
        self.clock_ms = Some(now_ms);
    }

    /// A node by index. A deleted node keeps its entry, with `alive` unset.
    #[inline]
    pub fn node(&self, node: NodeIx) -> &NodeInfo {
        &self.nodes[node]
    }

    /// The existing node of that name.
    pub fn find_node(&self, name: &str) -> Option<&NodeInfo> {
        self.node_by_name.get(name).map(|&node| &self.nodes[node])
    }

    /// Number of indices given to nodes: the size of a table by node.
    pub fn node_capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Existing nodes in the order in which the scheduler visits them: zone by zone in turn.
    pub fn node_order(&self) -> &[NodeIx] {
        self.node_order.nodes()
    }

    /// The order in which the scheduler visits nodes, with their places.
    pub fn visiting_order(&self) -> &NodeOrder {
        &self.node_order
    }

    /// Existing nodes in the alphabetical order of their names, with their places.
    pub fn name_order(&self) -> &NodeOrder {
        &self.by_name
    }

    /// Existing nodes in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeInfo> {
        self.nodes.iter().filter(|node| node.alive)
    }

    /// Pods by index and name.
    pub fn pods(&self) -> &Pods {
        &self.pods
    }

    /// A Pod's class.
    pub fn class(&self, class: ClassIx) -> &PodClass {
        &self.classes[class]
    }

    /// A compiled spec.
    pub fn spec(&self, spec: SpecIx) -> &SpecInfo {
        &self.specs[spec]
    }

    /// The compiled spec of a Pod.
    pub fn spec_of(&self, pod: &PodInfo) -> &SpecInfo {
        &self.specs[self.classes[pod.class].spec]
    }

    /// Number of Pods of the class on each node.
    pub fn placed(&self, class: ClassIx) -> &NodeCounts {
        &self.placed[class]
    }

    /// Counters of the Pods that selectors match.
    pub fn matchers(&self) -> &Matchers {
        &self.matchers
    }

    /// Topology keys and domains.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Namespaces.
    pub fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Images on existing nodes, by name.
    pub fn images(&self) -> &BTreeMap<String, ImageInfo> {
        &self.images
    }

    /// Storage objects.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// Whether anything here has to do with dynamic resource allocation.
    pub fn has_devices(&self) -> bool {
        self.claims_devices || !self.devices.is_empty()
    }

    /// Objects of dynamic resource allocation.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// PodDisruptionBudgets, ordered by namespace and name.
    pub fn budgets(&self) -> impl Iterator<Item = &Arc<PodDisruptionBudget>> {
        self.budgets.values()
    }

    /// Nominated Pods.
    pub fn nominations(&self) -> &Nominations {
        &self.nominations
    }

    /// The (anti-)affinity terms of existing classes that match a Pod of class `incoming`, including
    /// terms of classes without Pods.
    pub fn hits(&self, incoming: ClassIx) -> Arc<Vec<Hit>> {
        let mut memo = self.hits.borrow_mut();
        let (judged, hits) = memo.entry(incoming).or_default();
        if *judged < self.affine_classes.len() {
            let known = Arc::make_mut(hits);
            for &existing in &self.affine_classes[*judged..] {
                known.extend(class::hits_between(
                    existing,
                    &self.classes[existing],
                    &self.classes[incoming],
                    &self.namespaces,
                ));
            }
            *judged = self.affine_classes.len();
        }
        Arc::clone(hits)
    }

    /// The term of a hit.
    pub fn term(&self, hit: &Hit) -> Option<&AffinityTerm> {
        let affinity = &self.classes[hit.class].affinity;
        affinity.terms(hit.kind).get(hit.position)
    }

    /// By node index: whether the spec's nodeSelector and required node affinity accept the node.
    pub fn accepting_nodes(&self, spec: SpecIx) -> Arc<Vec<bool>> {
        let mut memo = self.accepting.borrow_mut();
        if let Some((version, known)) = memo.get(&spec)
            && *version == self.node_version
        {
            return Arc::clone(known);
        }
        let info = &self.specs[spec];
        let accepts: Arc<Vec<bool>> = Arc::new(
            self.nodes
                .iter()
                .map(|node| info.accepts_node(&node.labels, &node.name))
                .collect(),
        );
        memo.insert(spec, (self.node_version, Arc::clone(&accepts)));
        accepts
    }

    /// Changes whenever a node itself changes (labels, taints, creation, deletion), not with its Pods.
    pub fn node_version(&self) -> u64 {
        self.node_version
    }

    /// Sets the source document of every Pod, for display: Pods made by controllers have none of their own.
    pub fn set_documents(&mut self, of: &mut dyn FnMut(&PodObject) -> DocumentIndex) {
        self.pods.set_documents(of);
    }

    /// Applies `event`. This is the only way to change a cluster.
    pub fn apply(&mut self, event: Event) {
        self.apply_all([event]);
    }

    /// Applies all events in order; state derived from all nodes is updated once.
    pub fn apply_all(&mut self, events: impl IntoIterator<Item = Event>) {
        let version = self.node_version;
        for event in events {
            self.apply_one(event);
        }
        if self.node_version != version {
            let order = interleaved(self.nodes().map(|node| (&*node.labels, node.ix)));
            self.node_order = NodeOrder::new(order, self.nodes.len());
            self.count_images();
            self.order_by_name();
        }
    }

    fn order_by_name(&mut self) {
        let mut by_name: Vec<NodeIx> = self.node_order().to_vec();
        sort::sort_by(&mut by_name, |a, b| {
            self.nodes[*a].name.cmp(&self.nodes[*b].name)
        });
        self.by_name = NodeOrder::new(by_name, self.nodes.len());
    }

    fn count_images(&mut self) {
        let mut images: BTreeMap<String, ImageInfo> = BTreeMap::new();
        for node in self.nodes() {
            for (name, &size_bytes) in node.images.iter() {
                images
                    .entry(name.clone())
                    .or_insert(ImageInfo {
                        size_bytes,
                        nodes: 0,
                    })
                    .nodes += 1;
            }
        }
        self.images = images;
    }

    fn apply_one(&mut self, event: Event) {
        self.notice(&event);
        match event {
            Event::NodeSet(node) => self.set_node(node),
            Event::NodeDeleted(name) => self.delete_node(&name),
            Event::PodAdded(pod) => {
                self.add_pod(*pod);
            }
            Event::PodBound {
                pod,
                node,
                start_ms,
            } => self.bind_pod(pod, &node, start_ms),
            Event::PodDeleted(pod) => self.delete_pod(pod),
            Event::PodUpdated { pod, object } => self.update_pod(pod, *object),
            Event::Nominated { pod, node } => self.nominate(pod, node),
            Event::Withheld { pod, withheld } => self.nominations.withhold(pod, withheld),
            Event::NamespaceSet { name, labels } => self.set_namespace(&name, labels),
            Event::Removed {
                kind,
                namespace,
                name,
            } => self.remove_stored(kind, &(namespace, name)),
            Event::VolumeSet(volume) => self.volumes.set_volume(volume),
            Event::ClaimSet(claim) => store(&mut self.volumes.claims, claim),
            Event::StorageClassSet(class) => put(
                &mut self.volumes.storage_classes,
                name_of(&class.metadata),
                class,
            ),
            Event::CsiNodeSet(node) => {
                put(&mut self.volumes.csi_nodes, name_of(&node.metadata), node)
            }
            Event::CsiDriverSet(driver) => put(
                &mut self.volumes.csi_drivers,
                name_of(&driver.metadata),
                driver,
            ),
            Event::StorageCapacitySet(capacity) => self.volumes.set_storage_capacity(capacity),
            Event::VolumeAttachmentSet(it) => self.volumes.attachments.set(it),
            Event::ResourceClaimSet(claim) => self.devices.set_claim(claim),
            Event::ResourceSliceSet(slice) => self.devices.set_slice(slice),
            Event::DeviceClassSet(class) => self.set_device_class(class),
            Event::ServiceSet(service) => {
                store(&mut self.owners.services, service);
                self.refresh_default_spread();
            }
            Event::ReplicationControllerSet(owner) => {
                store(&mut self.owners.replication_controllers, owner);
                self.refresh_default_spread();
            }
            Event::ReplicaSetSet(owner) => {
                store(&mut self.owners.replica_sets, owner);
                self.refresh_default_spread();
            }
            Event::StatefulSetSet(owner) => {
                store(&mut self.owners.stateful_sets, owner);
                self.refresh_default_spread();
            }
            Event::BudgetSet(budget) => store(&mut self.budgets, budget),
        }
    }

    /// A class may serve an extended resource, which changes verdicts of nodes.
    fn set_device_class(&mut self, class: Arc<DeviceClass>) {
        self.devices.set_class(class);
        self.node_version += 1;
    }

    fn set_node(&mut self, object: Arc<Node>) {
        let name: Arc<str> = object.metadata.name.clone().unwrap_or_default().into();
        let ix = match self.node_by_name.get(&name) {
            Some(&ix) => {
                let mut node = NodeInfo::new(ix, object);
                for &pod in &std::mem::take(&mut self.nodes[ix].pods) {
                    if let Some(info) = self.pods.get(pod) {
                        node.add_pod(pod, self.spec_of(info));
                    }
                }
                self.nodes[ix] = node;
                ix
            }
            None => {
                let ix = self
                    .nodes
                    .push(NodeInfo::new(self.nodes.next_index(), object));
                self.node_by_name.insert(Arc::clone(&name), ix);
                self.place_waiting_for(&name);
                ix
            }
        };
        self.topology.refresh(&self.nodes[ix]);
        self.node_version += 1;
    }

    /// Places the Pods whose `spec.nodeName` named the node before it existed.
    fn place_waiting_for(&mut self, name: &Arc<str>) {
        let waiting: Vec<PodIx> = self
            .pods
            .iter()
            .filter(|pod| {
                pod.node.is_none()
                    && pod.object.node_name.as_ref() == Some(name)
                    && !pod.object.phase.is_terminal()
            })
            .map(|pod| pod.ix)
            .collect();
        for pod in waiting {
            self.place(pod);
        }
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn delete_node(&mut self, name: &str) {
        let Some(ix) = self.node_by_name.remove(name) else {
            return;
        };
        for pod in self.nodes[ix].pods.clone() {
            self.unplace(pod);
        }
        self.nodes[ix].alive = false;
        self.topology.refresh(&self.nodes[ix]);
        self.node_version += 1;
    }

    fn add_pod(&mut self, object: PodObject) -> PodIx {
        let class = self.intern_class(&object);
        let nominated = object.nominated_node.clone();
        let waits = object.node_name.is_none();
        let finished = object.phase.is_terminal();
        let ix = self.pods.add(object, class);
        if waits && !finished && nominated.is_some() {
            self.nominations.set(ix, nominated.as_ref());
        }
        if !waits && !finished {
            self.place(ix);
        }
        ix
    }

    /// The Pod's template once it is bound to that node: with the node's topology labels.
    pub fn template_on(&self, pod: &PodInfo, node: &str) -> Arc<PodTemplate> {
        let template = &pod.object.template;
        let node = self.find_node(node);
        let Some(labels) =
            node.and_then(|node| labels_on(&self.release, &template.labels, &node.labels))
        else {
            return Arc::clone(template);
        };
        let topology = TOPOLOGY_LABELS.map(|key| labels.get(key).cloned());
        let mut known = self.bound_templates.borrow_mut();
        let (_, bound) = known
            .entry((Arc::as_ptr(template) as usize, topology))
            .or_insert_with(|| {
                let bound = PodTemplate {
                    labels,
                    ..PodTemplate::clone(template)
                };
                (Arc::clone(template), Arc::new(bound))
            });
        Arc::clone(bound)
    }

    fn bind_pod(&mut self, pod: PodIx, node: &Arc<str>, start_ms: i64) {
        self.label_bound(pod, node);
        if let Some(info) = self.pods.get_mut(pod) {
            info.object.node_name = Some(Arc::clone(node));
            info.object.start_ms = Some(start_ms);
            info.object.phase = crate::pod_object::Phase::Running;
            self.nominate(pod, None);
            self.place(pod);
        }
    }

    fn label_bound(&mut self, pod: PodIx, node: &str) {
        let Some(info) = self.pods.get(pod) else {
            return;
        };
        let template = self.template_on(info, node);
        if Arc::ptr_eq(&template, &info.object.template) {
            return;
        }
        let mut object = info.object.clone();
        object.template = template;
        let class = self.intern_class(&object);
        if let Some(info) = self.pods.get_mut(pod) {
            info.object = object;
            info.class = class;
        }
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn update_pod(&mut self, pod: PodIx, object: PodObject) {
        self.unplace(pod);
        let class = self.intern_class(&object);
        let nominated = object.nominated_node.clone();
        let (waits, finished) = (object.node_name.is_none(), object.phase.is_terminal());
        let Some(info) = self.pods.get_mut(pod) else {
            return;
        };
        info.class = class;
        info.object = object;
        let nominated = nominated.filter(|_| waits && !finished);
        if self.nominations.of(pod) != nominated.as_ref() {
            self.nominations.set(pod, nominated.as_ref());
        }
        if !waits && !finished {
            self.place(pod);
        }
    }

    fn nominate(&mut self, pod: PodIx, node: Option<Arc<str>>) {
        if let Some(info) = self.pods.get_mut(pod) {
            info.object.nominated_node = node;
            self.nominations
                .set(pod, info.object.nominated_node.as_ref());
        }
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn delete_pod(&mut self, pod: PodIx) {
        self.unplace(pod);
        self.nominations.set(pod, None);
        self.pods.remove(pod);
    }

    fn place(&mut self, pod: PodIx) {
        let Some(info) = self.pods.get_mut(pod) else {
            return;
        };
        let name = info.object.node_name.as_ref();
        let Some(&node) = name.and_then(|name| self.node_by_name.get(name)) else {
            return;
        };
        info.node = Some(node);
        let (class, terminating) = (info.class, info.object.terminating);
        let spec = self.classes[class].spec;
        self.nodes[node].add_pod(pod, &self.specs[spec]);
        self.placed[class].add(node, u32::from(!terminating), u32::from(terminating));
        self.matchers.pod_placed(class, node, terminating);
        let placement = Placement::new(node, class, terminating, 1);
        self.changes.placements.push(placement);
    }

    fn unplace(&mut self, pod: PodIx) {
        let Some(info) = self.pods.get_mut(pod) else {
            return;
        };
        let Some(node) = info.node.take() else {
            return;
        };
        let (class, terminating) = (info.class, info.object.terminating);
        let spec = self.classes[class].spec;
        self.nodes[node].remove_pod(pod, &self.specs[spec]);
        self.placed[class].remove(node, terminating);
        self.matchers.pod_removed(class, node, terminating);
        let placement = Placement::new(node, class, terminating, -1);
        self.changes.placements.push(placement);
    }
}

/// Namespace (or `default`) and name.
pub fn object_key(metadata: &ObjectMeta) -> (String, String) {
    (
        metadata
            .namespace
            .clone()
            .unwrap_or_else(|| "default".to_owned()),
        metadata.name.clone().unwrap_or_default(),
    )
}

fn name_of(metadata: &ObjectMeta) -> String {
    metadata.name.clone().unwrap_or_default()
}

/// Stores an object by namespace and name.
fn store<T: Metadata<Ty = ObjectMeta>>(
    stored: &mut BTreeMap<(String, String), Arc<T>>,
    object: Arc<T>,
) {
    put(stored, object_key(object.metadata()), object);
}

/// Stores an object. Not inlined: most visits store few kinds, and download the others later.
#[inline(never)]
fn put<K: Ord, V>(stored: &mut BTreeMap<K, V>, key: K, object: V) {
    stored.insert(key, object);
}
