//! Writes values in the style of hand-written manifests.

use serde_json::{Map, Value};

use crate::api::yaml;

/// Mappings written on one line: `requests: {cpu: 500m, memory: 1Gi}`.
const SHORT_MAPS: [&str; 5] = [
    "requests",
    "limits",
    "capacity",
    "allocatable",
    "matchLabels",
];

/// Maximum length of such a mapping, without its key.
const SHORT_LINE: usize = 80;

/// The first keys of a manifest, and of its metadata, in the usual order.
const FIRST_KEYS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
const FIRST_METADATA: [&str; 4] = ["name", "namespace", "labels", "annotations"];

/// The style of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Spaces by which a mapping is indented relative to its parent.
    pub(super) step: usize,
    /// Whether a list is indented relative to its key.
    pub(super) indented_lists: bool,
    /// `\n` or `\r\n`.
    pub(super) newline: &'static str,
}

/// The quoting style of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Quoted only if the plain text would be read as something else.
    AsNeeded,
    Single,
    Double,
}

/// The style of a value within brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Yaml,
    /// On one line; `spaced`: with a space after colons and commas.
    Json {
        spaced: bool,
    },
    /// On several lines.
    JsonLines {
        /// Indentation of the line on which the value starts.
        indent: String,
        /// Indentation that each level adds.
        unit: String,
    },
}

/// A scalar on one line.
pub(super) fn scalar(value: &Value, in_flow: bool, quotes: Quotes) -> String {
    match value {
        Value::String(text) => match quotes {
            Quotes::AsNeeded if is_plain(text, in_flow) => text.clone(),
            Quotes::Single if text.chars().all(shows) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            _ => double_quoted(text),
        },
        other => other.to_string(),
    }
}

