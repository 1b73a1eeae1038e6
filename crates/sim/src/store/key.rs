//! The key of an object among those of its kind.

use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{name_of, namespace_of};

/// Separates the two parts. It sorts before all characters of names, so that keys are in the order of namespaces.
const SEPARATOR: char = '\0';

/// Namespace (empty for cluster-scoped kinds) and name of an object.
///
/// Stored as one shared string: keys are looked up, compared and copied very often, and a copy is a pointer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    text: Arc<str>,
    /// Where the name begins.
    name_at: usize,
}

impl Key {
    pub fn new(namespace: impl AsRef<str>, name: impl AsRef<str>) -> Self {
        let (namespace, name) = (namespace.as_ref(), name.as_ref());
        let name_at = namespace.len() + SEPARATOR.len_utf8();
        let mut text = String::with_capacity(name_at + name.len());
        text.push_str(namespace);
        text.push(SEPARATOR);
        text.push_str(name);
        Key {
            text: text.into(),
            name_at,
        }
    }

    /// The key of an object with this metadata.
    pub fn of(meta: &ObjectMeta) -> Self {
        Key::new(namespace_of(meta), name_of(meta))
    }

    /// The namespace; empty for cluster-scoped kinds.
    pub fn namespace(&self) -> &str {
        let end = self.name_at.saturating_sub(SEPARATOR.len_utf8());
        self.text.get(..end).unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        self.text.get(self.name_at..).unwrap_or_default()
    }
}

impl Default for Key {
    /// The key without names, the only key of some queues.
    fn default() -> Self {
        Key::new("", "")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("namespace", &self.namespace())
            .field("name", &self.name())
            .finish()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace().is_empty() {
            f.write_str(self.name())
        } else {
            write!(f, "{}/{}", self.namespace(), self.name())
        }
    }
}
