//! A serde deserializer for JSON values, as lenient as Go, which records what Go rejects.

use berth_protocol::remark::Remark;
use std::fmt::{self, Display};

use serde::de::{Deserializer, Expected, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::collections::{Entries, Items};
use super::context::Context;
use super::path;
use super::{Fault, Finding, JsonType, base64};
use crate::api::problem::Severity;
use crate::api::shapes;
use crate::api::yaml::Target;

/// An error raised by a type itself, which ends the decoding of the current node.
///
/// One machine word, because every field of every type may propagate it.
#[derive(Debug)]
pub(super) struct DecodeError(Box<Failure>);

#[derive(Debug)]
struct Failure {
    message: String,
}

impl DecodeError {
    pub(super) fn message(self) -> String {
        self.0.message
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        failed(&message)
    }

    // serde's messages, but formatted here: otherwise every type would have its own copy.
    #[cold]
    #[inline(never)]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        failed(&format_args!("invalid type: {found}, expected {expected}"))
    }

    #[cold]
    #[inline(never)]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        failed(&format_args!("invalid value: {found}, expected {expected}"))
    }

    #[cold]
    #[inline(never)]
    fn missing_field(field: &'static str) -> Self {
        failed(&format_args!("missing field `{field}`"))
    }
}

#[cold]
#[inline(never)]
fn failed(message: &dyn Display) -> DecodeError {
    DecodeError(Box::new(Failure {
        message: message.to_string(),
    }))
}

/// A value and its position in the document.
#[derive(Clone, Copy)]
pub(super) struct Node<'c, 'de> {
    pub(super) value: &'de Value,
    pub(super) context: &'c Context<'de>,
}

impl<'c, 'de> Node<'c, 'de> {
    #[cold]
    pub(super) fn report(&self, message: String, help: Remark, fault: Fault) {
        self.context.push(Finding {
            severity: Severity::Error,
            path: self.context.path(path::text),
            target: Target::Value,
            message: message.into(),
            help,
            fault,
            is_missing: false,
        });
    }

    /// Records a value of the wrong type, with the message of Go's JSON decoder.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, go_type: &'static str, help: Remark) {
        let found = match self.value {
            // For numbers that do not fit, Go prints the number too.
            Value::Number(number) if go_type.starts_with("int") => format!("number {number}"),
            other => JsonType::of(other).name().to_owned(),
        };
        let owner = self.context.owner();
        let known = self.context.with_steps(|steps| {
            let steps: Vec<_> = steps.iter().map(path::shape).collect();
            shapes::go_field(self.context.root(), &steps)
        });
        let field = known.unwrap_or_else(|| match owner {
            "" => {
                let field = self.context.path(path::text);
                format!("field {field} of type {go_type}")
            }
            owner => {
                let field = self.context.path(path::go_field);
                format!("Go struct field {owner}.{field} of type {go_type}")
            }
        });
        let fault = Fault::WrongType {
            found: JsonType::of(self.value),
            wanted: go_type,
        };
        self.report(
            format!("json: cannot unmarshal {found} into {field}"),
            help,
            fault,
        );
    }

    #[inline(never)]
    fn boolean(self) -> bool {
        match self.value {
            Value::Bool(value) => *value,
            Value::Null => false,
            Value::String(text) if text == "true" || text == "false" => {
                self.refuse("bool", Remark::without_quotes(text));
                false
            }
            _ => {
                self.refuse("bool", Remark::true_or_false());
                false
            }
        }
    }

    #[inline(never)]
    fn integer(self, bits: u32) -> i64 {
        let limit = i64::MAX >> (64 - bits);
        let number = match self.value {
            Value::Null => Some(0),
            Value::Number(number) => number.as_i64().filter(|&n| n <= limit && n >= -limit - 1),
            _ => None,
        };
        if number.is_none() {
            let help = match self.value {
                Value::Number(number) if number.is_f64() => Remark::whole_number(),
                Value::Number(_) => Remark::number_between(-limit - 1, limit),
                Value::String(text) if text.parse::<i64>().is_ok() => Remark::without_quotes(text),
                _ => Remark::whole_number(),
            };
            self.refuse(if bits == 32 { "int32" } else { "int64" }, help);
        }
        number.unwrap_or(0)
    }

    #[inline(never)]
    fn float(self) -> f64 {
        let number = match self.value {
            Value::Number(number) => number.as_f64(),
            Value::Null => Some(0.0),
            _ => None,
        };
        if number.is_none() {
            self.refuse("float64", Remark::a_number());
        }
        number.unwrap_or(0.0)
    }

    #[inline(never)]
    pub(super) fn text(self) -> &'de str {
        let help = match self.value {
            Value::String(text) => return text,
            Value::Null => return "",
            Value::Array(_) => Remark::one_value_not_list(),
            Value::Object(_) => Remark::one_value_not_mapping(),
            _ => Remark::quote_value(),
        };
        self.refuse("string", help);
        ""
    }

    #[inline(never)]
    fn items(self) -> Items<'c, 'de> {
        let items = match self.value {
            Value::Array(items) => items.as_slice(),
            Value::Null => &[],
            Value::Object(_) => {
                self.refuse("list", Remark::start_items());
                &[]
            }
            _ => {
                self.refuse("list", Remark::write_list());
                &[]
            }
        };
        Items {
            items: items.iter(),
            index: 0,
            owner: self.context.owner(),
            context: self.context,
        }
    }

    #[inline(never)]
    fn entries(self, fields: Option<&'static [&'static str]>) -> Entries<'c, 'de> {
        let owner = self.context.owner();
        let what = if fields.is_some() { owner } else { "map" };
        let entries = match self.value {
            Value::Object(map) => Some(map.iter()),
            Value::Null => None,
            Value::Array(_) => {
                self.refuse(what, Remark::no_dashes());
                None
            }
            _ => {
                self.refuse(what, Remark::indented_below());
                None
            }
        };
        Entries {
            entries,
            next: None,
            fields,
            owner,
            context: self.context,
        }
    }
}

/// Whether a visitor expects `what`; k8s-openapi's special types are recognized by it.
fn expects(visitor: &dyn Expected, what: &str) -> bool {
    visitor.to_string() == what
}

impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = DecodeError;

    /// Requested by types that accept several JSON types: `IntOrString`, and raw JSON.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if !self.value.is_string() && expects(&visitor, "IntOrString") {
            return visitor.visit_i64(self.integer(32));
        }
        self.value
            .deserialize_any(visitor)
            .map_err(|error| failed(&error))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_bool(self.boolean())
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_i64(self.integer(32))
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_i64(self.integer(64))
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_i64(self.integer(32))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_f64(self.float())
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if expects(&visitor, base64::EXPECTED) {
            return visitor.visit_str(&self.base64_text());
        }
        visitor.visit_borrowed_str(self.text())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_borrowed_str(self.text())
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
        visitor.visit_seq(self.items())
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_map(self.entries(None))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.context.set_owner(name);
        visitor.visit_map(self.entries(Some(fields)))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_borrowed_str(self.text())
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u64 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct enum
    }
}
