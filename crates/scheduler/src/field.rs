//! Errors about one field, with the API server's messages (`k8s.io/apimachinery`, `field.Error`).

use berth_protocol::remark::Remark;
use std::fmt::Display;

use serde_json::Value;

/// The path to a field, as the API server prints it: `spec.containers[0].resources.limits[cpu]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(String);

impl Path {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// A field of the object at this path.
    pub fn child(&self, name: &str) -> Self {
        match self.0.is_empty() {
            true => Self(name.to_owned()),
            false => Self(format!("{}.{name}", self.0)),
        }
    }

    /// An item of the list at this path.
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// An entry of the map at this path.
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The type of an error (`field.ErrorType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    Required,
    Invalid,
    NotSupported,
    Forbidden,
    Duplicate,
    NotFound,
    TooLong,
    TooMany,
}

impl ErrorKind {
    /// The start of the message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::NotFound => "Not found",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        }
    }
}

/// One error about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, as the API server prints it; `""` for the whole document.
    pub path: String,
    /// The type of the error.
    pub kind: ErrorKind,
    /// What the API server prints after the path: `Invalid value: -1: must be …`.
    pub message: String,
    /// How to fix it; empty if the message suffices.
    pub help: Remark,
}

impl FieldError {
    /// A missing value.
    pub fn required(path: &Path, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::Required, None, detail)
    }

    /// A value that is malformed or out of range.
    pub fn invalid(path: &Path, value: impl Into<Value>, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::Invalid, Some(value.into()), detail)
    }

    /// Something wrong with a structure, which is not printed (`field.OmitValueType`).
    pub fn invalid_whole(path: &Path, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::Invalid, None, detail)
    }

    /// A word that is not in `supported`, which is printed in the given order.
    pub fn not_supported(path: &Path, value: &str, supported: &[&str]) -> Self {
        Self::not_supported_value(path, value, supported)
    }

    /// The same for values of other types.
    pub fn not_supported_value(path: &Path, value: impl Into<Value>, supported: &[&str]) -> Self {
        let quoted: Vec<String> = supported.iter().map(quote).collect();
        let detail = format!("supported values: {}", quoted.join(", "));
        Self::with_detail(path, ErrorKind::NotSupported, Some(value.into()), &detail)
    }

    /// A well-formed value that is not allowed here.
    pub fn forbidden(path: &Path, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::Forbidden, None, detail)
    }

    /// A repeated value.
    pub fn duplicate(path: &Path, value: impl Into<Value>) -> Self {
        Self::with_detail(path, ErrorKind::Duplicate, Some(value.into()), "")
    }

    /// A repeated value, with what must be unique.
    pub fn duplicate_because(path: &Path, value: impl Into<Value>, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::Duplicate, Some(value.into()), detail)
    }

    /// A reference to something that does not exist.
    pub fn not_found(path: &Path, value: impl Into<Value>) -> Self {
        Self::with_detail(path, ErrorKind::NotFound, Some(value.into()), "")
    }

    /// The same with what it must be.
    pub fn not_found_because(path: &Path, value: impl Into<Value>, detail: &str) -> Self {
        Self::with_detail(path, ErrorKind::NotFound, Some(value.into()), detail)
    }

    /// A value longer than `limit` bytes.
    pub fn too_long(path: &Path, limit: usize) -> Self {
        let detail = format!("may not be more than {limit} bytes");
        Self::with_detail(path, ErrorKind::TooLong, None, &detail)
    }

    /// A list with more than `limit` items.
    pub fn too_many(path: &Path, actual: usize, limit: usize) -> Self {
        let items = if limit == 1 { "item" } else { "items" };
        let detail = format!("must have at most {limit} {items}");
        Self::with_detail(path, ErrorKind::TooMany, Some(actual.into()), &detail)
    }

    /// The same error with advice.
    pub fn help(mut self, help: Remark) -> Self {
        self.help = help;
        self
    }

    fn with_detail(path: &Path, kind: ErrorKind, value: Option<Value>, detail: &str) -> Self {
        let mut message = kind.as_str().to_owned();
        if let Some(value) = value {
            message.push_str(": ");
            match &value {
                Value::String(text) => message.push_str(&quote(text)),
                other => message.push_str(&other.to_string()),
            }
        }
        if !detail.is_empty() {
            message.push_str(": ");
            message.push_str(detail);
        }
        Self {
            path: path.as_str().to_owned(),
            kind,
            message,
            help: Remark::default(),
        }
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Text in double quotes, escaped like Go's `%q`.
///
/// Unprintable characters (controls, bidirectional marks) become `\u` escapes, so that a hostile name
/// cannot rearrange the message that quotes it.
pub fn quote(text: impl AsRef<str>) -> String {
    let mut quoted = String::from('"');
    for c in text.as_ref().chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if is_printable(c) => quoted.push(c),
            c if u32::from(c) < 0x10000 => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character is printable; approximates Go's `unicode.IsPrint`.
fn is_printable(c: char) -> bool {
    let invisible = c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{10ffff}');
    !invisible
}
