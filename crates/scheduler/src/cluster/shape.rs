//! The part of a spec that node-local plugins read. Specs of one shape get the same verdicts and raw scores from them.

use k8s_openapi::api::core::v1::{Container, PodSpec};

use crate::pod_object::Resized;
use berth_base::json;

/// The shape as a text: the spec without what no node-local plugin reads and what often differs between Pods that are
/// otherwise alike, as the ordinal in the host name of a StatefulSet's Pod and in the names of its claims.
pub(super) fn text(spec: &PodSpec, status: Option<&Resized>) -> String {
    let mut shape = spec.clone();
    shape.hostname = None;
    shape.subdomain = None;
    shape.priority = None;
    shape.priority_class_name = None;
    shape.preemption_policy = None;
    shape.topology_spread_constraints = None;
    if let Some(affinity) = &mut shape.affinity {
        affinity.pod_affinity = None;
        affinity.pod_anti_affinity = None;
    }
    // ImageLocality counts the images of volumes.
    if let Some(volumes) = &mut shape.volumes {
        volumes.retain(|volume| volume.image.is_some());
    }
    let containers = shape.init_containers.iter_mut().flatten();
    for container in containers.chain(&mut shape.containers) {
        forget_process(container);
    }
    let mut text = json::text(&shape);
    if let Some(status) = status {
        text.push_str(&format!("{status:?}"));
    }
    text
}

fn forget_process(container: &mut Container) {
    container.args = None;
    container.command = None;
    container.env = None;
    container.env_from = None;
    container.volume_mounts = None;
}
