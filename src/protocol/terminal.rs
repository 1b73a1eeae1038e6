//! The terminal's output, and the texts that it opens in an editor.

use borsh::{BorshDeserialize, BorshSerialize};

/// What became of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Printed {
    pub line: String,
    pub stdout: String,
    pub stderr: String,
    /// The exit code.
    pub code: i32,
    /// What is to be opened in an editor.
    pub open: Option<OpenRequest>,
    /// Nothing was run yet: the line goes on in the next.
    pub goes_on: bool,
    /// The line waits for something: this is what it printed so far, and more follows.
    pub waits: bool,
    /// The cluster is not what it was before the line.
    pub changed: bool,
}

/// A text that the user is to edit.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum OpenRequest {
    /// `kubectl edit`: the object as YAML. With `--subresource` the kind has it behind a slash: `Node/status`.
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
    /// The text as it stands.
    pub fn text(&self) -> &str {
        match self {
            Self::Object { text, .. } | Self::File { text, .. } => text,
        }
    }

    /// What it is: `Deployment web`, or the file's path.
    pub fn title(&self) -> String {
        match self {
            Self::Object { kind, name, .. } => format!("{kind} {name}"),
            Self::File { path, .. } => path.clone(),
        }
    }
}
