//! Values at run time.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::semver::Version;
use berth_base::quantity::Quantity;

/// A value of an expression.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
    List(Arc<List>),
    Map(Arc<Map>),
    /// Nanoseconds.
    Duration(i128),
    /// Nanoseconds since the Unix epoch.
    Timestamp(i128),
    /// A type, by its name at run time.
    Type(&'static str),
    Optional(Option<Arc<Value>>),
    Quantity(Quantity),
    Semver(Arc<Version>),
    Url(Arc<super::net::Url>),
    Ip(IpAddr),
    Cidr(IpAddr, u8),
    Format(&'static str),
}

/// A list.
#[derive(Clone, Debug)]
pub struct List {
    elements: Vec<Value>,
    weight: u64,
}

impl std::ops::Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.elements
    }
}

/// A map.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub entries: BTreeMap<Key, Value>,
    /// What a lookup of an unknown key yields instead of an error.
    pub default: Option<Value>,
    weight: u64,
}

impl Map {
    /// A map with a value for unknown keys, if there is one.
    pub fn new(entries: BTreeMap<Key, Value>, default: Option<Value>) -> Self {
        let weights = entries.iter().map(|(key, value)| {
            let key = match key {
                Key::String(text) => text.len() as u64,
                _ => 1,
            };
            key.saturating_add(value.weight())
        });
        let weight = weights.fold(1, u64::saturating_add);
        Self {
            entries,
            default,
            weight,
        }
    }
}

/// A key of a map. Numbers are equal across their types.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Bool(bool),
    /// The number, and whether it was written as an unsigned one.
    Number(i128, IsUnsigned),
    String(Arc<str>),
}

/// How a number was written; without effect on equality.
#[derive(Clone, Copy, Debug)]
pub struct IsUnsigned(pub bool);

impl PartialEq for IsUnsigned {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for IsUnsigned {}

impl PartialOrd for IsUnsigned {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IsUnsigned {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Key {
    /// The key that a value is.
    pub fn of(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Bool(value) => Key::Bool(*value),
            Value::Int(value) => Key::Number(i128::from(*value), IsUnsigned(false)),
            Value::Uint(value) => Key::Number(i128::from(*value), IsUnsigned(true)),
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e19 => {
                Key::Number(*value as i128, IsUnsigned(false))
            }
            Value::String(value) => Key::String(Arc::clone(value)),
            _ => return None,
        })
    }

    /// The key as a value.
    pub fn value(&self) -> Value {
        match self {
            Key::Bool(value) => Value::Bool(*value),
            Key::Number(value, IsUnsigned(true)) => {
                Value::Uint(u64::try_from(*value).unwrap_or(u64::MAX))
            }
            Key::Number(value, _) => Value::Int(i64::try_from(*value).unwrap_or(i64::MAX)),
            Key::String(value) => Value::String(Arc::clone(value)),
        }
    }
}

impl Value {
    /// A text.
    pub fn string(text: &str) -> Value {
        Value::String(Arc::from(text))
    }

    /// A list.
    pub fn list(elements: Vec<Value>) -> Value {
        let weights = elements.iter().map(Value::weight);
        let weight = weights.fold(1, u64::saturating_add);
        Value::List(Arc::new(List { elements, weight }))
    }

    /// The number of elements and bytes, repeated ones counted again: what visiting all of them takes.
    pub fn weight(&self) -> u64 {
        match self {
            Value::String(text) => text.len() as u64,
            Value::Bytes(bytes) => bytes.len() as u64,
            Value::List(list) => list.weight,
            Value::Map(map) => map.weight,
            Value::Optional(Some(inner)) => inner.weight(),
            _ => 1,
        }
    }

    /// An optional value.
    pub fn some(value: Value) -> Value {
        Value::Optional(Some(Arc::new(value)))
    }