/// Whether an unquoted text is read as the same string, by kubectl (YAML 1.1) and by YAML 1.2.
fn is_plain(text: &str, in_flow: bool) -> bool {
    const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`=<~";
    let edges_fit = !text.starts_with(|c: char| INDICATORS.contains(c) || c.is_whitespace())
        && !text.ends_with(|c: char| c == ':' || c.is_whitespace());
    let breaks_flow = in_flow && text.contains([',', '[', ']', '{', '}', ':']);
    let means_more = text.contains(": ") || text.contains(" #") || breaks_flow;
    let inside_fits = text.chars().all(shows) && !means_more;
    if text.is_empty() || !edges_fit || !inside_fits || is_number_like(text) || is_word(text) {
        return false;
    }
    // Parsing also catches document markers, which are never values.
    yaml::parse(text).is_ok_and(|parsed| parsed.value == Value::String(text.to_owned()))
}

/// Whether a text is, or resembles, a number, date or time of any YAML version.
fn is_number_like(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '.'))
        && text.chars().all(|c| {
            c.is_ascii_hexdigit()
                || matches!(
                    c,
                    '_' | ':'
                        | '.'
                        | '+'
                        | '-'
                        | 'x'
                        | 'X'
                        | 'o'
                        | 'O'
                        | 'T'
                        | 't'
                        | 'Z'
                        | 'z'
                        | ' '
                )
        })
        || matches!(
            text.trim_start_matches(['+', '-'])
                .to_ascii_lowercase()
                .as_str(),
            ".inf" | ".nan"
        )
}

fn is_word(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    )
}

/// Whether a character is written unescaped: not if it is a control character, invisible, or changes
/// the direction of the text.
fn shows(c: char) -> bool {
    let hidden = c.is_control()
        || c.is_whitespace() && c != ' '
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}');
    !hidden
}

/// A string in double quotes, valid in both YAML and JSON.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if shows(c) => quoted.push(c),
            c => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// A key, quoted if it needs quotes or if its neighbors have them.
pub(super) fn key(text: &str, flow: Option<&Flow>) -> String {
    match flow {
        None => scalar(&Value::from(text), false, Quotes::AsNeeded),
        Some(Flow::Yaml) => scalar(&Value::from(text), true, Quotes::AsNeeded),
        Some(_) => double_quoted(text),
    }
}

/// A value within brackets.
pub(super) fn flow(value: &Value, style: &Flow) -> String {
    let spaced = !matches!(style, Flow::Json { spaced: false });
    let colon = if spaced { ": " } else { ":" };
    let (parts, open, close): (Vec<String>, _, _) = match (value, style) {
        (Value::Object(map), _) => {
            let inner = style.inner();
            let entry = |(name, value): (&String, &Value)| {
                format!("{}{colon}{}", key(name, Some(style)), flow(value, &inner))
            };
            (map.iter().map(entry).collect(), '{', '}')
        }
        (Value::Array(list), _) => {
            let inner = style.inner();
            let items = list.iter().map(|item| flow(item, &inner));
            (items.collect(), '[', ']')
        }
        (value, Flow::Yaml) => return scalar(value, true, Quotes::AsNeeded),
        (value, _) => return scalar(value, true, Quotes::Double),
    };
    match style {
        Flow::JsonLines { indent, unit } if !parts.is_empty() => {
            let lines = parts.join(&format!(",\n{indent}{unit}"));
            format!("{open}\n{indent}{unit}{lines}\n{indent}{close}")
        }
        _ => format!(
            "{open}{}{close}",
            parts.join(if spaced { ", " } else { "," })
        ),
    }
}

impl Flow {
    /// The style one level deeper.
    pub(super) fn inner(&self) -> Flow {
        match self {
            Flow::JsonLines { indent, unit } => Flow::JsonLines {
                indent: format!("{indent}{unit}"),
                unit: unit.clone(),
            },
            other => other.clone(),
        }
    }
}

/// The value after its key or dash; `None` if it needs lines of its own.
pub(super) fn inline(value: &Value, name: Option<&str>) -> Option<String> {
    match value {
        Value::Object(map) if map.is_empty() => Some("{}".to_owned()),
        Value::Array(list) if list.is_empty() => Some("[]".to_owned()),
        Value::Object(map) => {
            let is_short = name.is_some_and(|name| SHORT_MAPS.contains(&name));
            let scalars = map.values().all(|v| !v.is_object() && !v.is_array());
            let text = (is_short && scalars).then(|| flow(value, &Flow::Yaml))?;
            (text.len() <= SHORT_LINE).then_some(text)
        }
        Value::Array(_) => None,
        scalar_value => Some(scalar(scalar_value, false, Quotes::AsNeeded)),
    }
}

/// `key: value` with the key at `column`, without the indentation and the end of the line. Lines are
/// separated by `\n`, whatever the file's line ending.
pub(super) fn entry(name: &str, value: &Value, column: usize, style: Style) -> String {
    let key = key(name, None);
    match inline(value, Some(name)) {
        Some(text) => format!("{key}: {text}"),
        None => format!("{key}:\n{}", block(value, column, style)),
    }
}

/// The lines of a mapping or list below a key at `column`, indentation included.
pub(super) fn block(value: &Value, column: usize, style: Style) -> String {
    match value {
        Value::Array(list) => {
            let dash = column + if style.indented_lists { style.step } else { 0 };
            items(list, dash, style)
        }
        Value::Object(map) => {
            let inner = column + style.step;
            format!("{:inner$}{}", "", entries(map, inner, style))
        }
        _ => String::new(),
    }
}

/// The lines of a list's items with their dashes at column `dash`.
pub(super) fn items(list: &[Value], dash: usize, style: Style) -> String {
    let lines = list
        .iter()
        .map(|value| format!("{:dash$}- {}", "", item(value, dash + 2, style)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The text of an item after its dash, which starts at `column`.
pub(super) fn item(value: &Value, column: usize, style: Style) -> String {
    match (inline(value, None), value) {
        (Some(text), _) => text,
        (None, Value::Object(map)) => entries(map, column, style),
        (None, Value::Array(list)) => items(list, column, style).trim_start().to_owned(),
        (None, _) => String::new(),
    }
}

/// The lines of a mapping, the first one without indentation.
fn entries(map: &Map<String, Value>, column: usize, style: Style) -> String {
    let lines = map
        .iter()
        .map(|(key, value)| entry(key, value, column, style));
    lines.collect::<Vec<_>>().join(&format!("\n{:column$}", ""))
}

/// A manifest as a document, without a final newline.
pub(super) fn document(manifest: &Value, style: Style) -> String {
    match ordered(manifest) {
        Value::Object(map) => entries(&map, 0, style),
        other => flow(&other, &Flow::Yaml),
    }
}

/// A manifest with its fields in the usual order.
pub(super) fn ordered(manifest: &Value) -> Value {
    let Value::Object(map) = manifest else {
        return manifest.clone();
    };
    let mut result = in_order(map, &FIRST_KEYS);
    if let Some(Value::Object(metadata)) = result.get_mut("metadata") {
        *metadata = in_order(metadata, &FIRST_METADATA);
    }
    Value::Object(result)
}

fn in_order(map: &Map<String, Value>, first: &[&str]) -> Map<String, Value> {
    let rank = |key: &str| first.iter().position(|first| *first == key);
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.sort_by_key(|(key, _)| rank(key).unwrap_or(first.len()));
    entries
        .into_iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
