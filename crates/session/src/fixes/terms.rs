//! Fixes for required affinity and anti-affinity between Pods.

use std::collections::BTreeSet;

use serde_json::json;

use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::fact::{AffinityTermKind, FactKind};
use berth_protocol::fix::Change;
use berth_scheduler::cluster::class::HitKind;

use super::candidates::{Family, FixContext};
use super::fields::{self, steps};
use super::source::Source;

/// Maximum number of domains that are searched for Pods that repel this one.
const MAX_DOMAINS: usize = 64;

/// Removes a required (anti-)affinity term of this Pod or of a Pod that repels it.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    let mut blocked: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (_, fact) in context.facts() {
        let FactKind::PodAffinity {
            term,
            topology_key,
            domain,
            ..
        } = &fact.kind
        else {
            continue;
        };
        if *term == AffinityTermKind::ExistingAntiAffinity {
            if let (Some(domain), true) = (domain, blocked.len() < MAX_DOMAINS) {
                blocked.insert((topology_key, domain));
            }
            continue;
        }
        let what = Change::RemovePodTerm {
            term: *term,
            topology_key: topology_key.clone(),
        };
        if *term == AffinityTermKind::AntiAffinity {
            let what = Change::PreferPodTerm {
                topology_key: topology_key.clone(),
            };
            family.add(what, preferred(context, &steps(&fact.pod_path)));
        }
        let edit = context.source.remove(&steps(&fact.pod_path));
        family.add_to(fact.pod_path.clone(), what, edit.into_iter().collect());
    }
    terms_of_others(context, &mut family, &blocked);
    family
}

/// Makes a required term of the Pod's own anti-affinity a preference of the largest weight.
fn preferred(context: &FixContext<'_>, path: &[PathStep]) -> Vec<Edit> {
    let term = fields::get(&context.source.json, &context.source.path(path));
    let (Some(term), Some(removed)) = (term, context.source.remove(path)) else {
        return Vec::new();
    };
    let preference = json!({"weight": 100, "podAffinityTerm": term});
    let list = "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution";
    vec![context.source.append(&steps(list), preference), removed]
}

/// `blocked`: topology domains whose Pods repel this one.
fn terms_of_others(
    context: &FixContext<'_>,
    family: &mut Family,
    blocked: &BTreeSet<(&str, &str)>,
) {
    if blocked.is_empty() {
        return;
    }
    let cluster = context.cluster;
    let own = cluster.class(context.pod.class);
    let mut seen = BTreeSet::new();
    for hit in cluster.hits(context.pod.class).iter() {
        if hit.kind != HitKind::RequiredAntiAffinity {
            continue;
        }
        let key = cluster.topology().key(hit.topology_key);
        for entry in cluster.placed(hit.class).entries() {
            let domain = key.domain(entry.node).map(|domain| key.value(domain));
            if !domain.is_some_and(|domain| blocked.contains(&(&*key.name, &**domain))) {
                continue;
            }
            let mut pods = cluster
                .node(entry.node)
                .pods
                .iter()
                .filter_map(|&pod| cluster.pods().get(pod));
            let pod = pods.find(|pod| pod.class == hit.class);
            // The terms of siblings are the Pod's own terms.
            let Some(pod) = pod.filter(|pod| !context.is_sibling(pod)) else {
                continue;
            };
            if !seen.insert((pod.object.document, hit.topology_key)) {
                continue;
            }
            let Some(source) = Source::at(context.session, pod.object.document) else {
                continue;
            };
            let terms = &cluster.class(hit.class).affinity.required_anti;
            let matching = terms.iter().filter(|term| {
                term.topology_key == hit.topology_key
                    && term.target.matches_incoming(
                        &own.namespace,
                        own.labels(),
                        cluster.namespaces(),
                    )
            });
            // From the last to the first, so that indices stay valid.
            let edits = matching
                .rev()
                .filter_map(|term| source.remove(&steps(&term.pod_path)));
            let what = Change::RemoveTermOf {
                object: source.object.clone(),
                topology_key: key.name.to_string(),
            };
            family.add(what, edits.collect());
            if family.is_full() {
                return;
            }
        }
    }
}
