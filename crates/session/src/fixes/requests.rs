//! Lowers requests to what just fits the nodes that are closest to fitting.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::json;

use berth_protocol::edit::{Edit, PathStep};
use berth_protocol::fact::FactKind;
use berth_protocol::fix::Change;
use berth_protocol::quantity;
use berth_scheduler::cluster::resources::{SumOptions, amount, is_scalar, pod_requests};

use super::candidates::{Family, FixContext, Obstacle};
use super::fields::key;

/// Maximum number of amounts that are tried for one resource.
const MAX_AMOUNTS: usize = 3;
const MEBIBYTE: i64 = 1 << 20;

/// Lowers the request of one container.
pub fn candidates(context: &FixContext<'_>) -> Family {
    // By resource: nodes with the fewest other obstacles first, then the largest room.
    let mut rooms: BTreeMap<&str, Vec<(usize, i64)>> = BTreeMap::new();
    for (obstacle, fact) in context.facts() {
        if let FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } = &fact.kind
        {
            let room = room(context, obstacle, (*request, *used, *allocatable));
            if resource != "pods" && room > 0 && *request > 0 {
                let others = obstacle.plugins + obstacle.facts.len();
                rooms.entry(resource).or_default().push((others, room));
            }
        }
    }
    let mut family = Family::default();
    for (resource, mut rooms) in rooms {
        rooms.sort_unstable_by_key(|(others, room)| (*others, std::cmp::Reverse(*room)));
        rooms.dedup_by_key(|(_, room)| *room);
        for (_, room) in rooms.into_iter().take(MAX_AMOUNTS) {
            if let Some((what, edits)) = lowered(context, resource, room) {
                family.add_to(format!("request {resource}"), what, edits);
            }
        }
    }
    family
}

/// The largest request with which the Pod fits the node. The requests of its siblings there change as well.
fn room(
    context: &FixContext<'_>,
    obstacle: &Obstacle<'_>,
    (request, used, all): (i64, i64, i64),
) -> i64 {
    let pods = obstacle
        .node
        .pods
        .iter()
        .filter_map(|&pod| context.cluster.pods().get(pod));
    let siblings = pods.filter(|pod| context.is_sibling(pod)).count();
    let siblings = i64::try_from(siblings).unwrap_or(i64::MAX);
    let others = used.saturating_sub(request.saturating_mul(siblings));
    all.saturating_sub(others) / siblings.saturating_add(1)
}

fn lowered(context: &FixContext<'_>, resource: &str, room: i64) -> Option<(Change, Vec<Edit>)> {
    let spec = &context.pod.object.template.spec;
    let total = pod_requests(spec, SumOptions::default()).get(resource);
    let excess = total.checked_sub(room).filter(|excess| *excess > 0)?;
    let several = spec.containers.len() + spec.init_containers.iter().flatten().count() > 1;
    ["containers", "initContainers"].iter().find_map(|list| {
        let (index, from) = largest(spec, list, resource)?;
        let to = rounded_down(resource, from.checked_sub(excess)?);
        let lower = with_request(spec, list, index, (resource, to))?;
        if to <= 0 || pod_requests(&lower, SumOptions::default()).get(resource) > room {
            return None;
        }
        let name = &containers(spec, list).get(index)?.name;
        let what = Change::LowerRequest {
            resource: resource.to_owned(),
            container: several.then(|| name.clone()),
            from,
            to,
        };
        let field = |field: &str| {
            let path = [
                key("spec"),
                key(list),
                PathStep::Index(index),
                key("resources"),
                key(field),
                key(resource),
            ];
            context.source.set(&path, json!(quantity::of(resource, to)))
        };
        let requests = field("requests")?;
        // For resources that cannot be overcommitted, the limit equals the request.
        let limits = is_scalar(resource).then(|| field("limits")).flatten();
        Some((what, std::iter::once(requests).chain(limits).collect()))
    })
}

fn containers<'s>(spec: &'s PodSpec, list: &str) -> &'s [Container] {
    match list {
        "containers" => &spec.containers,
        _ => spec.init_containers.as_deref().unwrap_or_default(),
    }
}

/// The container with the largest request; the first if there are several.
fn largest(spec: &PodSpec, list: &str, resource: &str) -> Option<(usize, i64)> {
    let asked = containers(spec, list)
        .iter()
        .enumerate()
        .filter_map(|(index, container)| {
            let requests = container.resources.as_ref()?.requests.as_ref()?;
            Some((index, amount(resource, requests.get(resource)?)))
        });
    asked.max_by_key(|(index, amount)| (*amount, std::cmp::Reverse(*index)))
}

fn with_request(
    spec: &PodSpec,
    list: &str,
    index: usize,
    (resource, to): (&str, i64),
) -> Option<PodSpec> {
    let mut spec = spec.clone();
    let container = match list {
        "containers" => spec.containers.get_mut(index)?,
        _ => spec.init_containers.as_mut()?.get_mut(index)?,
    };
    let resources = container.resources.get_or_insert_default();
    let requests = resources.requests.get_or_insert_default();
    requests.insert(resource.to_owned(), Quantity(quantity::of(resource, to)));
    Some(spec)
}

/// Rounds bytes down to whole mebibytes, if the amount exceeds one: 117Mi is a usual request, 123456789 is not.
fn rounded_down(resource: &str, amount: i64) -> i64 {
    if quantity::is_in_bytes(resource) && amount > MEBIBYTE {
        amount - amount % MEBIBYTE
    } else {
        amount
    }
}
