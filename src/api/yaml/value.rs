//! One document's text as a JSON value.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::{Map, Value};

use super::depth;
use super::resolve::{number_from_float, resolve_key, resolve_plain};
use crate::api::source::{Position, advance, saturate};

/// What aliases and merge keys may add to a document, in nodes plus bytes of text. Without them a
/// document holds at most two such units for each of its bytes.
const MAX_EXPANSION: usize = 4 << 20;

/// Duplicate keys remembered per document.
const MAX_DUPLICATES: usize = 100;

/// A document read: its value, and what the value does not show.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub value: Value,
    /// Keys given twice in one mapping (the last one counts in `value`).
    pub duplicates: Vec<Duplicate>,
    /// If the document has a list `items` at its top: the bytes of each item, in order, cut so
    /// that [`super::locate`] can read them alone.
    pub items: Vec<Range<usize>>,
}

/// A key that its mapping has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The path of the key: `metadata.labels.app`.
    pub path: String,
    pub key: String,
    /// Where the second one stands, if the text shows it.
    pub offset: Option<usize>,
}

/// Why a document's text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Relative to the document: its first line is 1.
    pub position: Position,
    pub message: String,
    pub help: String,
}

/// Reads one document, YAML or JSON, as `kubectl` does.
///
/// # Errors
/// What the parser says, where; also for nesting or aliases beyond the bounds.
pub fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    let start = Position { line: 1, column: 1 };
    if let Some(offset) = text.find('\0') {
        return Err(SyntaxError {
            position: advance(start, text, offset),
            message: "the text holds a NUL character".to_owned(),
            help: "remove it; is this a text file?".to_owned(),
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
    match context.document().deserialize(deserializer) {
        Ok(value) => Ok(context.finish(value)),
        Err(error) => Err(explain(text, &error)),
    }
}

/// Reads a document that is all JSON; `None` leaves it to the YAML parser, also for its errors.
fn parse_json(text: &str) -> Option<Parsed> {
    let mut context = Context::new(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = context.document().deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(context.finish(value))
}

fn too_deep(position: Position) -> SyntaxError {
    SyntaxError {
        position,
        message: format!("nested more than {} levels deep", depth::MAX_DEPTH),
        help: "no Kubernetes object needs that; are brackets or quotes unbalanced?".to_owned(),
    }
}

/// The YAML crate's error, in words for people.
fn explain(text: &str, error: &serde_yaml::Error) -> SyntaxError {
    let position = error
        .location()
        .map_or(Position { line: 1, column: 1 }, |location| Position {
            line: saturate(location.line()),
            column: saturate(location.column()),
        });
    let full = error.to_string();
    if full.starts_with("recursion limit exceeded") {
        return too_deep(position);
    }
    if full.starts_with("repetition limit exceeded") || full.contains(EXPANDS_TOO_MUCH) {
        return SyntaxError {
            position,
            message: EXPANDS_TOO_MUCH.to_owned(),
            help: "write the repeated parts out, or use fewer aliases (`*name`)".to_owned(),
        };
    }
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let line = text
        .lines()
        .nth(position.line.saturating_sub(1) as usize)
        .unwrap_or_default();
    let help = hint(&message, line);
    SyntaxError {
        position,
        message,
        help: help.to_owned(),
    }
}

const EXPANDS_TOO_MUCH: &str = "the aliases of this document expand to too much";
const KEY_IS_NO_SCALAR: &str = "a mapping or list cannot be a key";

fn hint(message: &str, line: &str) -> &'static str {
    if line.contains("{{") || line.contains("{%") {
        "this looks like a template; render it first, e.g. with `helm template`"
    } else if line.trim_start_matches(' ').starts_with('\t')
        || message.contains("cannot start any token") && line.contains('\t')
    {
        "indent with spaces: YAML allows no tabs there"
    } else if message.contains("mapping values are not allowed") {
        "check the indentation, and put values that hold `: ` in quotes"
    } else if message.contains("unknown anchor") {
        "define it first with `&name`, or put a value that starts with `*` in quotes"
    } else if message.contains("cannot start any token") {
        "put values that start with @, ` or % in quotes"
    } else if message.contains("while parsing a block")
        || message.contains("expected key")
        || message.contains("expected ':'")
    {
        "check the indentation of this line and the ones above it"
    } else if message.contains("quoted scalar") {
        "a quote is opened and not closed"
    } else if message.contains("while parsing a flow") {
        "a comma or a closing bracket is missing"
    } else {
        "check this line and the one above it"
    }
}

/// What reading one document remembers on the way.
struct Context<'t> {
    text: &'t str,
    /// Nodes plus bytes that may still be read.
    budget: usize,
    /// Path of the node being read, for duplicates.
    path: String,
    duplicates: Vec<Duplicate>,
    /// Offset of the first string seen since the last reset.
    first_offset: Option<usize>,
    /// For each item of a top-level `items`: offset of its first string.
    item_offsets: Vec<Option<usize>>,
}

impl<'t> Context<'t> {
    fn new(text: &'t str) -> Self {
        Context {
            text,
            budget: text.len().saturating_mul(2).saturating_add(MAX_EXPANSION),
            path: String::new(),
            duplicates: Vec::new(),
            first_offset: None,
            item_offsets: Vec::new(),
        }
    }

    fn document(&mut self) -> NodeSeed<'_, 't> {
        NodeSeed {
            context: self,
            place: Place::Root,
        }
    }

    fn finish(self, value: Value) -> Parsed {
        let items = item_ranges(self.text, &self.item_offsets);
        Parsed {
            value,
            duplicates: self.duplicates,
            items,
        }
    }

    fn spend<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        match self.budget.checked_sub(bytes.saturating_add(1)) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(E::custom(EXPANDS_TOO_MUCH)),
        }
    }

    /// Where a string borrowed from the text stands in it.
    fn offset_of(&self, borrowed: &str) -> Option<usize> {
        let offset = (borrowed.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (offset <= self.text.len()).then_some(offset)
    }

    fn is_plain(&self, borrowed: &str) -> bool {
        let Some(before) = self
            .offset_of(borrowed)
            .and_then(|offset| self.text.get(..offset))
        else {
            return false;
        };
        !before.ends_with(['\'', '"']) && !before.trim_end_matches(' ').ends_with("!!str")
    }

    fn note_offset(&mut self, borrowed: &str) {
        if self.first_offset.is_none() {
            self.first_offset = self.offset_of(borrowed);
        }
    }
}

