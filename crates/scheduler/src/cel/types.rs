//! Types, as the checker infers them, and their assignability.

use std::collections::BTreeMap;
use std::fmt;

/// A type of the checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Null,
    Duration,
    Timestamp,
    /// Not checked.
    Dyn,
    /// `google.protobuf.Any`: an attribute, whose type is known only at run time.
    Any,
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Optional(Box<Type>),
    /// The type of a type.
    Meta(Box<Type>),
    /// A type with a name and nothing else: `kubernetes.Quantity`.
    Opaque(&'static str),
    /// The type of `device`.
    Device,
    /// A type parameter: a letter of a declaration, or a number of the checker.
    Param(u32),
    /// The type of a node with an error.
    Error,
}

pub const QUANTITY: &str = "kubernetes.Quantity";
pub const SEMVER: &str = "kubernetes.Semver";
pub const URL: &str = "kubernetes.URL";
pub const IP: &str = "net.IP";
pub const CIDR: &str = "net.CIDR";
pub const FORMAT: &str = "kubernetes.NamedFormat";

impl Type {
    /// A map.
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Box::new(key), Box::new(value))
    }

    /// Whether the type is checked only at run time.
    pub fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn | Type::Any)
    }

    fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || *self == Type::Error
    }

    /// Reads one type in prefix notation: `LA` is `list(A)`, `MsD` is `map(string, dyn)`.
    pub fn read(letters: &mut std::str::Chars<'_>) -> Type {
        match letters.next() {
            Some('b') => Type::Bool,
            Some('i') => Type::Int,
            Some('u') => Type::Uint,
            Some('d') => Type::Double,
            Some('s') => Type::String,
            Some('y') => Type::Bytes,
            Some('n') => Type::Null,
            Some('r') => Type::Duration,
            Some('t') => Type::Timestamp,
            Some('q') => Type::Opaque(QUANTITY),
            Some('v') => Type::Opaque(SEMVER),
            Some('w') => Type::Opaque(URL),
            Some('p') => Type::Opaque(IP),
            Some('c') => Type::Opaque(CIDR),
            Some('f') => Type::Opaque(FORMAT),
            Some('L') => Type::List(Box::new(Type::read(letters))),
            Some('O') => Type::Optional(Box::new(Type::read(letters))),
            Some('T') => Type::Meta(Box::new(Type::read(letters))),
            Some('M') => {
                let key = Type::read(letters);
                Type::map(key, Type::read(letters))
            }
            Some('A') => Type::Param(0),
            Some('B') => Type::Param(1),
            _ => Type::Dyn,
        }
    }

    /// The type with its parameters renamed by adding `offset`.
    fn shifted(&self, offset: u32) -> Type {
        match self {
            Type::Param(number) => Type::Param(number + offset),
            Type::List(element) => Type::List(Box::new(element.shifted(offset))),
            Type::Optional(element) => Type::Optional(Box::new(element.shifted(offset))),
            Type::Meta(inner) => Type::Meta(Box::new(inner.shifted(offset))),
            Type::Map(key, value) => Type::map(key.shifted(offset), value.shifted(offset)),
            other => other.clone(),
        }
    }

    fn mentions(&self, param: u32) -> bool {
        match self {
            Type::Param(number) => *number == param,
            Type::List(inner) | Type::Optional(inner) | Type::Meta(inner) => inner.mentions(param),
            Type::Map(key, value) => key.mentions(param) || value.mentions(param),
            _ => false,
        }
    }

    /// The type as cel-go's results name it.
    pub fn name(&self) -> String {
        match self {
            Type::Any => "google.protobuf.Any".to_owned(),
            Type::Null => "null_type".to_owned(),
            Type::List(element) => format!("list({})", element.name()),
            Type::Map(key, value) => format!("map({}, {})", key.name(), value.name()),
            Type::Optional(inner) => format!("optional_type({})", inner.name()),
            Type::Meta(inner) => format!("type({})", inner.name()),
            other => other.to_string(),
        }
    }
}

