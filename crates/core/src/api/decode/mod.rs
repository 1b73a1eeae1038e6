//! Decodes JSON values to Kubernetes' types and reports every error instead of only the first.
//!
//! k8s-openapi's types deserialize from any serde deserializer. Here it is [`node::Node`]: a view of
//! a JSON value with its field path. It reads `null` as the zero value (as Go does), converts what Go
//! converts (numbers to quantities), and records what Go rejects instead of failing, so that one pass
//! finds all errors.

mod base64;
mod collections;
mod context;
mod node;
mod path;
mod special;

use berth_protocol::remark::Remark;
use serde::Deserialize;
use serde_json::Value;

use super::problem::Severity;
use super::yaml::Target;
use context::Context;
use node::Node;

pub use crate::base::suggest::closest;

/// A problem with a value, by path; `api::load` finds its position in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// In the API server's notation: `spec.containers[0].image`.
    pub path: String,
    /// Whether the problem is the key or the value at `path`.
    pub target: Target,
    pub message: Remark,
    pub help: Remark,
    /// The value would be read as the required string if it were quoted.
    pub wants_quotes: bool,
    /// The type has no field at `path`.
    pub is_unknown_field: bool,
    /// There is no value at `path`, and one is required.
    pub is_missing: bool,
}

impl Finding {
    /// An error with the value at `path`.
    pub fn error(path: impl Into<String>, message: impl Into<Remark>) -> Self {
        Finding {
            severity: Severity::Error,
            path: path.into(),
            target: Target::Value,
            message: message.into(),
            help: Remark::default(),
            wants_quotes: false,
            is_unknown_field: false,
            is_missing: false,
        }
    }

    /// A warning about a field that the type does not have.
    pub fn unknown_field(path: impl Into<String>) -> Self {
        let path = path.into();
        let message = format!("unknown field {path:?}");
        Finding {
            is_unknown_field: true,
            ..Finding::warning(path, message)
        }
    }

    /// A warning about the field at `path`.
    pub fn warning(path: impl Into<String>, message: impl Into<Remark>) -> Self {
        Finding {
            severity: Severity::Warning,
            target: Target::Key,
            ..Finding::error(path, message)
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(self, help: Remark) -> Self {
        Finding { help, ..self }
    }
}

/// Decodes a value as strictly as the API server, with warnings for unknown fields.
///
/// The object is `None` if any finding has `Severity::Error`.
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
