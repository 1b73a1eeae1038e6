//! What became of Pods: whether they have a node, which one, how they are spread, and what they went through.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use berth_protocol::draft::Meaning;
use berth_scheduler::cluster::pod::PodInfo;

use super::Candidate;
use crate::session::Session;

/// Labels that controllers make up: a selector of a lesson does not name them.
const MADE_UP: [&str; 9] = [
    "pod-template-hash",
    "controller-revision-hash",
    "pod-template-generation",
    "statefulset.kubernetes.io/pod-name",
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
];
/// Labels that usually name an application, the most usual first.
const USUAL: [&str; 4] = ["app", "app.kubernetes.io/name", "k8s-app", "name"];
const SPREAD: [&str; 2] = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"];

type Labels = BTreeMap<String, String>;

/// Pods that a lesson treats as one: those of a workload, or one without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKey {
    Pod {
        namespace: String,
        name: String,
    },
    /// The workload's name, without the hash of a revision.
    Workload {
        namespace: String,
        name: String,
    },
}

#[derive(Default)]
struct Group {
    /// The labels that all have.
    labels: Option<Labels>,
    /// The node of each; `None` while it waits.
    nodes: Vec<Option<String>>,
}

impl Group {
    fn placed(&self) -> usize {
        self.nodes.iter().flatten().count()
    }

    fn all_placed(&self) -> bool {
        self.placed() == self.nodes.len()
    }

    fn used(&self) -> BTreeSet<&str> {
        self.nodes.iter().flatten().map(String::as_str).collect()
    }
}

/// In the order in which they appear.
type Groups = Vec<(GroupKey, Group)>;

fn groups(session: &Session) -> Groups {
    let mut groups: Groups = Vec::new();
    let pods = session.run().cluster().pods().iter();
    for pod in pods.filter(|pod| !pod.object.phase.is_terminal() && !is_static(pod)) {
        let key = group_key(pod);
        let at = groups.iter().position(|(own, _)| *own == key);
        let at = at.unwrap_or_else(|| {
            groups.push((key, Group::default()));
            groups.len() - 1
        });
        let Some((_, group)) = groups.get_mut(at) else {
            continue;
        };
        group
            .nodes
            .push(pod.object.node_name.as_deref().map(str::to_owned));
        let own = &pod.object.template.labels;
        match &mut group.labels {
            Some(labels) => labels.retain(|key, value| own.get(key) == Some(value)),
            None => {
                let own = own
                    .iter()
                    .filter(|(key, _)| !MADE_UP.contains(&key.as_str()));
                group.labels = Some(
                    own.map(|(key, value)| (key.clone(), value.clone()))
                        .collect(),
                );
            }
        }
    }
    groups
}

fn is_static(pod: &PodInfo) -> bool {
    let owner = pod.object.template.controller.as_ref();
    owner.is_some_and(|owner| owner.kind == "Node")
}

fn group_key(pod: &PodInfo) -> GroupKey {
    let namespace = pod.object.namespace.to_string();
    let template = &pod.object.template;
    let Some(owner) = &template.controller else {
        let name = pod.object.name.to_string();
        return GroupKey::Pod { namespace, name };
    };
    let hash = template.labels.get("pod-template-hash");
    let stem = hash.and_then(|hash| owner.name.strip_suffix(hash.as_str())?.strip_suffix('-'));
    let name = stem.unwrap_or(&owner.name).to_owned();
    GroupKey::Workload { namespace, name }
}

/// How expectations name a group.
struct Named {
    /// `pod`, or `selector` and `namespace`.
    fields: Map<String, Value>,
    /// As a reader would say it.
    pods: String,
    is_one: bool,
}

impl Named {
    fn expects(&self, more: Value) -> Value {
        let mut fields = self.fields.clone();
        fields.extend(more.as_object().cloned().unwrap_or_default());
        Value::Object(fields)
    }
}