/// The type as cel-go's error messages name it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Null => f.write_str("null"),
            Type::Duration => f.write_str("duration"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Dyn | Type::Param(_) => f.write_str("dyn"),
            Type::Any => f.write_str("any"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Map(key, value) => write!(f, "map({key}, {value})"),
            Type::Optional(inner) => write!(f, "optional_type({inner})"),
            Type::Meta(inner) => write!(f, "type({inner})"),
            Type::Opaque(name) => f.write_str(name),
            Type::Device => f.write_str("kubernetes.DRADevice"),
            Type::Error => f.write_str("!error!"),
        }
    }
}

/// The types bound to the type parameters.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    bound: BTreeMap<u32, Type>,
    next: u32,
}

impl Bindings {
    /// A new type parameter.
    pub fn fresh(&mut self) -> Type {
        self.next += 1;
        Type::Param(self.next + 1)
    }

    /// Types of one declaration with fresh parameters.
    pub fn instantiate(&mut self, types: &[Type]) -> Vec<Type> {
        self.next += 2;
        let offset = self.next;
        types.iter().map(|it| it.shifted(offset)).collect()
    }

    /// The type with its bound parameters replaced. Free ones become `dyn` if `free_to_dyn`.
    pub fn resolve(&self, it: &Type, free_to_dyn: bool) -> Type {
        match it {
            Type::Param(number) => match self.bound.get(number) {
                Some(bound) => self.resolve(bound, free_to_dyn),
                None if free_to_dyn => Type::Dyn,
                None => it.clone(),
            },
            Type::List(inner) => Type::List(Box::new(self.resolve(inner, free_to_dyn))),
            Type::Optional(inner) => Type::Optional(Box::new(self.resolve(inner, free_to_dyn))),
            Type::Meta(inner) => Type::Meta(Box::new(self.resolve(inner, free_to_dyn))),
            Type::Map(key, value) => Type::map(
                self.resolve(key, free_to_dyn),
                self.resolve(value, free_to_dyn),
            ),
            other => other.clone(),
        }
    }

    /// Whether a value of type `from` is allowed where `to` is expected; binds parameters if so.
    pub fn assign(&mut self, to: &Type, from: &Type) -> bool {
        let mut trial = self.clone();
        let fits = trial.unify(to, from);
        if fits {
            *self = trial;
        }
        fits
    }

    fn unify(&mut self, to: &Type, from: &Type) -> bool {
        if let Type::Param(number) = to {
            return self.bind(*number, from);
        }
        if let Type::Param(number) = from {
            return self.bind(*number, to);
        }
        if to.is_dyn_or_error() || from.is_dyn_or_error() {
            return true;
        }
        match (to, from) {
            (Type::List(to), Type::List(from)) | (Type::Optional(to), Type::Optional(from)) => {
                self.unify(to, from)
            }
            (Type::Meta(_), Type::Meta(_)) => true,
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.unify(key, other_key) && self.unify(value, other_value)
            }
            (Type::Null, other) | (other, Type::Null) => {
                *other == Type::Null
                    || matches!(
                        other,
                        Type::Device
                            | Type::Opaque(QUANTITY | SEMVER)
                            | Type::Duration
                            | Type::Timestamp
                    )
            }
            (to, from) => to == from,
        }
    }

    fn bind(&mut self, number: u32, other: &Type) -> bool {
        if let Some(bound) = self.bound.get(&number).cloned() {
            let fits = self.unify(&bound, other);
            // The more general of both types remains.
            if fits && other.is_dyn() && !bound.is_dyn() && !matches!(bound, Type::Param(_)) {
                self.bound.insert(number, other.clone());
            }
            return fits;
        }
        let other = self.resolve(other, false);
        if other == Type::Param(number) {
            return true;
        }
        if other.mentions(number) {
            return false;
        }
        self.bound.insert(number, other);
        true
    }
}
