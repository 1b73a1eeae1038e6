//! JSON values as Kubernetes' types, with every fault found and none of them fatal.
//!
//! k8s-openapi's types deserialize from anything that serde can read. What is handed to them here
//! is [`node::Node`]: a view of a JSON value that knows its field path, answers `null` with the
//! zero value (as Go does), turns what Go would convert (numbers as quantities), and records what
//! Go would refuse instead of giving up, so that one pass finds all of it.

mod node;
mod path;
mod suggest;

use std::cell::RefCell;

use serde::Deserialize;
use serde_json::Value;

use super::problem::Severity;
use super::yaml::Target;

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

/// Collects findings while a value is decoded.
#[derive(Debug, Default)]
pub(crate) struct Findings(RefCell<Vec<Finding>>);

impl Findings {
    fn push(&self, finding: Finding) {
        if let Ok(mut findings) = self.0.try_borrow_mut() {
            findings.push(finding);
        }
    }
}

/// Decodes a value, as strictly as the API server and with warnings for unknown fields.
///
/// The object is `None` if there is a finding with `Severity::Error`.
pub fn decode<T: for<'de> Deserialize<'de>>(value: &Value) -> (Option<T>, Vec<Finding>) {
    let findings = Findings::default();
    let decoded = T::deserialize(node::Node::root(value, &findings));
    let object = decoded
        .map_err(|error| {
            findings.push(Finding::error(error.path, error.message));
        })
        .ok();
    let findings = findings.0.into_inner();
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    (object.filter(|_| !refused), findings)
}
