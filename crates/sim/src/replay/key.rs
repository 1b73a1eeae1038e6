//! Names of objects as scripts and recordings write them.

use berth_core::api::kinds::Kind;
use berth_core::api::object::Manifest;

/// Kind, namespace (empty for cluster-scoped kinds) and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectKey {
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

impl ObjectKey {
    /// A missing namespace is `default`.
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        let namespace = match namespace {
            _ if Kind::of_name(kind).is_some_and(|kind| !kind.info().namespaced) => "",
            "" => "default",
            given => given,
        };
        Self {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// The key of an object; `None` for Berth's own documents.
    pub fn of(object: &Manifest) -> Option<Self> {
        let (kind, meta) = object.object()?;
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let name = meta.name.as_deref().unwrap_or_default();
        Some(Self::new(kind.info().kind, namespace, name))
    }

    /// `Pod default/web`, `Node n1`.
    pub fn text(&self) -> String {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        if namespace.is_empty() {
            format!("{kind} {name}")
        } else {
            format!("{kind} {namespace}/{name}")
        }
    }
}
