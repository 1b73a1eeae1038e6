//! What the checks read of a Pod.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Violation;
use crate::api::rules::read::{list, text};

/// A Pod or a template.
pub(super) struct Subject<'a> {
    pub metadata: &'a Value,
    pub spec: &'a Value,
    /// The minor version whose checks hold.
    pub minor: u32,
}

/// Who sets something: the Pod itself, and containers.
pub(super) struct Setters<'a> {
    pub pod: bool,
    pub containers: Vec<&'a str>,
}

impl Setters<'_> {
    pub fn is_none(&self) -> bool {
        !self.pod && self.containers.is_empty()
    }

    /// `pod and containers "a", "b"`
    pub fn named(&self) -> String {
        let pod = self.pod.then(|| "pod".to_owned());
        let all = pod.into_iter().chain(containers(&self.containers));
        all.collect::<Vec<_>>().join(" and ")
    }
}

impl<'a> Subject<'a> {
    /// All containers, with their names.
    pub fn containers(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let spec = self.spec;
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let all = lists.into_iter().flat_map(move |field| list(spec, field));
        all.map(|container| (text(container, "name"), container))
    }

    /// The names of the containers of which something is true.
    pub fn named(&self, mut is_so: impl FnMut(&'a Value) -> bool) -> Vec<&'a str> {
        let all = self.containers().filter(|(_, container)| is_so(container));
        all.map(|(name, _)| name).collect()
    }

    /// Whether something is true of the security context of the Pod, and of which containers.
    pub fn setters(&self, mut is_so: impl FnMut(&'a Value) -> bool) -> Setters<'a> {
        let pod = security(self.spec).is_some_and(&mut is_so);
        let containers = self.named(|it| security(it).is_some_and(&mut is_so));
        Setters { pod, containers }
    }

    /// Whether the Pod has its own user namespace, which newer versions take for enough.
    pub fn is_relaxed(&self) -> bool {
        self.minor >= 35 && self.spec.get("hostUsers").and_then(Value::as_bool) == Some(false)
    }

    /// Whether a Windows Pod needs no answer.
    pub fn is_windows(&self) -> bool {
        let os = self.spec.pointer("/os/name").and_then(Value::as_str);
        self.minor >= 25 && os == Some("windows")
    }

    /// The annotations whose keys begin so.
    pub fn annotations(&self, prefix: &str) -> Vec<(&'a str, &'a str)> {
        let all = self.metadata.get("annotations").and_then(Value::as_object);
        let all = all.into_iter().flatten();
        let found = all.filter(|(key, _)| key.starts_with(prefix));
        found
            .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
            .collect()
    }
}

/// The security context of a Pod's spec or a container.
pub(super) fn security(owner: &Value) -> Option<&Value> {
    owner.get("securityContext").filter(|it| !it.is_null())
}

/// `container "a"`, `containers "a", "b"`; none of no container.
pub(super) fn containers(names: &[&str]) -> Option<String> {
    (!names.is_empty()).then(|| {
        let noun = plural(names.len(), "container", "containers");
        format!("{noun} {}", quoted(names))
    })
}

/// `"a", "b"`
pub(super) fn quoted(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items = items.into_iter().map(|it| format!("\"{}\"", it.as_ref()));
    items.collect::<Vec<_>>().join(", ")
}

pub(super) fn plural<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

pub(super) fn violation(reason: &str, detail: String) -> Option<Violation> {
    Some(Violation {
        reason: reason.to_owned(),
        detail,
    })
}

/// The texts that a closure collects, sorted.
pub(super) type Found = BTreeSet<String>;
