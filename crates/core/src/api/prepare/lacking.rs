//! Kinds that a dump lacks although the verdict on a waiting Pod hangs on them, and that nothing in it implies.

use std::collections::BTreeSet;

use berth_protocol::remark::Remark;
use k8s_openapi::api::core::v1::{Pod, PodAffinityTerm, PodSpec};

use crate::api::kinds::Kind;
use crate::api::meta::{is_from_cluster, name_of, namespace_or_default};
use crate::api::object::Manifest;
use crate::api::prepared::DocumentIndex;
use berth_scheduler::affinity::pod_affinity_terms;
use berth_scheduler::selector;

use super::issue::Issue;

/// The waiting Pods of a dump (`namespace/name`) with the kinds that it lacks, and a warning for each set of kinds.
pub(super) fn lacking<'a>(
    objects: impl Iterator<Item = (DocumentIndex, &'a Manifest)> + Clone,
) -> (Vec<(String, Vec<&'static str>)>, Vec<Issue>) {
    let waiting = objects
        .clone()
        .filter_map(|(document, object)| match object {
            Manifest::Pod(pod) if waits(pod) => Some((document, &**pod)),
            _ => None,
        });
    let waiting: Vec<(DocumentIndex, &Pod)> = waiting.collect();
    if waiting.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let running = objects.clone().filter_map(|(_, object)| match object {
        Manifest::Pod(pod) if runs(pod) => pod.spec.as_ref(),
        _ => None,
    });
    let apart: Vec<&PodAffinityTerm> = running.flat_map(keeps_away).collect();
    let kinds = objects.filter_map(|(_, object)| object.object());
    let kinds = kinds.map(|(kind, _)| kind).collect();
    lacking_of(&waiting, &apart, &kinds)
}

/// Cold: kept out of the first download.
#[inline(never)]
fn lacking_of(
    waiting: &[(DocumentIndex, &Pod)],
    apart: &[&PodAffinityTerm],
    there: &BTreeSet<Kind>,
) -> (Vec<(String, Vec<&'static str>)>, Vec<Issue>) {
    let mut pods = Vec::new();
    let mut groups: Vec<(DocumentIndex, Vec<Kind>, usize)> = Vec::new();
    for &(document, pod) in waiting {
        let Some(spec) = &pod.spec else {
            continue;
        };
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        let mut apart = apart.iter();
        let may_be_refused =
            apart.any(|term| selector::matches_optional(term.label_selector.as_ref(), &labels));
        let lacks: Vec<Kind> = decisive(spec, may_be_refused)
            .filter(|kind| !there.contains(kind))
            .collect();
        if lacks.is_empty() {
            continue;
        }
        let namespace = namespace_or_default(&pod.metadata);
        let names = lacks.iter().map(|kind| kind.info().kind);
        pods.push((
            format!("{namespace}/{}", name_of(&pod.metadata)),
            names.collect(),
        ));
        match groups.iter_mut().find(|(_, kinds, _)| *kinds == lacks) {
            Some((_, _, count)) => *count += 1,
            None => groups.push((document, lacks, 1)),
        }
    }
    let issues = groups.into_iter().map(|(document, kinds, count)| {
        let names: Vec<String> = kinds.iter().map(|it| it.info().kind.to_owned()).collect();
        let message = match count {
            1 => Remark::pod_lacks_kinds(names),
            _ => Remark::pods_lack_kinds(count, names),
        };
        let resources = kinds.iter().map(|kind| kind.info().plural);
        let resources = resources.collect::<Vec<_>>().join(",");
        Issue::warning(document, "spec", message).with_help(Remark::get_kinds(resources))
    });
    (pods, issues.collect())
}

/// Whether a dumped Pod has neither a node nor an end.
fn waits(pod: &Pod) -> bool {
    is_from_cluster(&pod.metadata) && !has_node(pod) && !has_ended(pod)
}

fn runs(pod: &Pod) -> bool {
    has_node(pod) && !has_ended(pod)
}

fn has_node(pod: &Pod) -> bool {
    let spec = pod.spec.as_ref();
    let node = spec.and_then(|spec| spec.node_name.as_deref());
    node.is_some_and(|node| !node.is_empty())
}

fn has_ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|it| it.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

/// The terms by which a running Pod refuses others, of those that select namespaces by their labels.
fn keeps_away(spec: &PodSpec) -> impl Iterator<Item = &PodAffinityTerm> {
    let affinity = spec.affinity.as_ref();
    let apart = affinity.and_then(|affinity| affinity.pod_anti_affinity.as_ref());
    let terms = apart.and_then(|it| {
        it.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    terms.into_iter().flatten().filter(reads_labels)
}

/// The kinds that decide about a Pod and that only the cluster knows. `may_be_refused`: by a running Pod, if its namespace
/// has certain labels.
fn decisive(spec: &PodSpec, may_be_refused: bool) -> impl Iterator<Item = Kind> {
    let claims = spec.resource_claims.iter().flatten();
    let has_devices = claims.clone().next().is_some();
    let mut volumes = spec.volumes.iter().flatten();
    let attaches = volumes
        .any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some());
    let is_by_template = claims
        .clone()
        .any(|it| it.resource_claim_template_name.is_some());
    [
        (
            may_be_refused || pod_affinity_terms(spec).any(|term| reads_labels(&term)),
            Kind::Namespace,
        ),
        (attaches, Kind::CSINode),
        (has_devices, Kind::ResourceClaim),
        (is_by_template, Kind::ResourceClaimTemplate),
        (has_devices, Kind::ResourceSlice),
        (has_devices, Kind::DeviceClass),
    ]
    .into_iter()
    .filter_map(|(decides, kind)| decides.then_some(kind))
}

/// Whether a term selects namespaces by their labels.
fn reads_labels(term: &&PodAffinityTerm) -> bool {
    // An empty selector selects all.
    let selector = term.namespace_selector.as_ref();
    selector.is_some_and(|selector| !selector::is_empty(selector))
}
