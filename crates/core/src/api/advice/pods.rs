//! Warnings about Pods and their templates (`warningsForPodSpecAndMeta`), beyond deprecated labels.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::api::rules::read::{at, has, list, number, text};
use berth_base::quantity::Quantity;
use berth_scheduler::names::label_value_errors;

const DEPRECATED_VOLUMES: [(&str, &str, &str); 9] = [
    (
        "photonPersistentDisk",
        "",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    (
        "gitRepo",
        "",
        "deprecated in v1.11, and disabled by default in v1.33+",
    ),
    (
        "scaleIO",
        "",
        "deprecated in v1.16, non-functional in v1.22+",
    ),
    (
        "flocker",
        "",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "storageos",
        "storageOS",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "quobyte",
        "",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "glusterfs",
        "",
        "deprecated in v1.25, non-functional in v1.26+",
    ),
    (
        "cephfs",
        "",
        "deprecated in v1.28, non-functional in v1.31+",
    ),
    ("rbd", "", "deprecated in v1.28, non-functional in v1.31+"),
];

/// A quantity of bytes that is no whole number.
pub(super) fn fractional(list: Option<&Value>, name: &str, path: &str, found: &mut Vec<String>) {
    let amount = list.and_then(|list| list.get(name)).and_then(Value::as_str);
    let amount = amount.and_then(|text| Quantity::parse(text).ok());
    // What has no exact number of thousandths is whole.
    let is_part =
        |amount: &Quantity| amount.milli_value() % 1000 != 0 && amount.milli_value() < i64::MAX;
    if let Some(amount) = amount.filter(is_part) {
        found.push(format!(
            "{path}[{name}]: fractional byte value {:?} is invalid, must be an integer",
            amount.to_string()
        ));
    }
}

/// Volumes of deprecated types, and projected volumes without sources.
pub(super) fn volumes(spec: &Value, path: &str, found: &mut Vec<String>) {
    let volumes = list(spec, "volumes");
    for (place, volume) in volumes.iter().enumerate() {
        for (field, shown, why) in DEPRECATED_VOLUMES {
            if has(volume, field) {
                let shown = if shown.is_empty() { field } else { shown };
                found.push(format!("{path}spec.volumes[{place}].{shown}: {why}"));
            }
        }
        if let Some(claim) = volume.pointer("/ephemeral/volumeClaimTemplate/spec") {
            let at = format!("{path}spec.volumes[{place}].ephemeral.volumeClaimTemplate.spec");
            claim_spec(claim, &at, found);
        }
    }
    for volume in volumes {
        let Some(projected) = at(volume, "projected") else {
            continue;
        };
        let sources = ["secret", "configMap", "downwardAPI", "serviceAccountToken"];
        for source in list(projected, "sources") {
            if sources.iter().all(|field| !has(source, field)) {
                let name = text(volume, "name");
                found.push(format!(
                    "volume {name:?} (Projected) has no sources provided"
                ));
            }
        }
    }
}

/// The size of a claim.
pub(super) fn claim_spec(spec: &Value, path: &str, found: &mut Vec<String>) {
    for field in ["requests", "limits"] {
        let list = spec.get("resources").and_then(|it| it.get(field));
        fractional(list, "storage", &format!("{path}.resources.{field}"), found);
    }
}

/// Entries that are there twice, and secrets without a name.
pub(super) fn repeated(spec: &Value, path: &str, found: &mut Vec<String>) {
    for (list_of, field, what) in [
        ("hostAliases", "ip", "ip"),
        ("imagePullSecrets", "name", "name"),
    ] {
        let mut seen = BTreeSet::new();
        for (place, item) in list(spec, list_of).iter().enumerate() {
            let own = text(item, field);
            if !seen.insert(own) {
                found.push(format!(
                    "{path}spec.{list_of}[{place}].{field}: duplicate {what} {own:?}"
                ));
            }
        }
    }
    for (place, secret) in list(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            found.push(format!(
                "{path}spec.imagePullSecrets[{place}].name: invalid empty name \"\""
            ));
        }
    }
    for name in ["memory", "ephemeral-storage"] {
        fractional(
            spec.get("overhead"),
            name,
            &format!("{path}spec.overhead"),
            found,
        );
    }
}

