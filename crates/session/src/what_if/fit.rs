//! How many more replicas of a workload fit.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use berth_core::api::prepare::{devices, ephemeral_claims, made_uid};
use berth_core::api::prepared::{Origin, PodObject, PodTemplate, Prepared};
use berth_protocol::edit::EditError;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Question, Workload};
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cluster::pod::PodInfo;
use berth_sim::run::made_again;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;

use super::{Arriving, Asked, Change};
use crate::compare::{stays, unfinished};
use crate::session::Session;
use crate::{what_if, workload};

/// The labels of a StatefulSet's Pod that name the Pod.
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// Asks how many more replicas fit, at most so many, that are like the newest Pod of a workload (`namespace/name`;
/// the name may be that of a ReplicaSet).
///
/// # Errors
/// If the workload has no Pods, its Pods follow the nodes, or the cluster is simulated.
pub fn ask_fit(session: &Session, name: &str, at_most: usize) -> Result<Asked, EditError> {
    let ground = what_if::ground(session)?;
    let cluster = ground.run.snapshot().cluster();
    let pods = pods_of(cluster, name);
    let newest = pods.iter().max_by_key(|pod| {
        let object = &pod.object;
        (object.origin.order(), object.created_ms, &object.name)
    });
    let Some(newest) = newest else {
        let message = Remark::no_workload(name);
        return Err(EditError::new(message, Remark::see_pods()));
    };
    if stays(newest) {
        return Err(EditError::new(
            Remark::fits_with_nodes(name),
            Remark::default(),
        ));
    }
    let of = workload::of(newest);
    let replicas = Replicas::of(newest, &pods, cluster);
    let arriving = replicas.arriving(at_most, &ground.manifests.prepared);
    let question = Question::Fit {
        workload: of,
        at_most,
    };
    Ok(Asked::new(
        ground,
        question,
        Change::Added(Rc::new(arriving)),
        0,
    ))
}

/// The unfinished Pods of a workload (`namespace/name`), or of a ReplicaSet.
fn pods_of<'c>(cluster: &'c Cluster, name: &str) -> Vec<&'c PodInfo> {
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let is_of_it = |pod: &&PodInfo| {
        let controller = pod.object.template.controller.as_ref();
        *pod.object.namespace == *namespace
            && (workload::of(pod).name == name || controller.is_some_and(|it| it.name == name))
    };
    unfinished(cluster).filter(is_of_it).collect()
}

/// The replicas that would come.
struct Replicas<'c> {
    like: &'c PodObject,
    cluster: &'c Cluster,
    /// What names begin with.
    stem: String,
    /// The first ordinal of a StatefulSet's; `None` for other workloads.
    ordinal: Option<u64>,
}

impl<'c> Replicas<'c> {
    fn of(newest: &'c PodInfo, pods: &[&PodInfo], cluster: &'c Cluster) -> Self {
        let like = &newest.object;
        let controller = like.template.controller.as_ref();
        let set = controller.filter(|it| it.kind == "StatefulSet");
        let ordinal = set.map(|set| {
            let ordinals = pods.iter().filter_map(|pod| {
                let number = pod.object.name.strip_prefix(&*set.name)?;
                number.strip_prefix('-')?.parse::<u64>().ok()
            });
            ordinals.max().map_or(0, |last| last.saturating_add(1))
        });
        let stem = match (set, controller) {
            (Some(set), _) => format!("{}-", set.name),
            (None, Some(controller)) => format!("{}-more-", controller.name),
            (None, None) => format!("{}-more-", like.name),
        };
        Self {
            like,
            cluster,
            stem,
            ordinal,
        }
    }

    /// The Pods, with the claims that are made for them.
    fn arriving(&self, count: usize, prepared: &Prepared) -> Arriving {
        let first = self.ordinal.unwrap_or(1);
        let mut arriving = Arriving::default();
        let mut pods = Vec::new();
        for number in (first..).take(count) {
            let mut pod = self.replica(number);
            let mut claims = self.own_claims(&mut pod);
            claims.extend(ephemeral_claims(&pod, &prepared.storage_classes));
            let claims = claims.into_iter().map(Arc::new).map(Event::ClaimSet);
            arriving.events.extend(claims);
            let templates = &prepared.resource_claim_templates;
            let devices = devices::claims_from_templates(&mut pod, templates).into_iter();
            let devices = devices.map(Arc::new).map(Event::ResourceClaimSet);
            arriving.events.extend(devices);
            arriving.pods.insert(pod.key());
            pods.push(Event::PodAdded(Box::new(pod)));
        }
        arriving.events.extend(pods);
        arriving
    }

    /// The Pod, without claims of its own yet.
    fn replica(&self, number: u64) -> PodObject {
        let name = format!("{}{number}", self.stem);
        let namespace = &self.like.namespace;
        PodObject {
            uid: Arc::from(made_uid("Pod", namespace, &name)),
            name: Arc::from(name),
            origin: Origin::Again,
            claim_names: Arc::default(),
            ..made_again(self.like, self.cluster.release())
        }
    }

    /// Names a StatefulSet's Pod in its labels and volumes; returns its claims, which are not bound yet.
    fn own_claims(&self, pod: &mut PodObject) -> Vec<PersistentVolumeClaim> {
        let Some(index) = self
            .ordinal
            .and_then(|_| pod.name.strip_prefix(&*self.stem))
        else {
            return Vec::new();
        };
        let mut template = PodTemplate::clone(&pod.template);
        let names = [(POD_NAME, &*pod.name), (POD_INDEX, index)];
        for (key, value) in names {
            if let Some(label) = template.labels.get_mut(key) {
                value.clone_into(label);
            }
        }
        let mut claims = Vec::new();
        for volume in template.spec.volumes.iter_mut().flatten() {
            let Some(source) = &mut volume.persistent_volume_claim else {
                continue;
            };
            let stem = source.claim_name.strip_suffix(&*self.like.name);
            let Some(stem) = stem.filter(|stem| stem.ends_with('-')) else {
                continue;
            };
            let model = self.cluster.volumes();
            let model = model.claim(&pod.namespace, &source.claim_name);
            let name = format!("{stem}{}", pod.name);
            claims.extend(model.map(|model| unbound(model, &name)));
            source.claim_name = name;
        }
        pod.template = Arc::new(template);
        claims
    }
}

/// A claim like another one, under this name and not bound.
fn unbound(model: &PersistentVolumeClaim, name: &str) -> PersistentVolumeClaim {
    let mut claim = PersistentVolumeClaim {
        status: None,
        ..model.clone()
    };
    let meta = &mut claim.metadata;
    meta.name = Some(name.to_owned());
    meta.uid = None;
    meta.annotations = None;
    if let Some(spec) = &mut claim.spec {
        spec.volume_name = None;
    }
    claim
}

/// The number of placed replicas by pool of nodes; nodes without a pool are the pool "".
pub(super) fn by_pool(
    cluster: &Cluster,
    placed: &BTreeMap<Workload, BTreeMap<String, usize>>,
) -> BTreeMap<String, usize> {
    let mut pools: BTreeMap<String, usize> = BTreeMap::new();
    for (node, pods) in placed.values().flatten() {
        let node = cluster.find_node(node);
        let pool = node.and_then(|node| berth_protocol::meant::pool(&node.labels));
        *pools
            .entry(pool.unwrap_or_default().to_owned())
            .or_default() += pods;
    }
    pools
}
