//! Infers the objects that a dump lacks and that its Pods name: `kubectl get nodes,pods` prints neither workloads nor
//! PriorityClasses.
//!
//! One pass, before anything runs. Workloads replace their Pods as in the cluster that was dumped, count for default
//! spreading, and run on added nodes if they are DaemonSets; replicas are those of the dump. PriorityClasses,
//! RuntimeClasses and ServiceAccounts let their new Pods in. The pass is the place for whatever else existing Pods
//! imply.

mod daemon_set;
mod named;
mod owner;

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::drain::InferredOwner;
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};

use super::meta::{controller_of, is_from_cluster, name_of, namespace_or_default};
use super::object::Manifest;
use super::prepared::DocumentIndex;

pub(crate) use named::account_of;
use owner::Family;

/// The document of objects that are inferred, and of the Pods that they make: none has this index.
pub const NO_DOCUMENT: DocumentIndex = DocumentIndex::MAX;

/// The kinds of owners that are inferred: those whose controllers are simulated.
pub const INFERRED_KINDS: [&str; 4] = ["DaemonSet", "Job", "ReplicaSet", "StatefulSet"];

/// What was inferred.
#[derive(Clone, Debug, Default)]
pub struct Inferred {
    /// Owners, then what Pods name.
    pub objects: Vec<Manifest>,
    /// The owners by namespace, kind and name.
    pub owners: Vec<InferredOwner>,
    /// The number of other objects that Pods name, by kind.
    pub assumed: BTreeMap<&'static str, usize>,
}

/// (namespace, kind, name).
type OwnerKey<'a> = (&'a str, &'a str, &'a str);

/// Which Pods exist, so that what they name exists too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exist {
    /// Those of a dump.
    Dumped,
    /// All.
    All,
}

/// The objects that these lack. `restored`: the uids of owners that are restored elsewhere, from their Deployments.
pub fn infer(objects: &[&Manifest], restored: &BTreeSet<String>, exist: Exist) -> Inferred {
    if exist == Exist::All || objects.iter().any(|object| implies_others(object)) {
        inferred(objects, restored, exist)
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

/// Cold: kept out of the first download.
#[inline(never)]
fn inferred(objects: &[&Manifest], restored: &BTreeSet<String>, exist: Exist) -> Inferred {
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
    let named = named::named(&given, exist == Exist::All);
    for object in &named {
        if let Some((kind, _)) = object.object() {
            *inferred.assumed.entry(kind.info().kind).or_default() += 1;
        }
    }
    inferred.objects.extend(named);
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
                let info = kind.info();
                if INFERRED_KINDS.contains(&info.kind) || named::KINDS.contains(&kind) {
                    let namespace = match info.namespaced {
                        true => namespace_or_default(meta),
                        false => "",
                    };
                    given.known.insert((namespace, info.kind, name_of(meta)));
                }
            }
        }
        given
    }
}

#[cfg(test)]
mod tests;