    /// The name of the value's type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::Quantity(_) => super::types::QUANTITY,
            Value::Semver(_) => super::types::SEMVER,
            Value::Url(_) => super::types::URL,
            Value::Ip(_) => super::types::IP,
            Value::Cidr(..) => super::types::CIDR,
            Value::Format(_) => super::types::FORMAT,
        }
    }

    /// The size by which run-time costs count: characters, bytes, elements, else 1.
    pub fn cost_size(&self) -> u64 {
        let size = match self {
            Value::String(text) => text.chars().count(),
            Value::Bytes(bytes) => bytes.len(),
            Value::List(list) => list.len(),
            Value::Map(map) => map.entries.len(),
            Value::Ip(IpAddr::V4(_)) => 4,
            Value::Ip(IpAddr::V6(_)) => 16,
            Value::Cidr(_, bits) => usize::from(bits.div_ceil(8)),
            _ => 1,
        };
        size as u64
    }

    /// Whether both values are equal, as far as they are comparable.
    ///
    /// # Errors
    /// `no such overload` for a left side that is comparable only with its own type.
    pub fn equals(&self, other: &Value) -> Result<bool, &'static str> {
        if matches!(self, Value::Null) || matches!(other, Value::Null) {
            return Ok(matches!((self, other), (Value::Null, Value::Null)));
        }
        if let Some(order) = self.compare_numbers(other) {
            return Ok(order == Some(Ordering::Equal));
        }
        Ok(match (self, other) {
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::String(one), Value::String(other)) => one == other,
            (Value::Bytes(one), Value::Bytes(other)) => one == other,
            (Value::Duration(one), Value::Duration(other))
            | (Value::Timestamp(one), Value::Timestamp(other)) => one == other,
            (Value::Type(one), Value::Type(other)) => one == other,
            (Value::List(one), Value::List(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for (one, other) in one.iter().zip(other.iter()) {
                    if !one.equals(other)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Map(one), Value::Map(other)) => {
                if one.entries.len() != other.entries.len() {
                    return Ok(false);
                }
                for (key, value) in &one.entries {
                    match other.entries.get(key) {
                        Some(other) if value.equals(other)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (Value::Optional(one), Value::Optional(other)) => match (one, other) {
                (Some(one), Some(other)) => one.equals(other)?,
                (None, None) => true,
                _ => false,
            },
            (Value::Quantity(one), Value::Quantity(other)) => one == other,
            (Value::Semver(one), Value::Semver(other)) => one.precedence(other) == Ordering::Equal,
            (Value::Url(one), Value::Url(other)) => one == other,
            (Value::Ip(one), Value::Ip(other)) => one == other,
            (Value::Cidr(one, bits), Value::Cidr(other, other_bits)) => {
                one == other && bits == other_bits
            }
            (Value::Format(one), Value::Format(other)) => one == other,
            (
                Value::Quantity(_)
                | Value::Semver(_)
                | Value::Url(_)
                | Value::Ip(_)
                | Value::Cidr(..)
                | Value::Format(_),
                _,
            ) => return Err("no such overload"),
            _ => false,
        })
    }

    /// The order of two numbers of any types; `Some(None)` if one is not a number (NaN).
    pub fn compare_numbers(&self, other: &Value) -> Option<Option<Ordering>> {
        Some(match (self, other) {
            (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
            (Value::Uint(one), Value::Uint(other)) => Some(one.cmp(other)),
            (Value::Int(one), Value::Uint(other)) => {
                Some(i128::from(*one).cmp(&i128::from(*other)))
            }
            (Value::Uint(one), Value::Int(other)) => {
                Some(i128::from(*one).cmp(&i128::from(*other)))
            }
            (Value::Double(one), Value::Double(other)) => one.partial_cmp(other),
            (Value::Double(one), Value::Int(other)) => one.partial_cmp(&(*other as f64)),
            (Value::Double(one), Value::Uint(other)) => one.partial_cmp(&(*other as f64)),
            (Value::Int(one), Value::Double(other)) => (*one as f64).partial_cmp(other),
            (Value::Uint(one), Value::Double(other)) => (*one as f64).partial_cmp(other),
            _ => return None,
        })
    }
}
