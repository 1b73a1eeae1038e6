//! Looks up the type of a document by its `apiVersion` and `kind`.

use serde_json::Value;

use super::convert::is_served;
use crate::api::decode::{Finding, decode};
use crate::api::kinds::Kind;
use crate::api::object::Manifest;
use crate::api::{scenario, script};

/// Kinds of documents that are not API objects, with their only `apiVersion`.
const DOCUMENTS: [(&str, &str); 3] = [
    (
        "KubeSchedulerConfiguration",
        "kubescheduler.config.k8s.io/v1",
    ),
    ("Scenario", scenario::API_VERSION),
    ("Script", script::API_VERSION),
];

/// Further groups that Berth reads: one that Kubernetes no longer serves, and those of [`DOCUMENTS`].
const MORE_GROUPS: [&str; 4] = [
    "extensions",
    "kubescheduler.config.k8s.io",
    "berth.dev",
    "conformance",
];

/// The result of looking up an `apiVersion` and a `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The kind is read.
    Known,
    /// The kind is read in this other `apiVersion`.
    InVersion(&'static str),
    /// The kind is not read.
    Nothing,
}

pub(super) fn lookup(api_version: &str, kind: &str) -> Meaning {
    match api_version_of(kind) {
        None => Meaning::Nothing,
        Some(version) if version == api_version || is_served(kind, api_version) => Meaning::Known,
        Some(version) if is_own_version(api_version) => Meaning::InVersion(version),
        Some(_) => Meaning::Nothing,
    }
}

/// Whether Berth reads kinds of the group of an `apiVersion`.
pub(super) fn is_own_version(api_version: &str) -> bool {
    let group = api_version.split_once('/').map(|(group, _)| group);
    group.is_none_or(is_own_group)
}

/// Whether Berth reads kinds of a group. A kind of a foreign group only shares the name:
/// `serving.knative.dev/v1` has a `Service` too, which is ignored.
fn is_own_group(group: &str) -> bool {
    MORE_GROUPS.contains(&group) || Kind::ALL.iter().any(|kind| kind.info().group() == group)
}

/// Whether Berth reads documents of this kind that are not API objects.
pub fn is_document(kind: &str) -> bool {
    DOCUMENTS.iter().any(|(name, _)| *name == kind)
}

/// All kinds that are read, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let kinds = Kind::ALL.iter().map(|kind| kind.info().kind);
    kinds.chain(DOCUMENTS.iter().map(|(kind, _)| *kind))
}

/// The `apiVersion` of a kind that is read.
pub(super) fn api_version_of(kind: &str) -> Option<&'static str> {
    if let Some(kind) = Kind::of_name(kind) {
        return Some(kind.info().api_version);
    }
    let document = DOCUMENTS.iter().find(|(name, _)| *name == kind);
    document.map(|(_, version)| *version)
}

/// Decodes a document of a kind that is read.
pub(super) fn decode_kind(name: &str, value: Value) -> (Option<Manifest>, Vec<Finding>) {
    if let Some(kind) = Kind::of_name(name) {
        return Manifest::decode(kind, &value);
    }
    match name {
        "Scenario" => {
            let (scenario, findings) = decode(&value);
            (scenario.map(Manifest::Scenario), findings)
        }
        "KubeSchedulerConfiguration" => {
            let configuration = Manifest::SchedulerConfiguration(Box::new(value));
            (Some(configuration), Vec::new())
        }
        "Script" => (Some(Manifest::Script(Box::new(value))), Vec::new()),
        _ => (None, Vec::new()),
    }
}
