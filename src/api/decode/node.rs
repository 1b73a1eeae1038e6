//! A JSON value as serde's types ask for it, lenient where Go is and recording where Go refuses.

use std::fmt::{self, Display};

use k8s_openapi::jiff::Timestamp;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::path::Path;
use super::suggest::closest;
use super::{Finding, Findings};
use crate::api::problem::Severity;
use crate::api::quantity::Quantity;
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
    value: &'de Value,
    path: &'p Path<'p>,
    /// Go's name of the innermost struct around it: `PodSpec`.
    owner: &'static str,
    findings: &'p Findings,
}

/// What stands in for a value that was refused, so that decoding goes on.
const EPOCH: &str = "1970-01-01T00:00:00Z";

impl<'p, 'de> Node<'p, 'de> {
    pub(super) fn root(value: &'de Value, findings: &'p Findings) -> Self {
        Node {
            value,
            path: &Path::Root,
            owner: "",
            findings,
        }
    }

    fn report(&self, message: String, help: String, wants_quotes: bool) {
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
    fn refuse(&self, go_type: &str, help: &str) {
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

    /// `metav1.Time`: RFC 3339, null for none.
    fn time<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let text = match self.value {
            Value::String(text) if text.parse::<Timestamp>().is_ok() => text.as_str(),
            Value::Null => EPOCH,
            Value::String(text) => {
                self.report(
                    format!("parsing time {text:?}: cannot parse it as RFC 3339"),
                    "write it like \"2025-01-31T12:00:00Z\"".to_owned(),
                    false,
                );
                EPOCH
            }
            _ => {
                self.refuse("string", "write it like \"2025-01-31T12:00:00Z\"");
                EPOCH
            }
        };
        visitor.visit_newtype_struct(serde::de::value::StrDeserializer::new(text))
    }

    /// `resource.Quantity`: a string or a number.
    fn quantity<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let text = match self.value {
            Value::Null => "0".to_owned(),
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            other => json_type(other).to_owned(),
        };
        let text = match Quantity::parse(&text) {
            Ok(_) => text,
            Err(error) => {
                self.report(error.to_string(), quantity_help(&text), false);
                "0".to_owned()
            }
        };
        visitor.visit_newtype_struct(serde::de::value::StringDeserializer::new(text))
    }
}

fn quantity_help(text: &str) -> String {
    let is_unit = |unit: &str| text.trim_end_matches(unit).len() < text.len();
    if is_unit("GB") || is_unit("MB") || is_unit("KB") || is_unit("TB") {
        return "units have no B: write 1Gi (1024³) or 1G (1000³)".to_owned();
    }
    if text.ends_with("gi") || text.ends_with("mi") || text.ends_with("ki") {
        return "units are case-sensitive: Ki, Mi, Gi".to_owned();
    }
    "write a number with an optional unit, e.g. 500m, 2, 1.5Gi".to_owned()
}

/// Whether a visitor says that it wants `what`; k8s-openapi names its special types there.
fn expects<'de>(visitor: &impl Visitor<'de>, what: &str) -> bool {
    (visitor as &dyn serde::de::Expected).to_string() == what
}

fn json_type(value: &Value) -> &'static str {
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
    fn unknown_field(&self, path: &Path<'_>, name: &str, fields: &[&'static str]) {
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

/// The items of a list, each with its path.
struct Items<'p, 'de> {
    items: std::slice::Iter<'de, Value>,
    index: usize,
    node: Node<'p, 'de>,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(value) = self.items.next() else {
            return Ok(None);
        };
        let path = Path::Index(self.node.path, self.index);
        self.index += 1;
        seed.deserialize(Node {
            value,
            path: &path,
            ..self.node
        })
        .map_err(|error| at(error, &path))
        .map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a map, or the known fields of a struct.
struct Entries<'p, 'de> {
    entries: serde_json::map::Iter<'de>,
    next: Option<(&'de str, &'de Value)>,
    fields: Option<&'static [&'static str]>,
    node: Node<'p, 'de>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        for (name, value) in self.entries.by_ref() {
            if let Some(fields) = self.fields
                && !fields.contains(&name.as_str())
            {
                self.node
                    .unknown_field(&Path::Field(self.node.path, name), name, fields);
                continue;
            }
            self.next = Some((name, value));
            return seed
                .deserialize(serde::de::value::BorrowedStrDeserializer::new(name))
                .map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let (name, value) = self.next.take().unwrap_or(("", &Value::Null));
        let path = match self.fields {
            Some(_) => Path::Field(self.node.path, name),
            None => Path::Key(self.node.path, name),
        };
        seed.deserialize(Node {
            value,
            path: &path,
            ..self.node
        })
        .map_err(|error| at(error, &path))
    }
}

/// Gives an error the path of the innermost node it went through.
fn at(error: DecodeError, path: &Path<'_>) -> DecodeError {
    if error.path.is_empty() {
        DecodeError {
            path: path.to_string(),
            ..error
        }
    } else {
        error
    }
}
