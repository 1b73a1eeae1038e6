//! Mapping keys, converted to JSON's text keys.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::Value;

use super::context::Context;
use super::resolve::{number_from_float, resolve_key};
use super::syntax::KEY_IS_NO_SCALAR;

/// A mapping key.
pub(super) struct Key {
    pub(super) text: String,
    /// Whether it is a plain `<<`, the merge key.
    pub(super) is_merge: bool,
    /// Its offset in the text, if the text contains it literally.
    pub(super) offset: Option<usize>,
}

pub(super) struct KeySeed<'c, 't> {
    pub(super) context: &'c mut Context<'t>,
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
        let is_plain = self.context.is_plain(value);
        // A quoted key starts at its quote.
        let before = usize::from(!is_plain);
        let offset = self
            .context
            .offset_of(value)
            .map(|offset| offset.saturating_sub(before));
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
        let text = variant.newtype_variant::<Value>()?;
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
