//! The kinds that `kubectl api-resources` lists, and their names.

use std::sync::LazyLock;

use berth_base::sort::sort_by_key;
use berth_core::api::kinds::Kind;

pub use berth_core::api::kinds::KindInfo;

/// Events are built from the event log; the store holds none.
const EVENT: KindInfo = KindInfo {
    kind: "Event",
    plural: "events",
    singular: "event",
    short: &["ev"],
    api_version: "v1",
    namespaced: true,
    has_status: false,
    in_all: false,
    scales: false,
    template: None,
};

/// Every kind, sorted by group and plural as the API server lists them.
pub static KINDS: LazyLock<Vec<KindInfo>> = LazyLock::new(|| {
    let mut kinds: Vec<KindInfo> = Kind::ALL.iter().map(|kind| *kind.info()).collect();
    kinds.push(EVENT);
    sort_by_key(&mut kinds, |info| (info.group(), info.plural));
    kinds
});

/// The kinds that `kubectl get all` lists, in its order.
pub fn in_all() -> impl Iterator<Item = &'static KindInfo> {
    KINDS.iter().filter(|info| info.in_all)
}

/// The API server's warning about a deprecated kind.
pub fn deprecation(kind: &KindInfo) -> Option<&'static str> {
    (kind.kind == "Endpoints")
        .then_some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
}

/// A group, version and resource as Go prints them: `/v1, Resource=pods`.
pub fn version_and_resource(info: &KindInfo) -> String {
    let slash = if info.group().is_empty() { "/" } else { "" };
    format!("{slash}{}, Resource={}", info.api_version, info.plural)
}

/// The kind of a name: plural, singular, short or with its group (`deployments.apps`, `deployments.v1.apps`). Case is
/// ignored.
pub fn find(name: &str) -> Option<&'static KindInfo> {
    let name = name.to_ascii_lowercase();
    let (name, group) = match name.split_once('.') {
        Some((name, group)) => (name.to_owned(), Some(group.to_owned())),
        None => (name, None),
    };
    let group = group.as_deref();
    let is_named = |info: &&KindInfo| {
        info.plural == name || info.singular == name || info.short.contains(&name.as_str())
    };
    let fits = |info: &&KindInfo| {
        let Some(asked) = group else { return true };
        let version = info.api_version.rsplit('/').next().unwrap_or_default();
        let rest = asked.strip_prefix(version);
        asked == info.group() || rest.and_then(|it| it.strip_prefix('.')) == Some(info.group())
    };
    KINDS.iter().filter(is_named).find(fits)
}

/// The kind of this name in manifests.
pub fn of_kind(kind: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|info| info.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_every_name() {
        for name in [
            "deploy",
            "deployment",
            "Deployments",
            "deployments.apps",
            "deployment.v1.apps",
        ] {
            assert_eq!(
                find(name).map(|info| info.kind),
                Some("Deployment"),
                "{name}"
            );
        }
        assert_eq!(find("po").map(|info| info.kind), Some("Pod"));
        assert_eq!(find("deployments.batch"), None);
        assert_eq!(find("widgets"), None);
    }
}
