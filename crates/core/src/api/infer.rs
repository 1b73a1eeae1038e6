//! Infers the objects that a dump lacks and that its Pods name: `kubectl get nodes,pods` prints neither workloads nor
//! PriorityClasses.
//!
//! One pass, before anything runs. Workloads replace their Pods as in the cluster that was dumped, count for default
//! spreading, and run on added nodes if they are DaemonSets; replicas are those of the dump. PriorityClasses let their
//! new Pods in. The pass is the place for whatever else existing Pods imply.

mod daemon_set;
mod owner;

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::drain::InferredOwner;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod, PodSpec};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::meta::{controller_of, is_from_cluster, name_of, namespace_or_default};
use super::object::Manifest;
use super::prepared::DocumentIndex;

use owner::Family;

/// The document of objects that are inferred, and of the Pods that they make: none has this index.
pub const NO_DOCUMENT: DocumentIndex = DocumentIndex::MAX;

/// The kinds of owners that are inferred: those whose controllers are simulated.
pub const INFERRED_KINDS: [&str; 4] = ["DaemonSet", "Job", "ReplicaSet", "StatefulSet"];

const PRIORITY_CLASS: &str = "PriorityClass";

/// What was inferred.
#[derive(Clone, Debug, Default)]
pub struct Inferred {
    /// Owners, then PriorityClasses.
    pub objects: Vec<Manifest>,
    /// The owners by namespace, kind and name.
    pub owners: Vec<InferredOwner>,
}

/// (namespace, kind, name).
type OwnerKey<'a> = (&'a str, &'a str, &'a str);

/// The objects that these lack. `restored`: the uids of owners that are restored elsewhere, from their Deployments.
pub fn infer(objects: &[&Manifest], restored: &BTreeSet<String>) -> Inferred {
    if objects.iter().any(|object| implies_others(object)) {
        inferred(objects, restored)
    } else {
        Inferred::default()
    }
}

/// Whether an object may name others that a dump lacks.
fn implies_others(object: &Manifest) -> bool {
    let Manifest::Pod(pod) = object else {
        return false;
    };
    is_from_cluster(&pod.metadata) || controller_of(&pod.metadata).is_some()
}

/// A first visit does not run it.
#[inline(never)]
fn inferred(objects: &[&Manifest], restored: &BTreeSet<String>) -> Inferred {
    let given = Given::of(objects);
    let mut families: BTreeMap<OwnerKey<'_>, Family<'_>> = BTreeMap::new();
    for pod in &given.pods {
        let Some(owner) = controller_of(&pod.metadata) else {
            continue;
        };
        let key = (
            namespace_or_default(&pod.metadata),
            owner.kind.as_str(),
            owner.name.as_str(),
        );
        let is_absent = !given.known.contains(&key) && !restored.contains(&owner.uid);
        if is_absent && INFERRED_KINDS.contains(&key.1) {
            let family = families
                .entry(key)
                .or_insert_with(|| Family::new(key.0, owner));
            family.pods.push(pod);
        }
    }
    let mut inferred = Inferred::default();
    for ((namespace, kind, name), family) in families {
        let Some(owner) = family.inferred(&given) else {
            continue;
        };
        inferred.objects.push(owner);
        inferred.owners.push(InferredOwner {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            pods: family.active().count(),
        });
    }
    let classes = priority_classes(&given);
    inferred
        .objects
        .extend(classes.map(|class| Manifest::PriorityClass(Box::new(class))));
    inferred
}

/// The objects that inference reads.
#[derive(Default)]
struct Given<'a> {
    pods: Vec<&'a Pod>,
    nodes: Vec<&'a Node>,
    claims: BTreeMap<(&'a str, &'a str), &'a PersistentVolumeClaim>,
    /// The objects of kinds that are inferred.
    known: BTreeSet<OwnerKey<'a>>,
}

impl<'a> Given<'a> {
    fn of(objects: &[&'a Manifest]) -> Self {
        let mut given = Self::default();
        for object in objects {
            match object {
                Manifest::Pod(pod) => given.pods.push(pod),
                Manifest::Node(node) => given.nodes.push(node),
                Manifest::PersistentVolumeClaim(claim) => {
                    let key = (
                        namespace_or_default(&claim.metadata),
                        name_of(&claim.metadata),
                    );
                    given.claims.insert(key, claim);
                }
                _ => {}
            }
            if let Some((kind, meta)) = object.object() {
                let kind = kind.info().kind;
                if INFERRED_KINDS.contains(&kind) {
                    let namespace = namespace_or_default(meta);
                    given.known.insert((namespace, kind, name_of(meta)));
                } else if kind == PRIORITY_CLASS {
                    given.known.insert(("", kind, name_of(meta)));
                }
            }
        }
        given
    }
}

/// The classes that admitted Pods name and that neither the file nor every cluster has.
fn priority_classes<'a>(given: &Given<'a>) -> impl Iterator<Item = PriorityClass> + use<'a> {
    let mut classes: BTreeMap<&str, &PodSpec> = BTreeMap::new();
    for pod in &given.pods {
        if let Some(spec) = &pod.spec
            && let (Some(name), Some(_)) = (spec.priority_class_name.as_deref(), spec.priority)
            && is_from_cluster(&pod.metadata)
            && !name.starts_with("system-")
            && !given.known.contains(&("", PRIORITY_CLASS, name))
        {
            classes.entry(name).or_insert(spec);
        }
    }
    classes.into_iter().map(|(name, spec)| class_of(name, spec))
}

/// A first visit does not run it.
#[inline(never)]
fn class_of(name: &str, spec: &PodSpec) -> PriorityClass {
    PriorityClass {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        value: spec.priority,
        preemption_policy: spec.preemption_policy.clone(),
        ..PriorityClass::default()
    }
}

#[cfg(test)]
mod tests;