/// `None` if no labels select just this group.
fn named(key: &GroupKey, group: &Group, all: &[&Groups]) -> Option<Named> {
    let (namespace, is_one) = match key {
        GroupKey::Pod { namespace, .. } => (namespace, true),
        GroupKey::Workload { namespace, .. } => (namespace, false),
    };
    let mut fields = Map::new();
    if let GroupKey::Pod { namespace, name } = key {
        let pod = match namespace.as_str() {
            "default" => name.clone(),
            namespace => format!("{namespace}/{name}"),
        };
        fields.insert("pod".to_owned(), json!(pod));
        let pods = pod;
        return Some(Named {
            fields,
            pods,
            is_one,
        });
    }
    let labels = group.labels.as_ref().filter(|labels| !labels.is_empty())?;
    let others = all.iter().flat_map(|groups| groups.iter());
    let others: Vec<&Labels> = others
        .filter(|(own, _)| own != key && namespace_of(own) == namespace)
        .filter_map(|(_, group)| group.labels.as_ref())
        .collect();
    let selects_others = |wanted: &Labels| {
        let is_of = |labels: &&&Labels| {
            wanted
                .iter()
                .all(|(key, value)| labels.get(key) == Some(value))
        };
        others.iter().any(|labels| is_of(&labels))
    };
    let usual = USUAL.iter().filter_map(|key| labels.get_key_value(*key));
    let mut single = usual
        .chain(labels.iter())
        .map(|(key, value)| Labels::from([(key.clone(), value.clone())]));
    let selector = single.find(|labels| !selects_others(labels));
    let selector = selector.or_else(|| Some(labels.clone()).filter(|it| !selects_others(it)))?;
    let pods: Vec<String> = selector
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    fields.insert("selector".to_owned(), json!(selector));
    if namespace != "default" {
        fields.insert("namespace".to_owned(), json!(namespace));
    }
    Some(Named {
        fields,
        pods: pods.join(","),
        is_one,
    })
}

fn namespace_of(key: &GroupKey) -> &String {
    match key {
        GroupKey::Pod { namespace, .. } | GroupKey::Workload { namespace, .. } => namespace,
    }
}

/// Candidates about Pods. `ends`: the state after the steps with each seed.
pub fn candidates(start: &Session, ends: &[Session]) -> Vec<Candidate> {
    let before = groups(start);
    let after: Vec<Groups> = ends.iter().map(groups).collect();
    let Some(first) = after.first() else {
        return Vec::new();
    };
    let all: Vec<&Groups> = [&before].into_iter().chain(&after).collect();
    let find = |groups: &Groups, key: &GroupKey| groups.iter().position(|(own, _)| own == key);
    let mut candidates = Vec::new();
    for (key, group) in first {
        let Some(named) = named(key, group, &all) else {
            continue;
        };
        let old = find(&before, key)
            .and_then(|at| before.get(at))
            .map(|(_, group)| group);
        candidates.extend(placed(&named, group));
        candidates.extend(spread(&named, group, ends));
        let ends_of = after
            .iter()
            .filter_map(|groups| groups.get(find(groups, key)?));
        let used = ends_of.flat_map(|(_, group)| group.used());
        let used: BTreeSet<&str> = used.collect();
        candidates.extend(on(&named, group, &used, old, ends));
        if let Some(old) = old {
            candidates.extend(past(&named, old, start.is_simulated()));
        }
    }
    for (key, group) in &before {
        let named = named(key, group, &all);
        if let (None, Some(named)) = (find(first, key), named) {
            let gone = match named.is_one {
                true => json!({"state": "Deleted"}),
                false => json!({"count": 0}),
            };
            let meaning = Meaning::Gone {
                pods: named.pods.clone(),
            };
            candidates.push(Candidate::new(named.expects(gone), meaning));
        }
    }
    candidates
}

/// Whether they have nodes.
fn placed(named: &Named, group: &Group) -> Vec<Candidate> {
    let pods = named.pods.clone();
    let waiting = group.nodes.len() - group.placed();
    let mut candidates = Vec::new();
    if group.placed() > 0 {
        let candidate = match named.is_one {
            true => Candidate::new(
                named.expects(json!({"state": "Bound"})),
                Meaning::Placed { pod: pods.clone() },
            ),
            false => Candidate::new(
                named.expects(json!({"state": "Bound", "count": group.placed()})),
                Meaning::AllPlaced {
                    pods: pods.clone(),
                    count: group.placed(),
                },
            ),
        };
        // Where some of them wait, that is the point.
        candidates.push(match waiting {
            0 => candidate,
            _ => candidate.adding(),
        });
    }
    if waiting > 0 {
        let expected = match named.is_one {
            true => json!({"state": "Pending"}),
            false => json!({"state": "Pending", "count": waiting}),
        };
        let meaning = Meaning::Waiting {
            pods,
            count: waiting,
        };
        candidates.push(Candidate::new(named.expects(expected), meaning));
    }
    candidates
}

