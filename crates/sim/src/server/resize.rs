//! The resize subresource of Pods: CPU and memory of containers change in place (`ValidatePodResize`,
//! `podResizeStrategy` and the admission plugin PodResizeValidator, v1.36).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use super::{ApiError, ApiServer, metadata_update};
use crate::kubelet::qos;
use crate::pod_util;
use crate::store::Key;
use crate::strategy::{Defaults, Strategy};
use berth_base::quantity::Quantity;
use berth_scheduler::cluster::resources::{SumOptions, pod_requests};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::{Gate, Release};

const ONLY: &str = "only cpu and memory resources are mutable";
const MUTABLE: [&str; 2] = ["cpu", "memory"];

type Errors = Vec<FieldError>;
type Amounts = Option<BTreeMap<String, Text>>;

impl ApiServer {
    /// Changes the resources of a Pod; the rest of its spec stays as it is.
    ///
    /// # Errors
    /// If the Pod is gone or has changed, or the resize is not allowed.
    pub fn resize(&mut self, mut pod: Pod) -> Result<Arc<Pod>, ApiError> {
        let key = Key::of(&pod.metadata);
        let Some(before) = self.store.pods.get(&key).cloned() else {
            let kind = "Pod";
            return Err(ApiError::NotFound { kind, key });
        };
        metadata_update::settle(&mut pod, &key, &before)?;
        self.current(&pod)?;
        keep_others(&mut pod, &before);
        pod.set_defaults();
        if pod == *before {
            return Ok(before);
        }
        self.check_locks(&key, Some(&*before), Some(&pod))?;
        let mut errors = Vec::new();
        pod.validate_stored(&mut errors);
        pod.validate_gates(&self.release, &mut errors);
        validate(&pod, &before, &self.release, &mut errors);
        if !errors.is_empty() {
            let kind = "Pod";
            return Err(ApiError::Invalid { kind, key, errors });
        }
        let refuse = |message: String| ApiError::Forbidden {
            kind: "Pod",
            key: key.clone(),
            message,
        };
        if let Some(policies) = self.policies() {
            policies.judge(&pod).map_err(refuse)?;
        }
        self.check_node(&pod, &before)?;
        self.charge(&pod, Some(&before))?;
        if pod.spec != before.spec {
            let generation = &mut pod.metadata.generation;
            *generation = generation.map(|it| it + 1);
        }
        Ok(self.commit(key, Some(before), pod))
    }

    /// What the node of the Pod must be able to do, and to hold.
    fn check_node(&self, pod: &Pod, before: &Pod) -> Result<(), ApiError> {
        let node = pod_util::node_of(pod);
        if node.is_empty() || pod.spec == before.spec || !self.release.rules().resize_asks_node {
            return Ok(());
        }
        let refuse = |message: String| ApiError::Forbidden {
            kind: "Pod",
            key: Key::of(&pod.metadata),
            message,
        };
        let Some(known) = self.store.nodes.get(&Key::new("", node)) else {
            return Err(refuse(format!("node {node:?} not found")));
        };
        let status = known.status.as_ref();
        let allocatable = status.and_then(|status| status.allocatable.clone());
        let allocatable = allocatable.unwrap_or_default();
        let spec = pod.spec.clone().unwrap_or_default();
        let asked = pod_requests(&spec, SumOptions::default());
        let amount = |name: &str| {
            let text = allocatable.get(name)?;
            Quantity::parse(&text.0).ok()
        };
        let mut lacks = Vec::new();
        let cpu = amount("cpu").map_or(0, |it| it.milli_value());
        if asked.milli_cpu > cpu {
            let asked = asked.milli_cpu;
            lacks.push(format!("cpu, requested: {asked}, allocatable: {cpu}"));
        }
        let memory = amount("memory").map_or(0, |it| it.value());
        if asked.memory_bytes > memory {
            let asked = asked.memory_bytes;
            lacks.push(format!("memory, requested: {asked}, allocatable: {memory}"));
        }
        if !lacks.is_empty() {
            return Err(refuse(format!(
                "node didn't have enough allocatable resources: {}",
                lacks.join("; ")
            )));
        }
        let declared = status.and_then(|status| status.declared_features.as_ref());
        let feature = needed_feature(pod, before);
        match feature.filter(|it| !declared.is_some_and(|all| all.iter().any(|one| one == it))) {
            Some(feature) => Err(refuse(format!(
                "pod update requires features {feature} which are not available on node {node:?}"
            ))),
            None => Ok(()),
        }
    }
}

