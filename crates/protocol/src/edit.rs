//! Changes to the manifests, as gestures and fixes ask for them: by object and field, never by
//! position in the text.

use std::ops::Range;
use std::{fmt, io};

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An object of the manifests.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
pub struct ObjectRef {
    pub kind: String,
    /// Empty for kinds without one; a Pod that names none is in `default`.
    pub namespace: String,
    pub name: String,
}

/// One step on the way to a field: a key of a mapping, or a position in a list.
///
/// As JSON a string or a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum PathStep {
    Index(usize),
    Key(String),
}

/// One change to the manifests. What it does not name stays as it was written, comments included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Edit {
    /// Gives a field a value; mappings on the way there are made where they are missing.
    Set {
        object: ObjectRef,
        path: Vec<PathStep>,
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        value: Value,
    },
    /// Adds to the end of a list, which is made where it is missing.
    Append {
        object: ObjectRef,
        path: Vec<PathStep>,
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        value: Value,
    },
    /// Takes a field or a list's item away, and mappings and lists that it leaves empty.
    Remove {
        object: ObjectRef,
        path: Vec<PathStep>,
    },
    /// A new document at the end. Fields are written in the order that manifests usually have.
    Create {
        #[borsh(serialize_with = "write_json", deserialize_with = "read_json")]
        manifest: Value,
    },
    /// Takes a document away.
    Delete { object: ObjectRef },
    /// In a simulated cluster, deletes the object and creates it again from its manifest, as
    /// `kubectl replace --force` does: for fields that cannot be updated. The manifests stay as
    /// they are.
    Replace { object: ObjectRef },
}

impl Edit {
    /// The object that it names; `None` for a new one.
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

/// Any value travels as JSON: Borsh has no form for it.
fn write_json(value: &Value, writer: &mut impl io::Write) -> io::Result<()> {
    BorshSerialize::serialize(&value.to_string(), writer)
}

fn read_json(reader: &mut impl io::Read) -> io::Result<Value> {
    let text = String::deserialize_reader(reader)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}

/// Bytes of a file's text, and what to put in their place.
///
/// The changes of one edit do not overlap, and are sorted by file and range. All their ranges are
/// of the text before the edit, so that an editor can take them as one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Change {
    /// Position of the file among the sources.
    pub file: usize,
    /// Bytes of the old text (UTF-8); empty where text is only put in.
    pub range: Range<usize>,
    pub text: String,
}

/// Why an edit was refused; nothing was changed then.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct EditError {
    /// The file it is about; empty if it is about none.
    pub file: String,
    /// From 1; 0 if it is about no line.
    pub line: u32,
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl EditError {
    /// An error about no line in particular.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.file, self.line)?;
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for EditError {}
