//! Nodes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Column, Table, age, columns, name};
use crate::printers::fields::{Fields, condition, or_none, scalar};

const COLUMNS: &[Column] = columns![
    "NAME" "STATUS" "ROLES" "AGE" "VERSION" wide "INTERNAL-IP" wide "EXTERNAL-IP" wide "OS-IMAGE"
    wide "KERNEL-VERSION" wide "CONTAINER-RUNTIME"
];

pub(crate) const TABLE: Table = Table {
    columns: COLUMNS,
    row,
};

fn row(node: &Value, now_ms: i64) -> Vec<String> {
    let info = |field: &str| match node.at("status.nodeInfo").text(field) {
        "" => "<unknown>".to_owned(),
        text => text.to_owned(),
    };
    vec![
        name(node),
        status(node),
        or_none(roles(node)),
        age(node, now_ms),
        node.text("status.nodeInfo.kubeletVersion").to_owned(),
        address(node, "InternalIP"),
        address(node, "ExternalIP"),
        info("osImage"),
        info("kernelVersion"),
        info("containerRuntimeVersion"),
    ]
}

fn status(node: &Value) -> String {
    let word = match condition(node, "Ready").text("status") {
        "True" => "Ready",
        "" => "Unknown",
        _ => "NotReady",
    };
    let cordoned = if node.is_true("spec.unschedulable") {
        ",SchedulingDisabled"
    } else {
        ""
    };
    format!("{word}{cordoned}")
}

fn address(node: &Value, kind: &str) -> String {
    let mut addresses = node
        .items("status.addresses")
        .iter()
        .filter(|address| address.text("type") == kind);
    or_none(
        addresses
            .next()
            .map_or("", |address| address.text("address")),
    )
}

/// The roles in a node's labels, separated by commas; empty if there are none.
pub(crate) fn roles(node: &Value) -> String {
    let mut roles: BTreeSet<String> = BTreeSet::new();
    for (key, value) in node.entries("metadata.labels") {
        let role = match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => role.to_owned(),
            None if key == "kubernetes.io/role" => scalar(value),
            None => continue,
        };
        if !role.is_empty() {
            roles.insert(role);
        }
    }
    let roles: Vec<_> = roles.into_iter().collect();
    roles.join(",")
}