/// The feature of kubelets that a resize needs, besides the resize of containers.
fn needed_feature(pod: &Pod, before: &Pod) -> Option<&'static str> {
    let (new, old) = (pod.spec.as_ref()?, before.spec.as_ref()?);
    if new.resources != old.resources {
        return Some("InPlacePodLevelResourcesVerticalScaling");
    }
    let pairs = inits(new).iter().zip(inits(old));
    let mut changed = pairs.filter(|(new, old)| new.resources != old.resources);
    let is_plain = |container: &Container| !is_sidecar(container);
    changed
        .any(|(new, _)| is_plain(new))
        .then_some("InPlacePodVerticalScalingInitContainers")
}

fn inits(spec: &PodSpec) -> &[Container] {
    spec.init_containers.as_deref().unwrap_or_default()
}

fn is_sidecar(container: &Container) -> bool {
    container.restart_policy.as_deref() == Some("Always")
}

/// Takes only the resources of the new Pod, unless it has other containers (`dropNonResizeUpdates`).
fn keep_others(pod: &mut Pod, before: &Pod) {
    let (Some(new), Some(old)) = (&mut pod.spec, &before.spec) else {
        return;
    };
    let is_alike = |new: &[Container], old: &[Container]| {
        new.len() == old.len() && new.iter().zip(old).all(|(new, old)| new.name == old.name)
    };
    if new.containers.len() != old.containers.len() || inits(new).len() != inits(old).len() {
        return;
    }
    let resized = |new: &[Container], old: &[Container]| -> Vec<Container> {
        if !is_alike(new, old) {
            return new.to_vec();
        }
        let pairs = new.iter().zip(old).map(|(new, old)| Container {
            resources: new.resources.clone(),
            resize_policy: new.resize_policy.clone(),
            ..old.clone()
        });
        pairs.collect()
    };
    let mut spec = PodSpec {
        containers: resized(&new.containers, &old.containers),
        resources: new.resources.clone(),
        ..old.clone()
    };
    if old.init_containers.is_some() {
        spec.init_containers = Some(resized(inits(new), inits(old)));
    }
    *new = spec;
    pod.metadata.clone_from(&before.metadata);
    pod.status.clone_from(&before.status);
}

fn validate(pod: &Pod, before: &Pod, release: &Release, errors: &mut Errors) {
    let (Some(new), Some(old)) = (&pod.spec, &before.spec) else {
        return;
    };
    let path = Path::root().child("spec");
    let class = qos::class_of(old);
    if class != qos::class_of(new) {
        let detail = "Pod QOS Class may not change as a result of resizing";
        errors.push(FieldError::invalid(&path, class, detail));
    }
    if old.resources.is_some() || new.resources.is_some() {
        if !release.is_on(Gate::InPlacePodLevelResourcesVerticalScaling) {
            errors.push(FieldError::forbidden(
                &Path::root().key(""),
                "pods with pod-level resources cannot be resized",
            ));
            return;
        }
        removed(
            &path.child("resources"),
            new.resources.as_ref(),
            old.resources.as_ref(),
            errors,
        );
    }
    if !same_containers(&path, new, old, errors) {
        return;
    }
    let takes_init = release.is_on(Gate::InPlacePodVerticalScalingInitContainers);
    for (i, (new, old)) in inits(new).iter().zip(inits(old)).enumerate() {
        let path = path.child("initContainers").index(i);
        if takes_init || is_sidecar(old) {
            let resources = (new.resources.as_ref(), old.resources.as_ref());
            removed(&path.child("resources"), resources.0, resources.1, errors);
        }
    }
    for (i, (new, old)) in new.containers.iter().zip(&old.containers).enumerate() {
        let path = path.child("containers").index(i).child("resources");
        removed(
            &path,
            new.resources.as_ref(),
            old.resources.as_ref(),
            errors,
        );
    }
    for (new, old) in new.containers.iter().zip(&old.containers) {
        if as_before(new, old) != *old {
            errors.push(FieldError::forbidden(&path, ONLY));
        }
    }
    for (i, (new, old)) in inits(new).iter().zip(inits(old)).enumerate() {
        if new != old && !takes_init && !is_sidecar(new) {
            let detail = "resources for non-sidecar init containers are immutable";
            errors.push(FieldError::forbidden(&path, detail));
        } else if as_before(new, old) != *old {
            let detail = "only cpu and memory resources for init or sidecar containers are mutable";
            let path = path.child("initContainers").index(i);
            errors.push(FieldError::forbidden(&path, detail));
        }
    }
}

