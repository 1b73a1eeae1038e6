//! Edits of the manifests, as gestures and fixes request them: by object and field, never by position in
//! the text.

use std::ops::Range;
use std::{fmt, io};

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::remark::Remark;

/// An object of the manifests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct ObjectRef {
    pub kind: String,
    /// Empty for cluster-scoped kinds; for others, empty means `default`.
    pub namespace: String,
    pub name: String,
}

impl ObjectRef {
    pub fn new(
        kind: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        ObjectRef {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    pub fn node(name: impl Into<String>) -> Self {
        Self::new("Node", "", name)
    }

    /// The namespace of a namespaced object.
    pub fn namespace_or_default(&self) -> &str {
        match self.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        }
    }
}

/// One step of the path to a field: a key of a mapping or an index into a list.
///
/// In JSON, a string or a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum PathStep {
    Index(usize),
    Key(String),
}

/// One edit of the manifests. Everything that it does not name stays as written, including comments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Edit {
    /// Sets a field; missing mappings on its path are created.
    Set {
        object: ObjectRef,
        path: Vec<PathStep>,
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        value: Value,
    },
    /// Appends to a list, which is created if it is missing.
    Append {
        object: ObjectRef,
        path: Vec<PathStep>,
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        value: Value,
    },
    /// Removes a field or an item of a list, and the mappings and lists that this leaves empty.
    Remove {
        object: ObjectRef,
        path: Vec<PathStep>,
    },
    /// Adds a document at the end, with its fields in the usual order.
    Create {
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        manifest: Value,
    },
    /// Deletes a document.
    Delete { object: ObjectRef },
    /// In a simulated cluster, deletes the object and recreates it from its manifest, as
    /// `kubectl replace --force` does: for immutable fields. The claims made from a ResourceClaimTemplate that
    /// are not allocated are replaced with it. Does not change the manifests.
    Replace { object: ObjectRef },
}

impl Edit {
    /// The edited object; `None` for a new one.
    pub fn object(&self) -> Option<&ObjectRef> {
        match self {
            Self::Set { object, .. }
            | Self::Append { object, .. }
            | Self::Remove { object, .. }
            | Self::Delete { object }
            | Self::Replace { object } => Some(object),
            Self::Create { .. } => None,
        }
    }
}

/// Serializes a value as JSON text, because Borsh has no representation of it.
fn write_json(value: &Value, writer: &mut impl io::Write) -> io::Result<()> {
    BorshSerialize::serialize(&value.to_string(), writer)
}

fn read_json(reader: &mut impl io::Read) -> io::Result<Value> {
    let text = String::deserialize_reader(reader)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}

/// A range of a file's text and its replacement.
///
/// The changes of one edit do not overlap and are sorted by file and range. All ranges refer to the
/// text before the edit, so that an editor can apply them as one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Change {
    /// Index of the file among the sources.
    pub file: usize,
    /// Bytes of the old text (UTF-8); empty for a pure insertion.
    pub range: Range<usize>,
    pub text: String,
}

/// Why an edit was refused. A refused edit changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct EditError {
    /// The file that the error concerns; empty if none.
    pub file: String,
    /// From 1; 0 if the error concerns no line.
    pub line: u32,
    pub message: Remark,
    /// How to fix it; may be empty.
    pub help: Remark,
}

impl EditError {
    /// An error that concerns no particular line.
    pub fn new(message: Remark, help: Remark) -> Self {
        Self {
            message,
            help,
            ..Self::default()
        }
    }

    /// The error with its place and its advice.
    pub fn remark(&self) -> Remark {
        let message = self.message.clone();
        let message = match self.line {
            0 => message,
            line => Remark::located(&self.file, line, message),
        };
        match self.help.is_empty() {
            true => message,
            false => Remark::advised(message, self.help.clone()),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.remark().fmt(f)
    }
}

impl std::error::Error for EditError {}
