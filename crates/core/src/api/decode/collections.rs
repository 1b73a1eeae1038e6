//! Access to list items and map entries for serde.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::Value;

use super::context::Context;
use super::node::{DecodeError, Node};
use super::path::Step;

/// The items of a list.
pub(super) struct Items<'c, 'de> {
    pub(super) items: std::slice::Iter<'de, Value>,
    pub(super) index: usize,
    /// Go's name of the enclosing struct.
    pub(super) owner: &'static str,
    pub(super) context: &'c Context<'de>,
}

impl<'c, 'de> Items<'c, 'de> {
    #[inline(never)]
    fn enter(&mut self) -> Option<Node<'c, 'de>> {
        let value = self.items.next()?;
        self.context.enter(Step::Index(self.index), self.owner);
        self.index += 1;
        Some(Node {
            value,
            context: self.context,
        })
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(node) = self.enter() else {
            return Ok(None);
        };
        let item = seed.deserialize(node).map(Some);
        self.context.leave(item.is_ok());
        item
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a map, or the known fields of a struct.
pub(super) struct Entries<'c, 'de> {
    /// `None` if the value has no entries.
    pub(super) entries: Option<serde_json::map::Iter<'de>>,
    pub(super) next: Option<(&'de str, &'de Value)>,
    pub(super) fields: Option<&'static [&'static str]>,
    /// Go's name of the struct itself, or of the one that encloses the map.
    pub(super) owner: &'static str,
    pub(super) context: &'c Context<'de>,
}

impl<'c, 'de> Entries<'c, 'de> {
    /// The next entry's name, skipping unknown fields of a struct.
    #[inline(never)]
    fn advance(&mut self) -> Option<&'de str> {
        for (name, value) in self.entries.as_mut()? {
            match self.fields {
                Some(fields) if !fields.contains(&name.as_str()) => {
                    self.context.unknown_field(name, self.owner, fields);
                }
                _ => {
                    self.next = Some((name, value));
                    return Some(name);
                }
            }
        }
        None
    }

    #[inline(never)]
    fn enter(&mut self) -> Node<'c, 'de> {
        let (name, value) = self.next.take().unwrap_or(("", &Value::Null));
        let step = match self.fields {
            Some(_) => Step::Field(name),
            None => Step::Key(name),
        };
        self.context.enter(step, self.owner);
        Node {
            value,
            context: self.context,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        match self.advance() {
            Some(name) => seed
                .deserialize(BorrowedStrDeserializer::new(name))
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let value = seed.deserialize(self.enter());
        self.context.leave(value.is_ok());
        value
    }
}
