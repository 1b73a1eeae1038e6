//! Output and requests of the terminal.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Maximum bytes of a line's output; later output is dropped.
const OUTPUT_BYTES: usize = 200_000;

/// The result of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Printed {
    pub line: String,
    /// In the order in which it was printed.
    pub parts: Vec<Part>,
    /// The exit code.
    pub code: i32,
    /// The text to open in an editor, if any.
    pub open: Option<OpenRequest>,
    /// The line is incomplete: nothing has run yet, and the next line continues it.
    pub goes_on: bool,
    /// The line that ends the here-document of an incomplete line.
    pub document_end: Option<String>,
    /// The line is suspended; this is its output so far.
    pub waits: bool,
    /// Whether the line changed the cluster.
    pub changed: bool,
    /// Milliseconds of the cluster's time since the line began.
    pub passed_ms: i64,
}

/// A part of the output.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Part {
    pub text: String,
    /// Standard error.
    pub is_error: bool,
}

impl Printed {
    /// Standard output alone, or standard error.
    pub fn text(&self, is_error: bool) -> String {
        let parts = self.parts.iter().filter(|part| part.is_error == is_error);
        parts.map(|part| part.text.as_str()).collect()
    }

    /// Bytes of output.
    pub fn size(&self) -> usize {
        self.parts.iter().map(|part| part.text.len()).sum()
    }

    /// Adds what the suspended line printed later.
    pub fn resume(&mut self, later: Self) {
        self.code = later.code;
        self.waits = later.waits;
        self.passed_ms = later.passed_ms;
        self.changed |= later.changed;
        if self.size() >= OUTPUT_BYTES {
            return;
        }
        for part in later.parts {
            match self.parts.last_mut() {
                Some(last) if last.is_error == part.is_error => last.text.push_str(&part.text),
                _ => self.parts.push(part),
            }
        }
    }
}

/// A text that a line opens in an editor.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum OpenRequest {
    /// `kubectl edit`: the object as YAML. With `--subresource`, the kind includes it: `Node/status`.
    Object {
        kind: String,
        namespace: String,
        name: String,
        text: String,
    },
    /// `vi FILE`: a file, empty if it is new.
    File { path: String, text: String },
}

impl OpenRequest {
    /// The current text.
    pub fn text(&self) -> &str {
        match self {
            Self::Object { text, .. } | Self::File { text, .. } => text,
        }
    }

    /// Its title: `Deployment web`, or the file's path.
    pub fn title(&self) -> String {
        match self {
            Self::Object { kind, name, .. } => format!("{kind} {name}"),
            Self::File { path, .. } => path.clone(),
        }
    }
}
