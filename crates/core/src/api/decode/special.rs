//! Values with a format of their own: times and quantities.

use berth_protocol::remark::Remark;
use k8s_openapi::jiff::Timestamp;
use serde::de::Visitor;
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde_json::Value;

use super::node::{DecodeError, Node};
use super::{Fault, JsonType};
use crate::api::quantity::Quantity;

/// Substituted for an invalid time, so that decoding continues.
const EPOCH: &str = "1970-01-01T00:00:00Z";

impl<'de> Node<'_, 'de> {
    /// `metav1.Time`: RFC 3339, null for no time.
    pub(super) fn time<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(StrDeserializer::new(self.time_text()))
    }

    #[inline(never)]
    fn time_text(self) -> &'de str {
        match self.value {
            Value::String(text) if text.parse::<Timestamp>().is_ok() => text.as_str(),
            Value::Null => EPOCH,
            Value::String(text) => {
                self.report(
                    format!("parsing time {text:?}: cannot parse it as RFC 3339"),
                    Remark::write_time("\"2025-01-31T12:00:00Z\""),
                    Fault::Rule,
                );
                EPOCH
            }
            _ => {
                self.refuse("string", Remark::write_time("\"2025-01-31T12:00:00Z\""));
                EPOCH
            }
        }
    }

    /// `resource.Quantity`: a string or a number.
    pub(super) fn quantity<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(StringDeserializer::new(self.quantity_text()))
    }

    #[inline(never)]
    fn quantity_text(self) -> String {
        let text = match self.value {
            Value::Null => "0".to_owned(),
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            other => JsonType::of(other).name().to_owned(),
        };
        match Quantity::parse(&text) {
            Ok(_) => text,
            Err(error) => {
                self.report(error.to_string(), quantity_help(&text), Fault::Rule);
                "0".to_owned()
            }
        }
    }
}

fn quantity_help(text: &str) -> Remark {
    let is_unit = |unit: &str| text.trim_end_matches(unit).len() < text.len();
    if is_unit("GB") || is_unit("MB") || is_unit("KB") || is_unit("TB") {
        return Remark::units_without_b();
    }
    if text.ends_with("gi") || text.ends_with("mi") || text.ends_with("ki") {
        return Remark::units_have_case();
    }
    Remark::number_with_unit()
}
