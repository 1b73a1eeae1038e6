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

pub use berth_base::suggest::closest;

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
    pub fault: Fault,
    /// There is no value at `path`, and one is required.
    pub is_missing: bool,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A rule is broken.
    Rule,
    /// The type has no field at `path`.
    UnknownField,
    /// Go's decoder rejects the value, with a message that names the field itself, if at all.
    Undecodable,
    /// Go's decoder found another JSON type. `wanted` is Go's name of the field's type; `map` or `list` of collections.
    WrongType {
        found: JsonType,
        wanted: &'static str,
    },
}

/// The type of a JSON value. Whole numbers are distinguished from others, as Go does for untyped JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    Null,
    Bool,
    Integer,
    Float,
    String,
    Array,
    Object,
}

impl JsonType {
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_f64() => Self::Float,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Its name in messages of Go's JSON decoder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Integer | Self::Float => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl Finding {
    /// Whether the value would be read as the required string if it were quoted.
    pub fn wants_quotes(&self) -> bool {
        let Fault::WrongType { found, wanted } = self.fault else {
            return false;
        };
        wanted == "string" && !matches!(found, JsonType::Array | JsonType::Object)
    }

    /// An error with the value at `path`.
    pub fn error(path: impl Into<String>, message: impl Into<Remark>) -> Self {
        Finding {
            severity: Severity::Error,
            path: path.into(),
            target: Target::Value,
            message: message.into(),
            help: Remark::default(),
            fault: Fault::Rule,
            is_missing: false,
        }
    }

    /// A warning about a field that the type does not have.
    pub fn unknown_field(path: impl Into<String>) -> Self {
        let path = path.into();
        let message = format!("unknown field {path:?}");
        Finding {
            fault: Fault::UnknownField,
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