/// Whether the containers are the same, in the same order.
fn same_containers(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) -> bool {
    let found = errors.len();
    let lists = [
        ("containers", &*new.containers, &*old.containers),
        ("initContainers", inits(new), inits(old)),
    ];
    for (field, new, old) in lists {
        let path = path.child(field);
        let names = |list: &[Container]| -> Vec<String> {
            let mut names: Vec<String> = list.iter().map(|it| it.name.clone()).collect();
            berth_base::sort::sort(&mut names);
            names
        };
        let what = if field == "containers" {
            "containers"
        } else {
            "initContainers"
        };
        if names(new) != names(old) {
            let detail = format!("{what} may not be added or removed on resize");
            errors.push(FieldError::forbidden(&path, &detail));
        } else if new.iter().zip(old).any(|(new, old)| new.name != old.name) {
            let detail = format!("{what} may not be renamed or reordered on resize");
            errors.push(FieldError::forbidden(&path, &detail));
        }
    }
    errors.len() == found
}

/// Reports requests and limits that are gone.
fn removed(
    path: &Path,
    new: Option<&ResourceRequirements>,
    old: Option<&ResourceRequirements>,
    errors: &mut Errors,
) {
    let none = ResourceRequirements::default();
    let (new, old) = (new.unwrap_or(&none), old.unwrap_or(&none));
    let lists = [
        ("requests", &new.requests, &old.requests),
        ("limits", &new.limits, &old.limits),
    ];
    for (field, new, old) in lists {
        let has = |amounts: &Amounts, name: &String| {
            amounts.as_ref().is_some_and(|all| all.contains_key(name))
        };
        if old.iter().flatten().any(|(name, _)| !has(new, name)) {
            let detail = format!("resource {field} cannot be removed");
            errors.push(FieldError::forbidden(&path.child(field), &detail));
        }
    }
}

/// The container with CPU and memory as they were.
fn as_before(new: &Container, old: &Container) -> Container {
    let none = ResourceRequirements::default();
    let of_new = new.resources.as_ref().unwrap_or(&none);
    let of_old = old.resources.as_ref().unwrap_or(&none);
    let list = |new: &Amounts, old: &Amounts| -> Amounts {
        let mut all = new.clone().unwrap_or_default();
        all.retain(|name, _| !MUTABLE.contains(&name.as_str()));
        let own = old.iter().flatten();
        let own = own.filter(|(name, _)| MUTABLE.contains(&name.as_str()));
        all.extend(own.map(|(name, text)| (name.clone(), text.clone())));
        (!all.is_empty() || old.is_some()).then_some(all)
    };
    let resources = ResourceRequirements {
        limits: list(&of_new.limits, &of_old.limits),
        requests: list(&of_new.requests, &of_old.requests),
        claims: of_new.claims.clone(),
    };
    let is_absent = old.resources.is_none() && resources == none;
    Container {
        resources: (!is_absent).then_some(resources),
        ..new.clone()
    }
}
