//! Containers, init containers and ephemeral containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::read::{has, list, number, text};
use super::super::{Site, Walk};
use crate::api::validation::{pod as ports, resources as amounts};
use berth_scheduler::field::{FieldError, Path};

const NO_SIDECAR: &str = "may not be set for init containers without restartPolicy=Always";
const RESTARTS: [&str; 3] = ["Always", "Never", "OnFailure"];
const ACTIONS: [&str; 2] = ["Restart", "RestartAllContainers"];
const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const RESIZED: [&str; 2] = ["cpu", "memory"];
const POLICIES: [&str; 2] = ["NotRequired", "RestartContainer"];

/// Applies the rules that all containers share.
fn common(walk: &mut Walk<'_>, field: &'static str, place: usize, container: &Value, path: &Path) {
    if let Some(pod) = walk.pod {
        *pod.container.borrow_mut() = (field, place);
    }
    walk.structure("Container", container, path);
}

/// `validateContainers`.
pub fn main(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("containers");
    let containers = list(site.value, "containers");
    if containers.is_empty() {
        walk.required(&path, "");
        return;
    }
    let mut names = BTreeSet::new();
    for (place, container) in containers.iter().enumerate() {
        let path = path.index(place);
        common(walk, "containers", place, container, &path);
        unique(walk, &mut names, container, &path);
        running(walk, container, &path);
        restart(walk, container, &path);
    }
    if containers.iter().any(|container| has(container, "ports")) {
        host_port_conflicts(walk, &path, containers);
    }
}

/// Reports a container's name that another one has.
fn unique<'v>(
    walk: &mut Walk<'_>,
    names: &mut BTreeSet<&'v str>,
    container: &'v Value,
    path: &Path,
) {
    let name = text(container, "name");
    if !names.insert(name) {
        walk.errors
            .push(FieldError::duplicate(&path.child("name"), name));
    }
}

/// The hooks and probes of a container that keeps running.
fn running(walk: &mut Walk<'_>, container: &Value, path: &Path) {
    for (field, kind) in [
        ("lifecycle", "Lifecycle"),
        ("livenessProbe", "LivenessProbe"),
        ("readinessProbe", "ReadinessProbe"),
        ("startupProbe", "LivenessProbe"),
    ] {
        if let Some(own) = container.get(field).filter(|it| !it.is_null()) {
            walk.structure(kind, own, &path.child(field));
        }
    }
}

/// `validateContainerRestartPolicy`. A release without these fields has dropped them before.
fn restart(walk: &mut Walk<'_>, container: &Value, path: &Path) {
    let (policy, rules) = (
        path.child("restartPolicy"),
        list(container, "restartPolicyRules"),
    );
    let one_of = |walk: &mut Walk<'_>, path: &Path, word: &str, words: &[&str]| {
        if !words.contains(&word) {
            let error = FieldError::not_supported(path, word, words);
            walk.errors.push(error);
        }
    };
    if has(container, "restartPolicy") {
        one_of(walk, &policy, text(container, "restartPolicy"), &RESTARTS);
    } else if !rules.is_empty() {
        walk.required(
            &policy,
            "must specify restartPolicy when restart rules are used",
        );
    }
    let path = path.child("restartPolicyRules");
    if rules.len() > MAX_RULES {
        let error = FieldError::too_many(&path, rules.len(), MAX_RULES);
        walk.errors.push(error);
    }
    for (place, rule) in rules.iter().enumerate() {
        let path = path.index(place);
        one_of(walk, &path.child("action"), text(rule, "action"), &ACTIONS);
        let path = path.child("exitCodes");
        let Some(codes) = rule.get("exitCodes").filter(|it| !it.is_null()) else {
            walk.required(&path, "must be specified");
            continue;
        };
        let operator = text(codes, "operator");
        one_of(walk, &path.child("operator"), operator, &["In", "NotIn"]);
        let count = list(codes, "values").len();
        if count > MAX_EXIT_CODES {
            let path = path.child("values");
            let error = FieldError::too_many(&path, count, MAX_EXIT_CODES);
            walk.errors.push(error);
        }
    }
}

/// `validateInitContainers`.
pub fn init(walk: &mut Walk<'_>, site: &Site<'_>) {
    let list_path = site.path().child("initContainers");
    let main = list(site.value, "containers").iter();
    let mut names: BTreeSet<&str> = main.map(|container| text(container, "name")).collect();
    for (place, container) in list(site.value, "initContainers").iter().enumerate() {
        let path = list_path.index(place);
        common(walk, "initContainers", place, container, &path);
        restart(walk, container, &path);
        let name = text(container, "name");
        if names.contains(name) {
            walk.errors
                .push(FieldError::duplicate(&path.child("name"), name));
        } else if !name.is_empty() {
            names.insert(name);
        }
        // Init containers run one at a time, so their ports conflict only within one container.
        host_port_conflicts(walk, &list_path, std::slice::from_ref(container));
        if text(container, "restartPolicy") == "Always" {
            running(walk, container, &path);
            continue;
        }
        for field in [
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
        ] {
            if has(container, field) {
                walk.forbidden(&path.child(field), NO_SIDECAR);
            }
        }
        for (number, policy) in list(container, "resizePolicy").iter().enumerate() {
            let restart = text(policy, "restartPolicy");
            if restart == POLICIES[1] {
                let path = path
                    .child("resizePolicy")
                    .index(number)
                    .child("restartPolicy");
                let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
                walk.invalid(&path, restart, detail);
            }
        }
    }
}

