//! JSON values as Kubernetes' types, with every fault found and none of them fatal.
//!
//! k8s-openapi's types deserialize from anything that serde can read. What is handed to them here
//! is [`node::Node`]: a view of a JSON value that knows its field path, answers `null` with the
//! zero value (as Go does), turns what Go would convert (numbers as quantities), and records what
//! Go would refuse instead of giving up, so that one pass finds all of it.

mod base64;
mod collections;
mod context;
mod node;
mod path;
mod special;
mod suggest;

use serde::Deserialize;
use serde_json::Value;

use super::problem::Severity;
use super::yaml::Target;
use context::Context;
use node::Node;

pub use suggest::closest;

/// Something wrong with a value, by path; where it stands in a file is known to `api::load`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// As the API server writes it: `spec.containers[0].image`.
    pub path: String,
    /// Whether the key or the value at `path` is the fault.
    pub target: Target,
    pub message: String,
    pub help: String,
    /// The value reads as a string if it is put in quotes, and should.
    pub wants_quotes: bool,
}

impl Finding {
    /// An error with the value at `path`.
    pub fn error(path: impl Into<String>, message: impl Into<String>) -> Self {
        Finding {
            severity: Severity::Error,
            path: path.into(),
            target: Target::Value,
            message: message.into(),
            help: String::new(),
            wants_quotes: false,
        }
    }

    /// A warning about the field at `path`.
    pub fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Finding {
            severity: Severity::Warning,
            target: Target::Key,
            ..Finding::error(path, message)
        }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Finding {
            help: help.into(),
            ..self
        }
    }
}

/// Decodes a value, as strictly as the API server and with warnings for unknown fields.
///
/// The object is `None` if there is a finding with `Severity::Error`.
pub fn decode<T: for<'de> Deserialize<'de>>(value: &Value) -> (Option<Box<T>>, Vec<Finding>) {
    let context = Context::default();
    let node = Node {
        value,
        context: &context,
    };
    let (object, failure) = match T::deserialize(node) {
        Ok(object) => (Some(Box::new(object)), None),
        Err(error) => (None, Some(error.message())),
    };
    let (findings, sound) = context.conclude(failure);
    (object.filter(|_| sound), findings)
}
