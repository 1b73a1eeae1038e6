//! Reads a document's text as a JSON value.

use berth_protocol::remark::Remark;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Value};

use super::context::Context;
use super::depth;
use super::key::KeySeed;
use super::resolve::{number_from_float, resolve_plain};
use super::syntax::{SyntaxError, explain, too_deep};
use crate::api::source::{Position, advance};

/// Maximum number of duplicate keys recorded per document.
const MAX_DUPLICATES: usize = 100;

/// The result of reading a document.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub value: Value,
    /// Keys that occur twice in one mapping (the last one counts in `value`).
    pub duplicates: Vec<Duplicate>,
    /// If the document has a top-level list `items`: the range of each item, in order, cut so that
    /// [`super::locate`] can read it alone.
    pub items: Vec<Range<usize>>,
}

/// A repeated key of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The path of the key: `metadata.labels.app`.
    pub path: String,
    pub key: String,
    /// Offset of the second one, if known.
    pub offset: Option<usize>,
}

/// Reads one document, YAML or JSON, as `kubectl` does.
///
/// # Errors
/// The parser's message with its position; also for excessive nesting or aliases.
pub fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    let start = Position { line: 1, column: 1 };
    if let Some(offset) = text.find('\0') {
        return Err(SyntaxError {
            position: advance(start, text, offset),
            message: Remark::nul_character(),
            // How gzip data begin.
            help: match text.starts_with('\u{1f}') {
                true => Remark::gunzip(),
                false => Remark::text_file(),
            },
        });
    }
    if text.trim_start().starts_with('{')
        && let Some(parsed) = parse_json(text)
    {
        return Ok(parsed);
    }
    if let Some(offset) = depth::too_deep(text) {
        return Err(too_deep(advance(start, text, offset)));
    }
    let mut context = Context::new(text);
    let deserializer = serde_yaml::Deserializer::from_str(text);
    match root(&mut context).deserialize(deserializer) {
        Ok(value) => Ok(context.finish(value)),
        Err(error) => Err(explain(text, &error)),
    }
}

/// Reads a document that is entirely JSON; `None` leaves it, and its errors, to the YAML parser.
fn parse_json(text: &str) -> Option<Parsed> {
    let mut context = Context::new(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = root(&mut context).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(context.finish(value))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The document itself.
    Root,
    /// The value of the document's key `items`.
    Items,
    Other,
}

/// Reads a node with its descendants.
struct NodeSeed<'c, 't> {
    context: &'c mut Context<'t>,
    place: Place,
}

fn root<'c, 't>(context: &'c mut Context<'t>) -> NodeSeed<'c, 't> {
    NodeSeed {
        context,
        place: Place::Root,
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_, 'de> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_, 'de> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.context.spend(0)?;
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.context.spend(0)?;
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.context.spend(0)?;
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.context.spend(0)?;
        Ok(Value::Number(value.into()))
    }

    // Integers beyond 64 bits become floats, as in Go.
    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.context.spend(0)?;
        match number_from_float(value) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(E::custom("NaN and infinity are no JSON numbers")),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.context.spend(value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Value, E> {
        self.context.note_offset(value);
        if let Some(resolved) = resolve_plain(value)
            && self.context.is_plain(value)
        {
            self.context.spend(0)?;
            return Ok(resolved);
        }
        self.visit_str(value)
    }

    /// Drops custom tags (`!vault secret`), as Go does.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let (_tag, variant) = data.variant::<String>()?;
        variant.newtype_variant_seed(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        self.context.spend(0)?;
        let mut list = Vec::new();
        let path_len = self.context.path.len();
        loop {
            self.context.path.push_str(&format!("[{}]", list.len()));
            if self.place == Place::Items {
                self.context.first_offset = None;
            }
            let item = seq.next_element_seed(NodeSeed {
                context: self.context,
                place: Place::Other,
            })?;
            self.context.path.truncate(path_len);
            let Some(item) = item else { break };
            if self.place == Place::Items {
                self.context.item_offsets.push(self.context.first_offset);
            }
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.context.spend(0)?;
        let mut map = Map::new();
        let mut merged = Vec::new();
        let mut seen_twice = BTreeSet::new();
        let path_len = self.context.path.len();
        while let Some(key) = access.next_key_seed(KeySeed {
            context: self.context,
        })? {
            push_key(&mut self.context.path, &key.text);
            let place = match self.place {
                Place::Root if key.text == "items" => Place::Items,
                _ => Place::Other,
            };
            if !key.is_merge
                && map.contains_key(&key.text)
                && self.context.duplicates.len() < MAX_DUPLICATES
                && seen_twice.insert(key.text.clone())
            {
                let path = self.context.path.clone();
                self.context.duplicates.push(Duplicate {
                    path,
                    key: key.text.clone(),
                    offset: key.offset,
                });
            }
            let value = access.next_value_seed(NodeSeed {
                context: self.context,
                place,
            })?;
            self.context.path.truncate(path_len);
            if key.is_merge {
                merged.push(value);
            } else {
                map.insert(key.text, value);
            }
        }
        for value in merged {
            merge(&mut map, value)?;
        }
        Ok(Value::Object(map))
    }
}

/// Merges `<<: *base`, which never replaces an existing key.
fn merge<E: Error>(map: &mut Map<String, Value>, value: Value) -> Result<(), E> {
    match value {
        Value::Object(base) => {
            for (key, value) in base {
                map.entry(key).or_insert(value);
            }
            Ok(())
        }
        Value::Array(bases) if bases.iter().all(Value::is_object) => {
            bases.into_iter().try_for_each(|base| merge(map, base))
        }
        _ => Err(E::custom(
            "map merge requires map or sequence of maps as the value",
        )),
    }
}

fn push_key(path: &mut String, key: &str) {
    let is_name = key.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name {
        path.push('[');
        path.push_str(key);
        path.push(']');
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}
