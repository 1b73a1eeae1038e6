//! The items of a list and the entries of a map, as serde walks through them.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::Value;

use super::node::{DecodeError, Node};
use super::path::Path;

/// The items of a list, each with its path.
pub(super) struct Items<'p, 'de> {
    pub(super) items: std::slice::Iter<'de, Value>,
    pub(super) index: usize,
    pub(super) node: Node<'p, 'de>,
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
pub(super) struct Entries<'p, 'de> {
    pub(super) entries: serde_json::map::Iter<'de>,
    pub(super) next: Option<(&'de str, &'de Value)>,
    pub(super) fields: Option<&'static [&'static str]>,
    pub(super) node: Node<'p, 'de>,
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