/// All containers with their paths.
fn visit<'a>(spec: &'a Value, path: &'a str) -> impl Iterator<Item = (&'a Value, String)> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    lists.into_iter().flat_map(move |field| {
        let items = list(spec, field).iter().enumerate();
        items.map(move |(place, it)| (it, format!("{path}spec.{field}[{place}]")))
    })
}

/// Amounts and variables of containers.
pub(super) fn containers(spec: &Value, path: &str, found: &mut Vec<String>) {
    for (container, path) in visit(spec, path) {
        for name in ["memory", "ephemeral-storage"] {
            for field in ["limits", "requests"] {
                let list = container.get("resources").and_then(|it| it.get(field));
                fractional(list, name, &format!("{path}.resources.{field}"), found);
            }
        }
        let mut seen = BTreeSet::new();
        for (place, variable) in list(container, "env").iter().enumerate() {
            let (name, value) = (text(variable, "name"), text(variable, "value"));
            let reference = format!("$({name})");
            let hides =
                has(variable, "valueFrom") || value == reference || !value.contains(&reference);
            if !seen.insert(name) && hides {
                found.push(format!("{path}.env[{place}]: hides previous definition of {name:?}, which may be dropped when using apply"));
            }
        }
    }
}

/// The path of a port, its host's address and its port there.
type Holding<'a> = (String, &'a str, i64);

/// Ports that other containers of the Pod have as well.
pub(super) fn ports(spec: &Value, path: &str, found: &mut Vec<String>) {
    let mut known: BTreeMap<(i64, &str), Vec<Holding<'_>>> = BTreeMap::new();
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut doubled = Vec::new();
    for (container, path) in visit(spec, path) {
        for (place, port) in list(container, "ports").iter().enumerate() {
            let path = format!("{path}.ports[{place}]");
            let (ip, host) = (text(port, "hostIP"), number(port, "hostPort").unwrap_or(0));
            let key = (
                number(port, "containerPort").unwrap_or(0),
                text(port, "protocol"),
            );
            let others = known.entry(key).or_default();
            for (other, its_ip, its_host) in others.iter() {
                let how = if ip == *its_ip && host == *its_host {
                    "duplicate"
                } else if host == 0 || *its_host == 0 {
                    "overlapping"
                } else if host == *its_host && ip.is_empty() != its_ip.is_empty() {
                    "dangerously ambiguous"
                } else {
                    continue;
                };
                found.push(format!("{path}: {how} port definition with {other}"));
            }
            others.push((path.clone(), ip, host));
            let name = text(port, "name");
            match names.get(name) {
                _ if name.is_empty() => {}
                Some(other) => doubled.push(format!("{path}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}")),
                None => {
                    names.insert(name, path);
                }
            }
        }
    }
    found.extend(doubled);
}

/// A negative grace period, and affinity that selects nothing.
pub(super) fn closing(spec: &Value, path: &str, found: &mut Vec<String>) {
    if number(spec, "terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        found.push(format!("{path}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(terms) = spec.get("affinity").and_then(|it| at(it, kind)) else {
            continue;
        };
        for (field, within) in [(required, ""), (preferred, "podAffinityTerm")] {
            for (place, term) in list(terms, field).iter().enumerate() {
                let (term, within) = match within {
                    "" => (Some(term), String::new()),
                    within => (at(term, within), format!(".{within}")),
                };
                if !term.is_some_and(|term| has(term, "labelSelector")) {
                    found.push(format!("{path}spec.affinity.{kind}.{field}[{place}]{within}.labelSelector: a null labelSelector results in matching no pod"));
                }
            }
        }
    }
}

/// Values of a preference that no label can have.
pub(super) fn values(expression: &Value, path: &str, found: &mut Vec<String>) {
    for (place, value) in list(expression, "values").iter().enumerate() {
        let value = value.as_str().unwrap_or_default();
        for detail in label_value_errors(value) {
            found.push(format!(
                "{path}.values[{place}]: {value} is invalid, {detail}"
            ));
        }
    }
}
