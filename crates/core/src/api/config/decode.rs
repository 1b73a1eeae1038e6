//! Strict decoding of the configuration, with kube-scheduler's messages.
//!
//! kube-scheduler stops at the first value of a wrong type. Here each one becomes a problem, the
//! field counts as absent, and decoding continues.

use berth_protocol::remark::Remark;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ConfigProblem, Severity};
use crate::api::decode;
use berth_scheduler::field::{Path, quote};
use berth_scheduler::release::Release;

/// A value to decode, with the names that Go's decoder gives it.
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) path: Path,
    /// The Go struct that contains the field.
    owner: &'static str,
    /// The field names on the way here, without list indices: `profiles.plugins`.
    go_fields: String,
}

impl<'v> Node<'v> {
    /// A separate document at `path` of the configuration.
    pub(super) fn document(value: &'v Value, path: Path) -> Self {
        Self {
            value,
            path,
            owner: "",
            go_fields: String::new(),
        }
    }
}

/// An object whose fields are taken one by one; fields that are left are unknown.
pub(super) struct Fields<'v> {
    map: &'v Map<String, Value>,
    path: Path,
    go_type: &'static str,
    go_fields: String,
    known: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    /// The field's value; `None` if it is absent or null, which Go does not distinguish.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Node<'v>> {
        self.known.push(name);
        let value = self.map.get(name).filter(|value| !value.is_null())?;
        let separator = if self.go_fields.is_empty() { "" } else { "." };
        Some(Node {
            value,
            path: self.path.child(name),
            owner: self.go_type,
            go_fields: format!("{}{separator}{name}", self.go_fields),
        })
    }

    /// Skips fields that Kubernetes defines and Berth does not use.
    pub(super) fn ignore(&mut self, names: &[&'static str]) {
        self.known.extend_from_slice(names);
    }
}

/// Collects problems while values are decoded.
pub(super) struct Decoder<'p> {
    problems: &'p mut Vec<ConfigProblem>,
    pub(super) release: &'p Release,
    /// The prefix of every strict decoding error of this document.
    context: String,
    /// Length of the path to this document, which messages leave out.
    document: usize,
}

impl<'p> Decoder<'p> {
    /// A decoder for the configuration itself.
    pub(super) fn new(problems: &'p mut Vec<ConfigProblem>, release: &'p Release) -> Self {
        Self {
            problems,
            release,
            context: String::new(),
            document: 0,
        }
    }

    /// A decoder for an embedded document; messages start with `context`.
    pub(super) fn nested(&mut self, context: String, document: &Path) -> Decoder<'_> {
        Decoder {
            problems: self.problems,
            release: self.release,
            context,
            document: document.as_str().len() + 1,
        }
    }

    /// Adds a problem that decoding did not find.
    pub(super) fn report(&mut self, problem: ConfigProblem) {
        self.problems.push(problem);
    }

    /// The fields of an object; `go_type` is its Go struct.
    pub(super) fn object<'v>(
        &mut self,
        node: &Node<'v>,
        go_type: &'static str,
    ) -> Option<Fields<'v>> {
        let Some(map) = node.value.as_object() else {
            return self.mismatch(node, &format!("v1.{go_type}"), Remark::map_of_fields());
        };
        Some(Fields {
            map,
            path: node.path.clone(),
            go_type,
            go_fields: node.go_fields.clone(),
            known: Vec::new(),
        })
    }

    /// The items of a list, without items that cannot be decoded.
    pub(super) fn list<'v, T>(
        &mut self,
        node: &Node<'v>,
        go_type: &str,
        mut item: impl FnMut(&mut Self, Node<'v>) -> Option<T>,
    ) -> Vec<T> {
        let Some(values) = node.value.as_array() else {
            return self
                .mismatch(node, &format!("[]{go_type}"), Remark::kind_list())
                .unwrap_or_default();
        };
        let mut items = Vec::with_capacity(values.len());
        for (i, value) in values.iter().enumerate() {
            let node = Node {
                value,
                path: node.path.index(i),
                owner: node.owner,
                go_fields: node.go_fields.clone(),
            };
            items.extend(item(self, node));
        }
        items
    }

    /// A string.
    pub(super) fn string(&mut self, node: &Node<'_>) -> Option<String> {
        let text = node.value.as_str().map(str::to_owned);
        text.or_else(|| self.mismatch(node, "string", Remark::text_in_quotes()))
    }

    /// `true` or `false`.
    pub(super) fn bool(&mut self, node: &Node<'_>) -> Option<bool> {
        node.value
            .as_bool()
            .or_else(|| self.mismatch(node, "bool", Remark::either_bool()))
    }

    /// A 32-bit integer.
    pub(super) fn int32(&mut self, node: &Node<'_>) -> Option<i32> {
        let number = node
            .value
            .as_i64()
            .and_then(|number| i32::try_from(number).ok());
        number.or_else(|| self.mismatch(node, "int32", Remark::integer()))
    }

    /// A 64-bit integer.
    pub(super) fn int64(&mut self, node: &Node<'_>) -> Option<i64> {
        node.value
            .as_i64()
            .or_else(|| self.mismatch(node, "int64", Remark::integer()))
    }

    /// One of Kubernetes' own types.
    pub(super) fn typed<T: for<'de> Deserialize<'de>>(&mut self, node: &Node<'_>) -> Option<T> {
        let (object, findings) = decode::decode(node.value);
        for finding in findings {
            let path = match finding.path.as_str() {
                "" => node.path.clone(),
                inner => node.path.child(inner),
            };
            match finding.severity {
                // Only unknown fields are warnings there; kube-scheduler treats them as errors.
                Severity::Warning => self.unknown_field(&path, finding.help),
                Severity::Error => {
                    self.report(ConfigProblem::error(&path, finding.message, finding.help));
                }
            }
        }
        object.map(|object| *object)
    }

    /// Reports the fields that were not taken.
    pub(super) fn finish(&mut self, fields: Fields<'_>) {
        for name in fields
            .map
            .keys()
            .filter(|name| !fields.known.contains(&name.as_str()))
        {
            let help = match decode::closest(name, fields.known.iter().copied()) {
                Some(close) => Remark::did_you_mean_field(close),
                None => Remark::fields_here(fields.known.join(", ")),
            };
            self.unknown_field(&fields.path.child(name), help);
        }
    }

    fn unknown_field(&mut self, path: &Path, help: Remark) {
        let printed = path.as_str().get(self.document..).unwrap_or_default();
        let message = format!(
            "{}strict decoding error: unknown field {}",
            self.context,
            quote(printed)
        );
        self.report(ConfigProblem::error(path, message, help));
    }

    /// Reports a value of the wrong type; always returns `None`.
    fn mismatch<T>(&mut self, node: &Node<'_>, go_type: &str, expected: Remark) -> Option<T> {
        let found = match node.value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Number(number) if go_type.starts_with("int") => format!("number {number}"),
            Value::Number(_) => "number".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
        };
        let place = match node.owner.is_empty() {
            true => "Go value".to_owned(),
            false => format!("Go struct field {}.{}", node.owner, node.go_fields),
        };
        self.report(ConfigProblem {
            path: node.path.as_str().to_owned(),
            message: Remark::quoted(format!(
                "{}json: cannot unmarshal {found} into {place} of type {go_type}",
                // These errors are not due to strictness.
                self.context.replace("strict decoding error: ", "")
            )),
            help: Remark::write_expected(expected),
            severity: Severity::Error,
        });
        None
    }
}
