//! Rules of a Pod's spec that concern several fields.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::formats;
use super::super::read::{flag, has, list, text};
use super::super::{Site, Walk};
use crate::api::validation::{affinity, metadata, priority, resources, spread, tolerations};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_label_errors, dns_subdomain_errors, label_key};

const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_BYTES: usize = 2048;
const MAX_HOSTNAME_BYTES: usize = 64;

/// `validatePodResourceClaims`.
pub fn claims(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut names = BTreeSet::new();
    for (place, claim) in list(site.owner, "resourceClaims").iter().enumerate() {
        let path = site.path().index(place);
        let (name, own) = (text(claim, "name"), path.child("name"));
        if name.is_empty() {
            walk.required(&own, "");
        } else if !names.insert(name) {
            walk.errors.push(FieldError::duplicate(&own, name));
        } else {
            walk.invalid_each(&own, name, dns_label_errors(name));
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let shown = || {
            json!({"Name": name, "ResourceClaimName": claim.get(sources[0]),
                "ResourceClaimTemplateName": claim.get(sources[1])})
        };
        match sources.map(|source| has(claim, source)) {
            [true, true] => walk.invalid(
                &path,
                shown(),
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
            ),
            [false, false] => walk.invalid(
                &path,
                shown(),
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            ),
            _ => {}
        }
        for source in sources.into_iter().filter(|source| has(claim, source)) {
            let name = text(claim, source);
            walk.invalid_each(&path.child(source), name, dns_subdomain_errors(name));
        }
    }
}

pub fn resources(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(pod) = walk.pod {
        resources::pod_resources(&site.path(), pod.typed, walk.errors);
    }
}

/// On the host's network, host port and container port must be equal; an absent host port is defaulted.
pub fn host_network_ports(walk: &mut Walk<'_>, site: &Site<'_>) {
    if !flag(site.value, "hostNetwork") {
        return;
    }
    let containers = list(site.value, "containers").iter().enumerate();
    for (place, container) in containers {
        for (number, port) in list(container, "ports").iter().enumerate() {
            let host = port.get("hostPort").and_then(|it| it.as_i64()).unwrap_or(0);
            if host != 0 && Some(host) != port.get("containerPort").and_then(|it| it.as_i64()) {
                let path = site.path().child("containers").index(place);
                let path = path.child("ports").index(number).child("hostPort");
                let detail = "must match `containerPort` when `hostNetwork` is true";
                walk.invalid(&path, host, detail);
            }
        }
    }
}

pub fn labels(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(pod) = walk.pod {
        let selector = pod.typed.node_selector.as_ref();
        metadata::labels(&site.path(), selector, walk.errors);
    }
}

pub fn affinity(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    if let Some(terms) = &pod.typed.affinity {
        affinity::affinity(&site.path(), terms, pod.labels(), walk.errors);
    }
}

pub fn gates(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut seen = BTreeSet::new();
    for (place, gate) in list(site.owner, "schedulingGates").iter().enumerate() {
        let (path, name) = (site.path().index(place), text(gate, "name"));
        walk.errors.extend(label_key(&path, name));
        if !seen.insert(name) {
            walk.errors.push(FieldError::duplicate(&path, name));
        }
    }
}

pub fn spread(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let constraints = pod.typed.topology_spread_constraints.as_deref();
    let constraints = constraints.unwrap_or_default();
    spread::spread_constraints(&site.path(), constraints, pod.labels(), walk.errors);
}

pub fn tolerations(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(list) = walk.pod.and_then(|pod| pod.typed.tolerations.as_deref()) {
        tolerations::tolerations(&site.path(), list, walk.errors);
    }
}

pub fn preemption(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(pod) = walk.pod {
        let policy = pod.typed.preemption_policy.as_ref();
        priority::preemption_policy(site.here, policy, walk.errors);
    }
}

pub fn overhead(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(amounts) = walk.pod.and_then(|pod| pod.typed.overhead.as_ref()) {
        resources::overhead(&site.path(), amounts, walk.errors);
    }
}

/// `validatePodDNSConfig`.
pub fn dns_config(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("dnsConfig");
    let config = site.value.get("dnsConfig").filter(|it| !it.is_null());
    let servers = config.map_or(&[][..], |config| list(config, "nameservers"));
    if text(site.value, "dnsPolicy") == "None" {
        if config.is_none() {
            walk.required(&path, "must provide `dnsConfig` when `dnsPolicy` is None");
            return;
        }
        if servers.is_empty() {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            walk.required(&path.child("nameservers"), detail);
            return;
        }
    }
    let Some(config) = config else { return };
    let own = path.child("nameservers");
    if servers.len() > MAX_NAMESERVERS {
        walk.invalid(
            &own,
            servers.to_vec(),
            "must not have more than 3 nameservers",
        );
    }
    for (place, server) in servers.iter().enumerate() {
        let server = server.as_str().unwrap_or_default();
        walk.invalid_each(&own.index(place), server, formats::ip(server));
    }
    searches(walk, &path.child("searches"), list(config, "searches"));
    for (place, option) in list(config, "options").iter().enumerate() {
        if text(option, "name").is_empty() {
            let path = path.child("options").index(place);
            walk.required(&path, "must not be empty");
        }
    }
}

fn searches(walk: &mut Walk<'_>, path: &Path, searches: &[serde_json::Value]) {
    let texts: Vec<&str> = searches
        .iter()
        .map(|it| it.as_str().unwrap_or_default())
        .collect();
    if texts.len() > MAX_SEARCHES {
        walk.invalid(
            path,
            searches.to_vec(),
            "must not have more than 32 search paths",
        );
    }
    if texts.join(" ").len() > MAX_SEARCH_BYTES {
        let detail =
            "must not have more than 2048 characters (including spaces) in the search list";
        walk.invalid(path, searches.to_vec(), detail);
    }
    for (place, search) in texts.into_iter().enumerate().filter(|(_, it)| *it != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        walk.invalid_each(&path.index(place), search, formats::underscored(search));
    }
}

/// `validateHostUsers`.
pub fn host_users(walk: &mut Walk<'_>, site: &Site<'_>) {
    if site.value.get("hostUsers").and_then(|it| it.as_bool()) != Some(false) {
        return;
    }
    let Some(pod) = walk.pod else { return };
    let path = site.path();
    let detail = "when `hostUsers` is false";
    for (field, shown) in [
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ] {
        if flag(site.value, field) {
            walk.forbidden(&path.child(shown), detail);
        }
    }
    for (container, path) in pod.visit() {
        if !list(container, "volumeDevices").is_empty() {
            walk.forbidden(&path.child("volumeDevices"), detail);
        }
    }
}

/// `validatePodHostName`.
pub fn hostname_override(walk: &mut Walk<'_>, site: &Site<'_>) {
    if !has(site.value, "hostnameOverride") {
        return;
    }
    let (name, path) = (
        text(site.value, "hostnameOverride"),
        site.path().child("hostnameOverride"),
    );
    if flag(site.value, "setHostnameAsFQDN") {
        walk.forbidden(&path, "may not be specified when setHostnameAsFQDN is true");
    }
    if flag(site.value, "hostNetwork") {
        walk.forbidden(&path, "may not be specified when hostNetwork is true");
    }
    if name.len() > MAX_HOSTNAME_BYTES {
        walk.errors
            .push(FieldError::too_long(&path, MAX_HOSTNAME_BYTES));
    }
    walk.invalid_each(&path, name, dns_subdomain_errors(name));
}
