//! Which Pod of the case a Pod of the cluster is: that of its name, or one of its workload, whose names end at random.

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::prepared::PodObject;
use berth_protocol::key::split;
use berth_protocol::what_if::Workload;
use berth_sim::followed::Followed;

use super::said::PodSaid;
use crate::workload;

/// A Pod of the case that only its workload can name.
struct Nameless {
    key: String,
    workload: Workload,
    /// The node that a DaemonSet makes it for.
    pinned: Option<String>,
}

/// Names of the cluster (`namespace/name`) and of the case.
pub(super) struct Names {
    in_case: BTreeMap<String, String>,
    in_cluster: BTreeMap<String, String>,
    /// Pods of the case that no Pod of the cluster is yet, in order.
    free: Vec<Nameless>,
    /// By name in the cluster.
    workloads: BTreeMap<String, (Workload, Option<String>)>,
    /// Workloads by the beginning of their Pods' names: `namespace/web-59d649c5f`.
    beginnings: BTreeMap<String, Workload>,
}

impl Names {
    /// The names of the case's Pods and those of the cluster: of its Pods, and of all that its attempts name.
    pub fn new<'a>(
        case: impl Iterator<Item = &'a PodObject>,
        cluster: &'a [PodSaid],
        tried: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut all: BTreeSet<&str> = cluster.iter().map(|pod| pod.key.as_str()).collect();
        all.extend(tried);
        let mut names = Self {
            in_case: BTreeMap::new(),
            in_cluster: BTreeMap::new(),
            free: Vec::new(),
            workloads: BTreeMap::new(),
            beginnings: BTreeMap::new(),
        };
        for pod in case {
            let key = pod.key();
            if all.contains(key.as_str()) {
                names.pair(&key, &key);
                continue;
            }
            let affinity = pod.template.spec.affinity.as_ref();
            names.free.push(Nameless {
                workload: workload::of_object(pod),
                pinned: affinity.and_then(workload::pinned),
                key,
            });
        }
        for pod in cluster.iter().filter(|pod| pod.workload.kind != "Pod") {
            let known = (pod.workload.clone(), pod.pinned.clone());
            names.workloads.insert(pod.key.clone(), known);
            if let Some((beginning, _)) = pod.key.rsplit_once('-') {
                let workload = pod.workload.clone();
                names.beginnings.insert(beginning.to_owned(), workload);
            }
        }
        names
    }

    fn pair(&mut self, cluster: &str, case: &str) {
        self.in_case.insert(cluster.to_owned(), case.to_owned());
        self.in_cluster.insert(case.to_owned(), cluster.to_owned());
    }

    /// The name in the case of a Pod of the cluster; `None` if the case has no such Pod. A Pod that a controller made for
    /// one that is gone comes into the case.
    pub fn in_case(&mut self, pod: &str, followed: &mut Followed) -> Option<String> {
        if let Some(known) = self.in_case.get(pod) {
            let known = known.clone();
            self.come_again(&known, followed);
            return Some(known);
        }
        let (workload, pinned) = self.workload_of(pod)?;
        let is_it = |free: &Nameless| {
            free.workload == workload && (pinned.is_none() || free.pinned == pinned)
        };
        let found = match self.free.iter().position(is_it) {
            Some(at) => self.free.remove(at).key,
            None => {
                let mut gone = followed.gone().iter();
                let gone = gone.find(|gone| workload::of_object(gone) == workload)?;
                let key = gone.key();
                followed.make_again(&key);
                key
            }
        };
        self.pair(pod, &found);
        Some(found)
    }

    /// A Pod of a StatefulSet has the name of the one that is gone.
    fn come_again(&self, key: &str, followed: &mut Followed) {
        let (namespace, name) = split(key);
        let cluster = followed.snapshot().cluster();
        let mut gone = followed.gone().iter();
        let has_owner = |gone: &PodObject| gone.key() == key && gone.template.controller.is_some();
        if cluster.pods().find(namespace, name).is_none() && gone.any(has_owner) {
            followed.make_again(key);
        }
    }

    fn workload_of(&self, pod: &str) -> Option<(Workload, Option<String>)> {
        if let Some(known) = self.workloads.get(pod) {
            return Some(known.clone());
        }
        let (beginning, _) = pod.rsplit_once('-')?;
        let workload = self.beginnings.get(beginning)?;
        Some((workload.clone(), None))
    }

    /// The name in the case that is known already.
    pub fn known(&self, pod: &str) -> Option<&str> {
        self.in_case.get(pod).map(String::as_str)
    }

    /// The name in the cluster of a Pod of the case, which is its own if it has none there.
    pub fn in_cluster<'n>(&'n self, pod: &'n str) -> &'n str {
        self.in_cluster.get(pod).map_or(pod, String::as_str)
    }
}
