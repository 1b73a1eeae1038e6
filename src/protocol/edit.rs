//! Changes to the manifests, as gestures and fixes ask for them: by object and field, never by
//! position in the text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An object of the manifests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectRef {
    pub kind: String,
    /// Empty for kinds without one; a Pod that names none is in `default`.
    pub namespace: String,
    pub name: String,
}

/// One step on the way to a field: a key of a mapping, or a position in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathStep {
    Index(usize),
    Key(String),
}

/// One change to the manifests. What it does not name stays as it was written, comments included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Edit {
    /// Gives a field a value; mappings on the way there are made where they are missing.
    Set {
        object: ObjectRef,
        path: Vec<PathStep>,
        value: Value,
    },
    /// Adds to the end of a list, which is made where it is missing.
    Append {
        object: ObjectRef,
        path: Vec<PathStep>,
        value: Value,
    },
    /// Takes a field or a list's item away, and mappings and lists that it leaves empty.
    Remove {
        object: ObjectRef,
        path: Vec<PathStep>,
    },
    /// A new document at the end. Fields are written in the order that manifests usually have.
    Create { manifest: Value },
    /// Takes a document away.
    Delete { object: ObjectRef },
}
