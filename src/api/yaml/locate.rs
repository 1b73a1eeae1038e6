//! Where the node at a field path stands in a document's text.
//!
//! The YAML crate attaches a node's line and column to an error that is raised while that node is
//! read. So the document is read again along the path, everything else skipped, and the reading
//! ends on purpose at the node that is looked for.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::depth;
use super::resolve::resolve_key;
use crate::api::source::{Position, saturate};

/// Which part of a mapping's entry is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The key: for unknown fields, and for showing a whole field. For items of a list the same
    /// as `Value`.
    Key,
    /// The value: for values of a wrong type or out of bounds.
    Value,
}

/// Where a node stands, relative to the text that was searched (its first line is 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    pub start: Position,
    /// The last line of the node's text; at least `start.line`.
    pub last_line: u32,
}

/// Finds the node at a field path (`spec.containers[0].resources.requests[cpu]`) of a document.
///
/// An empty path is the document itself. `None` if there is no such node, or the text cannot be
/// read so far.
pub fn locate(text: &str, path: &str, target: Target) -> Option<Span> {
    let segments = parse_path(path);
    if depth::too_deep(text).is_some() {
        return None;
    }
    let found = Cell::new(false);
    let seed = Follow {
        segments: &segments,
        target,
        found: &found,
    };
    let error = seed
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .err()?;
    let location = error.location().filter(|_| found.get())?;
    let start = Position {
        line: saturate(location.line()),
        column: saturate(location.column()),
    };
    let is_key = target == Target::Key
        && segments
            .last()
            .is_some_and(|last| last.parse::<usize>().is_err());
    Some(Span {
        start,
        last_line: last_line(text, start, is_key),
    })
}

/// Splits a field path into names, keys and indices. Keys may hold dots: `labels[a.b/c]`.
fn parse_path(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            // A bracket closes where the path ends or goes on.
            let end = inner
                .match_indices(']')
                .map(|(at, _)| at)
                .find(|at| {
                    inner
                        .get(at + 1..)
                        .is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
                })
                .unwrap_or(inner.len());
            segments.push(inner.get(..end).unwrap_or_default());
            rest = inner.get(end + 1..).unwrap_or_default();
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            segments.push(name.get(..end).unwrap_or_default());
            rest = name.get(end..).unwrap_or_default();
        }
    }
    segments
}

/// The last line that belongs to the node at `start`, told by indentation.
fn last_line(text: &str, start: Position, is_key: bool) -> u32 {
    let column = start.column.saturating_sub(1) as usize;
    let mut last = start.line;
    for (number, line) in (1u32..).zip(text.lines()).skip(start.line as usize) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indent = line.len() - trimmed.len();
        let belongs = indent > column
            || indent == column
                && (!is_key || trimmed.starts_with("- ") || trimmed.starts_with(['}', ']']));
        if !belongs {
            break;
        }
        last = number;
    }
    last
}

/// Reads a node, and the rest of the path below it.
#[derive(Clone, Copy)]
struct Follow<'p> {
    segments: &'p [&'p str],
    target: Target,
    found: &'p Cell<bool>,
}

impl Follow<'_> {
    /// Ends the reading here if this node is meant.
    fn arrive<E: Error>(&self) -> Result<(), E> {
        if self.segments.is_empty() {
            self.found.set(true);
            return Err(E::custom("found"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Follow<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Follow<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.arrive()
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.arrive()
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.arrive()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.arrive()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.arrive()
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<(), E> {
        self.arrive()
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<(), E> {
        self.arrive()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.arrive()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.arrive()
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<(), A::Error> {
        let (_tag, variant) = data.variant::<String>()?;
        variant.newtype_variant_seed(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.arrive()?;
        let (wanted, rest) = match self.segments.split_first() {
            Some((first, rest)) => (first.parse::<usize>().ok(), rest),
            None => (None, self.segments),
        };
        for index in 0.. {
            let more = if Some(index) == wanted {
                seq.next_element_seed(Follow {
                    segments: rest,
                    ..self
                })?
            } else {
                seq.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.arrive()?;
        let Some((&wanted, rest)) = self.segments.split_first() else {
            return Ok(());
        };
        let stop_at_key = rest.is_empty() && self.target == Target::Key;
        let key = KeyMatch {
            wanted,
            stop: stop_at_key.then_some(self.found),
        };
        while let Some(matches) = map.next_key_seed(key)? {
            if matches {
                map.next_value_seed(Follow {
                    segments: rest,
                    ..self
                })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Compares a mapping's key with the one that is wanted, and stops there if asked to.
#[derive(Clone, Copy)]
struct KeyMatch<'p> {
    wanted: &'p str,
    stop: Option<&'p Cell<bool>>,
}

impl<'de> DeserializeSeed<'de> for KeyMatch<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        // As text, whatever it is: `1:` and `yes:` are keys too.
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyMatch<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        let matches = key == self.wanted || resolve_key(key).is_some_and(|key| key == self.wanted);
        if let (true, Some(found)) = (matches, self.stop) {
            found.set(true);
            return Err(E::custom("found"));
        }
        Ok(matches)
    }
}
