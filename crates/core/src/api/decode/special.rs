//! Values with a format of their own: times and quantities.

use berth_protocol::remark::Remark;
use k8s_openapi::jiff::Timestamp;
use serde::de::Visitor;
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde_json::Value;

use super::node::{DecodeError, Node};
use super::{Fault, JsonType};
use berth_base::quantity::Quantity;

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
                    unparsed_time(text),
                    Remark::write_time("\"2025-01-31T12:00:00Z\""),
                    Fault::Undecodable,
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
                let help = quantity_help(&text);
                self.report(error.to_string(), help, Fault::Undecodable);
                "0".to_owned()
            }
        }
    }
}

/// Go's error about a time that is not RFC 3339: it names the first element of the layout that does not fit.
fn unparsed_time(text: &str) -> String {
    const LAYOUT: [&str; 11] = [
        "2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05",
    ];
    let mut rest = text;
    let mut wanted = "Z07:00";
    for element in LAYOUT {
        let is_number = element.starts_with(|letter: char| letter.is_ascii_digit());
        let fits = rest
            .get(..element.len())
            .is_some_and(|part| match is_number {
                true => part.bytes().all(|digit| digit.is_ascii_digit()),
                false => part == element,
            });
        if !fits {
            wanted = element;
            break;
        }
        rest = rest.get(element.len()..).unwrap_or_default();
    }
    format!(
        "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {rest:?} as {wanted:?}"
    )
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