/// The pieces of text to which the items of a list belong: in block style from the line of the
/// dash on, in flow style from the opening brace.
fn item_ranges(text: &str, offsets: &[Option<usize>]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = offsets
        .iter()
        .map(|offset| offset.map_or(text.len(), |at| item_start(text, at)))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| start..end.max(start))
        .collect()
}

fn item_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let indentation = before.get(line_start..).unwrap_or_default();
    if indentation.trim_start().starts_with("- ") {
        return line_start;
    }
    before.rfind('{').unwrap_or(offset)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The document itself.
    Root,
    /// The value of the document's key `items`.
    Items,
    Other,
}

struct NodeSeed<'c, 't> {
    context: &'c mut Context<'t>,
    place: Place,
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
    #[allow(clippy::cast_precision_loss)]
    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.context.spend(0)?;
        match number_from_float(value) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(E::custom(
                "NaN and infinity are no JSON numbers; put the value in quotes",
            )),
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

    /// A node with a tag of its own (`!vault secret`): the tag is dropped, as Go does.
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
            self.context.first_offset = None;
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

/// Adds what `<<: *base` brings, which never replaces a key that is there.
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

/// A mapping's key, as JSON sees it.
struct Key {
    text: String,
    is_merge: bool,
    offset: Option<usize>,
}

struct KeySeed<'c, 't> {
    context: &'c mut Context<'t>,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_, 'de> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for KeySeed<'_, 'de> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Key, E> {
        self.context.spend(value.len())?;
        self.context.note_offset(value);
        let offset = self.context.offset_of(value);
        let is_plain = self.context.is_plain(value);
        let text = resolve_key(value)
            .filter(|_| is_plain)
            .unwrap_or_else(|| value.to_owned());
        Ok(Key {
            text,
            is_merge: value == "<<" && is_plain,
            offset,
        })
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Key, E> {
        self.context.spend(value.len())?;
        Ok(Key {
            text: value.to_owned(),
            is_merge: false,
            offset: None,
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Key, E> {
        self.visit_str(if value { "true" } else { "false" })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Key, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Key, E> {
        let number = number_from_float(value).map(|number| number.to_string());
        self.visit_str(&number.unwrap_or_else(|| value.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<Key, E> {
        self.visit_str("null")
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Key, A::Error> {
        Err(A::Error::custom(KEY_IS_NO_SCALAR))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Key, A::Error> {
        Err(A::Error::custom(KEY_IS_NO_SCALAR))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Key, A::Error> {
        let (_tag, variant) = data.variant::<String>()?;
        let text = variant.newtype_variant::<serde_json::Value>()?;
        match text {
            Value::String(text) => Ok(Key {
                text,
                is_merge: false,
                offset: None,
            }),
            _ => Err(A::Error::custom(KEY_IS_NO_SCALAR)),
        }
    }
}
