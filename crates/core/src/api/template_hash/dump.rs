//! A Pod template as the real controllers hash it: the dump of the Go structure.
//!
//! Kubernetes' `ComputeHash` hashes what the library spew prints for a `core/v1 PodTemplateSpec` (`%#v`: types, all
//! fields, pointers followed, keys sorted). `types.txt` lists the structures of v1.34 that a template can contain,
//! field by field in Go's order. Rare or removed volume types are dumped as JSON, so their hash is stable, but
//! differs from the real one.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::api::shapes::key_of;
use berth_base::quantity::{Format, Quantity};
use berth_base::{json, sort};

const TYPES: &str = include_str!("types.txt");

/// A field of a structure.
struct Field {
    name: &'static str,
    /// Its key in JSON; `None` for an embedded field.
    key: Option<String>,
    kind: &'static str,
}

type Types = BTreeMap<&'static str, Vec<Field>>;

/// The dump of a template.
pub(super) fn template(value: &Value) -> String {
    let mut dump = Dump {
        types: types(),
        out: String::with_capacity(4_096),
    };
    dump.value("PodTemplateSpec", value, true);
    dump.out
}

/// The structures, parsed once: a scenario may have a thousand Deployments.
fn types() -> &'static Types {
    static ALL: OnceLock<Types> = OnceLock::new();
    ALL.get_or_init(|| sort::gather(TYPES.lines().filter_map(structure)))
}

/// Parses a line `Name: Field type, Field=key type, …`.
fn structure(line: &'static str) -> Option<(&'static str, Vec<Field>)> {
    let (name, fields) = line.split_once(": ")?;
    let fields = fields.split(", ").filter_map(|field| {
        let (name, kind) = field.split_once(' ')?;
        let (name, key) = match name.split_once('=') {
            Some((name, "^")) => (name, None),
            Some((name, key)) => (name, Some(key.to_owned())),
            None => (name, Some(key_of(name))),
        };
        Some(Field { name, key, kind })
    });
    Some((name, fields.collect()))
}

struct Dump<'t> {
    types: &'t Types,
    out: String,
}

impl Dump<'_> {
    /// Writes a value of a type, preceded by the type if `typed`.
    fn value(&mut self, kind: &str, value: &Value, typed: bool) {
        if typed {
            self.out
                .push_str(&format!("({})", go_type(self.types, kind)));
        }
        if let Some(pointed) = kind.strip_prefix('*') {
            if value.is_null() {
                self.out.push_str("<nil>");
            } else {
                self.value(pointed, value, false);
            }
        } else if let Some(item) = kind.strip_prefix("[]") {
            self.list(item, value);
        } else if kind == "map[string]string" || kind == "ResourceList" {
            self.map(kind, value);
        } else {
            self.plain(kind, value);
        }
    }

    fn list(&mut self, item: &str, value: &Value) {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        if items.is_empty() {
            self.out.push_str("<nil>");
            return;
        }
        self.out.push('[');
        for (place, value) in items.iter().enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.value(item, value, false);
        }
        self.out.push(']');
    }

    fn map(&mut self, kind: &str, value: &Value) {
        let entries: BTreeMap<&String, &Value> =
            sort::gather(value.as_object().into_iter().flatten());
        if entries.is_empty() {
            self.out.push_str("<nil>");
            return;
        }
        let of = if kind == "ResourceList" {
            "resource.Quantity"
        } else {
            "string"
        };
        self.out.push_str("map[");
        for (place, (key, value)) in entries.into_iter().enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.out.push_str(key);
            self.out.push(':');
            self.value(of, value, false);
        }
        self.out.push(']');
    }

    fn plain(&mut self, kind: &str, value: &Value) {
        if let Some(fields) = self.types.get(kind) {
            self.fields(fields, value);
            return;
        }
        let text = match kind {
            "bool" => value.as_bool().unwrap_or(false).to_string(),
            "int32" | "int64" => value.as_i64().unwrap_or(0).to_string(),
            // Never set in a template.
            "Time" => "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
                .to_owned(),
            "resource.Quantity" => quantity(value),
            "intstr.IntOrString" => int_or_string(value),
            _ => match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => json::text(other),
            },
        };
        self.out.push_str(&text);
    }

    fn fields(&mut self, fields: &[Field], value: &Value) {
        self.out.push('{');
        for (place, field) in fields.iter().enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.out.push_str(field.name);
            self.out.push(':');
            let of_field = match &field.key {
                Some(key) => value.get(key).unwrap_or(&Value::Null),
                None => value,
            };
            self.value(field.kind, of_field, true);
        }
        self.out.push('}');
    }
}

