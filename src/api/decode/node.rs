//! A JSON value as serde's types ask for it, lenient where Go is and recording where Go refuses.

use std::fmt::{self, Display};

use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::collections::{Entries, Items};
use super::path::Path;
use super::suggest::closest;
use super::{Finding, Findings};
use crate::api::problem::Severity;
use crate::api::yaml::Target;

/// An error of the types themselves, which ends the decoding.
#[derive(Clone, Debug)]
pub(super) struct DecodeError {
    pub(super) path: String,
    pub(super) message: String,
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    fn custom<T: Display>(message: T) -> Self {
        DecodeError {
            path: String::new(),
            message: message.to_string(),
        }
    }
}

/// A value, and how it was reached.
#[derive(Clone, Copy)]
pub(super) struct Node<'p, 'de> {
    pub(super) value: &'de Value,
    pub(super) path: &'p Path<'p>,
    /// Go's name of the innermost struct around it: `PodSpec`.
    pub(super) owner: &'static str,
    pub(super) findings: &'p Findings,
}

impl<'p, 'de> Node<'p, 'de> {
    pub(super) fn root(value: &'de Value, findings: &'p Findings) -> Self {
        Node {
            value,
            path: &Path::Root,
            owner: "",
            findings,
        }
    }

    pub(super) fn report(&self, message: String, help: String, wants_quotes: bool) {
        self.findings.push(Finding {
            severity: Severity::Error,
            path: self.path.to_string(),
            target: Target::Value,
            message,
            help,
            wants_quotes,
        });
    }

    /// Records that the value is of a wrong type, in the words of Go's JSON decoder.
    pub(super) fn refuse(&self, go_type: &str, help: &str) {
        let found = match self.value {
            // Of numbers that do not fit, Go shows the number too.
            Value::Number(number) if go_type.starts_with("int") => format!("number {number}"),
            other => json_type(other).to_owned(),
        };
        let field = if self.owner.is_empty() {
            format!("field {}", self.path)
        } else {
            format!("Go struct field {}.{}", self.owner, self.path.go_field())
        };
        let wants_quotes = go_type == "string" && !self.value.is_object() && !self.value.is_array();
        self.report(
            format!("json: cannot unmarshal {found} into {field} of type {go_type}"),
            help.to_owned(),
            wants_quotes,
        );
    }

    fn integer<V: Visitor<'de>>(self, visitor: V, bits: u32) -> Result<V::Value, DecodeError> {
        let limit = i64::MAX >> (64 - bits);
        let number = match self.value {
            Value::Null => Some(0),
            Value::Number(number) => number.as_i64().filter(|&n| n <= limit && n >= -limit - 1),
            _ => None,
        };
        if number.is_none() {
            let help = match self.value {
                Value::Number(number) if number.is_f64() => "write a whole number".to_owned(),
                Value::Number(_) => format!("write a number between {} and {limit}", -limit - 1),
                Value::String(text) if text.parse::<i64>().is_ok() => {
                    format!("write {text} without quotes")
                }
                _ => "write a whole number".to_owned(),
            };
            self.refuse(if bits == 32 { "int32" } else { "int64" }, &help);
        }
        visitor.visit_i64(number.unwrap_or(0))
    }
}

/// Whether a visitor says that it wants `what`; k8s-openapi names its special types there.
fn expects<'de>(visitor: &impl Visitor<'de>, what: &str) -> bool {
    (visitor as &dyn serde::de::Expected).to_string() == what
}

pub(super) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = DecodeError;

    /// Asked for by types that take several: `IntOrString`, and anything that is kept as JSON.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if expects(&visitor, "IntOrString") && !self.value.is_string() {
            return self.integer(visitor, 32);
        }
        self.value
            .deserialize_any(visitor)
            .map_err(|error| DecodeError {
                path: self.path.to_string(),
                message: error.to_string(),
            })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let value = match self.value {
            Value::Bool(value) => *value,
            Value::Null => false,
            Value::String(text) if text == "true" || text == "false" => {
                self.refuse("bool", &format!("write {text} without quotes"));
                false
            }
            _ => {
                self.refuse("bool", "write true or false");
                false
            }
        };
        visitor.visit_bool(value)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.integer(visitor, 32)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.integer(visitor, 64)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.integer(visitor, 32)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let number = match self.value {
            Value::Number(number) => number.as_f64(),
            Value::Null => Some(0.0),
            _ => None,
        };
        if number.is_none() {
            self.refuse("float64", "write a number");
        }
        visitor.visit_f64(number.unwrap_or(0.0))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.value {
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Null => visitor.visit_borrowed_str(""),
            Value::Array(_) => {
                self.refuse("string", "write one value, not a list");
                visitor.visit_borrowed_str("")
            }
            Value::Object(_) => {
                self.refuse("string", "write one value, not a mapping");
                visitor.visit_borrowed_str("")
            }
            _ => {
                self.refuse("string", "put the value in quotes");
                visitor.visit_borrowed_str("")
            }
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match name {
            "Time" | "MicroTime" => self.time(visitor),
            "Quantity" => self.quantity(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let items = match self.value {
            Value::Array(items) => items.as_slice(),
            Value::Null => &[],
            Value::Object(_) => {
                self.refuse("list", "start each item with `- `");
                &[]
            }
            _ => {
                self.refuse("list", "write a list, one `- ` before each item");
                &[]
            }
        };
        visitor.visit_seq(Items {
            items: items.iter(),
            index: 0,
            node: self,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.map(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        Node {
            owner: name,
            ..self
        }
        .map(Some(fields), visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u64 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct enum
    }
}

impl<'de> Node<'_, 'de> {
    fn map<V: Visitor<'de>>(
        self,
        fields: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let map = match self.value {
            Value::Object(map) => Some(map),
            Value::Null => None,
            Value::Array(_) => {
                let what = if fields.is_some() { self.owner } else { "map" };
                self.refuse(what, "write `key: value` lines, without `- `");
                None
            }
            _ => {
                let what = if fields.is_some() { self.owner } else { "map" };
                self.refuse(what, "write `key: value` lines, indented below");
                None
            }
        };
        match map {
            Some(map) => visitor.visit_map(Entries {
                entries: map.iter(),
                next: None,
                fields,
                node: self,
            }),
            None => visitor.visit_map(MapDeserializer::new(std::iter::empty::<(&str, &str)>())),
        }
    }

    /// Records a field that the struct does not have.
    pub(super) fn unknown_field(&self, path: &Path<'_>, name: &str, fields: &[&'static str]) {
        let help = match closest(name, fields.iter().copied()) {
            Some(field) => format!("did you mean {field:?}?"),
            None => format!(
                "{} has no such field; check the spelling and the indentation",
                self.owner
            ),
        };
        let path = path.to_string();
        self.findings.push(Finding {
            severity: Severity::Warning,
            message: format!("unknown field {path:?}"),
            path,
            target: Target::Key,
            help,
            wants_quotes: false,
        });
    }
}