/// `validateEphemeralContainers`, without what cannot be set on creation.
pub fn ephemeral(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("ephemeralContainers");
    let lists = ["containers", "initContainers"].into_iter();
    let others = lists.flat_map(|field| list(site.value, field));
    let others: BTreeSet<&str> = others.map(|container| text(container, "name")).collect();
    let mut names = others.clone();
    for (place, container) in list(site.value, "ephemeralContainers").iter().enumerate() {
        let path = path.index(place);
        common(walk, "ephemeralContainers", place, container, &path);
        unique(walk, &mut names, container, &path);
        let target = text(container, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            let path = path.child("targetContainerName");
            walk.errors.push(FieldError::not_found(&path, target));
        }
    }
}

/// `validateContainerPorts`.
pub fn ports(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut names = BTreeSet::new();
    for (place, port) in list(site.owner, "ports").iter().enumerate() {
        let path = site.path().index(place);
        let name = text(port, "name");
        if !name.is_empty() && ports::port_name_errors(name).is_empty() && !names.insert(name) {
            walk.errors
                .push(FieldError::duplicate(&path.child("name"), name));
        }
        walk.structure("ContainerPort", port, &path);
    }
}

pub fn host_port(walk: &mut Walk<'_>, site: &Site<'_>) {
    let port = site
        .value
        .as_i64()
        .and_then(|port| i32::try_from(port).ok());
    if let Some(port) = port.filter(|port| *port != 0) {
        ports::port_number(&site.path(), port, walk.errors);
    }
}

/// Reports host ports that two ports of the containers share, including protocol and address.
fn host_port_conflicts(walk: &mut Walk<'_>, path: &Path, containers: &[Value]) {
    let mut taken = BTreeSet::new();
    for (i, container) in containers.iter().enumerate() {
        for (j, port) in list(container, "ports").iter().enumerate() {
            let Some(number) = number(port, "hostPort").filter(|number| *number != 0) else {
                continue;
            };
            let protocol = match text(port, "protocol") {
                "" => "TCP",
                protocol => protocol,
            };
            let key = format!("{protocol}/{}/{number}", text(port, "hostIP"));
            if !taken.insert(key.clone()) {
                let path = path.index(i).child("ports").index(j).child("hostPort");
                walk.errors.push(FieldError::duplicate(&path, key));
            }
        }
    }
}

/// `ValidateContainerResourceRequirements`.
pub fn resources(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let path = site.path();
    if let Some(resources) = pod.typed_container().and_then(|own| own.resources.as_ref()) {
        amounts::container_resources(&path, resources, walk.errors);
    }
    claim_names(walk, &path.child("claims"), list(site.value, "claims"));
}

/// `validateResourceClaimNames`.
fn claim_names(walk: &mut Walk<'_>, path: &Path, claims: &[Value]) {
    let Some(pod) = walk.pod else { return };
    let known = pod.claims();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (place, claim) in claims.iter().enumerate() {
        let path = path.index(place);
        let (name, request) = (text(claim, "name"), text(claim, "request"));
        if name.is_empty() {
            walk.required(&path, "");
            continue;
        }
        if names.contains(name) {
            walk.errors.push(FieldError::duplicate(&path, name));
        } else {
            let mut key = name.to_owned();
            if !request.is_empty() {
                let details = berth_scheduler::names::dns_label_errors(request);
                walk.invalid_each(&path.child("request"), request, details);
                key = format!("{name}/{request}");
            }
            let of_claim = format!("{name}/");
            if names.contains(&key) {
                walk.errors.push(FieldError::duplicate(&path, key.as_str()));
            } else if request.is_empty() {
                for _ in names.iter().filter(|key| key.starts_with(&of_claim)) {
                    walk.errors.push(FieldError::duplicate(&path, name));
                }
            }
            names.insert(key);
        }
        if !known.contains(name) {
            let all: Vec<&str> = known.iter().copied().collect();
            let detail = match all.as_slice() {
                [] => {
                    "must be one of the names in pod.spec.resourceClaims which is empty".to_owned()
                }
                all => format!(
                    "must be one of the names in pod.spec.resourceClaims: {}",
                    all.join(", ")
                ),
            };
            let error = FieldError::not_found_because(&path, name, &detail);
            walk.errors.push(error);
        }
    }
}

/// `validateResizePolicy`.
pub fn resize_policy(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let never = walk.pod.is_some_and(|pod| pod.restart_policy() == "Never");
    let mut seen = BTreeSet::new();
    for (place, policy) in list(site.owner, "resizePolicy").iter().enumerate() {
        let (resource, restart) = (text(policy, "resourceName"), text(policy, "restartPolicy"));
        if !seen.insert(resource) {
            walk.errors
                .push(FieldError::duplicate(&path.index(place), resource));
        }
        for (word, supported) in [(resource, &RESIZED), (restart, &POLICIES)] {
            if word.is_empty() {
                walk.required(&path, "");
            } else if !supported.contains(&word) {
                walk.errors
                    .push(FieldError::not_supported(&path, word, supported));
            }
        }
        if never && restart != POLICIES[0] {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            walk.invalid(&path, restart, detail);
        }
    }
}