/// How many of them a zone or a node has at most.
fn spread(named: &Named, group: &Group, ends: &[Session]) -> Vec<Candidate> {
    if named.is_one || group.placed() < 2 {
        return Vec::new();
    }
    let most_of = |session: &Session, key: &str| {
        let own = groups(session);
        let counted = own.iter().filter(|(_, own)| own.labels == group.labels);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for node in counted.flat_map(|(_, own)| own.nodes.iter().flatten()) {
            let node = session.run().cluster().find_node(node)?;
            *counts.entry(node.labels.get(key)?.clone()).or_default() += 1;
        }
        counts.into_values().max()
    };
    let mut implied = BTreeSet::new();
    let candidates = SPREAD.iter().filter_map(|key| {
        let most: Option<Vec<usize>> = ends.iter().map(|end| most_of(end, key)).collect();
        let most = most?.into_iter().max()?;
        // What holds for zones holds for the nodes in them.
        let is_new = implied.insert(most);
        (most < group.placed()).then(|| {
            let meaning = Meaning::AtMost {
                pods: named.pods.clone(),
                key: (*key).to_owned(),
                most,
            };
            let candidate = Candidate::new(named.expects(json!({"maxPer": {*key: most}})), meaning);
            // Pending Pods lower every domain's count by themselves.
            if group.all_placed() && is_new {
                candidate
            } else {
                candidate.adding()
            }
        })
    });
    candidates.collect()
}

/// Which nodes they are on.
fn on(
    named: &Named,
    group: &Group,
    used: &BTreeSet<&str>,
    old: Option<&Group>,
    ends: &[Session],
) -> Option<Candidate> {
    let cluster = ends.first()?.run().cluster();
    let all = cluster.nodes().count();
    if used.is_empty() || !group.all_placed() {
        return None;
    }
    // All nodes with a label that just these have are meant.
    let labelled = cluster
        .nodes()
        .find(|node| used.contains(&*node.name))
        .map(|node| {
            let own = node
                .labels
                .iter()
                .filter(|(key, _)| !SPREAD.contains(&key.as_str()));
            own.map(|(key, value)| {
                let having = cluster
                    .nodes()
                    .filter(|node| node.labels.get(key) == Some(value));
                having.map(|node| &*node.name).collect::<BTreeSet<&str>>()
            })
            .filter(|having| having.is_superset(used) && having.len() < all)
            .min_by_key(BTreeSet::len)
        });
    let labelled = labelled.flatten();
    let is_meant = labelled.is_some() || used.len() == 1;
    let nodes = labelled.unwrap_or_else(|| used.clone());
    if nodes.len() >= all {
        return None;
    }
    let nodes: Vec<String> = nodes.into_iter().map(str::to_owned).collect();
    let expected = match nodes.as_slice() {
        [node] => json!({"node": node}),
        nodes => json!({"nodes": nodes}),
    };
    let pods = named.pods.clone();
    let candidate = Candidate::new(named.expects(expected), Meaning::On { pods, nodes });
    // If they had no node before, it is enough that they have one.
    let moved = old.is_some_and(Group::all_placed);
    Some(if moved && is_meant {
        candidate
    } else {
        candidate.adding()
    })
}

/// What they went through since the start.
fn past(named: &Named, old: &Group, is_simulated: bool) -> Vec<Candidate> {
    let pods = || named.pods.clone();
    if old.placed() == 0 {
        return Vec::new();
    }
    let mut candidates = vec![
        Candidate::new(
            named.expects(json!({"evicted": false})),
            Meaning::NotEvicted { pods: pods() },
        ),
        Candidate::new(
            named.expects(json!({"evicted": true})),
            Meaning::Evicted { pods: pods() },
        ),
    ];
    if is_simulated && !named.is_one {
        let most = old.placed();
        let levels: BTreeSet<usize> = [most, most.saturating_sub(1), 1].into();
        // The highest that holds is the one to propose; lower ones follow from it.
        candidates.extend(
            levels
                .into_iter()
                .rev()
                .filter(|least| *least > 0)
                .map(|least| {
                    let value = named.expects(json!({"neverBelow": least}));
                    Candidate::new(
                        value,
                        Meaning::NeverBelow {
                            pods: pods(),
                            least,
                        },
                    )
                }),
        );
    }
    candidates.into_iter().map(Candidate::adding).collect()
}