/// A type as Go names it; API types with their package.
fn go_type(types: &Types, kind: &str) -> String {
    let bare = kind.trim_start_matches(['*', '[', ']']);
    let known = ["string", "bool", "int32", "int64", "map[string]string"];
    let prefix = &kind[..kind.len() - bare.len()];
    if known.contains(&bare) || bare.contains('.') && !types.contains_key(bare) {
        kind.to_owned()
    } else {
        format!("{prefix}v1.{bare}")
    }
}

fn int_or_string(value: &Value) -> String {
    let (kind, number) = match value {
        Value::String(_) => (1, 0),
        other => (0, other.as_i64().unwrap_or(0)),
    };
    let text = value.as_str().unwrap_or_default();
    format!("{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}")
}

/// A quantity as the API server sends it: parsed from the canonical text, which is cached.
fn quantity(value: &Value) -> String {
    let text = value.as_str().unwrap_or("0");
    let parsed = Quantity::parse(text).unwrap_or_default();
    let text = parsed.to_string();
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let (digits, exponent) = digits.split_once('e').unwrap_or((digits, ""));
    let suffix = text.get(digits.len()..).unwrap_or_default();
    let (shift, scale) = match suffix {
        "Ki" => (10, 0),
        "Mi" => (20, 0),
        "Gi" => (30, 0),
        "Ti" => (40, 0),
        "Pi" => (50, 0),
        "Ei" => (60, 0),
        "n" => (0, -9),
        "u" => (0, -6),
        "m" => (0, -3),
        "k" => (0, 3),
        "M" => (0, 6),
        "G" => (0, 9),
        "T" => (0, 12),
        "P" => (0, 15),
        "E" => (0, 18),
        _ => (0, exponent.parse().unwrap_or(0)),
    };
    let amount = digits
        .parse::<i64>()
        .unwrap_or(0)
        .saturating_mul(1 << shift);
    let format = match (parsed.format(), shift) {
        _ if text == "0" => "",
        (Format::DecimalExponent, _) if suffix.starts_with('e') => "DecimalExponent",
        (_, 0) => "DecimalSI",
        _ => "BinarySI",
    };
    format!(
        "{{i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}} d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){text} Format:(resource.Format){format}}}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_those_of_the_api() {
        for (field, key) in [
            ("Name", "name"),
            ("DNSPolicy", "dnsPolicy"),
            ("HostPID", "hostPID"),
            ("TTY", "tty"),
            ("SELinuxOptions", "seLinuxOptions"),
            ("HTTPGet", "httpGet"),
            ("IP", "ip"),
        ] {
            assert_eq!(key_of(field), key);
        }
    }

    #[test]
    fn values_are_written_with_their_types() {
        let probe = json!({"httpGet": {"path": "/", "port": "web"}, "periodSeconds": 10});
        let container = json!({"name": "c", "readinessProbe": probe,
            "resources": {"requests": {"memory": "1Gi", "cpu": "0.1"}}});
        let text = template(&json!({"spec": {"containers": [container]}}));
        for part in [
            "(v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) ",
            "Containers:([]v1.Container)[{Name:(string)c Image:(string) Command:([]string)<nil> ",
            "ReadinessProbe:(*v1.Probe){ProbeHandler:(v1.ProbeHandler){Exec:(*v1.ExecAction)<nil> HTTPGet:(*v1.HTTPGetAction){Path:(string)/ Port:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)web} ",
            "Requests:(v1.ResourceList)map[cpu:{i:(resource.int64Amount){value:(int64)100 scale:(resource.Scale)-3} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)100m Format:(resource.Format)DecimalSI} memory:{i:(resource.int64Amount){value:(int64)1073741824 scale:(resource.Scale)0} ",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn every_line_of_types_is_parsed() {
        let types = types();
        assert_eq!(types.len(), TYPES.lines().count());
        for fields in types.values() {
            let keys: std::collections::BTreeSet<_> = fields.iter().map(|it| &it.key).collect();
            assert_eq!(keys.len(), fields.len());
        }
    }
}
